//===- Passes.td - Passes on the row dialect ----------------------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_TRANSFORMS_PASSES_TD
#define NAG_DIALECT_ROW_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RowFuse : Pass<"row-fuse"> {
  let summary = "join kernels that walk the same rows";
  let description = [{
    A kernel on tensors that reads a result of another one, token by token, or a row that another one reads, becomes one
    kernel with it where the graph allows it: between them there is nothing that needs the first and that the second
    needs. What the second would have loaded is what the first stores, rounded to the storage type and back; a result
    that nobody else uses is no longer stored. Kernels are named after their parts.

    Between its rounds a kernel holds at most `max-kept-bytes` for an element of the row, twice that in `f64`: rows that
    it needs again, in the type that is computed in, and what it has computed, where that is less than what it is computed
    from (docs/design/fusion.md). A kernel that holds more by itself is fused with what adds nothing. With `max-rows`, the
    different rows that a kernel reads are counted instead.

    `--remarks-filter=row-fuse` says what was fused, and why not.

    Numbers: exact. Fusion takes values as stored, so it changes no bits.
  }];
  let options = [Option<"maxKeptBytes", "max-kept-bytes", "int64_t", "12",
                        "The most bytes that one kernel holds for an element of the row">,
                 Option<"maxRows", "max-rows", "int64_t", "0",
                        "The most rows that one kernel reads, instead (default: any number)">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def RowSchedule : Pass<"row-schedule"> {
  let summary = "choose how each kernel is spread over a GPU";
  let description = [{
    Puts a `#row.schedule` on every `row.kernel` that has none, by the cost model of docs/design/schedules.md: from the
    width, the bytes of the tables that it contracts rows with, and the shared memory of the chip. A schedule that is
    there already is kept, if it can serve the kernel, and refused with its reason if it cannot.

    With `tensor-cores`, contractions of 16-bit rows with a table of the same type go to tensor cores, and the rows of a
    block share the table.

    Numbers: exact. A schedule changes speed, never bits; tensor cores have their own order of sums, one for each width.
  }];
  let options = [
    Option<"kind", "kind", "std::string", /*default=*/"\"\"",
           "use this kind of schedule (warp, block, stream) where a kernel has none and it can serve">,
    Option<"tensorCores", "tensor-cores", "bool", /*default=*/"false", "contract 16-bit rows on tensor cores">,
    Option<"persistent", "persistent", "::nag::row::PersistentGrid", /*default=*/"::nag::row::PersistentGrid::Auto",
           "whether blocks stay and keep the tables of contractions in shared memory", [{::llvm::cl::values(
             clEnumValN(::nag::row::PersistentGrid::Auto, "auto", "where it pays"),
             clEnumValN(::nag::row::PersistentGrid::Off, "off", "never"),
             clEnumValN(::nag::row::PersistentGrid::On, "on", "always"))}]>,
    Option<"maxSharedBytes", "max-shared-bytes", "int64_t", /*default=*/"::nag::row::kDefaultSharedBytes",
           "shared memory that a block can have on the chip">
  ];
}

def RowPlaceWorkspace : Pass<"row-place-workspace", "::mlir::ModuleOp"> {
  let summary = "turn allocations of entries into views of their workspace";
  let description = [{
    A compiled entry allocates nothing. Every `memref.alloc` in an entry becomes a view of its workspace argument, at an
    offset that is a multiple of 256 bytes, and the function `<entry>_workspace_size`, which takes the same descriptors,
    returns the bytes that are needed for those shapes.

    Numbers: exact.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // NAG_DIALECT_ROW_TRANSFORMS_PASSES_TD
