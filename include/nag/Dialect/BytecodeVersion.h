//===- BytecodeVersion.h - The version that a dialect's bytecode carries --------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef NAG_DIALECT_BYTECODEVERSION_H
#define NAG_DIALECT_BYTECODEVERSION_H

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace nag {

/// The version of the operations, types and attributes of a dialect in bytecode. Raised when something that could be
/// written before is written otherwise, so that older files are upgraded and newer ones refused by name.
struct BytecodeVersion : mlir::DialectVersion {
  uint64_t value;
  explicit BytecodeVersion(uint64_t value) : value(value) {}
};

/// Writes `current` into the bytecode of its dialect, and refuses to read what is newer, or older than `oldest`.
class BytecodeVersionInterface : public mlir::BytecodeDialectInterface {
public:
  BytecodeVersionInterface(mlir::Dialect *dialect, uint64_t current, uint64_t oldest = 1)
      : BytecodeDialectInterface(dialect), current(current), oldest(oldest) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override { writer.writeVarInt(current); }

  std::unique_ptr<mlir::DialectVersion> readVersion(mlir::DialectBytecodeReader &reader) const override {
    uint64_t version;
    if (failed(reader.readVarInt(version)))
      return nullptr;
    if (version > current) {
      reader.emitError() << "bytecode of the dialect '" << getDialect()->getNamespace() << "' has version " << version
                         << ", this program reads up to " << current;
      return nullptr;
    }
    if (version < oldest) {
      reader.emitError() << "bytecode of the dialect '" << getDialect()->getNamespace() << "' has version " << version
                         << ", this program reads from " << oldest;
      return nullptr;
    }
    return std::make_unique<BytecodeVersion>(version);
  }

private:
  uint64_t current;
  uint64_t oldest;
};

} // namespace nag

#endif // NAG_DIALECT_BYTECODEVERSION_H
