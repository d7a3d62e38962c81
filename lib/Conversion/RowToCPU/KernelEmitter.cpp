//===- KernelEmitter.cpp - One row program as parallel loops of vector code ---------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#include "KernelEmitter.h"
#include "ProgramPieces.h"
#include "RowAccess.h"
#include "Scratch.h"
#include "TokenGroup.h"

#include "nag/Dialect/Row/Transforms/Emission.h"
#include "nag/Dialect/Row/Transforms/KernelPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nag::row;

namespace {

/// The first round in which a row of a later token is prefetched, others in the rounds after it: the very first round
/// waits for memory, the others would not use it, and one of them alone would have to wait as well.
constexpr size_t kPrefetchFromRound = 1;

/// Products with rows of a table that are accumulated in one walk, so that their accumulators stay in registers, and
/// what else a walk accumulates at the most if it has products to accumulate.
constexpr size_t kProductsInWalk = 4;
constexpr size_t kOthersBesideProducts = 1;

/// Tokens that share a walk over a table: with four products each, the accumulators of one dot-product instruction each
/// take half of the registers.
constexpr int64_t kTokensAtATable = 4;

Type elementTypeOf(Value vec) { return cast<VecType>(vec.getType()).getElementType(); }

VectorType lanesOf(Type elementType) { return VectorType::get(kLanes, elementType); }

/// Emits one kernel.
class KernelEmitter {
public:
  KernelEmitter(KernelOp kernel, OpBuilder &builder)
      : kernel(kernel), b(kernel.getLoc(), builder), plan(kernel), width(kernel.getWidth()),
        paddedWidth(llvm::alignTo(width, kLanes)), pieces(getPieces(plan)), groupSize(getGroupSize()),
        scratch(plan, paddedWidth, [this](size_t first, size_t last) { return getCopies(first, last); }) {}

  void emit() {
    Value tokens = kernel.getTokenOperand();
    TokenGroup uniform(b, b.getBlock(), 1);
    Token first;
    emitScalars(plan.uniform, uniform, first);
    uniformScalars = first.scalars;
    first.scalars = {};

    SmallVector<Value> sizes;
    for (int64_t i = 0; i < kernel.getTokenRank(); ++i)
      sizes.push_back(memref::DimOp::create(b, tokens, i));
    if (sizes.empty())
      return emitGroup(first, b.getBlock());

    SmallVector<Value> zeros(sizes.size(), index(0)), steps(sizes.size(), index(1));
    if (groupSize > 1)
      steps.back() = index(groupSize);
    auto loop = scf::ParallelOp::create(b, zeros, sizes, steps);
    llvm::append_range(first.indices, loop.getInductionVars());
    b.setInsertionPointToStart(loop.getBody());
    last = arith::SubIOp::create(b, sizes.back(), index(1));
    emitGroup(first, loop.getBody());
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value operandOf(Value argument) { return kernel.getOperandOf(cast<BlockArgument>(argument)); }

  //===----------------------------------------------------------------------------------------------===//
  // Pieces
  //===----------------------------------------------------------------------------------------------===//

  int64_t getGroupSize() {
    bool isShared = llvm::any_of(pieces, [](const Piece &piece) { return piece.kind == Piece::Contractions; });
    return isShared && kernel.getTokenRank() > 0 ? kTokensAtATable : 1;
  }

  /// A vector is kept for all tokens of the group if the group comes together between the two rounds. Before a choice
  /// of versions the next round may have been walked through already.
  int64_t getCopies(size_t firstRound, size_t lastRound) {
    bool crosses = llvm::any_of(pieces, [&](const Piece &piece) {
      return (piece.kind == Piece::Contractions && firstRound < piece.round && piece.round <= lastRound) ||
             (piece.kind == Piece::Versions && firstRound <= piece.round + 1 && piece.round < lastRound);
    });
    return crosses ? groupSize : 1;
  }

  void emitGroup(const Token &first, Block *block) {
    TokenGroup group(b, block, groupSize);
    group.shared = uniformScalars;
    for (const Scratch::Buffer &buffer : scratch.getBuffers())
      buffers.push_back(memref::AllocaOp::create(b, MemRefType::get(buffer.copies * paddedWidth, buffer.type),
                                                 b.getI64IntegerAttr(kLanes)));
    // The last group of a row of tokens may be smaller.
    if (groupSize > 1) {
      Value rest = arith::SubIOp::create(b, last, first.indices.back());
      lastPlace = arith::MinUIOp::create(b, rest, index(groupSize - 1));
    }
    Token token = first;
    emitPieces(pieces, group, token, /*mayVersion=*/true);
  }

  /// Emits `pieces` for all tokens of the group, of which `first` is the first.
  void emitPieces(ArrayRef<Piece> pieces, TokenGroup &group, Token &first, bool mayVersion) {
    while (!pieces.empty()) {
      if (pieces.front().kind == Piece::Contractions) {
        emitContractions(pieces.front().round, group, first);
        pieces = pieces.drop_front();
        continue;
      }
      auto phase = pieces.take_while([&](const Piece &piece) {
        return piece.kind != Piece::Contractions && !(piece.kind == Piece::Versions && mayVersion);
      });
      pieces = pieces.drop_front(phase.size());
      Choice choice;
      bool isChoice = !pieces.empty() && pieces.front().kind == Piece::Versions;
      if (isChoice)
        choice = {pieces.front().ops, pieces.drop_front(), {}, {}};
      emitPhase(phase, choice, group, first);
      if (isChoice)
        return emitVersions(choice, group, first);
    }
  }

  /// A choice between two versions of the rest of the program.
  struct Choice {
    ArrayRef<Operation *> expects;
    ArrayRef<Piece> rest;
    Value isExpected; ///< Whether all of `expects` have the number that they expect, for all tokens.
    /// The round that was walked through already, as if it were so.
    std::optional<size_t> anticipated = {};
  };

  /// One phase, at the end of which `choice` is made, where it has expectations.
  void emitPhase(ArrayRef<Piece> pieces, Choice &choice, TokenGroup &group, Token &first) {
    if (group.getSize() == 1) {
      emitPhaseOf(pieces, choice, group, first);
      if (!choice.expects.empty())
        choice.isExpected = emitIsExpected(choice.expects, first);
      return;
    }
    SmallVector<Value> init;
    if (!choice.expects.empty())
      init.push_back(arith::ConstantIntOp::create(b, 1, 1));
    Value count = arith::AddIOp::create(b, lastPlace, index(1));
    auto loop = scf::ForOp::create(b, index(0), count, index(1), init);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Token token = getToken(first, loop.getInductionVar());
    emitPhaseOf(pieces, choice, group, token);
    if (choice.expects.empty())
      return;
    Value isExpected = emitIsExpected(choice.expects, token);
    scf::YieldOp::create(b, arith::AndIOp::create(b, loop.getRegionIterArgs().front(), isExpected).getResult());
    choice.isExpected = loop.getResult(0);
  }

  Token getToken(const Token &first, Value place) {
    Token token{first.indices, place, {}};
    token.indices.back() = arith::AddIOp::create(b, first.indices.back(), place);
    return token;
  }

  void emitPhaseOf(ArrayRef<Piece> pieces, Choice &choice, TokenGroup &group, Token &token) {
    for (const Piece &piece : pieces) {
      switch (piece.kind) {
      case Piece::Scalars:
        emitScalars(piece.ops, group, token);
        break;
      case Piece::Round:
        if (!emitWithNextRound(piece.round, choice, group, token))
          emitRound(piece.round, group, token);
        break;
      case Piece::NumberStores:
        for (StoreOp store : plan.numberStores) {
          group.require(token, store.getValue());
          emitNumberStore(b, store, token.scalars.lookup(store.getValue()), operandOf(store.getDestination()),
                          token.indices);
        }
        break;
      case Piece::Versions:
        break; // of which this is one
      case Piece::Contractions:
        llvm_unreachable("the group comes together for these");
      }
    }
  }

  //===----------------------------------------------------------------------------------------------===//
  // Versions
  //===----------------------------------------------------------------------------------------------===//

  Value emitIsExpected(ArrayRef<Operation *> expects, Token &token) {
    Value result;
    for (Operation *op : expects) {
      auto expect = cast<ExpectOp>(op);
      Value value = token.scalars.lookup(expect.getInput());
      Value expected = arith::ConstantOp::create(b, expect.getValue());
      Value isEqual = isa<FloatType>(expect.getType())
                          ? arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, value, expected).getResult()
                          : arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, expected).getResult();
      result = result ? arith::AndIOp::create(b, result, isEqual).getResult() : isEqual;
    }
    return result;
  }

  /// The rest of the program where all is as expected, and in general.
  void emitVersions(const Choice &choice, TokenGroup &group, Token &first) {
    auto branch = scf::IfOp::create(b, choice.isExpected, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    IRMapping shared = group.shared;
    b.setInsertionPointToStart(branch.thenBlock());
    Token expected = first;
    emitExpected(choice, group, expected);
    SmallVector<Piece> rest;
    llvm::copy_if(choice.rest, std::back_inserter(rest),
                  [&](const Piece &piece) { return piece.kind != Piece::Round || piece.round != choice.anticipated; });
    emitPieces(rest, group, expected, /*mayVersion=*/true);

    group.shared = shared;
    b.setInsertionPointToStart(branch.elseBlock());
    Token other = first;
    // One general version is enough.
    emitPieces(choice.rest, group, other, /*mayVersion=*/false);
  }

  /// Numbers as `choice` expects them, and what follows from them.
  void emitExpected(const Choice &choice, TokenGroup &group, Token &token) {
    for (Operation *op : choice.expects) {
      Value constant = arith::ConstantOp::create(b, cast<ExpectOp>(op).getValue());
      group.shared.map(op->getResult(0), constant);
      token.scalars.map(op->getResult(0), constant);
    }
    for (const Piece &piece : choice.rest)
      emitShared(piece.ops, group);
  }

  /// Walks through a round and, as if `choice` came out as expected, the next one, if that is possible: one walk then
  /// reads the row that two would read.
  bool emitWithNextRound(size_t number, Choice &choice, TokenGroup &group, Token &token) {
    if (choice.expects.empty() || number + 1 == plan.rounds.size() ||
        !llvm::is_contained(plan.rounds[number].scalars, choice.expects.front()))
      return false;
    Round &round = plan.rounds[number], &next = plan.rounds[number + 1];
    for (Round *each : {&round, &next})
      if (!each->stores.empty() || each->reductions.empty() || !llvm::all_of(each->contractions, sharesTable))
        return false;

    IRMapping shared = group.shared;
    Token expected = token;
    emitExpected(choice, group, expected);
    bool isKnown = llvm::all_of(next.vectors, [&](Operation *op) {
      return llvm::all_of(getNumbers(op), [&](Value number) { return group.isKnown(expected, number); });
    });
    if (isKnown) {
      currentRound = number;
      prefetchRound = number + 1;
      SmallVector<ReduceOp> reductions;
      SmallVector<Accumulation> accumulations;
      for (Round *each : {&round, &next}) {
        llvm::append_range(reductions, each->reductions);
        for (Operation *op : each->vectors)
          requireNumbers(op, group, expected);
      }
      for (ReduceOp reduce : reductions)
        accumulations.push_back(getAccumulation(reduce));
      for (auto [reduce, total] : llvm::zip_equal(reductions, emitAccumulations(accumulations, {}, expected)))
        group.define(token, reduce.getResult(), total);
      choice.anticipated = number + 1;
    }
    group.shared = shared;
    return isKnown;
  }

  //===----------------------------------------------------------------------------------------------===//
  // Numbers
  //===----------------------------------------------------------------------------------------------===//

  static SmallVector<Value> getNumbers(Operation *op) {
    SmallVector<Value> result;
    llvm::copy_if(getUsedValues(op), std::back_inserter(result),
                  [](Value value) { return !isa<VecType, RowType, TableType>(value.getType()); });
    return result;
  }

  void requireNumbers(Operation *op, TokenGroup &group, Token &token) {
    for (Value number : getNumbers(op))
      group.require(token, number);
  }

  /// Numbers that are computed from what all tokens share are shared as well.
  void emitShared(ArrayRef<Operation *> ops, TokenGroup &group) {
    for (Operation *op : ops) {
      auto isShared = [&](Value operand) { return group.shared.contains(operand); };
      if (!isa<LoadOp, ExpectOp>(op) && llvm::all_of(op->getOperands(), isShared))
        b.clone(*op, group.shared);
    }
  }

  void emitScalars(ArrayRef<Operation *> ops, TokenGroup &group, Token &token) {
    for (Operation *op : ops) {
      if (llvm::all_of(op->getResults(), [&](Value result) { return group.shared.contains(result); }))
        continue;
      requireNumbers(op, group, token);
      if (auto load = dyn_cast<LoadOp>(op)) {
        ValueRange indices = isa<TableType>(load.getSource().getType()) ? ValueRange() : ValueRange(token.indices);
        group.define(token, load.getResult(), emitScalarLoad(b, load, operandOf(load.getSource()), indices));
      } else if (auto expect = dyn_cast<ExpectOp>(op)) {
        group.define(token, expect.getResult(), token.scalars.lookup(expect.getInput()));
      } else {
        Operation *clone = b.clone(*op, token.scalars);
        for (auto [result, value] : llvm::zip_equal(op->getResults(), clone->getResults()))
          group.define(token, result, value);
      }
    }
  }

  //===----------------------------------------------------------------------------------------------===//
  // Rounds
  //===----------------------------------------------------------------------------------------------===//

  void emitRound(size_t number, TokenGroup &group, Token &token) {
    Round &round = plan.rounds[number];
    currentRound = prefetchRound = number;
    for (Operation *op : round.vectors)
      requireNumbers(op, group, token);

    SmallVector<Accumulation> others, products;
    for (ReduceOp reduce : round.reductions)
      others.push_back(getAccumulation(reduce));
    for (ContractOp contraction : round.contractions)
      if (!sharesTable(contraction))
        llvm::append_range(products, getAccumulations(contraction));

    // The last walk has all but products, and some of them if there is room. It is the last because it stores: what it
    // stores may take the place of what the others read.
    size_t room = others.size() <= kOthersBesideProducts ? std::min(kProductsInWalk, products.size()) : 0;
    ArrayRef<Accumulation> rest = ArrayRef(products).drop_back(room);
    SmallVector<Value> totals, productTotals;
    for (; !rest.empty(); rest = rest.drop_front(std::min(kProductsInWalk, rest.size())))
      llvm::append_range(productTotals, emitAccumulations(rest.take_front(kProductsInWalk), {}, token));
    SmallVector<Accumulation> last(others);
    llvm::append_range(last, ArrayRef(products).take_back(room));
    if (!last.empty() || !round.stores.empty())
      totals = emitAccumulations(last, round.stores, token);
    productTotals.append(totals.begin() + others.size(), totals.end());

    for (auto [reduce, total] : llvm::zip(round.reductions, totals))
      group.define(token, reduce.getResult(), total);
    ArrayRef<Value> next = productTotals;
    for (ContractOp contraction : round.contractions) {
      if (sharesTable(contraction))
        continue;
      int64_t count = contraction.getType().getDimSize(0);
      group.define(token, contraction.getResult(),
                   vector::FromElementsOp::create(b, contraction.getType(), next.take_front(count)));
      next = next.drop_front(count);
    }
  }

  /// One walk: accumulates and stores.
  SmallVector<Value> emitAccumulations(ArrayRef<Accumulation> accumulations, ArrayRef<StoreOp> stores, Token &token) {
    SmallVector<Value> roots;
    for (const Accumulation &accumulation : accumulations) {
      roots.push_back(accumulation.input);
      if (accumulation.factor)
        roots.push_back(accumulation.factor);
    }
    for (StoreOp store : stores)
      roots.push_back(store.getValue());

    auto step = [&](const Step &step, ValueRange accumulators) {
      if (!step.mask && (accumulations.empty() || !accumulations.front().table))
        emitPrefetch(step, token);
      IRMapping values = emitVectors(roots, step, token, /*isKeeping=*/true);
      SmallVector<Value> next;
      for (auto [accumulation, accumulator] : llvm::zip_equal(accumulations, accumulators)) {
        Value factor;
        if (accumulation.factor)
          factor = emitSummand(accumulation, values.lookup(accumulation.factor), step);
        else if (accumulation.table)
          factor = emitTableLoad(accumulation, index(accumulation.tableRow), step);
        next.push_back(emitAccumulate(b, accumulation, accumulator,
                                      emitSummand(accumulation, values.lookup(accumulation.input), step), factor));
      }
      for (StoreOp store : stores)
        emitRowStore(b, values.lookup(store.getValue()), operandOf(store.getDestination()), token.indices, step,
                     storesPastCaches);
      return next;
    };
    auto walk = [&]() { return emitWalk(b, width, accumulations, step); };
    return stores.empty() || width < kLanes ? walk() : emitStoringWalk(stores, walk, token);
  }

  /// The tokens of the group walk over each table together.
  void emitContractions(size_t number, TokenGroup &group, Token &first) {
    currentRound = number;
    for (ContractOp contraction : plan.rounds[number].contractions) {
      if (!sharesTable(contraction))
        continue;
      SmallVector<Accumulation> all = getAccumulations(contraction);
      SmallVector<Token, 0> tokens;
      for (int64_t place = 0; place < group.getSize(); ++place) {
        tokens.push_back(first);
        // A place without a token repeats the last one.
        if (group.getSize() > 1)
          tokens.back() = getToken(first, arith::MinUIOp::create(b, index(place), lastPlace));
        for (Operation *op : plan.rounds[number].vectors)
          requireNumbers(op, group, tokens.back());
      }
      VectorType type = contraction.getType();
      int64_t size = type.getDimSize(0), most = kProductsInWalk, whole = size / most * most;
      Value sums = group.createBuffer(MemRefType::get({group.getSize(), size}, type.getElementType()));
      if (whole > 0) {
        auto loop = scf::ForOp::create(b, index(0), index(whole), index(most));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        emitSharedWalk(ArrayRef(all).take_front(most), loop.getInductionVar(), tokens, sums);
      }
      if (whole < size)
        emitSharedWalk(ArrayRef(all).drop_front(whole), index(whole), tokens, sums);
      SmallVector<Value> results;
      for (int64_t place = 0; place < group.getSize(); ++place)
        results.push_back(vector::LoadOp::create(b, type, sums, ValueRange{index(place), index(0)}));
      if (group.getSize() == 1)
        group.define(first, contraction.getResult(), results.front());
      else
        group.defineForAll(contraction.getResult(), results);
    }
  }

  /// The products with as many rows of the table as `products` has, from row `firstRow` on, for all `tokens`: puts them
  /// in `sums`, which has a row for each token.
  void emitSharedWalk(ArrayRef<Accumulation> products, Value firstRow, MutableArrayRef<Token> tokens, Value sums) {
    auto rowAt = [&](int64_t i) { return arith::AddIOp::create(b, firstRow, index(i)).getResult(); };
    SmallVector<Accumulation> accumulations;
    for (size_t i = 0; i < tokens.size(); ++i)
      llvm::append_range(accumulations, products);
    SmallVector<Value> totals = emitWalk(b, width, accumulations, [&](const Step &step, ValueRange accumulators) {
      SmallVector<Value> factors, next;
      for (auto [i, product] : llvm::enumerate(products))
        factors.push_back(emitTableLoad(product, rowAt(i), step));
      for (Token &token : tokens) {
        Value input = products.front().input;
        Value row = emitVectors(input, step, token, /*isKeeping=*/false).lookup(input);
        row = emitSummand(products.front(), row, step);
        for (auto [product, factor] : llvm::zip_equal(products, factors))
          next.push_back(emitAccumulate(b, product, accumulators[next.size()], row, factor));
      }
      return next;
    });
    for (auto [i, total] : llvm::enumerate(totals))
      memref::StoreOp::create(b, total, sums, ValueRange{index(i / products.size()), rowAt(i % products.size())});
  }

  /// Two versions of a walk that stores: past the caches and through them.
  SmallVector<Value> emitStoringWalk(ArrayRef<StoreOp> stores, function_ref<SmallVector<Value>()> walk, Token &token) {
    SmallVector<Value> memrefs;
    for (StoreOp store : stores)
      memrefs.push_back(operandOf(store.getDestination()));
    auto emit = [&](bool pastCaches) {
      return [&, pastCaches](OpBuilder &nested, Location loc) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(nested.getInsertionBlock(), nested.getInsertionPoint());
        storesPastCaches = pastCaches;
        scf::YieldOp::create(b, walk());
      };
    };
    return scf::IfOp::create(b, emitIsPastCaches(b, memrefs, token.indices), emit(true), emit(false)).getResults();
  }

  //===----------------------------------------------------------------------------------------------===//
  // One step
  //===----------------------------------------------------------------------------------------------===//

  /// The elements of `roots` in this step, and of what they are computed from; those that are kept are put in their
  /// buffers where `isKeeping`.
  IRMapping emitVectors(ArrayRef<Value> roots, const Step &step, Token &token, bool isKeeping) {
    IRMapping values;
    auto isKept = [&](Operation *op) { return scratch.isKeptBefore(op, currentRound); };
    for (Operation *op : KernelPlan::getVectorSlice(roots, isKept)) {
      Value result = op->getResult(0);
      std::optional<size_t> buffer = scratch.getBuffer(op);
      if (isKept(op)) {
        values.map(result, vector::LoadOp::create(b, lanesOf(elementTypeOf(result)), buffers[*buffer],
                                                  emitPosition(*buffer, step, token)));
        continue;
      }
      if (auto load = dyn_cast<LoadOp>(op)) {
        values.map(result, emitRowLoad(b, operandOf(load.getSource()), token.indices, step, elementTypeOf(result)));
        continue;
      }
      if (auto narrow = dyn_cast<NarrowOp>(op)) {
        values.map(result, convertElements(b, values.lookup(narrow.getInput()), elementTypeOf(result)));
        continue;
      }
      auto map = cast<MapOp>(op);
      SmallVector<Value> inputs;
      for (Value input : map.getInputs())
        inputs.push_back(values.lookup(input));
      Value value = emitMap(b, map, inputs, token.scalars);
      values.map(result, value);
      if (buffer && isKeeping)
        vector::StoreOp::create(b, value, buffers[*buffer], emitPosition(*buffer, step, token));
    }
    return values;
  }

  /// Where the elements of this step are in a buffer.
  Value emitPosition(size_t buffer, const Step &step, Token &token) {
    if (scratch.getBuffers()[buffer].copies == 1)
      return step.index;
    return arith::AddIOp::create(b, arith::MulIOp::create(b, token.place, index(paddedWidth)), step.index);
  }

  Value emitTableLoad(const Accumulation &accumulation, Value row, const Step &step) {
    return emitRowLoad(b, operandOf(accumulation.table), row, step, getSummandType(accumulation));
  }

  /// Asks for the rows of the token that comes a group later, one row in each round.
  void emitPrefetch(const Step &step, Token &token) {
    if (token.indices.empty())
      return;
    SmallVector<Value> later(token.indices);
    later.back() = arith::MinUIOp::create(b, arith::AddIOp::create(b, later.back(), index(groupSize)), last);
    size_t round = kPrefetchFromRound;
    for (BlockArgument argument : kernel.getBody().getArguments().take_front(kernel.getInputs().size())) {
      auto row = dyn_cast<RowType>(argument.getType());
      if (!row || row.getShape().empty())
        continue;
      if (round == prefetchRound)
        emitRowPrefetch(b, operandOf(argument), later, step);
      round = std::min(round + 1, plan.rounds.size() - 1);
    }
  }

  /// Lanes past the row must not join a sum, whatever the map made of them.
  Value emitSummand(const Accumulation &accumulation, Value value, const Step &step) {
    if (step.mask)
      value = arith::SelectOp::create(b, step.mask, value, emitZero(b, value.getType()));
    return convertElements(b, value, getSummandType(accumulation));
  }

  KernelOp kernel;
  ImplicitLocOpBuilder b;
  KernelPlan plan;
  int64_t width, paddedWidth;
  SmallVector<Piece> pieces;
  int64_t groupSize;
  Scratch scratch;

  IRMapping uniformScalars;
  Value last;      ///< The last index of the last dimension of tokens.
  Value lastPlace; ///< The last place of the group.
  SmallVector<Value> buffers;
  size_t currentRound = 0, prefetchRound = 0;
  bool storesPastCaches = false;
};

} // namespace

void nag::row::emitKernelForCPU(KernelOp kernel, OpBuilder &builder) { KernelEmitter(kernel, builder).emit(); }
