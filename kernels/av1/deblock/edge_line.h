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
    if (!FilterMask(taps)) return;
    const bool chroma = taps == EdgeTaps::k6;
    if (taps == EdgeTaps::k4 || !IsFlat(1, chroma ? 2 : 3)) {
      Narrow();
    } else if (taps != EdgeTaps::k16 || !IsFlat(4, 6)) {
      Wide(3, chroma);
    } else {
      Wide(4, chroma);
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

  bool FilterMask(EdgeTaps taps) const {
    // Samples on each side, of filterLen.
    const int count = taps == EdgeTaps::k4 ? 2 : taps == EdgeTaps::k6 ? 3 : 4;
    for (int i = 1; i < count; ++i) {
      if (std::abs(P(i) - P(i - 1)) > limits_.limit) return false;
      if (std::abs(Q(i) - Q(i - 1)) > limits_.limit) return false;
    }
    return std::abs(P(0) - Q(0)) * 2 + std::abs(P(1) - Q(1)) / 2 <=
           limits_.blimit;
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

  void Wide(int log2_size, bool chroma) const {
    const int n = log2_size == 4 ? 6 : chroma ? 2 : 3;
    const int n2 = log2_size == 3 && !chroma ? 0 : 1;
    int filtered[12];
    for (int i = -n; i < n; ++i) {
      int t = 0;
      for (int j = -n; j <= n; ++j) {
        const int p = std::clamp(i + j, -(n + 1), n);
        const int tap = std::abs(j) <= n2 ? 2 : 1;
        t += at_(p) * tap;
      }
      filtered[i + n] = (t + (1 << (log2_size - 1))) >> log2_size;
    }
    for (int i = -n; i < n; ++i) Set(i, filtered[i + n]);
  }

  const At& at_;
  const EdgeLimits& limits_;
  const int bit_depth_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_DEBLOCK_EDGE_LINE_H_
