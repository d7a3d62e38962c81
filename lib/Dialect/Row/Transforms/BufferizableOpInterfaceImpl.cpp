//===- BufferizableOpInterfaceImpl.cpp - row.kernel from tensors to memrefs ---------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "nag/Dialect/Row/IR/RowDialect.h"
#include "nag/Dialect/Row/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace nag::row;

namespace {

/// Inputs are read, outputs written without being read, and a result is the buffer of its output.
struct KernelBufferization : DstBufferizableOpInterfaceExternalModel<KernelBufferization, KernelOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return !cast<KernelOp>(op).isDpsInit(&operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return cast<KernelOp>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto kernel = cast<KernelOp>(op);
    auto toBuffers = [&](ValueRange values, SmallVectorImpl<Value> &buffers) -> LogicalResult {
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          buffers.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        buffers.push_back(*buffer);
      }
      return success();
    };

    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs, outputs;
    if (failed(toBuffers(kernel.getInputs(), inputs)) || failed(toBuffers(kernel.getOutputs(), outputs)))
      return failure();
    auto bufferized =
        KernelOp::create(rewriter, op->getLoc(), kernel.getKernelName(), inputs, outputs, /*argumentTypes=*/{});
    bufferized.setScheduleAttr(kernel.getScheduleAttr());
    bufferized->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
    bufferized.getBody().takeBody(kernel.getBody());
    replaceOpWithBufferizedValues(rewriter, op, outputs);
    return success();
  }
};

} // namespace

void nag::row::registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, RowDialect *) { KernelOp::attachInterface<KernelBufferization>(*context); });
}
