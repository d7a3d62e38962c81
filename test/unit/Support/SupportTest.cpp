//===- SupportTest.cpp - Element types, host tensors, .npy files and random numbers -------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Rounding to the storage types, guarded tensors and their descriptors, .npy files good and bad, and random numbers.

#include "nag/Support/HostTensor.h"
#include "nag/Support/Npy.h"
#include "nag/Support/Random.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace nag;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(ElementType, AllSixteenBitNumbersSurvive) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double f16 = decodeF16(uint16_t(bits)), bf16 = decodeBF16(uint16_t(bits));
    if (std::isnan(f16))
      EXPECT_TRUE(std::isnan(decodeF16(encodeF16(f16))));
    else
      EXPECT_EQ(encodeF16(f16), bits);
    if (std::isnan(bf16))
      EXPECT_TRUE(std::isnan(decodeBF16(encodeBF16(bf16))));
    else
      EXPECT_EQ(encodeBF16(bf16), bits);
  }
}

TEST(ElementType, RoundsToNearestEven) {
  EXPECT_EQ(roundTo(ElementType::F16, .49990), .5);
  EXPECT_EQ(roundTo(ElementType::F16, 65519), 65504);
  EXPECT_EQ(roundTo(ElementType::F16, 65520), kInf);
  EXPECT_EQ(roundTo(ElementType::F16, -65520), -kInf);
  EXPECT_EQ(roundTo(ElementType::F16, 6e-8), 0x1p-24);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.ffep-15), 0x1p-14);
  EXPECT_TRUE(std::signbit(roundTo(ElementType::F16, -0.0)));
  EXPECT_TRUE(std::signbit(roundTo(ElementType::BF16, -1e-300)));
  EXPECT_EQ(roundTo(ElementType::BF16, 256.5), 256);
  EXPECT_EQ(roundTo(ElementType::BF16, 257), 256);
  EXPECT_EQ(roundTo(ElementType::BF16, 259), 260);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.4e38), kInf);
  EXPECT_TRUE(std::isnan(roundTo(ElementType::BF16, kNaN)));
  // Once: by way of f32 this would become the midpoint 1 + 2^-8, and from there 1.
  EXPECT_EQ(roundTo(ElementType::BF16, 1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-7);
}

TEST(ElementType, AgreesWithTheProcessorInF32) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random.bits();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    // Keep most exponents within f32's range and its subnormals.
    if (i % 8)
      value = std::ldexp(random.normal(), int(bits % 300) - 160);
    if (!std::isnan(value))
      EXPECT_EQ(roundTo(ElementType::F32, value), double(float(value))) << value;
  }
}

TEST(ElementType, Constants) {
  EXPECT_EQ(getMaxFinite(ElementType::F16), 65504);
  EXPECT_EQ(getMinNormal(ElementType::F16), 0x1p-14);
  EXPECT_EQ(getMinSubnormal(ElementType::F16), 0x1p-24);
  EXPECT_EQ(getMaxFinite(ElementType::F32), double(std::numeric_limits<float>::max()));
  EXPECT_EQ(getMinNormal(ElementType::BF16), double(std::numeric_limits<float>::min()));
  EXPECT_EQ(getMaxFinite(ElementType::F64), std::numeric_limits<double>::max());
  EXPECT_EQ(getUnit(ElementType::BF16), 0x1p-7);
  EXPECT_EQ(getPrecision(ElementType::F64), 53u);
}

TEST(HostTensor, GuardsAndDescriptor) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(ElementType::BF16, {2, 3, 5}, {/*offset=*/1, /*rowPad=*/4}));
  EXPECT_EQ(tensor.getNumRows(), 6);
  for (int64_t i = 0; i < 30; ++i)
    tensor.set(i, double(i));
  EXPECT_EQ(tensor.get(29), 29);
  EXPECT_FALSE(bool(tensor.checkGuards()));

  std::vector<int64_t> words = tensor.getDescriptor();
  ASSERT_EQ(words.size(), 9u);
  EXPECT_EQ(words[0], words[1]);
  EXPECT_EQ(words[1] % 64, 0);
  EXPECT_EQ(std::vector<int64_t>(words.begin() + 2, words.end()), std::vector<int64_t>({1, 2, 3, 5, 27, 9, 1}));
  auto *aligned = reinterpret_cast<uint16_t *>(words[1]);
  EXPECT_EQ(decodeBF16(aligned[1 + 1 * 27 + 2 * 9 + 4]), 29);

  tensor.poison();
  EXPECT_TRUE(std::isnan(tensor.get(17)));
  EXPECT_FALSE(bool(tensor.checkGuards()));
  aligned[1 + 5] = 0;
  EXPECT_TRUE(llvm::toString(tensor.checkGuards()).find("10 bytes from the first element") != std::string::npos);
  aligned[1 + 5] = 0xABAB;
  aligned[0] = 0;
  EXPECT_NE(llvm::toString(tensor.checkGuards()), "");
}

TEST(HostTensor, EmptyAndScalar) {
  HostTensor none = llvm::cantFail(HostTensor::create(ElementType::F32, {0, 768}));
  EXPECT_EQ(none.getNumElements(), 0);
  EXPECT_FALSE(bool(none.checkGuards()));
  HostTensor scalar = llvm::cantFail(HostTensor::create(ElementType::F64, {}));
  scalar.set(0, .1);
  EXPECT_EQ(scalar.get(0), .1);
  EXPECT_EQ(scalar.getDescriptor().size(), 3u);
  llvm::Expected<HostTensor> huge = HostTensor::create(ElementType::F64, {int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_NE(llvm::toString(huge.takeError()).find("does not fit"), std::string::npos);
}

class Npy : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("nag-npy", directory)); }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  std::string path(llvm::StringRef name) {
    llvm::SmallString<128> full(directory);
    llvm::sys::path::append(full, name);
    return std::string(full);
  }

  std::string write(llvm::StringRef name, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << bytes;
    EXPECT_FALSE(error);
    return path(name);
  }

  /// A file of version 1 with this dictionary.
  std::string make(llvm::StringRef dictionary, llvm::StringRef data) {
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += char(dictionary.size() & 0xff);
    bytes += char(dictionary.size() >> 8);
    return write("made.npy", bytes + dictionary.str() + data.str());
  }

  void expectError(const std::string &file, ElementType type, llvm::StringRef text) {
    llvm::Expected<HostTensor> tensor = readNpy(file, type);
    ASSERT_FALSE(bool(tensor));
    std::string message = llvm::toString(tensor.takeError());
    EXPECT_TRUE(llvm::StringRef(message).contains(text)) << message;
    EXPECT_TRUE(llvm::StringRef(message).contains(file)) << message;
  }

  llvm::SmallString<128> directory;
};

TEST_F(Npy, RoundTrip) {
  for (ElementType type : {ElementType::F64, ElementType::F32, ElementType::F16, ElementType::BF16})
    for (llvm::SmallVector<int64_t> shape : {llvm::SmallVector<int64_t>{}, {3}, {2, 3}, {0, 5}, {2, 1, 3}}) {
      HostTensor tensor = llvm::cantFail(HostTensor::create(type, shape, {1, 3}));
      for (int64_t i = 0; i < tensor.getNumElements(); ++i)
        tensor.set(i, 1.5 * double(i) - 2);
      llvm::cantFail(writeNpy(path("t.npy"), tensor));
      HostTensor back = llvm::cantFail(readNpy(path("t.npy"), type, {2, 1}));
      EXPECT_EQ(back.getShape(), llvm::ArrayRef<int64_t>(shape));
      EXPECT_EQ(llvm::cantFail(readNpyShape(path("t.npy"))), shape);
      EXPECT_FALSE(bool(back.checkGuards()));
      for (int64_t i = 0; i < tensor.getNumElements(); ++i)
        EXPECT_EQ(back.get(i), tensor.get(i));
      EXPECT_EQ(llvm::cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path("t.npy"))))->getBufferSize() %
                    64,
                size_t(tensor.getNumBytes()) % 64);
    }
}

TEST_F(Npy, OtherSpellings) {
  HostTensor bits = llvm::cantFail(
      readNpy(make("{'shape':(2,),'fortran_order':False,\"descr\":'<u2'}\n", llvm::StringRef("\x80\x3f\x00\x40", 4)),
              ElementType::BF16));
  EXPECT_EQ(bits.get(0), 1);
  EXPECT_EQ(bits.get(1), 2);
  HostTensor column = llvm::cantFail(
      readNpy(make("{'descr': '<f2', 'fortran_order': True, 'shape': (1L,), }", llvm::StringRef("\x00\x3c", 2)),
              ElementType::F16));
  EXPECT_EQ(column.get(0), 1);
}

TEST_F(Npy, BadFiles) {
  expectError(path("none.npy"), ElementType::F32, "No such file");
  expectError(write("text.npy", "hello"), ElementType::F32, "not a .npy file");
  expectError(write("empty.npy", ""), ElementType::F32, "not a .npy file");
  expectError(write("short.npy", "\x93NUMPY"), ElementType::F32, "truncated in its header");
  expectError(write("version.npy", std::string("\x93NUMPY\x09\x00\x00\x00\x00\x00", 12)), ElementType::F32,
              "version 9");
  expectError(write("cut.npy", std::string("\x93NUMPY\x01\x00\xff\x00{'descr'", 18)), ElementType::F32,
              "truncated in its header");
  std::string four(4, '\0');
  expectError(make("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", four), ElementType::F32,
              "holds 4 bytes of elements; expected 8 for 2xf32");
  expectError(make("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", four + four), ElementType::F32,
              "holds 8 bytes of elements; expected 4");
  expectError(make("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", four), ElementType::F32,
              "Fortran order");
  expectError(make("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", four), ElementType::F32,
              "elements are '>f4'; expected f32, '<f4'");
  expectError(make("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", four + four), ElementType::BF16,
              "expected bf16, '|V2' or its bits as '<u2'");
  expectError(make("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", four), ElementType::F32,
              "records");
  expectError(make("{'descr': '<f4', 'shape': (1,), }", four), ElementType::F32, "lacks one of");
  expectError(make("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", four), ElementType::F32,
              "malformed 'shape'");
  expectError(make("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999, 9999999999999), }", four),
              ElementType::F32, "more than fits");
  expectError(make("{'descr", four), ElementType::F32, "malformed");
  expectError(std::string(directory), ElementType::F32, "");
}

TEST_F(Npy, NothingIsLeftOfAFailedWrite) {
  HostTensor tensor = llvm::cantFail(HostTensor::create(ElementType::F32, {}));
  llvm::Error error = writeNpy(path("missing/t.npy"), tensor);
  EXPECT_NE(llvm::toString(std::move(error)).find("missing/t.npy"), std::string::npos);
  // A folder of the result's name cannot be replaced by a file.
  ASSERT_FALSE(llvm::sys::fs::create_directory(path("t.npy")));
  EXPECT_NE(llvm::toString(writeNpy(path("t.npy"), tensor)), "");
  std::error_code code;
  int entries = 0;
  for (llvm::sys::fs::directory_iterator it(directory, code), end; it != end && !code; it.increment(code))
    ++entries;
  EXPECT_EQ(entries, 1);
}

TEST(Random, TheSameNumbersEverywhere) {
  // Published values of SplitMix64 and xoshiro256** are reached through this seeding; these pin it down.
  Random random(42);
  uint64_t first = random.bits(), second = random.bits();
  EXPECT_NE(first, second);
  Random again(42);
  EXPECT_EQ(again.bits(), first);
  EXPECT_NE(Random(42, 1).bits(), first);
  EXPECT_NE(Random(42, 0, 1).bits(), first);
  EXPECT_NE(Random(42, 1).bits(), Random(42, 0, 1).bits());
}

TEST(Random, IsNearlyNormal) {
  double sum = 0, squares = 0;
  int beyondTwo = 0;
  constexpr int kCount = 200000;
  Random random(7);
  for (int i = 0; i < kCount; ++i) {
    double x = random.normal();
    sum += x;
    squares += x * x;
    beyondTwo += std::fabs(x) > 2;
    double u = random.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
  }
  EXPECT_NEAR(sum / kCount, 0, .01);
  EXPECT_NEAR(squares / kCount, 1, .01);
  EXPECT_NEAR(double(beyondTwo) / kCount, .0455, .004);
}

} // namespace
