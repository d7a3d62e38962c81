//===- Header.cpp - The C header of a module's entries ------------------------------------*- C++ -*-===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------===//

// Writes prototypes of entries with the types and shapes of their arguments.

#include "nag/Target/CPU/Header.h"

#include "nag/Target/CPU/Entries.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace mlir;

/// Words that C or C++ keep for themselves, and types that the header names.
static bool isKeyword(StringRef word) {
  static const llvm::StringSet<> words = {"alignas",     "alignof",
                                          "and",         "and_eq",
                                          "asm",         "auto",
                                          "bitand",      "bitor",
                                          "bool",        "break",
                                          "case",        "catch",
                                          "char",        "char16_t",
                                          "char32_t",    "char8_t",
                                          "class",       "co_await",
                                          "co_return",   "co_yield",
                                          "compl",       "concept",
                                          "const",       "const_cast",
                                          "consteval",   "constexpr",
                                          "constinit",   "continue",
                                          "decltype",    "default",
                                          "delete",      "do",
                                          "double",      "dynamic_cast",
                                          "else",        "enum",
                                          "explicit",    "export",
                                          "extern",      "false",
                                          "float",       "for",
                                          "friend",      "goto",
                                          "if",          "inline",
                                          "int",         "int32_t",
                                          "int64_t",     "long",
                                          "main",        "mutable",
                                          "namespace",   "new",
                                          "noexcept",    "not",
                                          "not_eq",      "nullptr",
                                          "operator",    "or",
                                          "or_eq",       "private",
                                          "protected",   "public",
                                          "register",    "reinterpret_cast",
                                          "requires",    "restrict",
                                          "return",      "short",
                                          "signed",      "sizeof",
                                          "static",      "static_assert",
                                          "static_cast", "struct",
                                          "switch",      "template",
                                          "this",        "thread_local",
                                          "throw",       "true",
                                          "try",         "typedef",
                                          "typeid",      "typename",
                                          "typeof",      "typeof_unqual",
                                          "union",       "unsigned",
                                          "using",       "virtual",
                                          "void",        "volatile",
                                          "wchar_t",     "while",
                                          "xor",         "xor_eq"};
  return words.contains(word);
}

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; }) && !isKeyword(name);
}

/// Names of the arguments: the attribute if it is an identifier not used before, else argN.
static SmallVector<std::string> argumentNames(func::FuncOp func) {
  SmallVector<std::string> names;
  std::set<std::string> used;
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    std::string name;
    if (auto given = func.getArgAttrOfType<StringAttr>(i, nag::kNameAttr))
      name = given.str();
    if (!isIdentifier(name) || !used.insert(name).second)
      used.insert(name = "arg" + std::to_string(i));
    names.push_back(name);
  }
  return names;
}

static std::string scalarType(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(32))
    return "int32_t";
  return "int64_t"; // i64 and index; an entry has no others
}

static std::string parameterType(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type))
    return "const nag_memref_" + std::to_string(memref.getRank()) + "d *";
  if (isa<LLVM::LLVMPointerType>(type))
    return "void *";
  return scalarType(type) + " ";
}

/// "bf16 [?, 4096], strides [?, 1]", or "bf16 [?, 4096], written" where the source's tensor type is known: sizes of ?
/// and row strides are the caller's, and elements of a row are neighbours.
static std::string describe(func::FuncOp func, unsigned index) {
  Type type = func.getArgumentTypes()[index];
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref) {
    if (!isa<LLVM::LLVMPointerType>(type))
      stream << scalarType(type);
    else
      stream << "stream, null on the CPU";
    return text;
  }
  auto dimension = [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << "?";
    else
      stream << size;
  };
  auto source = func.getArgAttrOfType<TypeAttr>(index, nag::kTensorTypeAttr);
  auto shaped = source ? cast<ShapedType>(source.getValue()) : cast<ShapedType>(type);
  stream << shaped.getElementType() << " [";
  llvm::interleaveComma(shaped.getShape(), stream, dimension);
  stream << "]";
  if (source) {
    stream << (func.getArgAttr(index, nag::kResultAttr) ? ", written" : ", read");
    return text;
  }
  auto [strides, offset] = memref.getStridesAndOffset();
  if (!strides.empty()) {
    stream << ", strides [";
    llvm::interleaveComma(strides, stream, dimension);
    stream << "]";
  }
  if (offset != 0) {
    stream << ", offset ";
    dimension(offset);
  }
  return text;
}

static void writePrototype(llvm::raw_ostream &stream, func::FuncOp func) {
  SmallVector<std::string> names = argumentNames(func);
  stream << "/* " << func.getName() << "\n";
  for (auto [index, name] : llvm::enumerate(names))
    stream << " *   " << name << ": " << describe(func, index) << "\n";
  stream << " */\n";
  std::string result = func.getNumResults() ? scalarType(func.getResultTypes().front()) : "void";
  stream << result << " " << func.getName() << "(";
  if (names.empty())
    stream << "void";
  llvm::interleaveComma(llvm::zip(names, func.getArgumentTypes()), stream, [&](auto argument) {
    auto &[name, type] = argument;
    stream << parameterType(type) << name;
  });
  stream << ");\n";
  stream << result << " " << func.getName() << nag::kPackedSuffix << "(void *const *args);\n\n";
}

static void writeDescriptor(llvm::raw_ostream &stream, int64_t rank) {
  stream << "#ifndef NAG_MEMREF_" << rank << "D_DEFINED\n#define NAG_MEMREF_" << rank << "D_DEFINED\n"
         << "typedef struct nag_memref_" << rank << "d {\n"
         << "  void *allocated;\n  void *aligned;\n  int64_t offset;\n";
  if (rank)
    stream << "  int64_t sizes[" << rank << "];\n  int64_t strides[" << rank << "];\n";
  stream << "} nag_memref_" << rank << "d;\n#endif\n\n";
}

FailureOr<std::string> nag::emitHeader(ModuleOp module, const HeaderOptions &options) {
  SmallVector<func::FuncOp> entries;
  std::set<int64_t> ranks;
  for (func::FuncOp func : module.getOps<func::FuncOp>()) {
    if (!isEntry(func))
      continue;
    if (failed(verifyEntrySignature(func)))
      return failure();
    if (!isIdentifier(func.getName()))
      return func.emitOpError("entry: expected a name that is an identifier in C and C++, got '")
             << func.getName() << "'";
    entries.push_back(func);
    for (Type type : func.getArgumentTypes())
      if (auto memref = dyn_cast<MemRefType>(type))
        ranks.insert(memref.getRank());
  }
  if (failed(verifyEntryNames(module)))
    return failure();
  if (entries.empty())
    return module.emitError() << "no entry to write a header for: no public function carries '" << kEntryAttr << "'";

  std::string guard = "NAG_GENERATED_";
  for (char c : options.name)
    guard += llvm::isAlnum(c) ? llvm::toUpper(c) : '_';
  guard += "_H";

  std::string text;
  llvm::raw_string_ostream stream(text);
  stream
      << "/* Generated by the NAG kernel compiler: the entries of " << guard.substr(14, guard.size() - 16)
      << ". Do not edit.\n"
      << " *\n"
      << " * A buffer is passed as the address of its descriptor; sizes, strides and offset count elements. '?' is "
         "any\n"
      << " * value. NAME_packed(args) takes the same arguments as an array: a descriptor's address for a buffer, the\n"
      << " * stream itself for the stream, the address of the value for a number.\n"
      << " *\n"
      << " * A status (int32_t) is 0, or (kind << 16) | (argument << 8) | dimension with the kinds 1 size, 2 stride,\n"
      << " * 3 null pointer, 4 workspace too small, 5 device, 6 too many rows, 7 alignment, 8 overlap. A size "
         "(int64_t)\n"
      << " * below zero is such a status, negated.\n"
      << " */\n"
      << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stdint.h>\n";
  if (options.selfContained) {
    stream << "\n";
    for (int64_t rank : ranks)
      writeDescriptor(stream, rank);
  } else {
    stream << "#include \"nag/Runtime/Abi.h\"\n\n";
  }
  stream << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  for (func::FuncOp func : entries)
    writePrototype(stream, func);
  stream << "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  return text;
}
