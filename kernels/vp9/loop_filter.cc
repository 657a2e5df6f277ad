// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8): smooths the edges that the edge words name, in one
// superblock: per plane first all vertical edges, then all horizontal ones.
//
// Reads: edges, the target's planes up to 8 pixels around an edge. Writes: the
// target's planes up to 7 pixels around it. The writer of the edge words leaves
// out, or narrows, edges whose pixels would not all lie in the decoded area.
// Work item: one superblock. Order: raster, or (r, c) after (r, c - 1) and
// (r - 1, c + 1).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernels/vp9/edge_walk.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {
namespace {

// One line of samples across an edge: q0 is the first sample behind it, the
// next one is step away.
template <typename Sample>
class EdgeLine {
 public:
  EdgeLine(Sample* q0, ptrdiff_t step, int bit_depth)
      : q0_(q0), step_(step), shift_(bit_depth - 8) {}

  // VP9 8.8.2: the widest filter that width allows and the samples call for.
  void Filter(EdgeWidth width, const EdgeLimits& limits) const {
    if (!IsFiltered(limits)) return;
    if (width == kFour || !IsFlat(1, 3)) {
      NarrowFilter(IsHighVariance(limits.thresh));
    } else if (width == kEight || !IsFlat(4, 7)) {
      WideFilter<3>();
    } else {
      WideFilter<4>();
    }
  }

 private:
  int Q(int i) const { return q0_[i * step_]; }
  int P(int i) const { return Q(-i - 1); }
  void SetQ(int i, int value) const {
    q0_[i * step_] = static_cast<Sample>(value);
  }
  void SetP(int i, int value) const { SetQ(-i - 1, value); }

  // ---- VP9 8.8.3: masks ----

  bool IsHighVariance(int thresh) const {
    return std::abs(P(1) - P(0)) > thresh << shift_ ||
           std::abs(Q(1) - Q(0)) > thresh << shift_;
  }

  bool IsFiltered(const EdgeLimits& limits) const {
    const int limit = limits.limit << shift_;
    for (int i = 0; i < 3; ++i) {
      if (std::abs(P(i + 1) - P(i)) > limit) return false;
      if (std::abs(Q(i + 1) - Q(i)) > limit) return false;
    }
    return std::abs(P(0) - Q(0)) * 2 + std::abs(P(1) - Q(1)) / 2 <=
           limits.blimit << shift_;
  }

  // Samples first..last on both sides differ from the edge's by one step at
  // most.
  bool IsFlat(int first, int last) const {
    for (int i = first; i <= last; ++i) {
      if (std::abs(P(i) - P(0)) > 1 << shift_) return false;
      if (std::abs(Q(i) - Q(0)) > 1 << shift_) return false;
    }
    return true;
  }

  // ---- VP9 8.8.4: narrow filter ----

  // filter4_clamp.
  int Clamp(int value) const {
    return std::clamp(value, -(128 << shift_), (128 << shift_) - 1);
  }

  void NarrowFilter(bool high_variance) const {
    const int offset = 0x80 << shift_;
    const int ps1 = P(1) - offset;
    const int ps0 = P(0) - offset;
    const int qs0 = Q(0) - offset;
    const int qs1 = Q(1) - offset;
    const int outer = high_variance ? Clamp(ps1 - qs1) : 0;
    const int filter = Clamp(outer + 3 * (qs0 - ps0));
    const int filter1 = Clamp(filter + 4) >> 3;
    const int filter2 = Clamp(filter + 3) >> 3;
    SetQ(0, Clamp(qs0 - filter1) + offset);
    SetP(0, Clamp(ps0 + filter2) + offset);
    if (high_variance) return;
    const int half = (filter1 + 1) >> 1;
    SetQ(1, Clamp(qs1 - half) + offset);
    SetP(1, Clamp(ps1 + half) + offset);
  }

  // ---- VP9 8.8.5: wide filter ----

  // Each of n = 2^(log2Size - 1) - 1 samples on both sides becomes the mean of
  // 2^log2Size taps: the 2n + 1 samples around it (past the outermost sample
  // that is read, that one again) and itself once more.
  template <int log2_size>
  void WideFilter() const {
    constexpr int n = (1 << (log2_size - 1)) - 1;
    int samples[2 * n + 2];  // from p_n to q_n
    for (int i = -(n + 1); i <= n; ++i) samples[i + n + 1] = Q(i);
    for (int i = -n; i < n; ++i) {
      int t = 0;
      for (int j = -n; j <= n; ++j) {
        const int p = std::clamp(i + j, -(n + 1), n);
        const int tap = j == 0 ? 2 : 1;
        t += samples[p + n + 1] * tap;
      }
      SetQ(i, (t + (1 << (log2_size - 1))) >> log2_size);
    }
  }

  Sample* const q0_;
  const ptrdiff_t step_;
  const int shift_;
};

template <typename Sample>
void FilterEdge(const Edge<Sample>& edge) {
  for (int line = 0; line < edge.lines; ++line) {
    for (int component = 0; component < edge.components; ++component) {
      EdgeLine<Sample>(edge.first + line * edge.along + component, edge.across,
                       edge.bit_depth)
          .Filter(edge.width, edge.limits);
    }
  }
}

}  // namespace

template <typename Sample>
void LoopFilter(const KernelArgs& args, Range range) {
  WalkEdges<Sample>(args, range, &FilterEdge<Sample>);
}

template void LoopFilter<uint8_t>(const KernelArgs&, Range);
template void LoopFilter<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
