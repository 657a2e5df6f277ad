// SPDX-License-Identifier: BSD-2-Clause
// Which lines and columns the in-loop filters work on: line_buffers.h has the
// reasons.
#ifndef PERDIX_KERNELS_AV1_FILTER_ROWS_H_
#define PERDIX_KERNELS_AV1_FILTER_ROWS_H_

#include <algorithm>
#include <cstdint>

#include "kernels/av1/lists.h"

namespace perdix::av1 {

// visit(row) for each superblock row that ends in range: a range is all of a
// row.
template <typename Visit>
void ForEachRow(const FrameParams& params, Range range, const Visit& visit) {
  for (uint32_t row = range.begin / params.sb_cols;
       (row + 1) * params.sb_cols <= range.end; ++row) {
    visit(row);
  }
}

// A plane's lines [begin, end) of a stripe.
struct Stripe {
  uint32_t index;
  uint32_t begin;
  uint32_t end;  // of what is decoded at most
};

// Luma lines, all multiples of 8.
inline Stripe LumaStripe(const FrameParams& params, uint32_t index) {
  return {index, index == 0 ? 0 : index * 64 - 8,
          std::min(index * 64 + 56, DecodedSize(params.height))};
}

// The stripes of superblock row <row>.
inline Range StripesOfRow(const FrameParams& params, uint32_t row) {
  const uint32_t log2 = params.sb_log2 - 6;
  const uint32_t all = (DecodedSize(params.height) + 8 + 63) / 64;
  return {row << log2,
          row + 1 == params.sb_rows ? all : std::min((row + 1) << log2, all)};
}

// visit(const Stripe&), in luma lines, for each stripe of each row in range.
template <typename Visit>
void ForEachStripe(const FrameParams& params, Range range, const Visit& visit) {
  ForEachRow(params, range, [&](uint32_t row) {
    const Range stripes = StripesOfRow(params, row);
    for (uint32_t index = stripes.begin; index < stripes.end; ++index) {
      visit(LumaStripe(params, index));
    }
  });
}

inline uint32_t SubsamplingX(const FrameParams& params, uint32_t plane) {
  return plane == kLuma ? 0 : params.subsampling_x;
}
inline uint32_t SubsamplingY(const FrameParams& params, uint32_t plane) {
  return plane == kLuma ? 0 : params.subsampling_y;
}
// Samples of a pixel.
inline uint32_t Components(uint32_t plane) { return plane == kLuma ? 1 : 2; }

inline uint32_t PlaneCount(const Params& av1) {
  return av1.monochrome ? 1u : 2u;
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_FILTER_ROWS_H_
