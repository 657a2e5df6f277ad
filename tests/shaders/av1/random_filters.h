// SPDX-License-Identifier: BSD-2-Clause
// Random parameters and tables of AV1's filters, for frames of chroma 4:2:0
// whose Params have their sizes.
#ifndef PERDIX_TESTS_SHADERS_AV1_RANDOM_FILTERS_H_
#define PERDIX_TESTS_SHADERS_AV1_RANDOM_FILTERS_H_

#include "tests/frame/kernel_input.h"
#include "tests/frame/random.h"

namespace perdix::av1 {

// Sizes of a frame that is <upscaled_width> wide once it is upscaled; its
// decoded width is params.width.
void SetSizes(uint32_t upscaled_width, bool gray, KernelInput* input);

// Levels of deblocking, and edges.
void SetRandomDeblocking(TestRandom& random, KernelInput* input);

// Strengths of CDEF, and blocks.
void SetRandomCdef(TestRandom& random, KernelInput* input);

// Units of loop restoration, in one plane at least.
void SetRandomUnits(TestRandom& random, KernelInput* input);

// Room for the lines that the filters save; zeros.
void MakeRoomForLines(KernelInput* input);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_SHADERS_AV1_RANDOM_FILTERS_H_
