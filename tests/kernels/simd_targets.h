// SPDX-License-Identifier: BSD-2-Clause
// Runs a test once for every Highway target that is compiled in and that this
// CPU has.
#ifndef PERDIX_TESTS_KERNELS_SIMD_TARGETS_H_
#define PERDIX_TESTS_KERNELS_SIMD_TARGETS_H_

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

namespace perdix {

// run() is called with HWY_DYNAMIC_DISPATCH bound to one target after another.
template <typename Run>
void ForEachSimdTarget(const Run& run) {
  hwy::SetSupportedTargetsForTest(0);
  for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
       targets &= targets - 1) {
    const int64_t target = targets & -targets;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    run();
  }
  hwy::SetSupportedTargetsForTest(0);
}

}  // namespace perdix

#endif  // PERDIX_TESTS_KERNELS_SIMD_TARGETS_H_
