// SPDX-License-Identifier: BSD-2-Clause
// Random inter blocks of AV1 that cover a frame, as a stream may have them:
// none writes what another one does, but for those that overlap their own
// block.
#ifndef PERDIX_TESTS_FRAME_AV1_RANDOM_INTER_H_
#define PERDIX_TESTS_FRAME_AV1_RANDOM_INTER_H_

#include <cstdint>

#include "kernels/av1/lists.h"
#include "tests/frame/guarded_picture.h"
#include "tests/frame/kernel_input.h"
#include "tests/frame/random.h"

namespace perdix::av1 {

// Parameters of the blocks that are drawn.
struct InterChoice {
  uint32_t kinds = 0x1ff;  // a bit for each of PERDIX_INTER_SINGLE and so on
  int mv_range = 1000;     // 1/8 luma sample, in each direction
  bool scaled = false;     // some references have sizes of their own
  bool far_warps = false;  // some warps lead far outside, as no stream has them
  Content content = Content::kRandom;
};

// A frame of such a size with seven references and blocks; gray: without
// chroma. Some references of more than 8 bits have their values in the upper
// bits.
KernelInput RandomInterFrame(TestRandom& random, uint32_t width,
                             uint32_t height, uint32_t bit_depth, bool gray,
                             const InterChoice& choice);

// With a shear that 7.11.3.6 calls valid, but for one in 16.
WarpMatrix RandomWarp(TestRandom& random, bool far);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_FRAME_AV1_RANDOM_INTER_H_
