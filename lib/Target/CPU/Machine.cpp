//===- Machine.cpp - The processor that code is made for ----------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Resolves processor names and features against LLVM's tables and the machine we run on.

#include "nag/Target/CPU/Machine.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>
#include <mutex>

using namespace nag;

/// Names and features are looked up in the tables of the back end, which must be there first.
static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

static llvm::Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Expected<const llvm::Target *> lookupBackend(const llvm::Triple &triple) {
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return makeError("no LLVM back end for this machine (" + triple.str() + "): " + message);
  return target;
}

static llvm::Triple hostTriple() { return llvm::Triple(llvm::sys::getProcessTriple()); }

/// Checks "+a,-b" against the table of the back end: LLVM itself only prints a warning about an unknown one.
static llvm::Error checkFeatureNames(const llvm::MCSubtargetInfo &subtarget, llvm::StringRef features) {
  llvm::SmallVector<llvm::StringRef> parts;
  features.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    llvm::StringRef name = part.drop_front();
    bool known = llvm::any_of(subtarget.getAllProcessorFeatures(),
                              [&](const llvm::SubtargetFeatureKV &feature) { return name == feature.Key; });
    if ((part.front() != '+' && part.front() != '-') || !known)
      return makeError("unknown CPU feature '" + part + "': expected '+' or '-' and a feature of " +
                       subtarget.getTargetTriple().str() + ", as in '+f16c'");
  }
  return llvm::Error::success();
}

llvm::Expected<CpuMachine> CpuMachine::resolve(const CpuOptions &options) {
  initializeBackend();
  CpuMachine machine;
  machine.triple = hostTriple();
  llvm::Expected<const llvm::Target *> target = lookupBackend(machine.triple);
  if (!target)
    return target.takeError();
  machine.target = *target;

  std::unique_ptr<llvm::MCSubtargetInfo> generic((*target)->createMCSubtargetInfo(machine.triple, "", ""));
  if (!generic)
    return makeError("LLVM has no processor tables for " + machine.triple.str());
  if (llvm::Error error = checkFeatureNames(*generic, options.features))
    return std::move(error);

  llvm::SmallVector<std::string> features;
  if (options.cpu == "native") {
    machine.cpu = llvm::sys::getHostCPUName().str();
    // The name alone promises features that a virtual machine may hide. Sorted, so that output is the same each run.
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      features.push_back((feature.second ? "+" : "-") + feature.first().str());
    llvm::sort(features);
  } else {
    machine.cpu = options.cpu;
    if (options.cpu.empty() || !generic->isCPUStringValid(options.cpu))
      return makeError("unknown CPU '" + options.cpu + "': expected native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, " +
                       "or one of those that 'clang --print-supported-cpus' lists");
  }
  if (!options.features.empty())
    features.push_back(options.features);
  machine.features = llvm::join(features, ",");

  machine.subtarget.reset((*target)->createMCSubtargetInfo(machine.triple, machine.cpu, machine.features));
  if (machine.triple.getArch() == llvm::Triple::x86_64 && !machine.has("64bit"))
    return makeError("CPU '" + options.cpu + "' has no 64-bit mode, which code for " + machine.triple.str() + " needs");
  return machine;
}

std::vector<std::string> CpuMachine::knownCpus() {
  initializeBackend();
  std::vector<std::string> names = {"native"};
  llvm::Triple triple = hostTriple();
  llvm::Expected<const llvm::Target *> target = lookupBackend(triple);
  if (!target) {
    llvm::consumeError(target.takeError());
    return names;
  }
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget((*target)->createMCSubtargetInfo(triple, "", ""));
  for (const llvm::SubtargetSubTypeKV &cpu : subtarget->getAllProcessorDescriptions())
    names.push_back(cpu.Key);
  return names;
}

bool CpuMachine::has(llvm::StringRef feature) const { return subtarget->checkFeatures(("+" + feature).str()); }

bool CpuMachine::convertsF16() const {
  // Every other 64-bit back end that we could be built for (AArch64) converts f16 in its baseline.
  return !triple.isX86() || has("f16c");
}

bool CpuMachine::convertsBF16() const {
  if (triple.isX86())
    // LLVM uses the instruction for all vector lengths and for scalars only if it comes with the short vectors.
    return has("avx512bf16") && has("avx512vl");
  return triple.isAArch64() && has("bf16");
}

bool CpuMachine::hasFma() const {
  // The instructions of FMA4 are fused as well. AArch64 has them in its baseline.
  return !triple.isX86() || has("fma") || has("fma4") || has("avx512f");
}

bool CpuMachine::hasBF16Dot() const { return triple.isX86() && has("avx512bf16") && has("avx512vl"); }

unsigned CpuMachine::vectorBits() const {
  if (!triple.isX86())
    return 128;
  return has("avx512f") ? 512 : has("avx") ? 256 : 128;
}

std::string CpuMachine::missingOnHost() const {
  llvm::SmallVector<llvm::StringRef> missing;
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  for (const auto &feature : host)
    if (!feature.second && has(feature.first()))
      missing.push_back(feature.first());
  llvm::sort(missing);
  return llvm::join(missing, ", ");
}

std::unique_ptr<llvm::TargetMachine> CpuMachine::createTargetMachine(unsigned optLevel, bool jit) const {
  llvm::TargetOptions options;
  // Products are rounded before they are added; only an explicit fma may fuse.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = llvm::CodeGenOpt::getLevel(std::min(optLevel, 3u)).value_or(llvm::CodeGenOptLevel::Default);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, features, options, llvm::Reloc::PIC_, std::nullopt, level, jit));
}
