// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/luma.h"

#include "kernels/metrics/luma_walk.h"

namespace perdix {
namespace {

template <typename Sample>
LumaSums SumRows(const PictureView& picture, const PictureView* previous,
                 uint32_t dark_level, Range lines) {
  return SumLines<Sample>(
      picture, previous, lines,
      [dark_level, shift = picture.shift](
          const Sample* row, const Sample* before, uint32_t width) {
        return SumSamples(row, before, width, dark_level, shift);
      });
}

}  // namespace

LumaSums SumLuma(const PictureView& picture, const PictureView* previous,
                 uint32_t dark_level, Range lines) {
  return picture.bit_depth > 8
             ? SumRows<uint16_t>(picture, previous, dark_level, lines)
             : SumRows<uint8_t>(picture, previous, dark_level, lines);
}

}  // namespace perdix
