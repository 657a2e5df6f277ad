// SPDX-License-Identifier: BSD-2-Clause
// The part of a plane that decoding may write: the frame rounded up to 8 luma
// samples. Blocks that stick out of it are clipped.
#ifndef PERDIX_KERNELS_DECODED_AREA_H_
#define PERDIX_KERNELS_DECODED_AREA_H_

#include "kernels/plane.h"
#include "kernels/shared/frame_params.h"

namespace perdix {

// Pixels of a plane, from its top left corner.
struct DecodedArea {
  int width;
  int height;
};

inline DecodedArea PlaneDecodedArea(const FrameParams& params, uint32_t plane) {
  const uint32_t subsampling_x = plane == kLuma ? 0 : params.subsampling_x;
  const uint32_t subsampling_y = plane == kLuma ? 0 : params.subsampling_y;
  return {static_cast<int>(DecodedSize(params.width) >> subsampling_x),
          static_cast<int>(DecodedSize(params.height) >> subsampling_y)};
}

}  // namespace perdix

#endif  // PERDIX_KERNELS_DECODED_AREA_H_
