// SPDX-License-Identifier: BSD-2-Clause
// The parameters of loop restoration's self-guided filter (AV1 7.17.2).
#ifndef PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_H_
#define PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_H_

#include <cstdint>

#include "kernels/av1/restoration/restoration_walk.h"

namespace perdix::av1 {

// Sgr_Params: of both passes the radius, or 0 for none, and the strength.
struct SelfGuidedPass {
  uint8_t radius;  // 2 or 0 of the first pass, 1 or 0 of the second
  uint8_t eps;
};
inline constexpr SelfGuidedPass kSelfGuidedSets[16][2] = {
    {{2, 12}, {1, 4}},  {{2, 15}, {1, 6}},  {{2, 18}, {1, 8}},
    {{2, 21}, {1, 9}},  {{2, 24}, {1, 10}}, {{2, 29}, {1, 11}},
    {{2, 36}, {1, 12}}, {{2, 45}, {1, 13}}, {{2, 56}, {1, 14}},
    {{2, 68}, {1, 15}}, {{0, 0}, {1, 5}},   {{0, 0}, {1, 8}},
    {{0, 0}, {1, 11}},  {{0, 0}, {1, 14}},  {{2, 30}, {0, 0}},
    {{2, 75}, {0, 0}}};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_H_
