// SPDX-License-Identifier: BSD-2-Clause
// Affine warps: the division of 7.11.3.7 and the shears of 7.11.3.6.
#ifndef PERDIX_CODEC_AV1_WARP_H_
#define PERDIX_CODEC_AV1_WARP_H_

#include <cstdint>

#include "codec/av1/parser_target.h"
#include "kernels/shared/av1/work_lists.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {

// x / d is about Round2Signed(x * factor, shift).
struct Divisor {
  int shift;
  int factor;  // 8192..16384, negative if d is
};

// 7.11.3.7; d is not 0.
Divisor ResolveDivisor(int64_t d);

// 7.11.3.6: sets the shear (alpha, beta, gamma, delta) of params, whatever
// these are. False: it is not valid, and 0 then.
bool SetUpShear(WarpMatrix* warp);

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();

#endif  // PERDIX_CODEC_AV1_WARP_H_
