//===- GpuFaultTest.cpp - What the checker says of a compiled operation -------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// A fault in a kernel that was compiled from a `nag` operation.

#include "GpuEntryTest.h"

#include "nag/Target/SIMT/SimtBackend.h"

using namespace nag;
using namespace nag::test;

namespace {

class GpuFault : public GpuEntryTest {};

/// What a kernel does wrong is laid at the door of the operation that it was made from.
TEST_F(GpuFault, HasThePlaceOfTheOperation) {
  ASSERT_NO_FATAL_FAILURE(compile(768, ""));
  std::vector<float> D = makeValues(tokens * width, 1), s = makeValues(tokens, 2), f = makeValues(tokens * width, 3);
  std::vector<float> newD(D.size()), newS(s.size());
  SimtOptions options;
  options.check = true;
  SimtBackend backend(options);
  for (std::vector<float> *data : {&D, &s, &f, &newD, &newS}) {
    SimtBuffer buffer;
    buffer.name = data == &newD ? "result 0" : "other";
    buffer.base = data->data();
    buffer.bytes = data->size() * sizeof(float);
    // The checker is told that the result is an input.
    buffer.isReadOnly = data == &newD;
    backend.registerBuffer(std::move(buffer));
  }
  SimtBuffer buffer;
  buffer.name = "alpha";
  buffer.base = &alpha;
  buffer.bytes = sizeof(float);
  backend.registerBuffer(std::move(buffer));
  ASSERT_EQ(call(D, s, f, newD, newS), NAG_STATUS_OK);
  SimtReport report = backend.getReport();
  ASSERT_FALSE(report.findings.empty());
  for (const Finding &finding : report.findings) {
    EXPECT_EQ(finding.kind, FindingKind::WriteToInput) << finding.toString();
    EXPECT_EQ(finding.buffer, "result 0") << finding.toString();
    EXPECT_EQ(finding.location, "update.mlir:2:12") << finding.toString();
  }
}

} // namespace
