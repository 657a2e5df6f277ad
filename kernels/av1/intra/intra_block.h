// SPDX-License-Identifier: BSD-2-Clause
// Intra prediction (AV1 7.11.2) of one component of a block, as the
// specification writes it and by its names.
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_BLOCK_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_BLOCK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernels/av1/intra/edge_strength.h"
#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/intra/intra_target.h"
#include "kernels/av1/round2.h"

namespace perdix::av1 {

template <typename Sample>
class IntraPrediction {
 public:
  // component: of the target's pixels. pred: where the first pixel goes.
  IntraPrediction(const IntraTarget<Sample>& target, uint32_t have,
                  int bit_depth, int component, Output<Sample> pred)
      : w_(target.width),
        h_(target.height),
        max_x_(target.columns_left - 1),
        max_y_(target.rows_left - 1),
        have_left_((have & PERDIX_INTRA_HAVE_LEFT) != 0),
        have_above_((have & PERDIX_INTRA_HAVE_ABOVE) != 0),
        bit_depth_(bit_depth),
        components_(target.components),
        curr_{target.pixels.data + component, target.pixels.stride},
        pred_{pred.data + component, pred.stride} {}

  // AboveRow and LeftCol. above_right, below_left: how many pixels there are
  // decoded, whatever lies outside the frame.
  void PrepareEdges(int above_right, int below_left) {
    const int base = 1 << (bit_depth_ - 1);
    for (int i = 0; i < w_ + h_; ++i) {
      if (have_above_) {
        const int last = std::min(max_x_, w_ + above_right - 1);
        AboveRow(i) = Curr(std::min(i, last), -1);
      } else {
        AboveRow(i) = have_left_ ? Curr(-1, 0) : base - 1;
      }
      if (have_left_) {
        const int last = std::min(max_y_, h_ + below_left - 1);
        LeftCol(i) = Curr(-1, std::min(i, last));
      } else {
        LeftCol(i) = have_above_ ? Curr(0, -1) : base + 1;
      }
    }
    if (have_above_) {
      AboveRow(-1) = Curr(have_left_ ? -1 : 0, -1);
    } else {
      AboveRow(-1) = have_left_ ? Curr(-1, 0) : base;
    }
    LeftCol(-1) = AboveRow(-1);
  }

  // 7.11.2.2.
  void Paeth() {
    for (int i = 0; i < h_; ++i) {
      for (int j = 0; j < w_; ++j) {
        const int base = AboveRow(j) + LeftCol(i) - AboveRow(-1);
        const int p_left = std::abs(base - LeftCol(i));
        const int p_top = std::abs(base - AboveRow(j));
        const int p_top_left = std::abs(base - AboveRow(-1));
        if (p_left <= p_top && p_left <= p_top_left) {
          Set(i, j, LeftCol(i));
        } else {
          Set(i, j, p_top <= p_top_left ? AboveRow(j) : AboveRow(-1));
        }
      }
    }
  }

  // 7.11.2.3.
  void RecursiveIntra(uint32_t filter_intra_mode) {
    for (int i2 = 0; i2 < h_ >> 1; ++i2) {
      for (int j4 = 0; j4 < w_ >> 2; ++j4) {
        const auto& taps = kFilterIntraTaps[filter_intra_mode];
        int p[7];
        for (int i = 0; i < 7; ++i) p[i] = Neighbour(i2, j4, i);
        for (int at = 0; at < 8; ++at) {
          int pr = 0;
          for (int i = 0; i < 7; ++i) pr += taps[i][at] * p[i];
          // Round2Signed; what is negative becomes 0 in any case.
          Set((i2 << 1) + (at >> 2), (j4 << 2) + (at & 3),
              Clip1(Round2(pr, 4)));
        }
      }
    }
  }

  // 7.11.2.4. angle: pAngle. smooth: filterType, what 7.11.2.8 says.
  void Directional(int angle, bool enable_intra_edge_filter, bool smooth) {
    int upsample_above = 0;
    int upsample_left = 0;
    if (enable_intra_edge_filter && angle != 90 && angle != 180) {
      FilterEdges(angle, smooth);
      upsample_above = UpsamplesEdge(w_ + h_, smooth, angle - 90);
      if (upsample_above) Upsample(above_, w_ + (angle < 90 ? h_ : 0));
      upsample_left = UpsamplesEdge(w_ + h_, smooth, angle - 180);
      if (upsample_left) Upsample(left_, h_ + (angle > 180 ? w_ : 0));
    }
    const bool from_both = angle > 90 && angle < 180;
    const int dx = angle < 90  ? kDirectionStep[angle]
                   : from_both ? kDirectionStep[180 - angle]
                               : 0;
    const int dy = angle > 180 ? kDirectionStep[270 - angle]
                   : from_both ? kDirectionStep[angle - 90]
                               : 0;
    for (int i = 0; i < h_; ++i) {
      for (int j = 0; j < w_; ++j) {
        Set(i, j,
            angle == 90    ? AboveRow(j)
            : angle == 180 ? LeftCol(i)
            : angle < 90   ? FromAbove(i, j, dx, upsample_above)
            : angle > 180
                ? FromLeft(i, j, dy, upsample_left)
                : FromBoth(i, j, dx, dy, upsample_above, upsample_left));
      }
    }
  }

  // 7.11.2.5.
  void Dc() {
    int sum = 0;
    int count = 0;
    if (have_left_) {
      for (int k = 0; k < h_; ++k) sum += LeftCol(k);
      count += h_;
    }
    if (have_above_) {
      for (int k = 0; k < w_; ++k) sum += AboveRow(k);
      count += w_;
    }
    const int average =
        count == 0 ? 1 << (bit_depth_ - 1) : (sum + (count >> 1)) / count;
    for (int i = 0; i < h_; ++i) {
      for (int j = 0; j < w_; ++j) Set(i, j, average);
    }
  }

  // 7.11.2.6. mode: one of the three.
  void Smooth(uint32_t mode) {
    const uint8_t* const weights_x = &kSmoothWeights[size_t(w_ - 4)];
    const uint8_t* const weights_y = &kSmoothWeights[size_t(h_ - 4)];
    for (int i = 0; i < h_; ++i) {
      for (int j = 0; j < w_; ++j) {
        const int down =
            weights_y[i] * AboveRow(j) + (256 - weights_y[i]) * LeftCol(h_ - 1);
        const int across =
            weights_x[j] * LeftCol(i) + (256 - weights_x[j]) * AboveRow(w_ - 1);
        Set(i, j,
            mode == kSmoothPred    ? Round2(down + across, 9)
            : mode == kSmoothVPred ? Round2(down, 8)
                                   : Round2(across, 8));
      }
    }
  }

 private:
  static constexpr int kOrigin = 16;
  using Edge = int[kOrigin + 2 * 64 + 16];

  int& AboveRow(int i) { return above_[kOrigin + i]; }
  int& LeftCol(int i) { return left_[kOrigin + i]; }
  // CurrFrame, from the block's first pixel on.
  int Curr(int x, int y) const { return curr_.Row(y)[x * components_]; }
  int Pred(int i, int j) const { return pred_.Row(i)[j * components_]; }
  void Set(int i, int j, int value) {
    pred_.Row(i)[j * components_] = static_cast<Sample>(value);
  }
  int Clip1(int value) const {
    return std::clamp(value, 0, (1 << bit_depth_) - 1);
  }

  // p[ i ] of 7.11.2.3.
  int Neighbour(int i2, int j4, int i) {
    if (i >= 5) {
      const int row = (i2 << 1) + i - 5;
      return j4 == 0 ? LeftCol(row) : Pred(row, (j4 << 2) - 1);
    }
    if (i2 == 0) return AboveRow((j4 << 2) + i - 1);
    if (j4 == 0 && i == 0) return LeftCol((i2 << 1) - 1);
    return Pred((i2 << 1) - 1, (j4 << 2) + i - 1);
  }

  // Step 4 of 7.11.2.4, with the filter corner process (7.11.2.7).
  void FilterEdges(int angle, bool smooth) {
    if (angle > 90 && angle < 180 && w_ + h_ >= 24) {
      const int s = LeftCol(0) * 5 + AboveRow(-1) * 6 + AboveRow(0) * 5;
      LeftCol(-1) = AboveRow(-1) = Round2(s, 4);
    }
    if (have_above_) {
      FilterEdge(above_, std::min(w_, max_x_ + 1) + (angle < 90 ? h_ : 0) + 1,
                 EdgeFilterStrength(w_ + h_, smooth, angle - 90));
    }
    if (have_left_) {
      FilterEdge(left_, std::min(h_, max_y_ + 1) + (angle > 180 ? w_ : 0) + 1,
                 EdgeFilterStrength(w_ + h_, smooth, angle - 180));
    }
  }

  // 7.11.2.12.
  static void FilterEdge(Edge& buf, int sz, int strength) {
    if (strength == 0) return;
    const uint8_t* const taps = kEdgeFilter[strength - 1];
    Edge edge;
    std::copy_n(buf + kOrigin - 1, sz, edge);
    for (int i = 1; i < sz; ++i) {
      int s = 0;
      for (int j = -2; j <= 2; ++j) {
        s += taps[std::abs(j)] * edge[std::clamp(i + j, 0, sz - 1)];
      }
      buf[kOrigin + i - 1] = Round2(s, 4);
    }
  }

  // 7.11.2.11. numPx: at most 16.
  void Upsample(Edge& edge, int num_px) {
    int* const buf = edge + kOrigin;
    int dup[16 + 3];
    dup[0] = buf[-1];
    for (int i = -1; i < num_px; ++i) dup[i + 2] = buf[i];
    dup[num_px + 2] = buf[num_px - 1];
    buf[-2] = dup[0];
    for (int i = 0; i < num_px; ++i) {
      const int s = -dup[i] + 9 * dup[i + 1] + 9 * dup[i + 2] - dup[i + 3];
      buf[2 * i - 1] = Clip1(Round2(s, 4));
      buf[2 * i] = dup[i + 2];
    }
  }

  static int Between(int first, int second, int shift) {
    return Round2(first * (32 - shift) + second * shift, 5);
  }

  // Step 7 of 7.11.2.4.
  int FromAbove(int i, int j, int dx, int upsample_above) {
    const int idx = (i + 1) * dx;
    const int base = (idx >> (6 - upsample_above)) + (j << upsample_above);
    const int shift = ((idx << upsample_above) >> 1) & 0x1f;
    const int max_base_x = (w_ + h_ - 1) << upsample_above;
    return base < max_base_x
               ? Between(AboveRow(base), AboveRow(base + 1), shift)
               : AboveRow(max_base_x);
  }

  // Step 8.
  int FromBoth(int i, int j, int dx, int dy, int upsample_above,
               int upsample_left) {
    int idx = (j << 6) - (i + 1) * dx;
    int base = idx >> (6 - upsample_above);
    if (base >= -(1 << upsample_above)) {
      const int shift = ((idx << upsample_above) >> 1) & 0x1f;
      return Between(AboveRow(base), AboveRow(base + 1), shift);
    }
    idx = (i << 6) - (j + 1) * dy;
    base = idx >> (6 - upsample_left);
    const int shift = ((idx << upsample_left) >> 1) & 0x1f;
    return Between(LeftCol(base), LeftCol(base + 1), shift);
  }

  // Step 9.
  int FromLeft(int i, int j, int dy, int upsample_left) {
    const int idx = (j + 1) * dy;
    const int base = (idx >> (6 - upsample_left)) + (i << upsample_left);
    const int shift = ((idx << upsample_left) >> 1) & 0x1f;
    return Between(LeftCol(base), LeftCol(base + 1), shift);
  }

  const int w_;
  const int h_;
  const int max_x_;  // maxX, maxY, from the block's first pixel on
  const int max_y_;
  const bool have_left_;
  const bool have_above_;
  const int bit_depth_;
  const int components_;
  const Output<Sample> curr_;
  const Output<Sample> pred_;
  Edge above_;
  Edge left_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_BLOCK_H_
