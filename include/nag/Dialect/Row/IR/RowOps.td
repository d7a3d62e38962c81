//===- RowOps.td - Operations of the row dialect ------------------------------------*- tablegen -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_ROW_IR_ROWOPS_TD
#define NAG_DIALECT_ROW_IR_ROWOPS_TD

include "nag/Dialect/Row/IR/RowTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Row_Op<string mnemonic, list<Trait> traits = []> : Op<Row_Dialect, mnemonic, traits>;

def Row_Scalar : AnyTypeOf<[F32, F64, I16, I32, I64]>;
def Row_Scalars : AnyTypeOf<[F32, F64, FixedVectorOfRankAndType<[1], [F32, F64]>]>;

//===--------------------------------------------------------------------------------------------------===//
// Kernel
//===--------------------------------------------------------------------------------------------------===//

def Row_KernelOp : Row_Op<"kernel", [
    AttrSizedOperandSegments, IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one program, run for every token";
  let description = [{
    Runs its region once for every token. Operands are tensors, or memrefs after bufferization; every operand has a
    block argument, which stands for what one token sees of it:

    | operand | block argument |
    |---|---|
    | [tokens..., d] | `!row.row<dxT>` |
    | [tokens...] | `!row.row<T>` |
    | [s...], static | `!row.table<s...xT>` |

    `inputs` are only read, `outputs` only written, each element exactly once; on tensors the results are the new
    values of `outputs`. An output may be the same buffer as an input of the same type and element type, since a row is
    stored after it was last read; it may not overlap one partly.

    Constraints:
    - (C1) There is a block argument for every operand, of a type that fits it as in the table above.
    - (C2) All operands with a `!row.row` argument have the same leading (token) dimensions.
    - (C3) All row vectors and rows have one width.
    - (C4) There is at least one output. Outputs have `!row.row` arguments; on tensors, results have the types of the
      outputs.
    - (C5) The region holds operations of this dialect and operations without memory effects and regions on scalars and
      small vectors.
    - (C6) Every output is stored exactly once, and inputs never.
    - (C7) Operands are all tensors or all memrefs.

    Example:

    ```mlir
    // x / rms(x): the row is read, measured, and stored.
    %D = row.kernel "normalize" ins(%R : tensor<?x4096xbf16>) outs(%init : tensor<?x4096xbf16>) {
    ^bb0(%in: !row.row<4096xbf16>, %out: !row.row<4096xbf16>):
      %d = arith.constant 4096.0 : f32
      %x = row.load %in : !row.row<4096xbf16> -> !row.vec<4096xf32>
      %xx = row.map %x : !row.vec<4096xf32> -> !row.vec<4096xf32> {
      ^bb0(%e: f32):
        %0 = arith.mulf %e, %e : f32
        row.yield %0 : f32
      }
      %sum = row.reduce add %xx : !row.vec<4096xf32> -> f32
      %mean = arith.divf %sum, %d : f32
      %rms = math.sqrt %mean : f32
      %y = row.map %x : !row.vec<4096xf32> -> !row.vec<4096xf32> {
      ^bb0(%e: f32):
        %0 = arith.divf %e, %rms : f32
        row.yield %0 : f32
      }
      row.store %y, %out : !row.vec<4096xf32>, !row.row<4096xbf16>
    } -> tensor<?x4096xbf16>
    ```
  }];
  let arguments = (ins StrAttr:$kernel_name,
                   Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$inputs,
                   Variadic<AnyTypeOf<[AnyRankedTensor, AnyMemRef]>>:$outputs,
                   OptionalAttr<Row_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kernel_name (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)`
    (`schedule` qualified($schedule)^)? attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Builds a kernel with an empty body, whose block arguments are those of `argumentTypes`, inputs first.
    OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::ValueRange":$inputs, "::mlir::ValueRange":$outputs,
                   "::mlir::TypeRange":$argumentTypes)>
  ];
  let extraClassDeclaration = [{
    /// The width d of the row vectors, or 0 where the kernel has token scalars only.
    int64_t getWidth();
    /// The number of token dimensions.
    int64_t getTokenRank();
    /// An operand that has all the token dimensions.
    ::mlir::Value getTokenOperand();
    /// The operand that a block argument stands for.
    ::mlir::Value getOperandOf(::mlir::BlockArgument argument) { return (*this)->getOperand(argument.getArgNumber()); }
    /// Whether operands are memrefs.
    bool isBufferized() { return getNumResults() == 0; }
  }];
}

def Row_YieldOp : Row_Op<"yield", [Pure, ReturnLike, Terminator, ParentOneOf<["KernelOp", "MapOp"]>]> {
  let summary = "end of a kernel, or the value of a map";
  let description = [{
    Ends a `row.kernel`, without operands, or the region of a `row.map`, with its value.
  }];
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

//===--------------------------------------------------------------------------------------------------===//
// Access
//===--------------------------------------------------------------------------------------------------===//

def Row_LoadOp : Row_Op<"load", [Pure, HasParent<"KernelOp">]> {
  let summary = "read a row, a token's number or a table";
  let description = [{
    Reads what a block argument of the kernel stands for, widened to the type that is computed in (exact). A
    `!row.row<dxT>` gives a row vector, a `!row.row<T>` or `!row.table<T>` a scalar, a `!row.table<CxT>` a small
    vector; a `!row.table<CxdxT>` is for `row.contract`. A row may also be read as it is stored, or as its bits, integers
    as wide as that. Inputs do not change while a kernel runs, so that a load may be repeated instead of kept.

    Constraints:
    - (C1) The source is an input of the kernel.
    - (C2) The result has the shape of the source and is f32 or f64, not narrower than what is stored; or, for a row, the
      type that is stored or the integer type of its width.

    Example:

    ```mlir
    %x = row.load %R : !row.row<4096xbf16> -> !row.vec<4096xf32>
    %a = row.load %alpha : !row.table<f32> -> f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Row_RowType, Row_TableType]>:$source);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Row_StoreOp : Row_Op<"store", [MemoryEffects<[MemWrite]>, HasParent<"KernelOp">]> {
  let summary = "write a row or a token's number";
  let description = [{
    Writes a row vector or a scalar, rounded once, to nearest even, to the storage type. A row may also be written in the
    type that is stored, or as its bits, integers as wide as that.

    Constraints:
    - (C1) The destination is an output of the kernel.
    - (C2) The value has the shape of the destination and is f32 or f64, not narrower than what is stored; or, for a row,
      the type that is stored or the integer type of its width.

    Example:

    ```mlir
    row.store %y, %out : !row.vec<4096xf32>, !row.row<4096xbf16>
    ```
  }];
  let arguments = (ins AnyType:$value, Row_RowType:$destination);
  let assemblyFormat = "$value `,` $destination attr-dict `:` type($value) `,` qualified(type($destination))";
  let hasVerifier = 1;
}

//===--------------------------------------------------------------------------------------------------===//
// Computation
//===--------------------------------------------------------------------------------------------------===//

def Row_MapOp : Row_Op<"map", [Pure, SingleBlock]> {
  let summary = "element by element";
  let description = [{
    Applies its region to every element. Row scalars are used from outside the region as they are.

    Constraints:
    - (C1) The block has one argument for each operand, of its element type, and yields one value of the result's.
    - (C2) The region holds elementwise operations on scalars.

    Example:

    ```mlir
    %fc = row.map %f : !row.vec<4096xf32> -> !row.vec<4096xf32> {
    ^bb0(%e: f32):
      %0 = arith.subf %e, %mean : f32
      row.yield %0 : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Row_VecType>:$inputs);
  let results = (outs Row_VecType:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "($inputs^ `:` qualified(type($inputs)))? `->` qualified(type($result)) attr-dict-with-keyword $body";
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Builds the map with the region that `body` fills; it returns the value to yield.
    OpBuilder<(ins "::mlir::Type":$elementType, "::mlir::ValueRange":$inputs,
                   "::llvm::function_ref<::mlir::Value(::mlir::OpBuilder &, ::mlir::Location, ::mlir::ValueRange)>":$body)>
  ];
}

def Row_NarrowOp : Row_Op<"narrow", [Pure]> {
  let summary = "a row in 16 bits that hold it";
  let description = [{
    The operand in a type of 16 bits, of which is known that each of its elements is such a number, or smaller than all
    of them that are normal. A target that sums up 16-bit rows no faster than others may sum up the operand.

    Constraints:
    - (C1) The operand is of f32, the result of bf16 or f16, and as wide.

    Example:

    ```mlir
    %n = row.narrow %x : !row.vec<4096xf32> -> !row.vec<4096xbf16>
    ```
  }];
  let arguments = (ins Row_VecType:$input);
  let results = (outs Row_VecType:$result);
  let assemblyFormat = "$input attr-dict `:` qualified(type($input)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Row_ReduceOp : Row_Op<"reduce", [Pure]> {
  let summary = "combine the elements of a row";
  let description = [{
    `add`: the sum, in the one order of additions of its width, type and kind of target (no order in the IR). With
    `times`, the sum of products `x_e y_e`, each of which is fused with an addition where the order has one for it.
    Elements of 16 bits are added up in f32, in which they and their products are exact.
    `umax`: the largest unsigned integer, which is how magnitudes are compared: by their bits.

    Constraints:
    - (C1) The result is the element type of the operand, or f32 for floats of 16 bits.
    - (C2) `add` takes floats, `umax` integers.
    - (C3) `times` goes with `add`, and takes a row vector of the same type.

    Example:

    ```mlir
    %sum = row.reduce add %x : !row.vec<4096xf32> -> f32
    %dot = row.reduce add %x times %y : !row.vec<4096xf32>, !row.vec<4096xf32> -> f32
    ```
  }];
  let arguments = (ins Row_ReduceKindAttr:$kind, Row_VecType:$input, Optional<Row_VecType>:$factor);
  let results = (outs Row_Scalar:$result);
  let assemblyFormat = [{
    custom<ReduceKind>($kind) $input (`times` $factor^)? attr-dict
    `:` qualified(type($input)) (`,` qualified(type($factor))^)? `->` type($result)
  }];
  let hasVerifier = 1;
}

def Row_ContractOp : Row_Op<"contract", [Pure]> {
  let summary = "dot products with the rows of a table";
  let description = [{
    `t_i = sum_e x_e w_ie` for `i < C`, the products and sums in the type of the result. If the elements of both operands
    are the same type of 16 bits, their products are exact, and a target may take them with its matrix or dot-product
    instructions, in one order of sums of its own; otherwise the order is that of `row.reduce`.

    Constraints:
    - (C1) `table` is [C, d] for an operand of width `d`.
    - (C2) The result is a vector of `C` elements of the element type of the operand, or of f32 for floats of 16 bits.

    Example:

    ```mlir
    %t = row.contract %x, %w : !row.vec<4096xf32>, !row.table<8x4096xbf16> -> vector<8xf32>
    ```
  }];
  let arguments = (ins Row_VecType:$input, Row_TableType:$table);
  let results = (outs FixedVectorOfRankAndType<[1], [F32, F64]>:$result);
  let assemblyFormat = [{
    $input `,` $table attr-dict `:` qualified(type($input)) `,` qualified(type($table)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Row_ExpectOp : Row_Op<"expect", [Pure, AllTypesMatch<["input", "result"]>, HasParent<"KernelOp">]> {
  let summary = "a number that is nearly always the same";
  let description = [{
    The operand, of which is known that it is `value` for nearly every token: a target may have code of its own for that
    case, as a CPU has, or just take the operand. Both give the same bits.

    Constraints:
    - (C1) `value` has the type of the operand.

    Example:

    ```mlir
    %exponent = row.expect %e = 127 : i32
    ```
  }];
  let arguments = (ins Row_Scalar:$input, TypedAttrInterface:$value);
  let results = (outs Row_Scalar:$result);
  let assemblyFormat = "$input `=` custom<TypedValue>($value, type($result)) attr-dict";
  let hasVerifier = 1;
}

#endif // NAG_DIALECT_ROW_IR_ROWOPS_TD
