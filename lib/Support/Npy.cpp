//===- Npy.cpp - Tensors in NumPy's .npy files --------------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// The .npy format: a magic string, a version, a Python dictionary as text, and the elements.

#include "nag/Support/Npy.h"
#include "nag/Support/Output.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace nag;
using llvm::StringRef;
using llvm::Twine;

static constexpr StringRef kMagic("\x93NUMPY", 6);

namespace {

struct Header {
  std::string descr;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;
  /// Where the elements start.
  size_t dataOffset = 0;
};

/// Reads the header's dictionary, which NumPy writes by repr() and reads by literal_eval.
class DictionaryParser {
public:
  explicit DictionaryParser(StringRef text) : text(text) {}

  /// An empty error is a success.
  std::string parse(Header &header) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!consume("{"))
      return "its header is not a dictionary";
    while (!consume("}")) {
      std::optional<std::string> key = parseString();
      if (!key || !consume(":"))
        return "its header is malformed";
      bool ok = true;
      if (*key == "descr") {
        std::optional<std::string> value = parseString();
        if (!value)
          return "its elements are records; expected one number an element";
        header.descr = *value;
        hasDescr = true;
      } else if (*key == "fortran_order") {
        header.fortranOrder = consume("True");
        ok = header.fortranOrder || consume("False");
        hasOrder = true;
      } else if (*key == "shape") {
        ok = parseShape(header.shape);
        hasShape = true;
      } else {
        return "its header has an unknown key '" + *key + "'";
      }
      if (!ok)
        return "its header has a malformed '" + *key + "'";
      if (!consume(",")) {
        if (consume("}"))
          break;
        return "its header is malformed";
      }
    }
    if (!text.trim().empty())
      return "its header has text after the dictionary";
    if (!hasDescr || !hasOrder || !hasShape)
      return "its header lacks one of 'descr', 'fortran_order', 'shape'";
    return "";
  }

private:
  bool consume(StringRef token) {
    text = text.ltrim();
    return text.consume_front(token);
  }

  std::optional<std::string> parseString() {
    text = text.ltrim();
    if (text.empty() || (text.front() != '\'' && text.front() != '"'))
      return std::nullopt;
    size_t end = text.find(text.front(), 1);
    if (end == StringRef::npos)
      return std::nullopt;
    std::string value = text.slice(1, end).str();
    text = text.drop_front(end + 1);
    return value;
  }

  bool parseShape(llvm::SmallVectorImpl<int64_t> &shape) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      int64_t size;
      text = text.ltrim();
      if (text.consumeInteger(10, size) || size < 0)
        return false;
      // Python 2 wrote long integers with a suffix.
      text.consume_front("L");
      shape.push_back(size);
      if (!consume(",")) {
        if (consume(")"))
          return true;
        return false;
      }
    }
    return true;
  }

  StringRef text;
};

} // namespace

static llvm::Error makeError(StringRef path, const Twine &what) {
  return llvm::createStringError("'" + path + "': " + what);
}

static llvm::Expected<Header> parseHeader(StringRef path, StringRef bytes) {
  if (!bytes.starts_with(kMagic))
    return makeError(path, "not a .npy file");
  if (bytes.size() < 10)
    return makeError(path, "truncated in its header");
  unsigned major = uint8_t(bytes[6]);
  if (major < 1 || major > 3)
    return makeError(path, "version " + Twine(major) + " of the .npy format is not known; expected 1, 2 or 3");
  size_t lengthBytes = major == 1 ? 2 : 4, start = 8 + lengthBytes;
  if (bytes.size() < start)
    return makeError(path, "truncated in its header");
  size_t length = major == 1 ? llvm::support::endian::read16le(bytes.data() + 8)
                             : llvm::support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - start < length)
    return makeError(path, "truncated in its header");

  Header header;
  header.dataOffset = start + length;
  std::string error = DictionaryParser(bytes.substr(start, length)).parse(header);
  if (!error.empty())
    return makeError(path, error);
  if (header.fortranOrder && header.shape.size() > 1)
    return makeError(path, "stored in Fortran order; expected C order (numpy.ascontiguousarray)");
  return header;
}

static bool isStoredAs(StringRef descr, ElementType type) {
  switch (type) {
  case ElementType::F64:
    return descr == "<f8";
  case ElementType::F32:
    return descr == "<f4";
  case ElementType::F16:
    return descr == "<f2";
  case ElementType::BF16:
    return descr == "<V2" || descr == "|V2" || descr == "<u2";
  }
  return false;
}

/// What to write, and what to ask for.
static StringRef getDescr(ElementType type) {
  static constexpr StringRef names[] = {"<f8", "<f4", "<f2", "|V2"};
  return names[unsigned(type)];
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openFile(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return makeError(path, file.getError().message());
  return std::move(*file);
}

llvm::Expected<llvm::SmallVector<int64_t>> nag::readNpyShape(StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = openFile(path);
  if (!file)
    return file.takeError();
  llvm::Expected<Header> header = parseHeader(path, (*file)->getBuffer());
  if (!header)
    return header.takeError();
  return header->shape;
}

llvm::Expected<HostTensor> nag::readNpy(StringRef path, ElementType type, HostLayout layout) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file = openFile(path);
  if (!file)
    return file.takeError();
  StringRef bytes = (*file)->getBuffer();
  llvm::Expected<Header> header = parseHeader(path, bytes);
  if (!header)
    return header.takeError();
  if (!isStoredAs(header->descr, type))
    return makeError(path, "elements are '" + header->descr + "'; expected " + getName(type) + ", '" + getDescr(type) +
                               "'" + (type == ElementType::BF16 ? " or its bits as '<u2'" : ""));

  // The file's length is checked before memory is asked for by a size that it only claims.
  int64_t expected = getByteSize(type), present = int64_t(bytes.size() - header->dataOffset);
  bool overflow = false;
  for (int64_t size : header->shape)
    overflow |= bool(llvm::MulOverflow(expected, size, expected));
  if (overflow || present != expected)
    return makeError(path, "holds " + Twine(present) + " bytes of elements; expected " +
                               (overflow ? Twine("more than fits into memory") : Twine(expected)) + " for " +
                               toString(header->shape, type));

  llvm::Expected<HostTensor> tensor = HostTensor::create(type, header->shape, layout);
  if (!tensor)
    return makeError(path, llvm::toString(tensor.takeError()));
  size_t rowBytes = size_t(tensor->getWidth()) * getByteSize(type);
  const char *from = bytes.data() + header->dataOffset;
  for (int64_t row = 0; row < tensor->getNumRows(); ++row, from += rowBytes)
    std::memcpy(tensor->getRow(row), from, rowBytes);
  return tensor;
}

llvm::Error nag::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string dictionary = ("{'descr': '" + getDescr(tensor.getType()) + "', 'fortran_order': False, 'shape': (").str();
  for (int64_t size : tensor.getShape())
    dictionary += std::to_string(size) + ", ";
  // NumPy writes (2, 3) and (2,).
  if (tensor.getShape().size() > 1)
    dictionary.resize(dictionary.size() - 2);
  else if (tensor.getShape().size() == 1)
    dictionary.pop_back();
  dictionary += "), }";
  // Elements start at a multiple of 64 bytes, and the header ends in a newline.
  size_t unpadded = 10 + dictionary.size() + 1;
  dictionary.append(llvm::alignTo(unpadded, 64) - unpadded, ' ');
  dictionary += '\n';

  std::string contents;
  llvm::raw_string_ostream os(contents);
  os << kMagic << '\x01' << '\0' << char(dictionary.size() & 0xff) << char(dictionary.size() >> 8) << dictionary;
  for (int64_t row = 0; row < tensor.getNumRows(); ++row)
    os.write(reinterpret_cast<const char *>(tensor.getRow(row)),
             size_t(tensor.getWidth()) * getByteSize(tensor.getType()));
  return writeOutput(path, contents);
}
