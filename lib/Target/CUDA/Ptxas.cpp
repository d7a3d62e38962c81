//===- Ptxas.cpp - From PTX to cubin and fatbin -------------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Assembles PTX with the toolkit's ptxas, reads what each kernel takes of the chip, and packs fat binaries.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/Ptxas.h"
#include "nag/Target/CUDA/RunTool.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace nag;

/// Reads one item of a list such as "used 1 barriers, 64 bytes smem, 560 bytes cmem[0]" into `kernel`. Items that say
/// nothing about resources are passed over.
static void parseItem(StringRef item, KernelResources &kernel) {
  item = item.trim();
  if (!item.consume_front("Used "))
    item.consume_front("used ");
  uint64_t number;
  if (item.consumeInteger(10, number))
    return;
  item = item.trim();
  if (item == "registers")
    kernel.registers = static_cast<unsigned>(number);
  else if (item == "barriers")
    kernel.barriers = static_cast<unsigned>(number);
  else if (item == "bytes smem")
    kernel.staticSharedBytes = number;
  else if (item == "bytes stack frame")
    kernel.stackFrameBytes = number;
  else if (item == "bytes spill stores")
    kernel.spillStoreBytes = number;
  else if (item == "bytes spill loads")
    kernel.spillLoadBytes = number;
  else if (item.starts_with("bytes cmem["))
    kernel.constantBytes += number;
}

static void parseItems(StringRef line, KernelResources &kernel) {
  for (StringRef item : llvm::split(line, ','))
    parseItem(item, kernel);
}

FailureOr<SmallVector<KernelResources>> nag::parsePtxasReport(StringRef report, EmitError emitError) {
  // ptxas info    : Compiling entry function 'k' for 'sm_90'
  // ptxas info    : Function properties for k
  //     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
  // ptxas info    : Used 30 registers, used 1 barriers, 64 bytes smem
  SmallVector<KernelResources> kernels;
  bool propertiesFollow = false;
  for (StringRef line : llvm::split(report, '\n')) {
    if (propertiesFollow) {
      parseItems(line, kernels.back());
      propertiesFollow = false;
      continue;
    }
    auto [prefix, text] = line.split(':');
    if (prefix.trim() != "ptxas info")
      continue;
    text = text.trim();
    if (text.consume_front("Compiling entry function '")) {
      kernels.emplace_back().name = text.take_until([](char c) { return c == '\''; }).str();
    } else if (!kernels.empty() && text.consume_front("Function properties for ")) {
      // Functions that were not inlined have properties too; a kernel's own stack and spills are what we report.
      propertiesFollow = text == kernels.back().name;
    } else if (!kernels.empty() && text.starts_with("Used ")) {
      parseItems(text, kernels.back());
    }
  }
  for (const KernelResources &kernel : kernels)
    if (kernel.registers == 0)
      return emitError() << "cannot read the resources of kernel '" << kernel.name << "' in what ptxas printed:\n"
                         << report;
  llvm::sort(kernels, [](const auto &a, const auto &b) { return a.name < b.name; });
  return kernels;
}

FailureOr<Cubin> nag::assemble(StringRef ptx, const Chip &chip, const Toolkit &toolkit, EmitError emitError,
                               const PtxasOptions &options) {
  FailureOr<std::string> ptxas = toolkit.findPtxas(emitError);
  if (failed(ptxas))
    return failure();
  auto scratch = TempDirectory::create(emitError);
  if (failed(scratch))
    return failure();
  std::string input = (*scratch)->getPath("kernels.ptx"), output = (*scratch)->getPath("kernels.cubin");
  if (failed(writeFile(input, ptx, emitError)))
    return failure();

  SmallVector<std::string> arguments{"-v", "-arch", chip.name.str(), "-O" + llvm::utostr(options.optLevel)};
  arguments.append(options.extraArguments.begin(), options.extraArguments.end());
  arguments.append({input, "-o", output});
  FailureOr<std::string> report = runTool(*ptxas, arguments, toolkit.getTimeout(), **scratch, emitError);
  if (failed(report))
    return failure();
  if (!llvm::sys::fs::exists(output))
    return emitError() << "'" << *ptxas << "' succeeded but wrote no cubin; is it ptxas?";
  FailureOr<std::string> image = readFile(output, emitError);
  if (failed(image))
    return failure();
  auto kernels = parsePtxasReport(*report, emitError);
  if (failed(kernels))
    return failure();
  if (kernels->empty())
    return emitError() << "'" << *ptxas << "' reported no kernel";
  return Cubin{&chip, std::move(*image), std::move(*kernels), std::move(*report)};
}

FailureOr<std::string> nag::makeFatbin(ArrayRef<Cubin> cubins, StringRef ptx, const Chip *ptxChip,
                                       const Toolkit &toolkit, EmitError emitError) {
  if (cubins.empty() && ptx.empty())
    return emitError() << "a fat binary needs at least one cubin or PTX";
  if (!ptx.empty() && !ptxChip)
    return emitError() << "a fat binary's PTX needs the chip that it was compiled for";
  // The driver would take one of them and never see the other's kernels.
  SmallPtrSet<const Chip *, 4> chips;
  for (const Cubin &cubin : cubins)
    if (!chips.insert(cubin.chip).second)
      return emitError() << "a fat binary can hold one cubin for " << cubin.chip->name << ", got two";
  FailureOr<std::string> fatbinary = toolkit.findFatbinary(emitError);
  if (failed(fatbinary))
    return failure();
  auto scratch = TempDirectory::create(emitError);
  if (failed(scratch))
    return failure();
  std::string output = (*scratch)->getPath("kernels.fatbin");
  // fatbinary splits its arguments at commas and offers no way to quote one.
  if (output.find(',') != std::string::npos)
    return emitError() << "fatbinary cannot use a temporary directory with a comma in its path, '" << output
                       << "'; set TMPDIR to another";

  SmallVector<std::string> arguments{"-64", "--create=" + output};
  auto addImage = [&](StringRef kind, const Chip &chip, StringRef suffix, StringRef contents) {
    std::string file = (*scratch)->getPath(chip.name.str() + suffix.str());
    arguments.push_back(("--image3=kind=" + kind + ",sm=" + chip.getArch() + ",file=" + file).str());
    return writeFile(file, contents, emitError);
  };
  for (const Cubin &cubin : cubins)
    if (failed(addImage("elf", *cubin.chip, ".cubin", cubin.image)))
      return failure();
  if (!ptx.empty() && failed(addImage("ptx", *ptxChip, ".ptx", ptx)))
    return failure();
  if (failed(runTool(*fatbinary, arguments, toolkit.getTimeout(), **scratch, emitError)))
    return failure();
  return readFile(output, emitError);
}
