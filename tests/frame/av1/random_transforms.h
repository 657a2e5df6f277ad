// SPDX-License-Identifier: BSD-2-Clause
// Random transform blocks that fill a frame.
#ifndef PERDIX_TESTS_FRAME_AV1_RANDOM_TRANSFORMS_H_
#define PERDIX_TESTS_FRAME_AV1_RANDOM_TRANSFORMS_H_

#include <cstdint>

#include "kernels/av1/lists.h"
#include "tests/frame/kernel_input.h"
#include "tests/frame/random.h"

namespace perdix::av1 {

// log2 of width and height of a transform.
struct TransformSize {
  uint32_t width_log2;
  uint32_t height_log2;
};
inline constexpr TransformSize kTransformSizes[19] = {
    {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {2, 3}, {3, 2},
    {3, 4}, {4, 3}, {4, 5}, {5, 4}, {5, 6}, {6, 5}, {2, 4},
    {4, 2}, {3, 5}, {5, 3}, {4, 6}, {6, 4}};

// Whether blocks of a size may have a type: 0..15 or PERDIX_TRANSFORM_WHT.
bool SizeHasType(const TransformSize& size, uint32_t type);

enum class Coefficients {
  kRandom,    // up to the magnitude, some of them or all
  kSingle,    // one of each block, anywhere
  kExtremes,  // the least and the largest that parsing writes
};

struct TransformChoice {
  Coefficients coefficients = Coefficients::kRandom;
  int magnitude = 1 << 10;
  int size = -1;  // of kTransformSizes; -1: any
  int type = -1;  // -1: any
};

// Fills each 64x64 of every plane with blocks of one size, all of which begin
// inside of the frame; one in eight has no residual.
void AddTransforms(TestRandom& random, const TransformChoice& choice,
                   List<TransformBlock> list, KernelInput* input);

// A frame of chroma 4:2:0 without blocks.
KernelInput TransformInput(TestRandom& random, uint32_t width, uint32_t height,
                           uint32_t bit_depth, Content content);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_FRAME_AV1_RANDOM_TRANSFORMS_H_
