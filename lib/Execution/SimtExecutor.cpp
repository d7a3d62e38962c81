//===- SimtExecutor.cpp - Runs entries whose GPU kernels run on this machine --------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Compiles an entry for a GPU, its kernels to LLVM IR and its host code for this process, and runs the kernels thread
// by thread, with the launches that a GPU would get.

#include "EntryCall.h"
#include "GpuHost.h"
#include "nag/Execution/Executor.h"

#include "nag/Target/SIMT/SimtBackend.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace nag;

namespace {

/// What the checker calls an argument or a result, and whether it holds something for each token.
struct BufferInfo {
  std::string name;
  bool isPerToken;
};

class SimtExecutor : public Executor {
public:
  explicit SimtExecutor(const ExecutorOptions &options) : options(options), backend(options.simt) {}

  LogicalResult prepare(OwningOpRef<ModuleOp> module, StringRef entry) override {
    describeBuffers(module->lookupSymbol<func::FuncOp>(entry));
    CudaOptions cuda;
    cuda.chip = options.chip.empty() ? "sm_90" : options.chip;
    auto takeBitcode = [](const CompiledKernels &code) -> FailureOr<std::string> { return code.llvmBitcode; };
    std::vector<KernelReport> programs;
    FailureOr<std::unique_ptr<CpuKernels>> compiled = compileGpuHost(*module, options, cuda, takeBitcode, &programs);
    if (failed(compiled))
      return failure();
    kernels = std::move(*compiled);
    setFloors(programs);
    if (llvm::Error error = call.find(entry, *kernels))
      return module->emitError() << llvm::toString(std::move(error));
    return success();
  }

  llvm::Error run(MutableArrayRef<HostTensor> inputs, MutableArrayRef<HostTensor> outputs) override {
    std::vector<std::vector<uint8_t>> first;
    const std::vector<uint64_t> &seeds = options.simtSeeds;
    for (uint64_t seed : seeds) {
      backend.setSeed(seed);
      if (seed != seeds.front())
        for (HostTensor &output : outputs)
          output.poison();
      if (llvm::Error error = runInOrder(inputs, outputs))
        return error;
      for (auto [i, output] : llvm::enumerate(outputs)) {
        std::vector<uint8_t> bytes = copyElements(output);
        if (seed == seeds.front())
          first.push_back(std::move(bytes));
        else if (bytes != first[i])
          return llvm::createStringError("result " + Twine(i) + " under --simt-seed=" + Twine(seed) +
                                         " is not that under --simt-seed=" + Twine(seeds.front()));
      }
    }
    return llvm::Error::success();
  }

  std::optional<SimtReport> getSimtReport() override { return backend.getReport(); }

  void printReport(llvm::raw_ostream &os) override {
    if (options.simtCounters == "json")
      backend.getReport().printJson(os);
    else if (!options.simtCounters.empty())
      backend.getReport().printCounts(os);
  }

private:
  static std::vector<uint8_t> copyElements(const HostTensor &tensor) {
    std::vector<uint8_t> bytes;
    size_t rowBytes = size_t(tensor.getWidth()) * getByteSize(tensor.getType());
    for (int64_t row = 0; row < tensor.getNumRows(); ++row)
      bytes.insert(bytes.end(), tensor.getRow(row), tensor.getRow(row) + rowBytes);
    return bytes;
  }

  /// Runs in the order of the backend's seed.
  llvm::Error runInOrder(MutableArrayRef<HostTensor> inputs, MutableArrayRef<HostTensor> outputs) {
    backend.clearBuffers();
    size_t index = 0;
    for (MutableArrayRef<HostTensor> tensors : {inputs, outputs})
      for (HostTensor &tensor : tensors) {
        registerTensor(tensor, infos[index], /*isInput=*/index < inputs.size());
        ++index;
      }
    call.onWorkspace = [&](void *base, uint64_t bytes) {
      SimtBuffer buffer;
      buffer.name = "workspace";
      buffer.base = base;
      buffer.bytes = bytes;
      buffer.isInitialized = false;
      backend.registerBuffer(std::move(buffer));
    };
    if (llvm::Error error = call.run(inputs, outputs, /*stream=*/nullptr)) {
      backend.getReport().printFindings(llvm::errs());
      return llvm::createStringError(llvm::toString(std::move(error)) + ": " + nag_last_error());
    }
    SimtReport report = backend.getReport();
    if (report.findings.empty())
      return llvm::Error::success();
    report.printFindings(llvm::errs());
    return llvm::createStringError("the kernels have faults");
  }

  /// What each row program says that it must move, for the kernels that carry it out.
  void setFloors(llvm::ArrayRef<KernelReport> programs) {
    for (const KernelReport &program : programs)
      for (const FunctionReport &function : program.functions) {
        SimtFloor floor;
        floor.bytesPerToken = static_cast<uint64_t>(program.readBytesPerToken + program.writtenBytesPerToken);
        floor.bytesPerLaunch = static_cast<uint64_t>(program.tableBytes);
        backend.setFloor(function.name, floor);
      }
  }

  void describeBuffers(func::FuncOp function) {
    auto isPerToken = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.getRank() > 0 && tensor.isDynamicDim(0);
    };
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto name = function.getArgAttrOfType<StringAttr>(i, "nag.name");
      infos.push_back(
          {name ? name.str() : "argument " + std::to_string(i), isPerToken(function.getArgument(i).getType())});
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      infos.push_back({"result " + std::to_string(i), isPerToken(function.getResultTypes()[i])});
  }

  void registerTensor(HostTensor &tensor, const BufferInfo &info, bool isInput) {
    if (tensor.getNumElements() == 0)
      return;
    SimtBuffer buffer;
    buffer.name = info.name;
    buffer.elementBytes = getByteSize(tensor.getType());
    buffer.base = tensor.getRow(0);
    uint64_t rowBytes = static_cast<uint64_t>(tensor.getWidth()) * buffer.elementBytes;
    buffer.bytes = static_cast<uint64_t>(tensor.getRow(tensor.getNumRows() - 1) - tensor.getRow(0)) + rowBytes;
    // A row of numbers, one for each token, is a column.
    bool isColumn = tensor.getShape().size() == 1 && info.isPerToken;
    buffer.columns = isColumn ? 1 : static_cast<uint64_t>(tensor.getWidth());
    buffer.rowStride = isColumn                  ? buffer.elementBytes
                       : tensor.getNumRows() > 1 ? static_cast<uint64_t>(tensor.getRow(1) - tensor.getRow(0))
                                                 : rowBytes;
    buffer.isReadOnly = buffer.isInitialized = isInput;
    buffer.isPerToken = info.isPerToken;
    backend.registerBuffer(std::move(buffer));
  }

  ExecutorOptions options;
  SimtBackend backend;
  std::unique_ptr<CpuKernels> kernels;
  EntryCall call;
  std::vector<BufferInfo> infos;
};

} // namespace

std::unique_ptr<Executor> nag::createSimtExecutor(const ExecutorOptions &options) {
  return std::make_unique<SimtExecutor>(options);
}
