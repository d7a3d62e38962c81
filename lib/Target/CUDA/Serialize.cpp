//===- Serialize.cpp - From a gpu.module to LLVM IR and PTX -------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//
//
// Compiles the kernels of a gpu.module to optimised LLVM IR and PTX, in process.
//
//===--------------------------------------------------------------------------------------------------===//

#include "nag/Target/CUDA/Serialize.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "nag/Target/CUDA/Lowering.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace nag;

//===----------------------------------------------------------------------===//
// What a kernel must keep to
//===----------------------------------------------------------------------===//

/// The bytes of the kernel's buffers in shared memory.
static FailureOr<uint64_t> getStaticSharedBytes(gpu::GPUFuncOp kernel) {
  uint64_t bytes = 0;
  for (BlockArgument buffer : kernel.getWorkgroupAttributions()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return kernel.emitError("expected workgroup buffers of static shape and number elements, got ")
             << buffer.getType();
    uint64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
    bytes = llvm::alignTo(bytes, elementBytes) + type.getNumElements() * elementBytes;
  }
  return bytes;
}

/// Other types pass the conversion, and end the process in LLVM's code generator.
static bool isSupportedType(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return !element || element.isF16() || element.isBF16() || element.isF32() || element.isF64();
}

static LogicalResult checkTypes(gpu::GPUFuncOp function) {
  WalkResult walk = function.walk([&](Operation *op) {
    SmallVector<Type> types(op->getResultTypes());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    for (Type type : types)
      if (!isSupportedType(type)) {
        op->emitError("unsupported element type ")
            << getElementTypeOrSelf(type) << " for NVIDIA GPUs, expected f16, bf16, f32 or f64";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

static LogicalResult checkKernel(gpu::GPUFuncOp kernel) {
  FailureOr<uint64_t> sharedBytes = getStaticSharedBytes(kernel);
  if (failed(sharedBytes))
    return failure();
  if (*sharedBytes > Chip::maxStaticSharedBytes)
    return kernel.emitError("kernel '") << kernel.getName() << "' has " << *sharedBytes
                                        << " bytes of workgroup buffers, more than the " << Chip::maxStaticSharedBytes
                                        << " that static shared memory offers";
  if (ArrayRef<int32_t> block = kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>()); !block.empty()) {
    int64_t threads = 1;
    for (int32_t extent : block)
      threads *= extent;
    if (threads < 1 || threads > Chip::maxThreadsPerBlock)
      return kernel.emitError("kernel '") << kernel.getName() << "' has blocks of " << threads
                                          << " threads, expected 1 to " << Chip::maxThreadsPerBlock;
  }
  // LLVM 22 would lay the two over each other.
  WalkResult walk = kernel.walk([&](gpu::DynamicSharedMemoryOp op) {
    return *sharedBytes > 0 ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return kernel.emitError("kernel '")
           << kernel.getName() << "' has both workgroup buffers and dynamic shared memory, expected one of them";
  return success();
}

/// LLVM does not report another name, it ends the process.
static LogicalResult checkName(gpu::GPUFuncOp function) {
  StringRef name = function.getName();
  bool isName = !name.empty() && !llvm::isDigit(name.front()) &&
                llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
  if (isName)
    return success();
  return function.emitError("kernel '") << name
                                        << "' has a name that PTX cannot hold, expected letters, digits, _ and $";
}

static LogicalResult checkModule(gpu::GPUModuleOp module) {
  bool hasKernel = false;
  for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
    if (failed(checkName(kernel)) || failed(checkTypes(kernel)))
      return failure();
    if (!kernel.isKernel())
      continue;
    hasKernel = true;
    if (failed(checkKernel(kernel)))
      return failure();
  }
  if (!hasKernel)
    return module.emitError("gpu.module '") << module.getName() << "' has no kernel to compile";
  return success();
}

/// The conversion to NVVM leaves what it does not know; LLVM's translation would stumble over the casts around it.
static LogicalResult checkLowered(gpu::GPUModuleOp module) {
  Operation *left = nullptr;
  module.walk([&](Operation *op) {
    if (op == module.getOperation() || isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult::advance();
    // A cast is only the sign of another operation, if there is one.
    if (!left || isa<UnrealizedConversionCastOp>(left))
      left = op;
    return isa<UnrealizedConversionCastOp>(left) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (!left)
    return success();
  return left->emitError("'") << left->getName() << "' in a kernel cannot be compiled for NVIDIA GPUs";
}

//===----------------------------------------------------------------------===//
// From the NVVM dialect to PTX
//===----------------------------------------------------------------------===//

namespace {
/// An instruction, by the beginning of its intrinsic's name, that is younger than the oldest chip or PTX version.
struct YoungInstruction {
  StringLiteral prefix;
  unsigned ptxVersion;
  unsigned firstChip;
};
} // namespace

/// LLVM does not report an instruction that the PTX version or the chip lacks, it ends the process. So we look first.
static const YoungInstruction *findYoungInstruction(const llvm::Function &function) {
  static constexpr YoungInstruction table[] = {
      {"llvm.nvvm.barrier.cluster", 78, 90}, {"llvm.nvvm.mapa", 78, 90},
      {"llvm.nvvm.stmatrix", 78, 90},        {"llvm.nvvm.griddepcontrol", 78, 90},
      {"llvm.nvvm.elect.sync", 80, 90},      {"llvm.nvvm.cp.async.bulk", 80, 90},
      {"llvm.nvvm.fence.proxy", 80, 90},     {"llvm.nvvm.setmaxnreg", 80, 90},
      {"llvm.nvvm.wgmma", 80, 90},           {"llvm.nvvm.prefetch.tensormap", 80, 90},
      {"llvm.nvvm.redux.sync.f", 86, 100},   {"llvm.nvvm.st.bulk", 86, 100},
      {"llvm.nvvm.tcgen05", 86, 100},
  };
  if (!function.isIntrinsic() || function.use_empty())
    return nullptr;
  for (const YoungInstruction &instruction : table)
    if (function.getName().starts_with(instruction.prefix))
      return &instruction;
  return nullptr;
}

namespace {

/// MLIR's way from an operation to an object, with our choice of libraries and products.
class Serializer : public LLVM::ModuleToObject {
public:
  Serializer(gpu::GPUModuleOp module, const Chip &chip, const CudaOptions &options, CompiledKernels &result)
      : ModuleToObject(*module, "nvptx64-nvidia-cuda", chip.name, /*features=*/{}, options.optLevel), chip(chip),
        options(options), result(result) {}

protected:
  void setDataLayoutAndTriple(llvm::Module &llvmModule) override {
    // The target machine is made here, so this is the last moment to choose.
    unsigned version = std::max(chip.ptxVersion, options.ptxVersion);
    for (const llvm::Function &function : llvmModule)
      if (const YoungInstruction *instruction = findYoungInstruction(function))
        version = std::max(version, instruction->ptxVersion);
    featureText = ("+ptx" + Twine(version)).str();
    features = featureText;
    ModuleToObject::setDataLayoutAndTriple(llvmModule);
  }

  std::optional<SmallVector<std::unique_ptr<llvm::Module>>> loadBitcodeFiles(llvm::Module &llvmModule) override {
    SmallVector<std::unique_ptr<llvm::Module>> libraries;
    // Not a library's business, but the first step that can fail.
    if (failed(checkInstructions(llvmModule)))
      return std::nullopt;
    for (const llvm::Function &function : llvmModule) {
      if (!function.isDeclaration() || !function.getName().starts_with("__nv_"))
        continue;
      std::string reason = ("the function " + function.getName()).str();
      auto emitError = [&] { return module.emitError(); };
      FailureOr<std::string> path = Toolkit(options.toolkit).findLibdevice(reason, emitError);
      if (failed(path))
        return std::nullopt;
      std::unique_ptr<llvm::Module> library = loadBitcodeFile(llvmModule.getContext(), *path);
      if (!library) {
        module.emitError("cannot read the bitcode in '") << *path << "', which is needed for " << reason;
        return std::nullopt;
      }
      libraries.push_back(std::move(library));
      break;
    }
    return libraries;
  }

  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &llvmModule) override {
    if (failed(checkCalls(llvmModule)))
      return failure();
    // Written before the code generator runs, which changes the module.
    {
      llvm::raw_string_ostream stream(result.llvmBitcode);
      llvm::WriteBitcodeToFile(llvmModule, stream);
    }
    // Who reads PTX or runs a cubin wants no tables of lines.
    llvm::StripDebugInfo(llvmModule);
    llvm::raw_string_ostream(result.llvmIR) << llvmModule;
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return failure();
    auto isa = translateModuleToISA(llvmModule, **machine, [&] { return module.emitError(); });
    if (failed(isa))
      return failure();
    result.ptx = isa->str().str();
    return SmallVector<char, 0>();
  }

private:
  LogicalResult checkInstructions(llvm::Module &llvmModule) {
    for (const llvm::Function &function : llvmModule)
      if (const YoungInstruction *instruction = findYoungInstruction(function);
          instruction && instruction->firstChip > chip.getNumber())
        return module.emitError("the kernels use '") << function.getName() << "', which needs sm_"
                                                     << instruction->firstChip << " or later, got " << chip.name;
    return success();
  }

  /// A call that nothing defines would only be found by ptxas, or by the driver at run time.
  LogicalResult checkCalls(llvm::Module &llvmModule) {
    for (const llvm::Function &function : llvmModule)
      if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
          function.getName() != "vprintf")
        return module.emitError("the kernels call '") << function.getName() << "', which nothing defines";
    return success();
  }

  const Chip &chip;
  const CudaOptions &options;
  CompiledKernels &result;
  std::string featureText;
};

} // namespace

FailureOr<CompiledKernels> nag::compileGpuModule(gpu::GPUModuleOp module, const CudaOptions &options) {
  FailureOr<const Chip *> chip = lookupChip(options.chip, [&] { return module.emitError(); });
  if (failed(chip) || failed(checkModule(module)))
    return failure();
  if (options.optLevel > 3)
    return module.emitError("expected an optimisation level from 0 to 3, got ") << options.optLevel;

  // A copy, because the caller still needs the kernels' signatures to launch them; within a module, because data
  // layouts are looked for there.
  OwningOpRef<ModuleOp> holder(ModuleOp::create(module.getLoc()));
  gpu::GPUModuleOp lowered = module.clone();
  holder->push_back(lowered);
  PassManager pm(module.getContext(), gpu::GPUModuleOp::getOperationName());
  buildGpuToNVVMPipeline(pm);
  if (failed(pm.run(lowered)) || failed(checkLowered(lowered)))
    return failure();
  // Instructions keep the lines of the source, without which a fault that simt finds has no place.
  PassManager lines(module.getContext());
  lines.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  if (failed(lines.run(*holder)))
    return failure();

  NVVM::SerializeGPUModuleBase::init();
  CompiledKernels result{*chip, {}, {}, {}};
  if (!Serializer(lowered, **chip, options, result).run())
    return failure();
  return result;
}
