//===- CompileOptions.cpp - What a compilation is asked for -------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Reads and checks the options of a compilation.

#include "nag/Compiler/CompileOptions.h"

#include "nag/Target/CPU/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace nag;
using llvm::StringRef;

namespace {

/// A product by its names, and who makes it.
struct EmitInfo {
  Emit emit;
  llvm::StringLiteral name;
  llvm::StringLiteral suffix;
  bool cpu;
  bool cuda;
  bool binary;

  bool isFor(Target target) const { return target == Target::CPU ? cpu : cuda; }
};

constexpr EmitInfo products[] = {
    {Emit::Row, "row", "", true, true, false},           {Emit::MLIR, "mlir", ".mlir", true, true, false},
    {Emit::LLVMIR, "llvm", ".ll", true, true, false},    {Emit::PTX, "ptx", ".ptx", false, true, false},
    {Emit::Cubin, "cubin", ".cubin", false, true, true}, {Emit::Fatbin, "fatbin", ".fatbin", false, true, true},
    {Emit::Assembly, "asm", ".s", true, false, false},   {Emit::Object, "obj", ".o", true, false, true},
    {Emit::Shared, "shared", ".so", true, false, true},  {Emit::Header, "header", ".h", true, false, false},
    {Emit::None, "none", "", true, true, false},
};

} // namespace

static StringRef stringifyTarget(Target target) { return target == Target::CPU ? "cpu" : "cuda"; }

static const EmitInfo &getInfo(Emit emit) {
  return *llvm::find_if(products, [&](const EmitInfo &info) { return info.emit == emit; });
}

/// The names of all products, or of those of one target.
static std::string listProducts(std::optional<Target> target = std::nullopt) {
  llvm::SmallVector<StringRef> names;
  for (const EmitInfo &info : products)
    if (!target || info.isFor(*target))
      names.push_back(info.name);
  return llvm::join(names, ", ");
}

bool nag::isBinary(Emit emit) { return getInfo(emit).binary; }

static llvm::Expected<Target> parseTarget(StringRef text) {
  for (Target target : {Target::CPU, Target::CUDA})
    if (text == stringifyTarget(target))
      return target;
  return llvm::createStringError("--target=" + text + ": expected cpu or cuda");
}

/// What was asked for by name or by the suffix of the output, if anything was.
static llvm::Expected<std::optional<Emit>> parseEmit(StringRef text, StringRef outputPath) {
  StringRef suffix = llvm::sys::path::extension(outputPath);
  for (const EmitInfo &info : products)
    if (text.empty() ? !suffix.empty() && suffix == info.suffix : text == info.name)
      return info.emit;
  if (text.empty())
    return std::nullopt;
  return llvm::createStringError("--emit=" + text + ": expected one of " + listProducts());
}

llvm::Error nag::chooseTargetAndEmit(StringRef target, StringRef emit, StringRef outputPath, CompileOptions &options) {
  llvm::Expected<std::optional<Emit>> product = parseEmit(emit, outputPath);
  if (!product)
    return product.takeError();
  if (!target.empty()) {
    llvm::Expected<Target> parsed = parseTarget(target);
    if (!parsed)
      return parsed.takeError();
    options.target = *parsed;
  } else {
    options.target = *product && !getInfo(**product).cpu ? Target::CUDA : Target::CPU;
  }
  options.emit = product->value_or(options.target == Target::CPU ? Emit::Object : Emit::PTX);
  return llvm::Error::success();
}

llvm::Error nag::parseChips(StringRef list, CompileOptions &options) {
  options.chips.clear();
  for (StringRef name : llvm::split(list, ',')) {
    name = name.trim();
    if (llvm::none_of(getChips(), [&](const Chip &chip) { return chip.name == name; })) {
      llvm::SmallVector<StringRef> known;
      for (const Chip &chip : getChips())
        known.push_back(chip.name);
      return llvm::createStringError("--chip=" + list + ": unknown chip '" + name + "'; known chips are " +
                                     llvm::join(known, ", "));
    }
    if (llvm::is_contained(options.chips, name))
      return llvm::createStringError("--chip=" + list + ": " + name + " is there twice");
    options.chips.push_back(name.str());
  }
  return llvm::Error::success();
}

static llvm::Error verifyCuda(const CompileOptions &options) {
  llvm::StringRef kind = options.schedule.kind;
  if (!kind.empty() && !llvm::is_contained({"warp", "block", "stream"}, kind))
    return llvm::createStringError("--schedule=" + kind + ": expected warp, block or stream");
  if (options.chips.empty())
    return llvm::createStringError("--chip: expected at least one chip");
  bool isForOneChip = options.emit == Emit::LLVMIR || options.emit == Emit::PTX || options.emit == Emit::Cubin;
  if (isForOneChip && options.chips.size() > 1)
    return llvm::createStringError("--chip=" + llvm::join(options.chips, ",") + ": --emit=" +
                                   getInfo(options.emit).name + " is for one chip; several go into --emit=fatbin");
  return llvm::Error::success();
}

llvm::Error nag::verifyOptions(const CompileOptions &options) {
  const EmitInfo &info = getInfo(options.emit);
  if (!info.isFor(options.target)) {
    Target other = options.target == Target::CPU ? Target::CUDA : Target::CPU;
    return llvm::createStringError("--emit=" + info.name + " is for --target=" + stringifyTarget(other) +
                                   "; --target=" + stringifyTarget(options.target) + " has " +
                                   listProducts(options.target));
  }
  for (unsigned level : {options.cpu.optLevel, options.cuda.optLevel})
    if (level > 3)
      return llvm::createStringError("--opt-level=" + llvm::Twine(level) + ": expected 0 to 3");
  if (options.target == Target::CUDA)
    return verifyCuda(options);
  return CpuMachine::resolve(options.cpu).takeError();
}
