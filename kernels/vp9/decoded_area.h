// SPDX-License-Identifier: BSD-2-Clause
// The part of a plane that decoding may write: the frame rounded up to 8 luma
// samples. Blocks that stick out of it are clipped.
#ifndef PERDIX_KERNELS_VP9_DECODED_AREA_H_
#define PERDIX_KERNELS_VP9_DECODED_AREA_H_

#include "kernels/plane.h"
#include "kernels/shared/frame_params.h"

namespace perdix::vp9 {

// Pixels of a plane, from its top left corner.
struct DecodedArea {
  int width;
  int height;
};

inline DecodedArea PlaneDecodedArea(const FrameParams& params, uint32_t plane) {
  const uint32_t subsampling_x = plane == kLuma ? 0 : params.subsampling_x;
  const uint32_t subsampling_y = plane == kLuma ? 0 : params.subsampling_y;
  return {static_cast<int>(params.mi_cols * 8 >> subsampling_x),
          static_cast<int>(params.mi_rows * 8 >> subsampling_y)};
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_DECODED_AREA_H_
