// SPDX-License-Identifier: BSD-2-Clause
// Harness of the kernel tests: the comparison of every variant in the table of
// kernels with the scalar reference. tests/kernels/<codec>/<stem>_test.cc
// supply inputs and hard cases.
#ifndef PERDIX_TESTS_KERNEL_TEST_H_
#define PERDIX_TESTS_KERNEL_TEST_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernel.h"
#include "tests/frame/kernel_input.h"

namespace perdix {

// One way to run a row of the table.
struct KernelVariant {
  KernelId id;
  Variant variant;
  uint32_t bit_depth;
  int64_t target = 0;  // Highway's, for kSimd

  KernelFunction function() const;
};

// All that exist for the kernel, at 8, 10 and 12 bit, on each Highway target
// that this CPU has: parameters of a suite.
std::vector<KernelVariant> VariantsOf(KernelId id);
std::string VariantName(const ::testing::TestParamInfo<KernelVariant>& info);

class KernelTest : public ::testing::TestWithParam<KernelVariant> {
 protected:
  uint32_t bit_depth() const { return GetParam().bit_depth; }
  int max_sample() const { return (1 << bit_depth()) - 1; }

  // Parameters of a frame of this size and the variant's bit depth.
  FrameParams Params(uint32_t width, uint32_t height, uint32_t subsampling_x,
                     uint32_t subsampling_y) const {
    return TestFrameParams(width, height, bit_depth(), subsampling_x,
                           subsampling_y);
  }

  // Runs the variant over all work items.
  void Run(KernelInput& input) const;

  // Runs the scalar reference and the variant, the latter item by item (from
  // the last one on, if their order does not matter) if split is set, on copies
  // of input whose guard bytes differ: the results must be the same and the
  // guard bytes untouched.
  void ExpectSameAsReference(const KernelInput& input, bool split) const;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_KERNEL_TEST_H_
