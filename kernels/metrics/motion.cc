// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/motion.h"

#include <cassert>
#include <cstdlib>

namespace perdix {
namespace {

// 65536 samples of 12 bits, the most of a row, fit a word.
template <typename Sample>
uint32_t RowMotion(const Sample* row, const Sample* previous, uint32_t width) {
  uint32_t sum = 0;
  for (uint32_t x = 0; x < width; ++x) {
    sum += static_cast<uint32_t>(std::abs(int{row[x]} - int{previous[x]}));
  }
  return sum;
}

template <typename Sample>
uint64_t PlaneMotion(const Plane& plane, const Plane& previous) {
  uint64_t sum = 0;
  for (uint32_t y = 0; y < plane.height; ++y) {
    sum += RowMotion(plane.Row<const Sample>(y), previous.Row<const Sample>(y),
                     plane.width);
  }
  return sum;
}

}  // namespace

uint64_t PictureMotion(const PictureView& picture,
                       const PictureView& previous) {
  assert(picture.width == previous.width && picture.height == previous.height &&
         picture.bit_depth == previous.bit_depth);
  const Plane& luma = picture.planes[kLuma];
  const Plane& previous_luma = previous.planes[kLuma];
  return picture.bit_depth > 8 ? PlaneMotion<uint16_t>(luma, previous_luma)
                               : PlaneMotion<uint8_t>(luma, previous_luma);
}

}  // namespace perdix
