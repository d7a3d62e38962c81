//===- LaunchToRuntime.cpp - Launches of GPU kernels as calls of the run-time library -----------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Takes gpu.launch_func and gpu.module out of host code: what they say goes to nag_launch and into constants.

#include "nag/Conversion/GpuImage.h"
#include "nag/Conversion/Passes.h"
#include "nag/Dialect/Nag/IR/Entry.h"
#include "nag/Runtime/Abi.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace nag {
#define GEN_PASS_DEF_LAUNCHTORUNTIME
#include "nag/Conversion/Passes.h.inc"
} // namespace nag

using namespace mlir;
using namespace nag;

LogicalResult nag::embedGpuImage(ModuleOp module, StringRef image) {
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (modules.size() != 1)
    return module.emitError("expected one gpu.module that a GPU image belongs to, got ") << modules.size();
  modules.front()->setAttr(kGpuImageAttr, StringAttr::get(module.getContext(), image));
  return success();
}

namespace {

/// One letter or digit for each parameter of a kernel (nag_kernel::params): memrefs arrive taken apart.
FailureOr<std::string> getParameters(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    if (!memref.isStrided())
      return failure();
    return "pp" + std::string(size_t(1 + 2 * memref.getRank()), '8');
  }
  if (isa<LLVM::LLVMPointerType>(type))
    return std::string("p");
  if (isa<IndexType>(type))
    return std::string("8");
  if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() > 64)
    return failure();
  return std::to_string(llvm::PowerOf2Ceil(llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)));
}

//===--------------------------------------------------------------------------------------------------------------===//
// Constants
//===--------------------------------------------------------------------------------------------------------------===//

/// Writes what the run-time library must know of a gpu.module, nag_gpu_module and what it points to, as globals.
class ModuleConstants {
public:
  ModuleConstants(ModuleOp host, gpu::GPUModuleOp device, SymbolTable &symbols)
      : device(device), symbols(symbols), b(device.getLoc(), host.getBodyRegion()),
        pointer(LLVM::LLVMPointerType::get(host.getContext())) {}

  FailureOr<LLVM::GlobalOp> create() {
    auto kernelType = LLVM::LLVMStructType::getLiteral(b.getContext(), {pointer, pointer});
    SmallVector<std::pair<LLVM::GlobalOp, LLVM::GlobalOp>> kernels;
    for (auto kernel : device.getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      std::string parameters;
      for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
        FailureOr<std::string> part = getParameters(type);
        if (failed(part))
          return kernel.emitOpError("kernel argument #")
                 << index << ": expected a strided memref, a pointer or a number of at most 64 bits, got " << type;
        parameters += *part;
      }
      kernels.emplace_back(createText("name", kernel.getName()), createText("params", parameters));
    }

    auto tableType = LLVM::LLVMArrayType::get(kernelType, kernels.size());
    LLVM::GlobalOp table = createGlobal("kernels", tableType, /*isConstant=*/true, [&](Value value) {
      for (auto [index, kernel] : llvm::enumerate(kernels)) {
        auto at = static_cast<int64_t>(index);
        value = LLVM::InsertValueOp::create(b, value, getAddress(kernel.first), ArrayRef<int64_t>{at, 0});
        value = LLVM::InsertValueOp::create(b, value, getAddress(kernel.second), ArrayRef<int64_t>{at, 1});
      }
      return value;
    });

    LLVM::GlobalOp image;
    int64_t imageSize = 0;
    if (auto attr = device->getAttrOfType<StringAttr>(kGpuImageAttr)) {
      imageSize = static_cast<int64_t>(attr.getValue().size());
      // PTX text must end in a zero byte; a binary does not mind one. The driver wants binaries aligned.
      image = createText("image", attr.getValue(), /*alignment=*/64);
    }

    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto type = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, pointer, pointer, i64, pointer});
    return createGlobal("module", type, /*isConstant=*/false, [&](Value value) {
      auto set = [&](int64_t field, Value part) { value = LLVM::InsertValueOp::create(b, value, part, field); };
      set(0, LLVM::ConstantOp::create(b, i32, NAG_ABI_VERSION));
      set(1, LLVM::ConstantOp::create(b, i32, static_cast<int32_t>(kernels.size())));
      set(2, getAddress(table));
      set(3, image ? getAddress(image) : LLVM::ZeroOp::create(b, pointer).getResult());
      set(4, LLVM::ConstantOp::create(b, i64, b.getI64IntegerAttr(imageSize)));
      set(5, LLVM::ZeroOp::create(b, pointer));
      return value;
    });
  }

private:
  std::string getName(StringRef what) { return (device.getName() + "_" + what).str(); }

  Value getAddress(LLVM::GlobalOp global) { return LLVM::AddressOfOp::create(b, global); }

  LLVM::GlobalOp createText(StringRef what, StringRef text, unsigned alignment = 0) {
    std::string bytes = text.str() + '\0';
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    auto global = LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, getName(what),
                                         b.getStringAttr(bytes), alignment);
    symbols.insert(global);
    return global;
  }

  LLVM::GlobalOp createGlobal(StringRef what, Type type, bool isConstant, llvm::function_ref<Value(Value)> initialize) {
    auto global = LLVM::GlobalOp::create(b, type, isConstant, LLVM::Linkage::Internal, getName(what), Attribute(),
                                         /*alignment=*/8);
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    LLVM::ReturnOp::create(b, initialize(LLVM::UndefOp::create(b, type)));
    symbols.insert(global);
    return global;
  }

  gpu::GPUModuleOp device;
  SymbolTable &symbols;
  ImplicitLocOpBuilder b;
  Type pointer;
};

//===--------------------------------------------------------------------------------------------------------------===//
// Calls
//===--------------------------------------------------------------------------------------------------------------===//

/// A gpu.module as the functions that launch its kernels see it.
struct DeviceModule {
  LLVM::GlobalOp constants;
  llvm::StringMap<int32_t> kernels;
};

/// Rewrites the launches of one function.
class FunctionRewriter {
public:
  FunctionRewriter(func::FuncOp function, LLVM::LLVMFuncOp launch, LLVM::LLVMFuncOp launchPersistent)
      : function(function), launch(launch), launchPersistent(launchPersistent),
        b(function.getLoc(), function.getBody()), pointer(launch.getArgumentTypes()[0]) {
    // On the stack until mem2reg: launches may lie in any branch.
    status = LLVM::AllocaOp::create(b, pointer, b.getI32Type(), constant(b.getI32Type(), 1));
    LLVM::StoreOp::create(b, constant(b.getI32Type(), NAG_STATUS_OK), status);
  }

  /// gpu.launch_func ==> if (status == 0) status = nag_launch(...), or nag_launch_persistent
  void rewrite(gpu::LaunchFuncOp op, const DeviceModule &device) {
    // Not within the branch: a stack slot belongs to the function's entry.
    int64_t count = 0;
    for (Value operand : op.getKernelOperands()) {
      auto memref = dyn_cast<MemRefType>(operand.getType());
      count += memref ? 3 + 2 * memref.getRank() : 1;
    }
    b.setInsertionPointToStart(&function.getBody().front());
    b.setLoc(op.getLoc());
    Value storage = LLVM::AllocaOp::create(b, pointer, b.getI64Type(), constant(b.getI32Type(), count));
    Value params = LLVM::AllocaOp::create(b, pointer, pointer, constant(b.getI32Type(), count));

    b.setInsertionPoint(op);
    Value before = LLVM::LoadOp::create(b, b.getI32Type(), status);
    Value isOk = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, constant(b.getI32Type(), NAG_STATUS_OK));
    auto branch = scf::IfOp::create(b, isOk, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());

    int32_t next = 0;
    auto add = [&](Value value) {
      Value slot = LLVM::GEPOp::create(b, pointer, b.getI64Type(), storage, ArrayRef<LLVM::GEPArg>{next});
      LLVM::StoreOp::create(b, value, slot);
      LLVM::StoreOp::create(b, slot, LLVM::GEPOp::create(b, pointer, pointer, params, ArrayRef<LLVM::GEPArg>{next}));
      ++next;
    };
    for (Value operand : op.getKernelOperands())
      if (isa<MemRefType>(operand.getType()))
        addMemref(operand, add);
      else
        add(isa<IndexType>(operand.getType()) ? toInteger(operand, b.getI64Type()) : operand);

    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    Value stream = op.getAsyncObject() ? op.getAsyncObject() : LLVM::ZeroOp::create(b, pointer).getResult();
    Value shared = op.getDynamicSharedMemorySize() ? op.getDynamicSharedMemorySize() : constant(i32, 0);
    SmallVector<Value> arguments = {LLVM::AddressOfOp::create(b, device.constants),
                                    constant(i32, device.kernels.lookup(op.getKernelName())),
                                    toInteger(op.getGridSizeX(), i64),
                                    toInteger(op.getGridSizeY(), i64),
                                    toInteger(op.getGridSizeZ(), i64),
                                    toInteger(op.getBlockSizeX(), i32),
                                    toInteger(op.getBlockSizeY(), i32),
                                    toInteger(op.getBlockSizeZ(), i32),
                                    shared,
                                    stream,
                                    params};
    LLVM::LLVMFuncOp callee = op->hasAttr(kPersistentAttr) ? launchPersistent : launch;
    Value after = LLVM::CallOp::create(b, callee, arguments).getResult();
    LLVM::StoreOp::create(b, after, status);
    op.erase();
  }

  /// return x  ==>  return status != 0 ? status : x
  void finish() {
    function.walk([&](func::ReturnOp op) {
      b.setInsertionPoint(op);
      b.setLoc(op.getLoc());
      Value launched = LLVM::LoadOp::create(b, b.getI32Type(), status);
      Value isOk =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, launched, constant(b.getI32Type(), NAG_STATUS_OK));
      op.setOperand(0, arith::SelectOp::create(b, isOk, op.getOperand(0), launched));
    });
  }

private:
  Value constant(Type type, int64_t value) { return arith::ConstantIntOp::create(b, type, value); }

  Value toInteger(Value value, Type type) {
    if (isa<IndexType>(value.getType()))
      return arith::IndexCastOp::create(b, type, value);
    unsigned from = value.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
    if (from < to)
      return arith::ExtSIOp::create(b, type, value);
    return from > to ? arith::TruncIOp::create(b, type, value).getResult() : value;
  }

  void addMemref(Value memref, llvm::function_ref<void(Value)> add) {
    Type i64 = b.getI64Type();
    Value address = toInteger(memref::ExtractAlignedPointerAsIndexOp::create(b, memref), i64);
    // A kernel does not read the allocated pointer: it frees nothing.
    add(address);
    add(address);
    auto metadata = memref::ExtractStridedMetadataOp::create(b, memref);
    add(toInteger(metadata.getOffset(), i64));
    for (Value size : metadata.getSizes())
      add(toInteger(size, i64));
    for (Value stride : metadata.getStrides())
      add(toInteger(stride, i64));
  }

  func::FuncOp function;
  LLVM::LLVMFuncOp launch, launchPersistent;
  ImplicitLocOpBuilder b;
  Type pointer;
  Value status;
};

//===--------------------------------------------------------------------------------------------------------------===//
// The pass
//===--------------------------------------------------------------------------------------------------------------===//

struct LaunchToRuntime : nag::impl::LaunchToRuntimeBase<LaunchToRuntime> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<func::FuncOp, SmallVector<gpu::LaunchFuncOp>> launches;
    WalkResult result = module.walk([&](gpu::LaunchFuncOp op) {
      if (failed(verify(op)))
        return WalkResult::interrupt();
      launches[op->getParentOfType<func::FuncOp>()].push_back(op);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();

    SymbolTable symbols(module);
    llvm::StringMap<DeviceModule> devices;
    for (auto &[function, ops] : launches)
      for (gpu::LaunchFuncOp op : ops)
        if (failed(addDevice(op, symbols, devices)))
          return signalPassFailure();
    for (auto &[function, ops] : launches)
      if (failed(rewrite(function, ops, symbols, devices)))
        return signalPassFailure();
    for (gpu::GPUModuleOp device : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      device.erase();
    module->removeAttr(gpu::GPUDialect::getContainerModuleAttrName());
  }

  static LogicalResult verify(gpu::LaunchFuncOp op) {
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function || !function->hasAttr(kEntryAttr) || function.getNumResults() != 1 ||
        !function.getResultTypes()[0].isSignlessInteger(32))
      return op.emitOpError("expected to be in an entry, whose i32 result tells whether the launch failed");
    if (op.getAsyncToken() || !op.getAsyncDependencies().empty())
      return op.emitOpError(
          "has asynchronous tokens, which the run-time library does not know: what runs when is for the "
          "stream to say");
    if (op.hasClusterSize())
      return op.emitOpError("has a cluster size, which the run-time library cannot launch");
    if (op.getAsyncObject() && !isa<LLVM::LLVMPointerType>(op.getAsyncObject().getType()))
      return op.emitOpError("expected a stream of type !llvm.ptr, got ") << op.getAsyncObject().getType();
    return success();
  }

  static LogicalResult addDevice(gpu::LaunchFuncOp op, SymbolTable &symbols, llvm::StringMap<DeviceModule> &devices) {
    auto [it, inserted] = devices.try_emplace(op.getKernelModuleName());
    if (!inserted)
      return success();
    auto module = symbols.lookup<gpu::GPUModuleOp>(op.getKernelModuleName());
    if (!module)
      return op.emitOpError("expected the kernel in a gpu.module, which ") << op.getKernel() << " is not";
    FailureOr<LLVM::GlobalOp> constants = ModuleConstants(cast<ModuleOp>(symbols.getOp()), module, symbols).create();
    if (failed(constants))
      return failure();
    it->second.constants = *constants;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel())
        it->second.kernels.try_emplace(kernel.getName(), static_cast<int32_t>(it->second.kernels.size()));
    return success();
  }

  static LogicalResult rewrite(func::FuncOp function, ArrayRef<gpu::LaunchFuncOp> ops, SymbolTable &symbols,
                               const llvm::StringMap<DeviceModule> &devices) {
    MLIRContext *context = function.getContext();
    Type pointer = LLVM::LLVMPointerType::get(context);
    Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
    SmallVector<Type> launched = {pointer, i32, i64, i64, i64, i32, i32, i32, i32, pointer, pointer};
    FailureOr<LLVM::LLVMFuncOp> launch = declare(function, "nag_launch", launched, symbols);
    FailureOr<LLVM::LLVMFuncOp> launchPersistent = LLVM::LLVMFuncOp();
    if (llvm::any_of(ops, [](gpu::LaunchFuncOp op) { return op->hasAttr(kPersistentAttr); }))
      launchPersistent = declare(function, "nag_launch_persistent", launched, symbols);
    FailureOr<LLVM::LLVMFuncOp> prepare = declare(function, "nag_prepare", {pointer}, symbols);
    FailureOr<LLVM::LLVMFuncOp> release = declare(function, "nag_release", {pointer}, symbols);
    if (failed(launch) || failed(launchPersistent) || failed(prepare) || failed(release))
      return failure();

    // In the order of their first launch.
    SmallVector<LLVM::GlobalOp> modules;
    for (gpu::LaunchFuncOp op : ops)
      if (LLVM::GlobalOp constants = devices.find(op.getKernelModuleName())->second.constants;
          !llvm::is_contained(modules, constants))
        modules.push_back(constants);

    FunctionRewriter rewriter(function, *launch, *launchPersistent);
    for (gpu::LaunchFuncOp op : ops)
      rewriter.rewrite(op, devices.find(op.getKernelModuleName())->second);
    rewriter.finish();

    if (failed(addForAll(function, getReleaseName(function.getSymName()), *release, modules, symbols)))
      return failure();
    return addForAll(function, getPrepareName(function.getSymName()), *prepare, modules, symbols);
  }

  static FailureOr<LLVM::LLVMFuncOp> declare(func::FuncOp user, StringRef name, ArrayRef<Type> arguments,
                                             SymbolTable &symbols) {
    auto type = LLVM::LLVMFunctionType::get(IntegerType::get(user.getContext(), 32), arguments);
    if (Operation *other = symbols.lookup(name)) {
      auto declaration = dyn_cast<LLVM::LLVMFuncOp>(other);
      if (declaration && declaration.isExternal() && declaration.getFunctionType() == type)
        return declaration;
      return other->emitError("the name '") << name << "' is taken: it is a function of the run-time library";
    }
    auto module = cast<ModuleOp>(symbols.getOp());
    OpBuilder builder(module.getBodyRegion());
    auto declaration = LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
    symbols.insert(declaration);
    return declaration;
  }

  /// A function for callers, beside `entry`, that calls `callee` with each of `modules` until one fails.
  static LogicalResult addForAll(func::FuncOp entry, StringRef name, LLVM::LLVMFuncOp callee,
                                 ArrayRef<LLVM::GlobalOp> modules, SymbolTable &symbols) {
    if (Operation *other = symbols.lookup(name))
      return other->emitError("the name '")
             << name << "' is taken: entry '" << entry.getSymName() << "' needs it for a function of its own";
    ImplicitLocOpBuilder b(entry.getLoc(), entry.getContext());
    b.setInsertionPointAfter(entry);
    auto function = func::FuncOp::create(b, name, b.getFunctionType({}, b.getI32Type()));
    function->setAttr(kEntryAttr, b.getUnitAttr());
    symbols.insert(function);
    b.setInsertionPointToStart(function.addEntryBlock());
    Value ok = arith::ConstantIntOp::create(b, b.getI32Type(), NAG_STATUS_OK);
    Value status = ok;
    for (LLVM::GlobalOp module : modules) {
      Value isOk = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, status, ok);
      auto branch = scf::IfOp::create(b, b.getI32Type(), isOk, /*withElseRegion=*/true);
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        Value address = LLVM::AddressOfOp::create(b, module);
        scf::YieldOp::create(b, LLVM::CallOp::create(b, callee, address).getResult());
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, status);
      }
      status = branch.getResult(0);
    }
    func::ReturnOp::create(b, status);
    return success();
  }
};

} // namespace
