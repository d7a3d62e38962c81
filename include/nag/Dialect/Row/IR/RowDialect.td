//===- RowDialect.td - The row dialect: how one token is computed -------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_IR_ROWDIALECT_TD
#define NAG_DIALECT_ROW_IR_ROWDIALECT_TD

include "mlir/IR/OpBase.td"

def Row_Dialect : Dialect {
  let name = "row";
  let cppNamespace = "::nag::row";
  let summary = "Programs over one row, run for every token";
  let description = [{
    The `row` dialect says *how* one token is computed. A `row.kernel` is a structured operation over tokens, whose
    region is the program of one token. Inside, values are

    | type | is | operations |
    |---|---|---|
    | `!row.vec<4096xf32>` | a row vector: `d` elements, held by no one in particular | `row.load`, `row.map`, `row.reduce`, `row.contract`, `row.store` |
    | `f32`, `i32`, `vector<8xf32>`, ... | a row scalar, or a few of them: the same for all who hold a part of the row | `arith`, `math`, `vector` |
    | `!row.row<4096xbf16>`, `!row.row<f32>` | this token's part of an operand of the kernel | `row.load`, `row.store` |
    | `!row.table<8x4096xbf16>` | an operand that all tokens share | `row.load`, `row.contract` |

    The dialect fixes *what* is summed, never who sums it: a `row.reduce` has one order of additions for each width,
    type and kind of target (docs/design/pipeline.md), which every schedule keeps. So a schedule changes speed, never
    bits.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // NAG_DIALECT_ROW_IR_ROWDIALECT_TD
