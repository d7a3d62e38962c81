//===- RowTypes.td - Types and attributes of the row dialect ------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_IR_ROWTYPES_TD
#define NAG_DIALECT_ROW_IR_ROWTYPES_TD

include "nag/Dialect/Row/IR/RowDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===--------------------------------------------------------------------------------------------------===//
// Types
//===--------------------------------------------------------------------------------------------------===//

class Row_Type<string name, string typeMnemonic> : TypeDef<Row_Dialect, name> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
}

def Row_VecType : Row_Type<"Vec", "vec"> {
  let summary = "a row vector";
  let description = [{
    `width` elements of one row, as computed with: `f32` or `f64`; `bf16` or `f16`, whose products are exact in `f32`;
    or integers of 16, 32 or 64 bits where bits are looked at. Who holds which element is the schedule's affair.

    Example: `!row.vec<4096xf32>`
  }];
  let parameters = (ins "int64_t":$width, "::mlir::Type":$elementType);
  let genVerifyDecl = 1;
}

def Row_RowType : Row_Type<"Row", "row"> {
  let summary = "this token's part of an operand";
  let description = [{
    The row of the token at hand, `!row.row<4096xbf16>`, or its number, `!row.row<f32>`, in storage. `shape` has one
    element or none.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let genVerifyDecl = 1;
}

def Row_TableType : Row_Type<"Table", "table"> {
  let summary = "an operand that all tokens share";
  let description = [{
    A small parameter in storage: `!row.table<8x4096xbf16>`, `!row.table<8xf32>`, `!row.table<f32>`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let genVerifyDecl = 1;
}

//===--------------------------------------------------------------------------------------------------===//
// Attributes
//===--------------------------------------------------------------------------------------------------===//

def Row_ReduceKind : I32EnumAttr<"ReduceKind", "what a reduction combines with", [
    I32EnumAttrCase<"Add", 0, "add">,
    I32EnumAttrCase<"UMax", 1, "umax">]> {
  let cppNamespace = "::nag::row";
  let genSpecializedAttr = 0;
}
def Row_ReduceKindAttr : EnumAttr<Row_Dialect, Row_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Row_ScheduleKind : I32EnumAttr<"ScheduleKind", "who holds a row on a GPU", [
    I32EnumAttrCase<"Warp", 0, "warp">,
    I32EnumAttrCase<"Block", 1, "block">,
    I32EnumAttrCase<"Stream", 2, "stream">]> {
  let cppNamespace = "::nag::row";
  let genSpecializedAttr = 0;
}

def Row_ScheduleAttr : AttrDef<Row_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "how a kernel is spread over a GPU";
  let description = [{
    - `warp`: a warp a row, `rows` rows a block; the row in registers.
    - `block`: `threads` threads a row, `rows` rows a block; the row in registers.
    - `stream`: a block of `threads` threads a row, which is read again in every pass.

    `threads` is a power of two from 32 to 1,024, the number of threads of one row; `rows` the number of rows of one
    block. With `persistent`, the grid is one block for each multiprocessor, and blocks go from row to row: they keep
    the tables of contractions in shared memory, and load the next row before they finish the one at hand. All of them
    give the same bits.

    Examples: `#row.schedule<block, threads = 256, rows = 1>`,
    `#row.schedule<block, threads = 256, rows = 2, persistent = true>`
  }];
  let parameters = (ins EnumParameter<Row_ScheduleKind>:$kind, "int64_t":$threads, "int64_t":$rows,
                    DefaultValuedParameter<"bool", "false">:$persistent);
  let assemblyFormat = [{
    `<` $kind `,` `threads` `=` $threads `,` `rows` `=` $rows (`,` `persistent` `=` $persistent^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif // NAG_DIALECT_ROW_IR_ROWTYPES_TD
