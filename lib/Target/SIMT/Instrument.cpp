//===- Instrument.cpp - Hooks in generated code -------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Inserts what the checker and the counters see: a call at each access of memory, and a count of each basic block.

#include "nag/Target/SIMT/Lower.h"

#include "nag/Target/SIMT/Intrinsics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace nag::simt;

static InstructionKind classify(const Instruction &instruction) {
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    StringRef name = call->getCalledFunction()->getName();
    if (name.consume_front("llvm.nvvm."))
      return classifyIntrinsic(name);
    switch (call->getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
      return InstructionKind::Fma;
    case Intrinsic::sqrt:
    case Intrinsic::exp2:
    case Intrinsic::log2:
    case Intrinsic::sin:
    case Intrinsic::cos:
      return InstructionKind::Special;
    default:
      break;
    }
    if (call->isAssumeLikeIntrinsic())
      return InstructionKind::Other;
    return call->getType()->isFPOrFPVectorTy() ? InstructionKind::Float : InstructionKind::Integer;
  }
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
  case Instruction::FCmp:
    return InstructionKind::Float;
  case Instruction::FDiv:
  case Instruction::FRem:
    return InstructionKind::Special;
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return InstructionKind::Convert;
  case Instruction::Load:
    return InstructionKind::Load;
  case Instruction::Store:
    return InstructionKind::Store;
  case Instruction::AtomicRMW:
  case Instruction::AtomicCmpXchg:
    return InstructionKind::Atomic;
  case Instruction::Br:
  case Instruction::Switch:
  case Instruction::Ret:
  case Instruction::Call:
    return InstructionKind::Control;
  case Instruction::GetElementPtr:
  case Instruction::ICmp:
    return InstructionKind::Integer;
  default:
    return instruction.isBinaryOp() ? InstructionKind::Integer : InstructionKind::Other;
  }
}

/// A vector operation is one instruction for each element, but for accesses of memory, which are vectors on a GPU too.
static uint64_t getWeight(const Instruction &instruction, InstructionKind kind) {
  if (kind == InstructionKind::Load || kind == InstructionKind::Store || kind == InstructionKind::Other)
    return 1;
  Type *type = instruction.getNumOperands() ? instruction.getOperand(0)->getType() : instruction.getType();
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

void nag::simt::countInstructions(Module &module, LoweredModule &lowered) {
  std::vector<BasicBlock *> blocks;
  for (Function &function : module)
    for (BasicBlock &block : function)
      blocks.push_back(&block);
  lowered.blocks.resize(blocks.size());
  lowered.blockVisits.assign(blocks.size(), 0);
  Type *i64 = Type::getInt64Ty(module.getContext()), *pointer = PointerType::get(module.getContext(), 0);
  for (size_t i = 0; i < blocks.size(); ++i) {
    InstructionCounts &counts = lowered.blocks[i];
    counts = {};
    for (const Instruction &instruction : *blocks[i]) {
      InstructionKind kind = classify(instruction);
      counts[static_cast<size_t>(kind)] += getWeight(instruction, kind);
    }
    IRBuilder<> b(blocks[i], blocks[i]->getFirstInsertionPt());
    Value *address =
        ConstantExpr::getIntToPtr(ConstantInt::get(i64, reinterpret_cast<uintptr_t>(&lowered.blockVisits[i])), pointer);
    b.CreateStore(b.CreateAdd(b.CreateLoad(i64, address), ConstantInt::get(i64, 1)), address);
  }
}

//===--------------------------------------------------------------------------------------------------------------===//
// Accesses
//===--------------------------------------------------------------------------------------------------------------===//

/// A GPU's widest access.
static constexpr uint64_t kWidestAccess = 16;

/// How the code generator for the GPU cuts an access: into the widest pieces that its size and alignment allow.
static void setPieces(Site &site, uint64_t bytes, Align alignment) {
  uint64_t piece = std::min(alignment.value(), kWidestAccess);
  while (bytes % piece)
    piece /= 2;
  site.pieceBytes = static_cast<uint32_t>(piece);
  site.pieces = static_cast<uint32_t>(bytes / piece);
  site.alignment = static_cast<uint32_t>(alignment.value());
}

static bool isOwn(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer);
  // A constant pointer is one of ours: the counters.
  return isa<AllocaInst>(object) || isa<ConstantExpr>(object);
}

void nag::simt::watchAccesses(Module &module, LoweredModule &lowered) {
  const DataLayout &layout = module.getDataLayout();
  struct Access {
    Instruction *instruction;
    unsigned pointerOperand;
    Type *type;
    Align alignment;
    Site::Kind kind;
  };
  std::vector<Access> accesses;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto add = [&](unsigned operand, Type *type, Align alignment, Site::Kind kind) {
        if (!isOwn(instruction.getOperand(operand)))
          accesses.push_back({&instruction, operand, type, alignment, kind});
      };
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        add(LoadInst::getPointerOperandIndex(), load->getType(), load->getAlign(),
            load->isAtomic() ? Site::Atomic : Site::Load);
      else if (auto *store = dyn_cast<StoreInst>(&instruction))
        add(StoreInst::getPointerOperandIndex(), store->getValueOperand()->getType(), store->getAlign(),
            store->isAtomic() ? Site::Atomic : Site::Store);
      else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
        add(AtomicRMWInst::getPointerOperandIndex(), update->getType(), update->getAlign(), Site::Atomic);
      else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
        add(AtomicCmpXchgInst::getPointerOperandIndex(), exchange->getCompareOperand()->getType(), exchange->getAlign(),
            Site::Atomic);
    }

  Type *i32 = Type::getInt32Ty(module.getContext()), *pointer = PointerType::get(module.getContext(), 0);
  Type *i64 = Type::getInt64Ty(module.getContext());
  FunctionCallee self = module.getOrInsertFunction("nag_simt_self", pointer);
  FunctionCallee hook = module.getOrInsertFunction(
      "nag_simt_access", FunctionType::get(pointer, {pointer, pointer, i32}, /*isVarArg=*/false));
  DenseMap<Function *, Value *> selves;
  for (const Access &access : accesses) {
    Function *function = access.instruction->getFunction();
    Value *&thread = selves[function];
    if (!thread)
      thread = IRBuilder<>(&function->getEntryBlock(), function->getEntryBlock().begin()).CreateCall(self);
    Site site;
    site.kind = access.kind;
    site.name = access.instruction->getOpcodeName();
    setPieces(site, layout.getTypeStoreSize(access.type), access.alignment);
    uint32_t index = addSite(lowered, *access.instruction, std::move(site));
    IRBuilder<> b(access.instruction);
    Value *address = access.instruction->getOperand(access.pointerOperand);
    Value *flat = b.CreateIntToPtr(b.CreatePtrToInt(address, i64), pointer);
    Value *checked = b.CreateCall(hook, {thread, flat, ConstantInt::get(i32, index)});
    access.instruction->setOperand(access.pointerOperand,
                                   b.CreateIntToPtr(b.CreatePtrToInt(checked, i64), address->getType()));
  }
}
