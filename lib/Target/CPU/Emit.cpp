//===- Emit.cpp - LLVM IR, assembly, objects, shared libraries ----------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Translates a module in the LLVM dialect, optimises it for the processor, and emits it.

#include "nag/Target/CPU/Emit.h"

#include "nag/Target/CPU/Entries.h"
#include "nag/Target/CPU/Link.h"
#include "nag/Target/CPU/Machine.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <algorithm>

using namespace nag;

/// The same processor on every function, those that OpenMP outlines included: LLVM generates code by these attributes.
static void setProcessor(llvm::Module &module, const CpuMachine &machine) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getCpu());
    function.addFnAttr("target-features", machine.getFeatures());
    // Some AVX-512 processors are tuned for 256 bits by default; streams of rows want all of it.
    function.addFnAttr("prefer-vector-width", std::to_string(machine.vectorBits()));
    // There are no exceptions in a kernel, and no unwinding through one.
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine, unsigned optLevel) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = optLevel > 1;
  // Kernels are vectors already. What is left to combine are the calls of libm for the C elements of a modulator, which
  // cannot be, and of which the search takes minutes at C = 1,000.
  tuning.SLPVectorization = false;
  // A step of a walk is some hundred instructions: unrolling gains nothing, and takes half of the time to compile.
  tuning.LoopUnrolling = false;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                            llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::OptimizationLevel level = levels[std::min(optLevel, 3u)];
  llvm::ModulePassManager passes =
      optLevel == 0 ? builder.buildO0DefaultPipeline(level) : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

static mlir::FailureOr<CpuMachine> resolveOrEmit(mlir::ModuleOp module, const CpuOptions &options) {
  llvm::Expected<CpuMachine> machine = CpuMachine::resolve(options);
  if (!machine)
    return module.emitError() << llvm::toString(machine.takeError());
  return *machine;
}

mlir::FailureOr<std::unique_ptr<llvm::Module>> nag::translateForCpu(mlir::ModuleOp module, const CpuOptions &options,
                                                                    llvm::LLVMContext &context) {
  mlir::FailureOr<CpuMachine> machine = resolveOrEmit(module, options);
  if (failed(machine))
    return mlir::failure();
  std::unique_ptr<llvm::Module> llvmModule = mlir::translateModuleToLLVMIR(module, context, "nag");
  if (!llvmModule)
    return module.emitError() << "cannot be translated to LLVM IR: lower it to the LLVM dialect first";
  std::unique_ptr<llvm::TargetMachine> targetMachine = machine->createTargetMachine(options.optLevel);
  llvmModule->setTargetTriple(machine->getTriple());
  llvmModule->setDataLayout(targetMachine->createDataLayout());
  setProcessor(*llvmModule, *machine);
  optimize(*llvmModule, *targetMachine, options.optLevel);
  return llvmModule;
}

/// Undefined symbols may be what the source declares, the C library's (libm included), and OpenMP's. Anything else is a
/// helper that the code generator made up and that a user's linker may not find.
static mlir::LogicalResult checkUndefinedSymbols(mlir::ModuleOp module, const llvm::Module &llvmModule,
                                                 llvm::StringRef bytes) {
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> object =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(bytes, "object"));
  if (!object)
    return module.emitError() << "the object just made cannot be read: " << llvm::toString(object.takeError());
  for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!flags || !name) {
      llvm::Error error = llvm::joinErrors(flags.takeError(), name.takeError());
      return module.emitError() << "the object just made cannot be read: " << llvm::toString(std::move(error));
    }
    if (!(*flags & llvm::object::SymbolRef::SF_Undefined) || name->empty() || *name == "_GLOBAL_OFFSET_TABLE_" ||
        llvmModule.getNamedValue(*name) || !describeRuntimeName(*name).empty())
      continue;
    return module.emitError() << "the object would need the helper routine '" << *name
                              << "', which is neither in the C library nor in OpenMP: a conversion or operation that "
                                 "this processor lacks and that has no expansion";
  }
  return mlir::success();
}

mlir::FailureOr<std::string> nag::emitForCpu(mlir::ModuleOp module, const CpuOptions &options, CpuFormat format) {
  llvm::LLVMContext context;
  mlir::FailureOr<std::unique_ptr<llvm::Module>> llvmModule = translateForCpu(module, options, context);
  mlir::FailureOr<CpuMachine> machine = resolveOrEmit(module, options);
  if (failed(llvmModule) || failed(machine))
    return mlir::failure();
  if (format == CpuFormat::LLVMIR) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*llvmModule)->print(stream, nullptr);
    return text;
  }

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  std::unique_ptr<llvm::TargetMachine> targetMachine = machine->createTargetMachine(options.optLevel);
  llvm::legacy::PassManager codegen;
  auto kind = format == CpuFormat::Object ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (targetMachine->addPassesToEmitFile(codegen, stream, nullptr, kind))
    return module.emitError() << "LLVM's back end for " << machine->getTriple().str() << " cannot emit this format";
  codegen.run(**llvmModule);
  std::string result(bytes.begin(), bytes.end());
  if (format == CpuFormat::Object && failed(checkUndefinedSymbols(module, **llvmModule, result)))
    return mlir::failure();
  return result;
}

mlir::LogicalResult nag::emitSharedLibrary(mlir::ModuleOp module, const CpuOptions &options, llvm::StringRef path) {
  mlir::FailureOr<std::string> object = emitForCpu(module, options, CpuFormat::Object);
  if (failed(object))
    return mlir::failure();
  if (llvm::Error error = linkSharedLibrary(*object, path, options))
    return module.emitError() << llvm::toString(std::move(error));
  return mlir::success();
}
