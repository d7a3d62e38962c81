//===- Jit.cpp - Entries that run in this process -----------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Compiles entries with ORC and keeps them callable.

#include "nag/Target/CPU/Jit.h"

#include "nag/Target/CPU/Emit.h"
#include "nag/Target/CPU/Link.h"
#include "nag/Target/CPU/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace nag;
using namespace llvm::orc;

CpuKernels::CpuKernels(std::unique_ptr<LLJIT> jit) : jit(std::move(jit)) {}
CpuKernels::~CpuKernels() = default;

static bool usesOpenMP(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() &&
           (function.getName().starts_with("__kmpc_") || function.getName().starts_with("omp_"));
  });
}

/// What ORC reports goes into the error instead of onto the terminal: only it names a symbol that is missing.
static llvm::Error withReports(llvm::Error error, const std::string &reports) {
  if (!error || reports.empty())
    return error;
  return llvm::createStringError(llvm::inconvertibleErrorCode(), reports + llvm::toString(std::move(error)));
}

/// A JIT with `module` in it, and with the libraries that its symbols come from.
static llvm::Expected<std::unique_ptr<LLJIT>> makeJit(ThreadSafeModule module, const CpuMachine &machine,
                                                      const CpuOptions &options) {
  JITTargetMachineBuilder targetBuilder(machine.getTriple());
  targetBuilder.setCPU(machine.getCpu().str());
  // The compiler below is what generates code; the builder only tells LLJIT the data layout.
  LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(targetBuilder));
  builder.setCompileFunctionCreator(
      [&](JITTargetMachineBuilder) -> llvm::Expected<std::unique_ptr<IRCompileLayer::IRCompiler>> {
        return std::make_unique<TMOwningSimpleCompiler>(machine.createTargetMachine(options.optLevel, /*jit=*/true));
      });
  llvm::Expected<std::unique_ptr<LLJIT>> jit = builder.create();
  if (!jit)
    return jit.takeError();
  // Shared, because ORC keeps the reporter as long as the JIT lives.
  auto reports = std::make_shared<std::string>();
  (*jit)->getExecutionSession().setErrorReporter(
      [reports](llvm::Error error) { *reports += llvm::toString(std::move(error)) + "; "; });
  char prefix = (*jit)->getDataLayout().getGlobalPrefix();
  JITDylib &main = (*jit)->getMainJITDylib();
  if (usesOpenMP(*module.getModuleUnlocked())) {
    llvm::Expected<std::string> runtime = findOpenMPRuntime(options);
    if (!runtime)
      return runtime.takeError();
    auto library = DynamicLibrarySearchGenerator::Load(runtime->c_str(), prefix);
    if (!library)
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "cannot load the OpenMP runtime '%s': %s",
                                     runtime->c_str(), llvm::toString(library.takeError()).c_str());
    main.addGenerator(std::move(*library));
  }
  // The C library and libm: LLVM itself has loaded them.
  auto process = DynamicLibrarySearchGenerator::GetForCurrentProcess(prefix);
  if (!process)
    return process.takeError();
  main.addGenerator(std::move(*process));

  llvm::SmallVector<std::string> entries;
  for (const llvm::Function &function : *module.getModuleUnlocked())
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      entries.push_back(function.getName().str());
  if (llvm::Error error = (*jit)->addIRModule(std::move(module)))
    return std::move(error);
  // Compile now: a symbol that is missing is an error here, not a surprise at the first call.
  for (const std::string &entry : entries)
    if (auto address = (*jit)->lookup(entry); !address)
      return withReports(address.takeError(), *reports);
  return jit;
}

mlir::FailureOr<std::unique_ptr<CpuKernels>> CpuKernels::create(mlir::ModuleOp module, const CpuOptions &options) {
  llvm::Expected<CpuMachine> machine = CpuMachine::resolve(options);
  if (!machine)
    return module.emitError() << llvm::toString(machine.takeError());
  if (std::string missing = machine->missingOnHost(); !missing.empty())
    return module.emitError() << "code for CPU '" << options.cpu << "' cannot run on this machine, which lacks "
                              << missing;
  auto context = std::make_unique<llvm::LLVMContext>();
  mlir::FailureOr<std::unique_ptr<llvm::Module>> llvmModule = translateForCpu(module, options, *context);
  if (failed(llvmModule))
    return mlir::failure();
  // A module must not outlive its context; this type sees to it on every path.
  ThreadSafeModule safe(std::move(*llvmModule), std::move(context));
  llvm::Expected<std::unique_ptr<LLJIT>> jit = makeJit(std::move(safe), *machine, options);
  if (!jit)
    return module.emitError() << "cannot be compiled for running: " << llvm::toString(jit.takeError());
  return std::unique_ptr<CpuKernels>(new CpuKernels(std::move(*jit)));
}

void *CpuKernels::lookup(llvm::StringRef name) {
  llvm::Expected<ExecutorAddr> address = jit->lookup(name);
  if (!address) {
    llvm::consumeError(address.takeError()); // "none of that name" is all there is to say
    return nullptr;
  }
  return address->toPtr<void *>();
}
