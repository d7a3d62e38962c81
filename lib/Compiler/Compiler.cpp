//===- Compiler.cpp - From a module of nag operations to a product ------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Runs the pipelines of a target up to the product that is wanted, and makes it.

#include "nag/Compiler/Compiler.h"

#include "nag/Conversion/Passes.h"
#include "nag/InitAll.h"
#include "nag/Pipelines/Pipelines.h"
#include "nag/Target/CPU/Emit.h"
#include "nag/Target/CPU/Header.h"
#include "nag/Target/CPU/Lowering.h"
#include "nag/Target/CPU/Machine.h"
#include "nag/Target/CUDA/Register.h"
#include "nag/Target/CUDA/RunTool.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mlir;
using namespace nag;

namespace {

class Compilation {
public:
  Compilation(ModuleOp module, const CompileOptions &options) : module(module), options(options) {}

  FailureOr<Product> run() {
    if (llvm::Error error = verifyOptions(options))
      return emitError() << llvm::toString(std::move(error));
    if (failed(lowerToRows()))
      return failure();
    if (options.emit == Emit::Row)
      product.contents = print();
    if (failed(options.target == Target::CPU ? compileForCpu() : compileForCuda()))
      return failure();
    if (options.report)
      product.report = std::move(report);
    return std::move(product);
  }

private:
  InFlightDiagnostic emitError() { return mlir::emitError(module.getLoc()); }

  LogicalResult runPasses(function_ref<void(OpPassManager &)> build) {
    PassManager passes(module.getContext(), ModuleOp::getOperationName());
    if (options.configurePasses && failed(options.configurePasses(passes)))
      return emitError() << "the options for passes do not fit";
    build(passes);
    return passes.run(module);
  }

  std::string print() {
    std::string text;
    llvm::raw_string_ostream(text) << module << "\n";
    return text;
  }

  LogicalResult lowerToRows() {
    if (llvm::none_of(module.getOps<func::FuncOp>(),
                      [](func::FuncOp func) { return func.isPublic() && !func.isDeclaration(); }))
      return emitError() << "no kernel to compile: expected at least one public function with a body";
    LogicalResult result = runPasses([&](OpPassManager &passes) {
      buildEntryPipeline(passes, options.fuse, options.lanes);
      if (options.target == Target::CUDA)
        addRowSchedule(passes, options.schedule, getMaxSharedBytes());
    });
    if (failed(result))
      return failure();
    report.kernels = describeKernels(module, options.target == Target::CUDA ? getMaxSharedBytes() : 0);
    if (report.kernels.empty())
      return emitError() << "no kernel to compile: the public functions have no result";
    return success();
  }

  /// What blocks can have on all chips: there is one way down for them. Their names are verified.
  int64_t getMaxSharedBytes() {
    int64_t bytes = std::numeric_limits<int64_t>::max();
    for (StringRef chip : options.chips)
      bytes = std::min<int64_t>(bytes, (*lookupChip(chip, [&] { return emitError(); }))->maxSharedBytesPerBlock);
    return bytes;
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // CPU
  //===------------------------------------------------------------------------------------------------------------===//

  LogicalResult compileForCpu() {
    report.target = "cpu";
    report.machines = {options.cpu.cpu};
    if (options.emit == Emit::Row || options.emit == Emit::None)
      return success();
    if (options.emit == Emit::Header)
      return take(emitHeader(module, {options.name}));
    if (failed(runPasses([](OpPassManager &passes) { passes.addPass(createRowToCPU()); })))
      return failure();
    if (options.emit == Emit::MLIR) {
      product.contents = print();
      return success();
    }
    if (failed(runPasses([&](OpPassManager &passes) { buildLowerToLLVMPipeline(passes, options.cpu); })))
      return failure();
    switch (options.emit) {
    case Emit::LLVMIR:
      return take(emitForCpu(module, options.cpu, CpuFormat::LLVMIR));
    case Emit::Assembly:
      return take(emitForCpu(module, options.cpu, CpuFormat::Assembly));
    case Emit::Shared:
      return take(linkShared());
    default:
      return take(emitForCpu(module, options.cpu, CpuFormat::Object));
    }
  }

  LogicalResult take(FailureOr<std::string> contents) {
    if (succeeded(contents))
      product.contents = std::move(*contents);
    return success(succeeded(contents));
  }

  /// A linker writes to a file only. The file's name becomes the library's soname.
  FailureOr<std::string> linkShared() {
    auto emit = [&] { return emitError(); };
    auto scratch = TempDirectory::create(emit);
    if (failed(scratch))
      return failure();
    std::string path = (*scratch)->getPath(options.name);
    if (failed(emitSharedLibrary(module, options.cpu, path)))
      return failure();
    return readFile(path, emit);
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // CUDA
  //===------------------------------------------------------------------------------------------------------------===//

  LogicalResult compileForCuda() {
    report.target = "cuda";
    report.machines.assign(options.chips.begin(), options.chips.end());
    if (options.emit == Emit::Row && !options.report)
      return success();
    if (failed(runPasses(buildRowToGpuPipeline)))
      return failure();
    if (options.emit == Emit::MLIR)
      product.contents = print();
    FailureOr<gpu::GPUModuleOp> kernels = getKernels();
    if (failed(kernels))
      return failure();
    addFunctions(*kernels, report.kernels);

    bool wantsCubins = options.emit == Emit::Cubin || options.emit == Emit::Fatbin;
    bool wantsCode = wantsCubins || options.emit == Emit::LLVMIR || options.emit == Emit::PTX;
    if (!wantsCode && !options.report)
      return success();
    if (options.report && !wantsCubins)
      report.whyNoResources = whyNoPtxas();
    bool assembles = wantsCubins || (options.report && report.whyNoResources.empty());
    for (StringRef chip : options.chips)
      if (failed(compileForChip(*kernels, chip, assembles)))
        return failure();
    return makeContents();
  }

  FailureOr<gpu::GPUModuleOp> getKernels() {
    gpu::GPUModuleOp kernels;
    for (auto candidate : module.getOps<gpu::GPUModuleOp>()) {
      if (kernels)
        return kernels.emitError("gpu.module '") << kernels.getName() << "' cannot be compiled together with functions";
      kernels = candidate;
    }
    return kernels;
  }

  /// Why kernels cannot be assembled on this machine, or nothing. A ptxas that the user named must be one.
  std::string whyNoPtxas() {
    if (!options.cuda.toolkit.ptxas.empty())
      return "";
    std::string reason;
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &diagnostic) { reason = diagnostic.str(); });
    (void)Toolkit(options.cuda.toolkit).findPtxas([&] { return emitError(); });
    return reason;
  }

  LogicalResult compileForChip(gpu::GPUModuleOp kernels, StringRef chip, bool assembles) {
    auto emit = [&] { return emitError(); };
    CudaOptions cuda = options.cuda;
    cuda.chip = chip.str();
    FailureOr<CompiledKernels> code = compileGpuModule(kernels, cuda);
    if (failed(code))
      return failure();
    compiled.push_back(std::move(*code));
    if (!assembles)
      return success();
    PtxasOptions ptxas;
    ptxas.optLevel = options.cuda.optLevel;
    FailureOr<Cubin> cubin =
        assemble(compiled.back().ptx, *compiled.back().chip, Toolkit(options.cuda.toolkit), emit, ptxas);
    if (failed(cubin))
      return failure();
    cubins.push_back(std::move(*cubin));
    return addResources(cubins.back(), report.kernels, emit);
  }

  LogicalResult makeContents() {
    switch (options.emit) {
    case Emit::LLVMIR:
      product.contents = std::move(compiled.front().llvmIR);
      return success();
    case Emit::PTX:
      product.contents = std::move(compiled.front().ptx);
      return success();
    case Emit::Cubin:
      product.contents = std::move(cubins.front().image);
      return success();
    case Emit::Fatbin:
      return take(packFatbin());
    default:
      return success();
    }
  }

  /// All cubins, and for chips to come the PTX of the latest chip whose PTX later chips can take.
  FailureOr<std::string> packFatbin() {
    const CompiledKernels *latest = nullptr;
    for (const CompiledKernels &candidate : compiled)
      if (llvm::isDigit(candidate.chip->name.back()) &&
          (!latest || candidate.chip->getNumber() > latest->chip->getNumber()))
        latest = &candidate;
    return makeFatbin(cubins, latest ? StringRef(latest->ptx) : StringRef(), latest ? latest->chip : nullptr,
                      Toolkit(options.cuda.toolkit), [&] { return emitError(); });
  }

  ModuleOp module;
  const CompileOptions &options;
  Product product;
  Report report;
  std::vector<CompiledKernels> compiled;
  std::vector<Cubin> cubins;
};

} // namespace

void nag::registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerCudaTarget(registry);
}

FailureOr<Product> nag::compile(ModuleOp module, const CompileOptions &options) {
  return Compilation(module, options).run();
}
