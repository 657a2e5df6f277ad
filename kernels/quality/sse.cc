// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/sse.h"

#include <cstdint>

namespace perdix::quality {
namespace {

// step: 2 for one of the components of a row of pairs. Bits below the value
// are shifts[0] in a, shifts[1] in b.
template <typename Sample>
uint64_t RowSse(const Sample* a, const Sample* b, uint32_t samples,
                const uint32_t shifts[2], int step) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < samples; ++i) {
    const int difference =
        (a[i * step] >> shifts[0]) - (b[i * step] >> shifts[1]);
    sum += static_cast<uint32_t>(difference * difference);
  }
  return sum;
}

template <typename Sample>
void PictureSse(const PictureView& reference, const PictureView& decoded,
                QualityWord sums[3]) {
  const uint32_t shifts[2] = {reference.shift, decoded.shift};
  for (uint32_t component = 0; component < 3; ++component) {
    const uint32_t index = component == 0 ? kLuma : kChroma;
    const uint32_t first = component == 2 ? 1 : 0;
    const Plane& a = reference.planes[index];
    const Plane& b = decoded.planes[index];
    uint64_t sum = 0;
    for (uint32_t y = 0; y < a.height; ++y) {
      sum +=
          RowSse(a.Row<const Sample>(y) + first, b.Row<const Sample>(y) + first,
                 a.width, shifts, index == kLuma ? 1 : 2);
    }
    sums[component] = static_cast<QualityWord>(sum);
  }
}

}  // namespace

void MeasureSse(const PictureView& reference, const PictureView& decoded,
                QualityWord sums[3]) {
  if (reference.bit_depth > 8) {
    PictureSse<uint16_t>(reference, decoded, sums);
  } else {
    PictureSse<uint8_t>(reference, decoded, sums);
  }
}

}  // namespace perdix::quality
