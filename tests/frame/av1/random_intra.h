// SPDX-License-Identifier: BSD-2-Clause
// Random records of the ordered list, as a bitstream would make them.
#ifndef PERDIX_TESTS_FRAME_AV1_RANDOM_INTRA_H_
#define PERDIX_TESTS_FRAME_AV1_RANDOM_INTRA_H_

#include <cstdint>

#include "tests/frame/kernel_input.h"
#include "tests/frame/random.h"

namespace perdix::av1 {

struct IntraChoice {
  bool gray = false;
  bool residual = true;
  bool filters_edges = true;
  int magnitude = 2000;  // of coefficients
};

// An input for kAv1IntraPred of a frame of chroma 4:2:0 whose target is yet to
// be filled: blocks of all sizes from 8x8 on in decoding order, of every kind
// but COPY, some inter blocks between them.
KernelInput RandomIntraInput(TestRandom& random, uint32_t width,
                             uint32_t height, uint32_t bit_depth,
                             const IntraChoice& choice);

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_FRAME_AV1_RANDOM_INTRA_H_
