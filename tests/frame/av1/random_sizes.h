// SPDX-License-Identifier: BSD-2-Clause
// Random transform blocks of a plane, and the edges between them.
#ifndef PERDIX_TESTS_FRAME_AV1_RANDOM_SIZES_H_
#define PERDIX_TESTS_FRAME_AV1_RANDOM_SIZES_H_

#include <vector>

#include "tests/frame/kernel_input.h"
#include "tests/frame/random.h"

namespace perdix::av1 {

// Sizes of transform blocks in samples, for each 4x4 of a plane: [row][column].
struct TransformSizes {
  std::vector<std::vector<int>> width, height;
};

// high, wide: 4x4 of the blocks that are split at random.
TransformSizes RandomTransformSizes(TestRandom& random, int rows, int cols,
                                    int high, int wide);

// Fills kLumaEdges and kChromaEdges of a frame of chroma 4:2:0.
void SetRandomEdges(TestRandom& random, KernelInput* input);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_FRAME_AV1_RANDOM_SIZES_H_
