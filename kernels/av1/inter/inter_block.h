// SPDX-License-Identifier: BSD-2-Clause
// What one component of a block becomes by one reference, as the specification
// writes it and by its names (AV1 7.11.3.2, 7.11.3.4, 7.11.3.5).
#ifndef PERDIX_KERNELS_AV1_INTER_INTER_BLOCK_H_
#define PERDIX_KERNELS_AV1_INTER_INTER_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/inter/warp_filters.h"
#include "kernels/av1/round2.h"

namespace perdix::av1 {

inline constexpr int kMaxInterBlock = 128;

// The rounding variables (7.11.3.2).
struct InterRounding {
  InterRounding(int bit_depth, bool is_compound)
      : round0(bit_depth == 12 ? 5 : 3),
        round1(is_compound       ? 7
               : bit_depth == 12 ? 9
                                 : 11),
        post_round(2 * 7 - (round0 + round1)) {}

  int round0;  // InterRound0
  int round1;
  int post_round;  // InterPostRound
};

// Where a prediction begins in its reference and how far its samples lie apart
// (7.11.3.3): 1/1024 sample.
struct InterPosition {
  int start_x;
  int start_y;
  int step_x;
  int step_y;
};

// One component of a plane to predict from. Coordinates are clamped to it.
template <typename Sample>
class ReferencePlane {
 public:
  // shift: PictureView::shift. component: of the pixels' components.
  ReferencePlane(const Plane& plane, uint32_t shift, int components,
                 int component)
      : plane_(plane),
        shift_(shift),
        components_(components),
        component_(component),
        last_x_(static_cast<int>(plane.width) - 1),
        last_y_(static_cast<int>(plane.height) - 1) {}

  // count samples of line y, from x on.
  void Read(int x, int y, int count, int16_t* to) const {
    const Sample* const line =
        plane_.Row<Sample>(static_cast<uint32_t>(std::clamp(y, 0, last_y_))) +
        component_;
    const int begin = std::clamp(-x, 0, count);  // what needs no clamping
    const int end = std::clamp(last_x_ + 1 - x, begin, count);
    std::fill(to, to + begin, At(line, 0));
    for (int i = begin; i < end; ++i) to[i] = At(line, x + i);
    std::fill(to + end, to + count, At(line, last_x_));
  }

 private:
  int16_t At(const Sample* line, int x) const {
    return static_cast<int16_t>(line[x * components_] >>
                                (sizeof(Sample) == 1 ? 0 : shift_));
  }

  const Plane plane_;
  const uint32_t shift_;
  const int components_;
  const int component_;
  const int last_x_;
  const int last_y_;
};

// preds[ refList ] of 7.11.3.1.
class InterPrediction {
 public:
  int operator()(int i, int j) const { return pred_[i][j]; }

  // 7.11.3.4. set_x, set_y: FilterSet of the block.
  template <typename Sample>
  void Interpolate(const ReferencePlane<Sample>& ref, const InterPosition& at,
                   int set_x, int set_y, const InterRounding& rounding, int w,
                   int h) {
    int16_t intermediate[kSourceSize][kMaxInterBlock];
    // At a whole position only the rows of the samples themselves have taps.
    const bool whole =
        at.step_y == kNotScaledStep && ((at.start_y >> 6) & 15) == 0;
    const int first_row = whole ? 3 : 0;
    const int end_row = whole ? h + 3 : SourceSize(h, at.step_y);
    for (int r = first_row; r < end_row; ++r) {
      int16_t line[kSourceSize];
      ref.Read((at.start_x >> 10) - 3, (at.start_y >> 10) + r - 3,
               SourceSize(w, at.step_x), line);
      // Without scaling all of them have the same position between samples.
      const int alike = at.step_x == kNotScaledStep ? w : 1;
      for (int c = 0; c < w; c += alike) {
        const int p = (at.start_x & 1023) + at.step_x * c;
        Filter(line + (p >> 10), 1, kSubpelFilters[set_x][(p >> 6) & 15], alike,
               rounding.round0, intermediate[r] + c);
      }
    }
    for (int r = 0; r < h; ++r) {
      const int p = (at.start_y & 1023) + at.step_y * r;
      Filter(intermediate[p >> 10], kMaxInterBlock,
             kSubpelFilters[set_y][(p >> 6) & 15], w, rounding.round1,
             pred_[r]);
    }
  }

  // 7.11.3.5 of the 8x8 at <row>, <column> of a block at x, y.
  template <typename Sample>
  void Warp(const ReferencePlane<Sample>& ref, const WarpMatrix& warp, int x,
            int y, int sub_x, int sub_y, const InterRounding& rounding, int row,
            int column) {
    const int64_t src_x = int64_t{x + column + 4} << sub_x;
    const int64_t src_y = int64_t{y + row + 4} << sub_y;
    const int* const params = warp.params;
    const int64_t x4 =
        (params[2] * src_x + params[3] * src_y + params[0]) >> sub_x;
    const int64_t y4 =
        (params[4] * src_x + params[5] * src_y + params[1]) >> sub_y;
    const int sx4 = static_cast<int>(x4 & 0xffff);
    const int sy4 = static_cast<int>(y4 & 0xffff);
    int intermediate[15][8];
    for (int i1 = -7; i1 < 8; ++i1) {
      int16_t line[15];
      ref.Read(Whole(x4) - 7, Whole(y4) + i1, 15, line);
      for (int i2 = -4; i2 < 4; ++i2) {
        const int sx =
            sx4 + MvRow(warp.alpha_beta) * i2 + MvCol(warp.alpha_beta) * i1;
        const int8_t* const filter = kWarpFilters[Round2(sx, 10) + 64];
        int s = 0;
        for (int i3 = 0; i3 < 8; ++i3) s += filter[i3] * line[i2 + 4 + i3];
        intermediate[i1 + 7][i2 + 4] = Round2(s, rounding.round0);
      }
    }
    for (int i1 = -4; i1 < 4; ++i1) {
      for (int i2 = -4; i2 < 4; ++i2) {
        const int sy =
            sy4 + MvRow(warp.gamma_delta) * i2 + MvCol(warp.gamma_delta) * i1;
        const int8_t* const filter = kWarpFilters[Round2(sy, 10) + 64];
        int s = 0;
        for (int i3 = 0; i3 < 8; ++i3) {
          s += filter[i3] * intermediate[i1 + i3 + 4][i2 + 4];
        }
        pred_[row + i1 + 4][column + i2 + 4] = Round2(s, rounding.round1);
      }
    }
  }

 private:
  // Samples of a reference that is twice as large.
  static constexpr int kSourceSize = 2 * kMaxInterBlock + 8;

  // intermediateHeight, and the same across.
  static int SourceSize(int size, int step) {
    return (((size - 1) * step + (1 << 10) - 1) >> 10) + 8;
  }

  // Round2( the sum of eight samples' products, round ), of <count> side by
  // side. The filter has halves of Subpel_Filters.
  template <typename Out>
  static void Filter(const int16_t* samples, ptrdiff_t tap_stride,
                     const int8_t* filter, int count, int round, Out* out) {
    if (filter[3] == 64) {  // a whole position
      samples += 3 * tap_stride;
      for (int i = 0; i < count; ++i) {
        out[i] = static_cast<Out>(Round2(samples[i] * 128, round));
      }
      return;
    }
    int16_t taps[kTaps];
    for (int t = 0; t < kTaps; ++t)
      taps[t] = static_cast<int16_t>(2 * filter[t]);
    for (int i = 0; i < count; ++i) {
      int s = 0;
      for (int t = 0; t < kTaps; ++t)
        s += taps[t] * samples[i + t * tap_stride];
      out[i] = static_cast<Out>(Round2(s, round));
    }
  }

  // ix4, iy4. Far outside all samples are those of the edge.
  static int Whole(int64_t position) {
    return static_cast<int>(
        std::clamp(position >> 16, -kFarOutside, kFarOutside));
  }

  int pred_[kMaxInterBlock][kMaxInterBlock];
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_INTER_BLOCK_H_
