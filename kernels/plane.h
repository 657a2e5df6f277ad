// SPDX-License-Identifier: BSD-2-Clause
// Pixels as every kernel sees them: borrowed, semi-planar, linear.
#ifndef PERDIX_KERNELS_PLANE_H_
#define PERDIX_KERNELS_PLANE_H_

#include <cstddef>
#include <cstdint>

namespace perdix {

// One plane. A pixel is one sample (luma) or a pair U, V (chroma).
struct Plane {
  uint8_t* data = nullptr;
  uint32_t stride_bytes = 0;
  uint32_t width = 0;   // pixels of the frame (not padded)
  uint32_t height = 0;  // pixels of the frame (not padded)

  template <typename Sample>
  Sample* Row(uint32_t y) const {
    return reinterpret_cast<Sample*>(data + size_t{y} * stride_bytes);
  }
};

enum PlaneIndex : uint32_t { kLuma = 0, kChroma = 1, kPlaneCount = 2 };

// A picture's planes. Memory must exist for the frame size rounded up to 8
// luma samples in both directions (a decoder writes that much); what is read
// as a reference is only width x height, edges replicated.
struct PictureView {
  Plane planes[kPlaneCount];
  uint32_t width = 0;      // luma samples
  uint32_t height = 0;     // luma samples
  uint32_t bit_depth = 8;  // above 8: 16-bit samples
  // Bits below the value in a 16-bit sample that is final (P010: 6). Until
  // then, and where it is 0, the value is in the low bits.
  uint32_t shift = 0;
  uint32_t subsampling_x = 1;
  uint32_t subsampling_y = 1;
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_PLANE_H_
