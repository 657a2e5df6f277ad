// SPDX-License-Identifier: BSD-2-Clause
// What scalar code and vectors share: the walk over lines, and the sums of
// samples one after the other.
#ifndef PERDIX_KERNELS_METRICS_LUMA_WALK_H_
#define PERDIX_KERNELS_METRICS_LUMA_WALK_H_

#include <cassert>
#include <cstdlib>

#include "kernels/metrics/luma.h"

namespace perdix {

// before: null without another picture.
template <typename Sample>
LumaSums SumSamples(const Sample* row, const Sample* before, uint32_t samples,
                    uint32_t dark_level, uint32_t shift) {
  // 65536 samples of 12 bits, the most of a row, fit a word.
  uint32_t total = 0, dark = 0, difference = 0;
  for (uint32_t x = 0; x < samples; ++x) {
    const int sample = row[x] >> shift;
    total += uint32_t(sample);
    dark += uint32_t(sample) <= dark_level;
    if (before) difference += uint32_t(std::abs(sample - (before[x] >> shift)));
  }
  return {total, dark, difference};
}

// sum_row: as SumSamples, of a whole row.
template <typename Sample, typename SumRow>
LumaSums SumLines(const PictureView& picture, const PictureView* previous,
                  uint32_t dark_level, Range lines, const SumRow& sum_row) {
  const Plane& luma = picture.planes[kLuma];
  assert(lines.end <= luma.height);
  LumaSums sums;
  for (uint32_t y = lines.begin; y < lines.end; ++y) {
    sums += sum_row(
        luma.Row<const Sample>(y),
        previous ? previous->planes[kLuma].Row<const Sample>(y) : nullptr,
        luma.width, dark_level, picture.shift);
  }
  return sums;
}

}  // namespace perdix

#endif  // PERDIX_KERNELS_METRICS_LUMA_WALK_H_
