//===- Lower.cpp - From a module for the NVPTX back end to one for the host ---------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Shared memory, intrinsics, kernels' wrappers, and what tells the host's code generator what it must not do.

#include "nag/Target/SIMT/Lower.h"

#include "nag/Target/SIMT/Intrinsics.h"
#include "nag/Target/SIMT/Machine.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Scalar/ScalarizeMaskedMemIntrin.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

#include <cstddef>

using namespace llvm;
using namespace nag::simt;

static constexpr unsigned kSharedSpace = 3, kConstantSpace = 4;
static constexpr char kIntrinsicPrefix[] = "llvm.nvvm.";

namespace {

class HostLowering {
public:
  HostLowering(Module &module, const LowerOptions &options) : module(module), options(options) {}

  Expected<LoweredModule> run(const Triple &host, const DataLayout &layout) {
    if (!Triple(module.getTargetTriple()).isNVPTX())
      return createStringError("expected a module for the NVPTX back end, got one for '" +
                               module.getTargetTriple().str() + "'");
    findKernels();
    if (Error error = checkSupported())
      return std::move(error);
    normalizeMemory();
    module.setTargetTriple(host);
    module.setDataLayout(layout);
    if (options.count)
      countInstructions(module, lowered);
    if (options.watch)
      watchAccesses(module, lowered);
    if (Error error = placeSharedMemory())
      return std::move(error);
    if (Error error = lowerIntrinsics())
      return std::move(error);
    expandHalf(module);
    describeGlobals();
    makePlain();
    makeWrappers();
    return std::move(lowered);
  }

private:
  void findKernels() {
    for (Function &function : module) {
      if (function.isDeclaration() || function.getCallingConv() != CallingConv::PTX_Kernel)
        continue;
      LoweredKernel kernel;
      kernel.wrapper = ("nag_simt_kernel." + function.getName()).str();
      kernel.numParams = static_cast<unsigned>(function.arg_size());
      kernels.push_back(&function);
      for (StringRef name : {"nvvm.maxntid", "nvvm.reqntid"}) {
        if (!function.hasFnAttribute(name))
          continue;
        SmallVector<StringRef> extents;
        function.getFnAttribute(name).getValueAsString().split(extents, ',');
        kernel.maxThreads = 1;
        for (StringRef text : extents) {
          uint32_t extent = 1;
          text.trim().getAsInteger(10, extent);
          kernel.maxThreads *= extent;
        }
      }
      lowered.kernels[function.getName().str()] = kernel;
    }
  }

  /// What cannot be run is said before anything is.
  Error checkSupported() {
    SetVector<StringRef> unknown;
    for (const Function &function : module)
      if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
        unknown.insert(function.getName());
    for (Function &function : module)
      for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isInlineAsm())
          unknown.insert("inline assembly");
    if (unknown.empty())
      return Error::success();
    return createStringError("the kernels call what simt does not know: " + join(unknown, ", "));
  }

  /// Accesses that the code generator for the GPU would take apart as well.
  void normalizeMemory() {
    SmallVector<MemIntrinsic *> ranges;
    SmallVector<IntrinsicInst *> loads;
    for (Function &function : module)
      for (Instruction &instruction : instructions(function)) {
        if (auto *range = dyn_cast<MemIntrinsic>(&instruction))
          ranges.push_back(range);
        else if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
                 call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.ldu.global."))
          loads.push_back(call);
      }
    TargetTransformInfo generic(module.getDataLayout());
    for (MemIntrinsic *range : ranges) {
      if (auto *copy = dyn_cast<MemCpyInst>(range))
        expandMemCpyAsLoop(copy, generic);
      else if (auto *move = dyn_cast<MemMoveInst>(range))
        expandMemMoveAsLoop(move, generic);
      else if (auto *set = dyn_cast<MemSetInst>(range))
        expandMemSetAsLoop(set);
      else
        continue;
      range->eraseFromParent();
    }
    for (IntrinsicInst *load : loads) {
      IRBuilder<> b(load);
      load->replaceAllUsesWith(b.CreateAlignedLoad(load->getType(), load->getArgOperand(0), load->getParamAlign(0)));
      load->eraseFromParent();
    }
    // Knows nothing of a target that could do it, as long as the module is for the GPU.
    FunctionAnalysisManager analyses;
    PassBuilder().registerFunctionAnalyses(analyses);
    for (Function &function : module)
      if (!function.isDeclaration())
        ScalarizeMaskedMemIntrinPass().run(function, analyses);
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Threads and their shared memory
  //===------------------------------------------------------------------------------------------------------------===//

  /// The state of the thread that runs a function.
  Value &getSelf(Function &function) {
    Instruction *&self = selves[&function];
    if (!self) {
      FunctionCallee callee = module.getOrInsertFunction("nag_simt_self", PointerType::get(module.getContext(), 0));
      IRBuilder<> b(&function.getEntryBlock(), function.getEntryBlock().begin());
      self = b.CreateCall(callee, {}, "self");
    }
    return *self;
  }

  Error placeSharedMemory() {
    SmallVector<GlobalVariable *> variables;
    for (GlobalVariable &global : module.globals())
      if (global.getAddressSpace() == kSharedSpace)
        variables.push_back(&global);
    // Dynamic shared memory lies behind all else, and all its names are the same memory.
    auto isDynamic = [&](GlobalVariable *variable) {
      return variable->isDeclaration() || module.getDataLayout().getTypeAllocSize(variable->getValueType()) == 0;
    };
    // As far apart as all banks are wide: no variable's place changes another's bank conflicts.
    constexpr uint64_t kGap = 128;
    uint64_t offset = 0;
    DenseMap<GlobalVariable *, uint64_t> offsets;
    for (GlobalVariable *variable : variables) {
      if (isDynamic(variable))
        continue;
      uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable->getValueType());
      offset = alignTo(offset, std::max<uint64_t>(kGap, variable->getAlign().valueOrOne().value()));
      offsets[variable] = offset;
      lowered.shared.push_back({variable->getName().str(), offset, bytes});
      offset += bytes + kGap;
    }
    lowered.staticShared = alignTo(offset, 128);
    for (GlobalVariable *variable : variables) {
      convertUsersOfConstantsToInstructions(static_cast<Constant *>(variable));
      uint64_t place = isDynamic(variable) ? lowered.staticShared : offsets[variable];
      DenseMap<Function *, Value *> addresses;
      for (Use &use : make_early_inc_range(variable->uses())) {
        auto *user = dyn_cast<Instruction>(use.getUser());
        if (!user)
          return createStringError("the address of shared variable '" + variable->getName() +
                                   "' is part of another variable's value, which simt does not know");
        Value *&address = addresses[user->getFunction()];
        if (!address) {
          auto &self = cast<Instruction>(getSelf(*user->getFunction()));
          IRBuilder<> b(self.getParent(), std::next(self.getIterator()));
          Value *field = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &self, offsetof(ThreadState, shared));
          Value *base = b.CreateLoad(b.getPtrTy(), field);
          address = castPointer(b, b.CreateConstGEP1_64(b.getInt8Ty(), base, place), variable->getType());
        }
        use.set(address);
      }
      variable->eraseFromParent();
    }
    return Error::success();
  }

  /// All address spaces are the host's one, whatever its back end thinks of casts.
  static Value *castPointer(IRBuilder<> &b, Value *pointer, Type *type) {
    return b.CreateIntToPtr(b.CreatePtrToInt(pointer, b.getInt64Ty()), type);
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Instructions
  //===------------------------------------------------------------------------------------------------------------===//

  Error lowerIntrinsics() {
    SmallVector<Instruction *> work;
    for (Function &function : module)
      for (Instruction &instruction : instructions(function))
        if (isa<IntrinsicInst, AddrSpaceCastInst>(instruction))
          work.push_back(&instruction);
    SetVector<StringRef> unknown;
    for (Instruction *instruction : work) {
      IRBuilder<> b(instruction);
      if (auto *cast = dyn_cast<AddrSpaceCastInst>(instruction)) {
        cast->replaceAllUsesWith(castPointer(b, cast->getPointerOperand(), cast->getType()));
        cast->eraseFromParent();
        continue;
      }
      auto &call = llvm::cast<CallInst>(*instruction);
      StringRef name = call.getCalledFunction()->getName();
      if (name.consume_front(kIntrinsicPrefix)) {
        if (!lowerIntrinsic(call, name, getSelf(*call.getFunction()), lowered))
          unknown.insert(call.getCalledFunction()->getName());
        continue;
      }
      switch (call.getIntrinsicID()) {
      case Intrinsic::trap:
      case Intrinsic::debugtrap:
      case Intrinsic::ubsantrap: {
        FunctionCallee trap = module.getOrInsertFunction("nag_simt_trap", b.getVoidTy(), b.getPtrTy());
        b.CreateCall(trap, {&getSelf(*call.getFunction())});
        call.eraseFromParent();
        break;
      }
      case Intrinsic::fmuladd: {
        // The back end for the GPU takes the fused form.
        Value *fused = b.CreateIntrinsic(call.getType(), Intrinsic::fma,
                                         {call.getArgOperand(0), call.getArgOperand(1), call.getArgOperand(2)});
        call.replaceAllUsesWith(fused);
        call.eraseFromParent();
        break;
      }
      default:
        if (call.getCalledFunction()->isTargetIntrinsic())
          unknown.insert(call.getCalledFunction()->getName());
        break;
      }
    }
    if (unknown.empty())
      return Error::success();
    return createStringError("the kernels use intrinsics that simt does not know: " + join(unknown, ", "));
  }

  /// Variables of the module itself, which the checker takes for buffers.
  void describeGlobals() {
    for (GlobalVariable &global : module.globals()) {
      if (global.isDeclaration() || global.getName().starts_with("llvm."))
        continue;
      bool isConstant = global.isConstant() || global.getAddressSpace() == kConstantSpace;
      global.setLinkage(GlobalValue::ExternalLinkage);
      lowered.globals.push_back(
          {global.getName().str(), module.getDataLayout().getTypeAllocSize(global.getValueType()), isConstant});
    }
  }

  /// Nothing of the GPU is left that the host's code generator could misread, or take for a licence.
  void makePlain() {
    for (Function &function : module) {
      function.setCallingConv(CallingConv::C);
      function.removeFnAttr("target-cpu");
      function.removeFnAttr("target-features");
      for (Instruction &instruction : instructions(function)) {
        if (isa<FPMathOperator>(instruction))
          instruction.setFastMathFlags(FastMathFlags());
        if (auto *call = dyn_cast<CallBase>(&instruction))
          call->setCallingConv(CallingConv::C);
        // The promise has been checked, or a GPU would trap; the host need not.
        if (auto *load = dyn_cast<LoadInst>(&instruction); load && !load->isAtomic())
          load->setAlignment(Align(1));
        if (auto *store = dyn_cast<StoreInst>(&instruction); store && !store->isAtomic())
          store->setAlignment(Align(1));
      }
    }
  }

  /// void wrapper(void **params): parameter i lies at params[i].
  void makeWrappers() {
    for (Function *kernel : kernels) {
      LLVMContext &context = module.getContext();
      Type *pointer = PointerType::get(context, 0);
      auto *type = FunctionType::get(Type::getVoidTy(context), {pointer}, /*isVarArg=*/false);
      Function *wrapper = Function::Create(type, GlobalValue::ExternalLinkage,
                                           lowered.kernels[kernel->getName().str()].wrapper, module);
      IRBuilder<> b(BasicBlock::Create(context, "entry", wrapper));
      SmallVector<Value *> arguments;
      for (Argument &argument : kernel->args()) {
        Value *address = b.CreateLoad(
            pointer, b.CreateConstInBoundsGEP1_64(pointer, wrapper->getArg(0), uint64_t(argument.getArgNo())));
        if (argument.hasByValAttr())
          arguments.push_back(castPointer(b, address, argument.getType()));
        else
          arguments.push_back(b.CreateAlignedLoad(argument.getType(), address, Align(1)));
      }
      // A parameter by value is the caller's memory: kernels do not write to it.
      for (Argument &argument : kernel->args())
        argument.removeAttr(Attribute::ByVal);
      b.CreateCall(kernel, arguments);
      b.CreateRetVoid();
      kernel->setLinkage(GlobalValue::InternalLinkage);
    }
  }

  Module &module;
  const LowerOptions &options;
  LoweredModule lowered;
  std::vector<Function *> kernels;
  DenseMap<Function *, Instruction *> selves;
};

} // namespace

Expected<LoweredModule> nag::simt::lowerToHost(Module &module, const Triple &host, const DataLayout &layout,
                                               const LowerOptions &options) {
  return HostLowering(module, options).run(host, layout);
}
