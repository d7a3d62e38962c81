//===- FakeDriver.h - The fake CUDA driver as tests see it --------------------------------------------------------===//
//
// Part of the NAG compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===--------------------------------------------------------------------------------------------------------------===//

// Access to the fake driver that this program's run-time library loads.

#ifndef NAG_TEST_UNIT_RUNTIME_FAKEDRIVER_H
#define NAG_TEST_UNIT_RUNTIME_FAKEDRIVER_H

#include "FakeCuda.h"

#include "nag/Runtime/CudaDriver.h"
#include "nag/Runtime/Runtime.h"

#include <gtest/gtest.h>

/// The state of the fake driver; loads it.
FakeCuda &getFakeCuda();

/// Whether the driver's library was in this process when the tests began, after calls that have no need of it.
bool wasDriverLoadedEarly();

/// Each test begins with nothing recorded and no context.
class FakeDriverTest : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  FakeCuda &fake = getFakeCuda();
};

#endif // NAG_TEST_UNIT_RUNTIME_FAKEDRIVER_H
