//===- Intrinsics.cpp - Device intrinsics as code for the host ----------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The table of intrinsics of the NVPTX back end that we know, by their names.

#include "nag/Target/SIMT/Intrinsics.h"

#include "nag/Target/SIMT/DeviceMath.h"
#include "nag/Target/SIMT/Machine.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>
#include <optional>

using namespace llvm;
using namespace nag::simt;

uint32_t nag::simt::addSite(LoweredModule &lowered, const Value &value, Site site) {
  const auto &instruction = cast<Instruction>(value);
  site.function = instruction.getFunction()->getName().str();
  // Line 0 is that of an instruction which several lines have in common.
  if (const DebugLoc &location = instruction.getDebugLoc(); location && location.getLine())
    site.location = (location->getFilename() + ":" + Twine(location.getLine()) + ":" + Twine(location.getCol())).str();
  lowered.sites.push_back(std::move(site));
  return static_cast<uint32_t>(lowered.sites.size() - 1);
}

InstructionKind nag::simt::classifyIntrinsic(StringRef name) {
  StringRef first = name.split('.').first;
  if (name.starts_with("barrier") || name.starts_with("bar."))
    return InstructionKind::Barrier;
  if (name.starts_with("ldmatrix") || name.starts_with("cp.async") || name.starts_with("ldu."))
    return InstructionKind::Load;
  if (name.contains(".approx") || first == "div" || first == "sqrt" || first == "rcp")
    return InstructionKind::Special;
  return StringSwitch<InstructionKind>(first)
      .Cases({"shfl", "vote", "match", "redux", "activemask", "elect"}, InstructionKind::Shuffle)
      .Case("fma", InstructionKind::Fma)
      .Cases({"add", "mul", "fmin", "fmax", "saturate", "fabs", "round", "floor", "ceil", "trunc"},
             InstructionKind::Float)
      .Cases({"f2i", "f2ui", "f2ll", "f2ull", "d2i", "d2ui", "d2ll", "d2ull", "i2f", "ui2f"}, InstructionKind::Convert)
      .Cases({"ll2f", "ull2f", "i2d", "ui2d", "ll2d", "ull2d", "d2f", "f2h", "f2bf16", "ff2bf16x2", "ff2f16x2"},
             InstructionKind::Convert)
      .Cases({"mulhi", "mul24", "sad", "prmt", "fshl", "fshr"}, InstructionKind::Integer)
      .Default(InstructionKind::Other);
}

namespace {

class Lowering {
public:
  Lowering(CallInst &call, StringRef name, Value &self, LoweredModule &lowered)
      : call(call), name(name), self(self), lowered(lowered), b(&call) {
    name.split(parts, '.');
  }

  /// The value that takes the call's place; nullopt where the intrinsic is not known.
  std::optional<Value *> lower() {
    if (name.starts_with("read.ptx.sreg."))
      return lowerRegister(name.drop_front(strlen("read.ptx.sreg.")));
    if (name.starts_with("shfl.sync."))
      return lowerShuffle();
    if (name.starts_with("vote.") || name.starts_with("match.") || name.starts_with("redux.sync."))
      return lowerVote();
    if (name.starts_with("barrier.cta."))
      return lowerBarrier();
    if (name.starts_with("cp.async."))
      return lowerAsyncCopy();
    if (name.starts_with("ldmatrix."))
      return lowerMatrixLoad();
    if (name.starts_with("mma."))
      return lowerMatrixProduct();
    if (std::optional<Value *> value = lowerMath())
      return value;
    return lowerOther();
  }

private:
  using Result = std::optional<Value *>;

  Value *arg(unsigned i) { return call.getArgOperand(i); }
  Value *i32(uint64_t value) { return b.getInt32(static_cast<uint32_t>(value)); }
  template <class Enum> Value *code(Enum value) { return i32(static_cast<uint64_t>(value)); }

  CallInst *callRuntime(StringRef function, Type *result, ArrayRef<Value *> args) {
    SmallVector<Type *> types;
    for (Value *value : args)
      types.push_back(value->getType());
    FunctionCallee callee =
        call.getModule()->getOrInsertFunction(function, FunctionType::get(result, types, /*isVarArg=*/false));
    return b.CreateCall(callee, args);
  }

  Value *site(Site::Kind kind) {
    Site made;
    made.kind = kind;
    made.name = name.str();
    return i32(addSite(lowered, call, std::move(made)));
  }

  Value *load32(size_t offset) {
    return b.CreateAlignedLoad(b.getInt32Ty(), b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &self, offset), Align(4));
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Special registers
  //===------------------------------------------------------------------------------------------------------------===//

  Result lowerRegister(StringRef which) {
    auto [family, dimension] = which.split('.');
    size_t base = StringSwitch<size_t>(family)
                      .Case("tid", offsetof(ThreadState, tid))
                      .Case("ntid", offsetof(ThreadState, ntid))
                      .Case("ctaid", offsetof(ThreadState, ctaid))
                      .Case("nctaid", offsetof(ThreadState, nctaid))
                      .Default(~size_t(0));
    if (base != ~size_t(0)) {
      if (dimension == "w")
        return i32(family.starts_with("n") ? 1 : 0);
      return load32(base + 4 * static_cast<size_t>(dimension[0] - 'x'));
    }
    if (which == "warpsize")
      return i32(32);
    if (which == "laneid")
      return load32(offsetof(ThreadState, lane));
    if (which == "warpid")
      return load32(offsetof(ThreadState, warp));
    if (which == "nwarpid")
      return load32(offsetof(ThreadState, numWarps));
    if (which == "dynamic_smem_size")
      return load32(offsetof(ThreadState, dynamicShared));
    if (which == "total_smem_size")
      return load32(offsetof(ThreadState, totalShared));
    if (family == "lanemask") {
      Value *lane = load32(offsetof(ThreadState, lane)), *bit = b.CreateShl(i32(1), lane);
      Value *below = b.CreateSub(bit, i32(1));
      if (dimension == "eq")
        return bit;
      if (dimension == "lt")
        return below;
      if (dimension == "le")
        return b.CreateOr(below, bit);
      if (dimension == "ge")
        return b.CreateNot(below);
      if (dimension == "gt")
        return b.CreateNot(b.CreateOr(below, bit));
    }
    return std::nullopt;
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Warps
  //===------------------------------------------------------------------------------------------------------------===//

  /// Calls the executor; the result is what the lane gets, with the predicate in bit 0 of the second part.
  std::pair<Value *, Value *> exchange(WarpOp op, Site::Kind kind, Value *mask, Value *value, Value *operand,
                                       Value *clamp) {
    // An alloca of the entry block, so that a loop does not grow the stack.
    BasicBlock &entry = call.getFunction()->getEntryBlock();
    Value *predicate = IRBuilder<>(&entry, entry.begin()).CreateAlloca(b.getInt8Ty());
    Value *wide = b.CreateZExt(value, b.getInt64Ty());
    Value *result = callRuntime("nag_simt_warp", b.getInt64Ty(),
                                {&self, code(op), mask, wide, operand, clamp, site(kind), predicate});
    Value *loaded = b.CreateLoad(b.getInt8Ty(), predicate);
    return {result, b.CreateTrunc(loaded, b.getInt1Ty())};
  }

  /// {value, predicate}, where the intrinsic returns both.
  Value *pack(Value *value, Value *predicate) {
    if (!call.getType()->isStructTy())
      return value;
    Value *both = b.CreateInsertValue(PoisonValue::get(call.getType()), value, 0);
    return b.CreateInsertValue(both, predicate, 1);
  }

  Result lowerShuffle() {
    WarpOp op = StringSwitch<WarpOp>(parts[2])
                    .Case("up", WarpOp::ShuffleUp)
                    .Case("down", WarpOp::ShuffleDown)
                    .Case("bfly", WarpOp::ShuffleButterfly)
                    .Default(WarpOp::ShuffleIndex);
    Type *type = arg(1)->getType();
    Value *bits = b.CreateBitCast(arg(1), b.getInt32Ty());
    auto [result, predicate] = exchange(op, Site::Shuffle, arg(0), bits, arg(2), arg(3));
    return pack(b.CreateBitCast(b.CreateTrunc(result, b.getInt32Ty()), type), predicate);
  }

  Result lowerVote() {
    if (parts.back() != "sync" && parts.size() > 2 && parts[2] != "sync" && parts[1] != "sync")
      return std::nullopt;
    std::optional<WarpOp> op = StringSwitch<std::optional<WarpOp>>(name)
                                   .Case("vote.all.sync", WarpOp::All)
                                   .Case("vote.any.sync", WarpOp::Any)
                                   .Case("vote.uni.sync", WarpOp::Uniform)
                                   .Case("vote.ballot.sync", WarpOp::Ballot)
                                   .Cases({"match.any.sync.i32", "match.any.sync.i64"}, WarpOp::MatchAny)
                                   .Cases({"match.all.sync.i32p", "match.all.sync.i64p"}, WarpOp::MatchAll)
                                   .Case("redux.sync.add", WarpOp::Add)
                                   .Case("redux.sync.min", WarpOp::SignedMin)
                                   .Case("redux.sync.max", WarpOp::SignedMax)
                                   .Case("redux.sync.umin", WarpOp::UnsignedMin)
                                   .Case("redux.sync.umax", WarpOp::UnsignedMax)
                                   .Case("redux.sync.and", WarpOp::And)
                                   .Case("redux.sync.or", WarpOp::Or)
                                   .Case("redux.sync.xor", WarpOp::Xor)
                                   .Default(std::nullopt);
    if (!op)
      return std::nullopt;
    // A reduction names its mask last.
    bool isRedux = parts[0] == "redux";
    auto [result, predicate] = exchange(*op, Site::Vote, arg(isRedux ? 1 : 0), arg(isRedux ? 0 : 1), i32(0), i32(0));
    Type *type = call.getType()->isStructTy() ? call.getType()->getStructElementType(0) : call.getType();
    return pack(b.CreateTrunc(result, type), predicate);
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Barriers
  //===------------------------------------------------------------------------------------------------------------===//

  Result lowerBarrier() {
    // barrier.cta.{sync,arrive,red.OP}[.aligned].{all,count}
    bool isAligned = name.contains(".aligned"), hasCount = parts.back() == "count", waits = parts[2] != "arrive";
    BarrierOp op = parts[2] != "red" ? BarrierOp::None
                                     : StringSwitch<BarrierOp>(parts[3])
                                           .Case("popc", BarrierOp::Popc)
                                           .Case("and", BarrierOp::And)
                                           .Default(BarrierOp::Or);
    Value *predicate = op == BarrierOp::None ? b.getFalse() : arg(call.arg_size() - 1);
    Value *result = callRuntime("nag_simt_barrier", b.getInt32Ty(),
                                {&self, arg(0), hasCount ? arg(1) : i32(0), i32(isAligned), i32(waits), code(op),
                                 b.CreateZExt(predicate, b.getInt32Ty()), site(Site::Barrier)});
    if (call.getType()->isVoidTy())
      return nullptr;
    return b.CreateTrunc(result, call.getType());
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Copies
  //===------------------------------------------------------------------------------------------------------------===//

  Result lowerAsyncCopy() {
    if (name == "cp.async.commit.group")
      return callRuntime("nag_simt_commit", b.getVoidTy(), {&self});
    if (name == "cp.async.wait.all")
      return callRuntime("nag_simt_wait", b.getVoidTy(), {&self, i32(0), i32(1)});
    if (name == "cp.async.wait.group")
      return callRuntime("nag_simt_wait", b.getVoidTy(), {&self, arg(0), i32(0)});
    // cp.async.{ca,cg}.shared.global.BYTES[.s]
    unsigned bytes = 0;
    if (parts.size() < 6 || parts[3] != "shared" || parts[4] != "global" || parts[5].getAsInteger(10, bytes))
      return std::nullopt;
    Site made;
    made.kind = Site::AsyncCopy;
    made.name = name.str();
    made.pieceBytes = made.alignment = bytes;
    Value *index = i32(addSite(lowered, call, std::move(made)));
    Value *given = call.arg_size() > 2 ? b.CreateZExtOrTrunc(arg(2), b.getInt32Ty()) : i32(bytes);
    return callRuntime("nag_simt_copy", b.getVoidTy(),
                       {&self, generic(arg(0)), generic(arg(1)), i32(bytes), given, index});
  }

  Value *generic(Value *pointer) { return b.CreateIntToPtr(b.CreatePtrToInt(pointer, b.getInt64Ty()), b.getPtrTy()); }

  Result lowerMatrixLoad() {
    // ldmatrix.sync.aligned.m8n8.x{1,2,4}[.trans].b16.p3
    unsigned matrices =
        StringSwitch<unsigned>(parts.size() > 4 ? parts[4] : "").Case("x1", 1).Case("x2", 2).Case("x4", 4).Default(0);
    if (parts[3] != "m8n8" || matrices == 0 || !name.contains(".b16"))
      return std::nullopt;
    bool isTransposed = name.contains(".trans");
    BasicBlock &entry = call.getFunction()->getEntryBlock();
    Value *to = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(b.getInt32Ty(), 4));
    Site made;
    made.kind = Site::MatrixLoad;
    made.name = name.str();
    made.pieceBytes = made.alignment = 16;
    Value *index = i32(addSite(lowered, call, std::move(made)));
    callRuntime("nag_simt_ldmatrix", b.getVoidTy(),
                {&self, generic(arg(0)), to, i32(matrices), i32(isTransposed), index});
    if (matrices == 1)
      return b.CreateLoad(b.getInt32Ty(), to);
    Value *result = PoisonValue::get(call.getType());
    for (unsigned i = 0; i < matrices; ++i)
      result =
          b.CreateInsertValue(result, b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), to, i)), i);
    return result;
  }

  Result lowerMatrixProduct() {
    // mma.m16n8k16.row.col.{bf16,f32.f32}: halves of bf16 or f16 in words, sums in f32.
    bool isBf16 = name == "mma.m16n8k16.row.col.bf16";
    if (!isBf16 && name != "mma.m16n8k16.row.col.f32.f32")
      return std::nullopt;
    BasicBlock &entry = call.getFunction()->getEntryBlock();
    constexpr unsigned kWords = sizeof(MatrixFragments) / 4, kResult = offsetof(MatrixFragments, d) / 4;
    Value *fragments = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(b.getInt32Ty(), kWords));
    auto word = [&](unsigned i) { return b.CreateConstGEP1_32(b.getInt32Ty(), fragments, i); };
    for (unsigned i = 0; i < call.arg_size(); ++i)
      b.CreateStore(arg(i), word(i));
    callRuntime("nag_simt_mma", b.getVoidTy(), {&self, fragments, i32(isBf16), site(Site::MatrixProduct)});
    Value *result = PoisonValue::get(call.getType());
    for (unsigned i = 0; i < 4; ++i)
      result = b.CreateInsertValue(result, b.CreateLoad(b.getFloatTy(), word(kResult + i)), i);
    return result;
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // Arithmetic
  //===------------------------------------------------------------------------------------------------------------===//

  static std::optional<Rounding> parseRounding(StringRef text) {
    return StringSwitch<std::optional<Rounding>>(text)
        .Case("rn", Rounding::Nearest)
        .Case("rz", Rounding::Zero)
        .Case("rm", Rounding::Down)
        .Case("rp", Rounding::Up)
        .Default(std::nullopt);
  }

  Value *callArith(Arith op, Rounding rounding, uint32_t flags) {
    Type *type = call.getType();
    Value *zero = ConstantFP::get(type, 0);
    SmallVector<Value *> args = {code(op), code(rounding), i32(flags)};
    for (unsigned i = 0; i < 3; ++i)
      args.push_back(i < call.arg_size() ? arg(i) : zero);
    return callRuntime(type->isFloatTy() ? "nag_simt_arith_f32" : "nag_simt_arith_f64", type, args);
  }

  uint32_t getFlags() {
    uint32_t flags = 0;
    for (StringRef part : parts)
      flags |= part == "ftz" ? kFlushToZero : part == "sat" ? kSaturate : 0;
    return flags;
  }

  Result lowerMath() {
    Type *type = call.getType();
    bool isF32 = type->isFloatTy(), isF64 = type->isDoubleTy();
    uint32_t flags = getFlags();
    if (Result converted = lowerConversion(flags))
      return converted;
    if (!isF32 && !isF64)
      return std::nullopt;
    std::optional<Arith> op = StringSwitch<std::optional<Arith>>(parts[0])
                                  .Case("add", Arith::Add)
                                  .Case("mul", Arith::Mul)
                                  .Case("fma", Arith::Fma)
                                  .Case("div", Arith::Div)
                                  .Case("sqrt", Arith::Sqrt)
                                  .Case("rcp", Arith::Rcp)
                                  .Default(std::nullopt);
    if (op) {
      // "approx" and "full" are not exact on a GPU; we round correctly.
      Rounding rounding = Rounding::Nearest;
      if (parts[1] != "approx" && parts[1] != "full" && name != "sqrt.f") {
        std::optional<Rounding> parsed = parseRounding(parts[1]);
        if (!parsed)
          return std::nullopt;
        rounding = *parsed;
      }
      if (rounding == Rounding::Nearest && flags == 0)
        return lowerNearest(*op);
      return callArith(*op, rounding, flags);
    }
    op = StringSwitch<std::optional<Arith>>(parts[0])
             .Case("rsqrt", Arith::Rsqrt)
             .Case("ex2", Arith::Ex2)
             .Case("lg2", Arith::Lg2)
             .Case("sin", Arith::Sin)
             .Case("cos", Arith::Cos)
             .Default(std::nullopt);
    if (op && parts[1] == "approx")
      return callArith(*op, Rounding::Nearest, flags);
    if ((parts[0] == "fmin" || parts[0] == "fmax") && !name.contains("xorsign")) {
      bool isNan = name.contains(".nan");
      Arith which = parts[0] == "fmin" ? (isNan ? Arith::MinNan : Arith::Min) : (isNan ? Arith::MaxNan : Arith::Max);
      return callArith(which, Rounding::Nearest, flags);
    }
    Value *x = arg(0);
    if (flags == 0 && parts[0] == "saturate") {
      // NaN and -0 become +0.
      Value *zero = ConstantFP::get(type, 0), *one = ConstantFP::get(type, 1);
      Value *upper = b.CreateSelect(b.CreateFCmpOLT(x, one), x, one);
      return b.CreateSelect(b.CreateFCmpOGT(x, zero), upper, zero);
    }
    Intrinsic::ID same = StringSwitch<Intrinsic::ID>(parts[0])
                             .Case("fabs", Intrinsic::fabs)
                             .Case("round", Intrinsic::roundeven)
                             .Case("floor", Intrinsic::floor)
                             .Case("ceil", Intrinsic::ceil)
                             .Case("trunc", Intrinsic::trunc)
                             .Default(Intrinsic::not_intrinsic);
    if (same != Intrinsic::not_intrinsic && flags == 0)
      return b.CreateUnaryIntrinsic(same, x);
    return std::nullopt;
  }

  Value *lowerNearest(Arith op) {
    switch (op) {
    case Arith::Add:
      return b.CreateFAdd(arg(0), arg(1));
    case Arith::Mul:
      return b.CreateFMul(arg(0), arg(1));
    case Arith::Div:
      return b.CreateFDiv(arg(0), arg(1));
    case Arith::Sqrt:
      return b.CreateUnaryIntrinsic(Intrinsic::sqrt, arg(0));
    case Arith::Fma:
      return b.CreateIntrinsic(call.getType(), Intrinsic::fma, {arg(0), arg(1), arg(2)});
    default:
      return b.CreateFDiv(ConstantFP::get(call.getType(), 1), arg(0));
    }
  }

  Result lowerConversion(uint32_t flags) {
    static constexpr StringLiteral integers[] = {"i", "ui", "ll", "ull"};
    auto [from, to] = parts[0].split('2');
    if (to.empty() || parts.size() < 2)
      return std::nullopt;
    std::optional<Rounding> rounding = parseRounding(parts[1]);
    if (name == "d2i.lo" || name == "d2i.hi") {
      Value *bits = b.CreateBitCast(arg(0), b.getInt64Ty());
      return b.CreateTrunc(name == "d2i.lo" ? bits : b.CreateLShr(bits, 32), b.getInt32Ty());
    }
    if (!rounding)
      return std::nullopt;
    bool fromFloat = from == "f" || from == "d";
    if (fromFloat && is_contained(integers, to)) {
      Value *x = from == "f" ? b.CreateFPExt(arg(0), b.getDoubleTy()) : arg(0);
      Value *result = callRuntime("nag_simt_to_int", b.getInt64Ty(),
                                  {x, code(*rounding), i32(flags), i32(to.ends_with("ll") ? 64 : 32),
                                   i32(!to.starts_with("u")), i32(from == "d")});
      return b.CreateTrunc(result, call.getType());
    }
    if (is_contained(integers, from) && (to == "f" || to == "d")) {
      bool isSigned = !from.starts_with("u");
      Value *x = isSigned ? b.CreateSExt(arg(0), b.getInt64Ty()) : b.CreateZExt(arg(0), b.getInt64Ty());
      return callRuntime(to == "f" ? "nag_simt_int_to_f32" : "nag_simt_int_to_f64", call.getType(),
                         {x, code(*rounding), i32(isSigned)});
    }
    if (name.starts_with("d2f."))
      return callRuntime("nag_simt_f64_to_f32", call.getType(), {arg(0), code(*rounding), i32(flags)});
    if (*rounding != Rounding::Nearest || name.contains("relu") || name.contains("satfinite") || flags)
      return std::nullopt;
    auto round16 = [&](Value *x, bool isBf16) {
      return b.CreateTrunc(callRuntime(isBf16 ? "nag_simt_to_bf16" : "nag_simt_to_f16", b.getInt32Ty(),
                                       {b.CreateFPExt(x, b.getDoubleTy())}),
                           b.getInt16Ty());
    };
    if (parts[0] == "f2bf16" || parts[0] == "f2h" || parts[0] == "f2f16")
      return b.CreateBitCast(round16(arg(0), parts[0] == "f2bf16"), call.getType());
    if (parts[0] == "ff2bf16x2" || parts[0] == "ff2f16x2") {
      // The first operand becomes the upper half.
      bool isBf16 = parts[0] == "ff2bf16x2";
      Value *both = PoisonValue::get(FixedVectorType::get(b.getInt16Ty(), 2));
      both = b.CreateInsertElement(both, round16(arg(1), isBf16), uint64_t(0));
      both = b.CreateInsertElement(both, round16(arg(0), isBf16), uint64_t(1));
      return b.CreateBitCast(both, call.getType());
    }
    return std::nullopt;
  }

  //===------------------------------------------------------------------------------------------------------------===//
  // The rest
  //===------------------------------------------------------------------------------------------------------------===//

  Result lowerOther() {
    if (name == "bar.warp.sync") {
      exchange(WarpOp::Sync, Site::WarpBarrier, arg(0), i32(0), i32(0), i32(0));
      return nullptr;
    }
    // The lanes that happen to run together: on a GPU that schedules threads independently perhaps none but this one.
    if (name == "activemask")
      return b.CreateShl(i32(1), load32(offsetof(ThreadState, lane)));
    if (name.starts_with("membar.") || name == "fence.sc.cluster") {
      b.CreateFence(AtomicOrdering::SequentiallyConsistent);
      return nullptr;
    }
    // Kernels run one after another, and caches cannot be seen.
    if (name.starts_with("griddepcontrol.") || name.starts_with("prefetch") || name.starts_with("applypriority."))
      return nullptr;
    if (name == "nanosleep")
      return callRuntime("nag_simt_yield", b.getVoidTy(), {&self});
    if (name == "exit")
      return callRuntime("nag_simt_exit", b.getVoidTy(), {&self});
    if (name.starts_with("move.") || name.starts_with("internal.addrspace.wrap"))
      return arg(0);
    if (name == "lohi.i2d") {
      Value *low = b.CreateZExt(arg(0), b.getInt64Ty()), *high = b.CreateZExt(arg(1), b.getInt64Ty());
      return b.CreateBitCast(b.CreateOr(low, b.CreateShl(high, 32)), call.getType());
    }
    if (parts[0] == "mulhi") {
      auto *type = cast<IntegerType>(call.getType());
      unsigned bits = type->getBitWidth();
      Type *wide = b.getIntNTy(2 * bits);
      bool isUnsigned = parts[1].starts_with("u");
      auto extend = [&](Value *x) { return isUnsigned ? b.CreateZExt(x, wide) : b.CreateSExt(x, wide); };
      return b.CreateTrunc(b.CreateLShr(b.CreateMul(extend(arg(0)), extend(arg(1))), bits), type);
    }
    if (parts[0] == "mul24") {
      auto narrow = [&](Value *x) {
        Value *low = b.CreateTrunc(x, b.getIntNTy(24));
        return parts[1] == "i" ? b.CreateSExt(low, b.getInt32Ty()) : b.CreateZExt(low, b.getInt32Ty());
      };
      return b.CreateMul(narrow(arg(0)), narrow(arg(1)));
    }
    if (name == "prmt")
      return callRuntime("nag_simt_prmt", b.getInt32Ty(), {arg(0), arg(1), arg(2)});
    return std::nullopt;
  }

  CallInst &call;
  StringRef name;
  SmallVector<StringRef> parts;
  Value &self;
  LoweredModule &lowered;
  IRBuilder<> b;
};

} // namespace

bool nag::simt::lowerIntrinsic(CallInst &call, StringRef name, Value &self, LoweredModule &lowered) {
  std::optional<Value *> value = Lowering(call, name, self, lowered).lower();
  if (!value)
    return false;
  if (!call.getType()->isVoidTy())
    call.replaceAllUsesWith(*value);
  call.eraseFromParent();
  return true;
}
