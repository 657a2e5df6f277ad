// SPDX-License-Identifier: BSD-2-Clause
// The deblocking filter on one line of samples across an edge, as the
// specification writes it (AV1 7.14.6).
#ifndef PERDIX_KERNELS_AV1_DEBLOCK_EDGE_LINE_H_
#define PERDIX_KERNELS_AV1_DEBLOCK_EDGE_LINE_H_

#include <algorithm>
#include <cstdlib>
#include <type_traits>

#include "kernels/av1/deblock/deblock_walk.h"

namespace perdix::av1 {

// At: a callable. at(i) is the reference to q_i, at(-i - 1) to p_i.
template <typename At>
class EdgeLine {
 public:
  EdgeLine(const At& at, const EdgeLimits& limits, int bit_depth)
      : at_(at), limits_(limits), bit_depth_(bit_depth) {}

  // 7.14.6.1: the widest filter that taps allows and the samples call for.
  void Filter(EdgeTaps taps) const {
    switch (taps) {
      case EdgeTaps::k4:
        if (FilterMask(2)) Narrow();
        return;
      case EdgeTaps::k6:
        if (FilterMask(3)) IsFlat(1, 2) ? Wide<3, 2, 1>() : Narrow();
        return;
      case EdgeTaps::k8:
        if (FilterMask(4)) IsFlat(1, 3) ? Wide<3, 3, 0>() : Narrow();
        return;
      case EdgeTaps::k16:
        if (!FilterMask(4)) return;
        if (!IsFlat(1, 3)) return Narrow();
        IsFlat(4, 6) ? Wide<4, 6, 1>() : Wide<3, 3, 0>();
    }
  }

 private:
  using Sample = std::remove_reference_t<std::invoke_result_t<const At&, int>>;

  int Q(int i) const { return at_(i); }
  int P(int i) const { return at_(-i - 1); }
  void Set(int i, int value) const { at_(i) = static_cast<Sample>(value); }

  // ---- 7.14.6.2: masks ----

  bool HevMask() const {
    return std::abs(P(1) - P(0)) > limits_.thresh ||
           std::abs(Q(1) - Q(0)) > limits_.thresh;
  }

  // count: of samples on each side, half of filterLen.
  bool FilterMask(int count) const {
    if (std::abs(P(0) - Q(0)) * 2 + std::abs(P(1) - Q(1)) / 2 > limits_.blimit)
      return false;
    for (int i = 1; i < count; ++i) {
      if (std::abs(P(i) - P(i - 1)) > limits_.limit) return false;
      if (std::abs(Q(i) - Q(i - 1)) > limits_.limit) return false;
    }
    return true;
  }

  // flatMask of samples 1 to 2 or 3, flatMask2 of samples 4 to 6.
  bool IsFlat(int first, int last) const {
    const int threshold = 1 << (bit_depth_ - 8);
    for (int i = first; i <= last; ++i) {
      if (std::abs(P(i) - P(0)) > threshold) return false;
      if (std::abs(Q(i) - Q(0)) > threshold) return false;
    }
    return true;
  }

  // ---- 7.14.6.3: narrow filter ----

  // filter4_clamp.
  int Clamp(int value) const {
    const int half = 1 << (bit_depth_ - 1);
    return std::clamp(value, -half, half - 1);
  }

  void Narrow() const {
    const int half = 0x80 << (bit_depth_ - 8);
    const bool hev_mask = HevMask();
    const int ps1 = P(1) - half;
    const int ps0 = P(0) - half;
    const int qs0 = Q(0) - half;
    const int qs1 = Q(1) - half;
    const int outer = hev_mask ? Clamp(ps1 - qs1) : 0;
    const int filter = Clamp(outer + 3 * (qs0 - ps0));
    const int filter1 = Clamp(filter + 4) >> 3;
    const int filter2 = Clamp(filter + 3) >> 3;
    Set(0, Clamp(qs0 - filter1) + half);
    Set(-1, Clamp(ps0 + filter2) + half);
    if (hev_mask) return;
    const int rounded = (filter1 + 1) >> 1;
    Set(1, Clamp(qs1 - rounded) + half);
    Set(-2, Clamp(ps1 + rounded) + half);
  }

  // ---- 7.14.6.4: wide filter ----

  // n samples on each side are filtered: template arguments, so that all that
  // is known of the taps is known to the compiler.
  template <int log2_size, int n, int n2>
  void Wide() const {
    int samples[2 * n + 2];  // from p_n on
    for (int i = -(n + 1); i <= n; ++i) samples[i + n + 1] = at_(i);
    for (int i = -n; i < n; ++i) {
      int t = 0;
      for (int j = -n; j <= n; ++j) {
        const int p = std::clamp(i + j, -(n + 1), n);
        const int tap = std::abs(j) <= n2 ? 2 : 1;
        t += samples[p + n + 1] * tap;
      }
      Set(i, (t + (1 << (log2_size - 1))) >> log2_size);
    }
  }

  const At& at_;
  const EdgeLimits& limits_;
  const int bit_depth_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_DEBLOCK_EDGE_LINE_H_
