//===- HalfTest.cpp - Conversions of 16-bit floats ----------------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Every f16 and bf16 value, and the roundings around all of them, against an independent computation in double.

#include "Fixture.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace nag;
using namespace nag::test;

namespace {

// count numbers from %in to %out, both contiguous, in vectors of 16 and one by one.
const char *kConvert = R"mlir(
func.func @convert(%in: memref<?xFROM>, %out: memref<?xTO>) attributes {nag.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %n = memref.dim %in, %c0 : memref<?xFROM>
  %tail = arith.remui %n, %c16 : index
  %full = arith.subi %n, %tail : index
  scf.for %i = %c0 to %full step %c16 {
    %x = vector.load %in[%i] : memref<?xFROM>, vector<16xFROM>
    %y = arith.CONVERT %x : vector<16xFROM> to vector<16xTO>
    vector.store %y, %out[%i] : memref<?xTO>, vector<16xTO>
  }
  return
}
func.func @convert_scalar(%in: memref<?xFROM>, %out: memref<?xTO>) attributes {nag.entry} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %in, %c0 : memref<?xFROM>
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %in[%i] : memref<?xFROM>
    %y = arith.CONVERT %x : FROM to TO
    memref.store %y, %out[%i] : memref<?xTO>
  }
  return
}
)mlir";

struct Buffer {
  void *allocated, *aligned;
  int64_t offset = 0, size, stride = 1;
  template <typename T>
  explicit Buffer(std::vector<T> &data) : allocated(data.data()), aligned(data.data()), size(data.size()) {}
};

/// A format of 16 bits by its number of fraction bits.
struct Format {
  const char *name;
  int fractionBits;
  int exponentBits() const { return 15 - fractionBits; }
  int bias() const { return (1 << (exponentBits() - 1)) - 1; }
  uint16_t infinity() const { return ((1 << exponentBits()) - 1) << fractionBits; }

  double decode(uint16_t bits) const {
    int exponent = (bits & 0x7fff) >> fractionBits, fraction = bits & ((1 << fractionBits) - 1);
    double value = exponent == 0 ? std::ldexp(fraction, 1 - bias() - fractionBits)
                                 : std::ldexp(fraction + (1 << fractionBits), exponent - bias() - fractionBits);
    if (exponent == (1 << exponentBits()) - 1)
      value = fraction ? std::nan("") : std::numeric_limits<double>::infinity();
    return bits & 0x8000 ? -value : value;
  }

  /// Nearest, ties to even, by rounding the value measured in units of the last place.
  uint16_t encode(double x) const {
    uint16_t sign = std::signbit(x) ? 0x8000 : 0;
    double magnitude = std::fabs(x);
    if (std::isinf(x))
      return sign | infinity();
    int exponent = magnitude == 0 ? 1 - bias() : std::max(std::ilogb(magnitude), 1 - bias());
    double units = std::nearbyint(std::ldexp(magnitude, fractionBits - exponent));
    // Adding the fraction to the exponent carries where rounding reaches the next power of two.
    int64_t bits = (static_cast<int64_t>(exponent + bias() - 1) << fractionBits) + static_cast<int64_t>(units);
    return sign | static_cast<uint16_t>(std::min<int64_t>(bits, infinity()));
  }
};

const Format kF16 = {"f16", 10};
const Format kBF16 = {"bf16", 7};

struct Case {
  Format format;
  std::string cpu, features;
};

class Half : public TargetCPU, public ::testing::WithParamInterface<Case> {
protected:
  using Entry = void (*)(Buffer *, Buffer *);

  /// Converts by the vector entry and by the scalar one, which must agree.
  template <typename From, typename To>
  std::vector<To> convert(const std::string &from, const std::string &to, std::vector<From> in) {
    CpuOptions options = forCpu(GetParam().cpu);
    options.features = GetParam().features;
    in.resize((in.size() + 15) / 16 * 16);
    std::vector<To> vectors(in.size()), scalars(in.size());
    std::string source = kConvert;
    replaceAll(source, "CONVERT", sizeof(From) > sizeof(To) ? "truncf" : "extf");
    replaceAll(source, "FROM", from);
    replaceAll(source, "TO", to);
    auto kernels = compile(source, options);
    if (!kernels)
      return {};
    Buffer input(in), vectorOutput(vectors), scalarOutput(scalars);
    reinterpret_cast<Entry>(kernels->lookup("convert"))(&input, &vectorOutput);
    reinterpret_cast<Entry>(kernels->lookup("convert_scalar"))(&input, &scalarOutput);
    EXPECT_EQ(std::memcmp(vectors.data(), scalars.data(), vectors.size() * sizeof(To)), 0);
    return vectors;
  }

  bool flushesSubnormals() const {
    CpuOptions options = forCpu(GetParam().cpu);
    options.features = GetParam().features;
    llvm::Expected<CpuMachine> machine = CpuMachine::resolve(options);
    return std::string(GetParam().format.name) == "bf16" && machine && machine->convertsBF16();
  }

  void SetUp() override {
    CpuOptions options = forCpu(GetParam().cpu);
    options.features = GetParam().features;
    if (!canRun(options))
      GTEST_SKIP() << "this machine cannot run code for " << GetParam().cpu;
  }
};

class F16 : public Half {};

uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}

float fromBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

TEST_P(Half, ExtendsEveryValue) {
  const Format &format = GetParam().format;
  std::vector<uint16_t> in(65536);
  for (int i = 0; i < 65536; ++i)
    in[i] = i;
  std::vector<uint32_t> out = convert<uint16_t, uint32_t>(format.name, "f32", in);
  ASSERT_EQ(out.size(), in.size());
  for (int i = 0; i < 65536; ++i) {
    double want = format.decode(i);
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(fromBits(out[i]))) << i;
      EXPECT_EQ(out[i] >> 31, static_cast<uint32_t>(i) >> 15) << "sign of NaN " << i;
      continue;
    }
    ASSERT_EQ(out[i], bitsOf(static_cast<float>(want))) << i;
  }
}

TEST_P(Half, RoundsAroundEveryValue) {
  const Format &format = GetParam().format;
  std::vector<uint32_t> in;
  for (int i = 0; i < format.infinity(); ++i) {
    // The value, halfway to the next one, and the neighbours of both.
    double low = format.decode(i);
    double high = i + 1 == format.infinity() ? 2 * low - format.decode(i - 1) : format.decode(i + 1);
    for (double x : {low, 0.5 * low + 0.5 * high})
      for (int step = -1; step <= 1; ++step) {
        uint32_t bits = bitsOf(static_cast<float>(x)) + step;
        in.push_back(bits & 0x7fffffff);
        in.push_back(bits | 0x80000000);
      }
  }
  for (uint32_t bits : {0x7f800000u, 0x7f800001u, 0x7fc12345u, 0x7fffffffu, 0x00000001u, 0x007fffffu, 0x7f7fffffu})
    in.insert(in.end(), {bits, bits | 0x80000000});
  std::vector<uint16_t> out = convert<uint32_t, uint16_t>("f32", format.name, in);
  ASSERT_GE(out.size(), in.size());
  bool flushes = flushesSubnormals();
  int wrong = 0;
  for (size_t i = 0; i < in.size() && wrong < 10; ++i) {
    float x = fromBits(in[i]);
    if (std::isnan(x)) {
      // As the instructions have it: quiet, the sign and the leading bits of the payload kept.
      uint16_t quiet = format.infinity() | 1 << (format.fractionBits - 1) |
                       ((in[i] & 0x7fffff) >> (23 - format.fractionBits)) | (in[i] >> 31) << 15;
      wrong += out[i] != quiet;
      EXPECT_EQ(out[i], quiet) << std::hex << in[i];
      continue;
    }
    uint16_t want = format.encode(x);
    if (flushes && std::fabs(x) < 0x1p-126f)
      want = std::signbit(x) ? 0x8000 : 0;
    wrong += out[i] != want;
    EXPECT_EQ(out[i], want) << std::hex << in[i];
  }
}

TEST_P(Half, RoundsDoubleOnce) {
  const Format &format = GetParam().format;
  std::vector<double> in;
  for (int i = 1; i + 1 < format.infinity(); i += 3) {
    // A hair beside the tie: through f32 to nearest it would become the tie itself.
    double middle = 0.5 * format.decode(i) + 0.5 * format.decode(i + 1);
    for (double x : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
      in.insert(in.end(), {x, -x});
  }
  in.insert(in.end(), {1e300, -1e300, 1e-300, INFINITY, 0.0, -0.0});
  std::vector<uint16_t> out = convert<double, uint16_t>("f64", format.name, in);
  ASSERT_GE(out.size(), in.size());
  bool flushes = flushesSubnormals();
  int wrong = 0;
  for (size_t i = 0; i < in.size() && wrong < 10; ++i) {
    uint16_t want = format.encode(in[i]);
    if (flushes && std::fabs(in[i]) < 0x1p-126)
      want = std::signbit(in[i]) ? 0x8000 : 0;
    wrong += out[i] != want;
    EXPECT_EQ(out[i], want) << in[i];
  }
}

TEST_P(F16, KnownHardValues) {
  std::vector<float> in = {0.49990f, 65519.0f, 65520.0f, 6e-8f, -0.0f, -65520.0f, 2.9e-8f, 300.0f};
  std::vector<uint32_t> bits;
  for (float x : in)
    bits.push_back(bitsOf(x));
  std::vector<uint16_t> out = convert<uint32_t, uint16_t>("f32", "f16", bits);
  ASSERT_GE(out.size(), in.size());
  EXPECT_EQ(out[0], 0x3800); // 0.5
  EXPECT_EQ(out[1], 0x7bff);
  EXPECT_EQ(out[2], 0x7c00);
  EXPECT_EQ(out[3], 0x0001);
  EXPECT_EQ(out[4], 0x8000);
  EXPECT_EQ(out[5], 0xfc00);
  EXPECT_EQ(out[6], 0x0000);
  EXPECT_EQ(out[7], 0x5cb0);
}

std::string nameOf(const ::testing::TestParamInfo<Case> &info) {
  std::string name = std::string(info.param.format.name) + "_" + info.param.cpu + info.param.features;
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

const Case kF16Cases[] = {{kF16, "x86-64", ""},    {kF16, "x86-64-v2", ""}, {kF16, "x86-64-v3", ""},
                          {kF16, "x86-64-v4", ""}, {kF16, "native", ""},    {kF16, "native", "-f16c"}};
const Case kBF16Cases[] = {{kBF16, "x86-64", ""},
                           {kBF16, "x86-64-v3", ""},
                           {kBF16, "x86-64-v4", ""},
                           {kBF16, "native", ""},
                           {kBF16, "native", "-avx512bf16"}};

INSTANTIATE_TEST_SUITE_P(F16, Half, ::testing::ValuesIn(kF16Cases), nameOf);
INSTANTIATE_TEST_SUITE_P(BF16, Half, ::testing::ValuesIn(kBF16Cases), nameOf);
INSTANTIATE_TEST_SUITE_P(Known, F16, ::testing::ValuesIn(kF16Cases), nameOf);

} // namespace
