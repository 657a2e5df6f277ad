// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/luma.h"

#include "kernels/metrics/luma_walk.h"

namespace perdix {
LumaSums SumLuma(const PictureView& picture, const PictureView* previous,
                 uint32_t dark_level, Range lines) {
  return picture.bit_depth > 8
             ? SumLines<uint16_t>(picture, previous, dark_level, lines,
                                  SumSamples<uint16_t>)
             : SumLines<uint8_t>(picture, previous, dark_level, lines,
                                 SumSamples<uint8_t>);
}

}  // namespace perdix
