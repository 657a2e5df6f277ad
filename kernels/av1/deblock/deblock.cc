// SPDX-License-Identifier: BSD-2-Clause
// Deblocking (AV1 7.14): smooths the edges of transform blocks that the edge
// words name, in one superblock row; then saves lines (saved_lines.h).
//
// Reads: edge words, the target up to 7 samples around an edge. Writes: the
// target up to 6 samples around it; kCdefLines. Range: a superblock row, which
// is reconstructed as is the one below. Rows from top to bottom.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "kernels/av1/deblock/deblock_walk.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

// One line of samples across an edge: q0 is the first sample behind it, the
// next one is step away.
template <typename Sample>
class EdgeLine {
 public:
  EdgeLine(Sample* q0, ptrdiff_t step, const EdgeLimits& limits, int bit_depth)
      : q0_(q0), step_(step), limits_(limits), bit_depth_(bit_depth) {}

  // 7.14.6.1: the widest filter that kTaps allows and the samples call for.
  template <EdgeTaps kTaps>
  void Filter() const {
    constexpr int kRead =
        kTaps == EdgeTaps::k4 ? 2 : (kTaps == EdgeTaps::k6 ? 3 : 4);
    if (!IsFiltered<kRead>()) return;
    if (kTaps == EdgeTaps::k4 || !IsFlat(1, kRead - 1)) {
      NarrowFilter();
    } else if (kTaps == EdgeTaps::k6) {
      WideFilter<2, 1, 3>();
    } else if (kTaps == EdgeTaps::k8 || !IsFlat(4, 6)) {
      WideFilter<3, 0, 3>();
    } else {
      WideFilter<6, 1, 4>();
    }
  }

 private:
  int P(int i) const { return q0_[-(i + 1) * step_]; }
  int Q(int i) const { return q0_[i * step_]; }
  void SetP(int i, int value) const {
    q0_[-(i + 1) * step_] = static_cast<Sample>(value);
  }
  void SetQ(int i, int value) const {
    q0_[i * step_] = static_cast<Sample>(value);
  }

  // ---- 7.14.6.2: masks ----

  bool IsHighVariance() const {
    return std::abs(P(1) - P(0)) > limits_.thresh ||
           std::abs(Q(1) - Q(0)) > limits_.thresh;
  }

  // filterMask, of kRead samples on each side.
  template <int kRead>
  bool IsFiltered() const {
    if (std::abs(P(0) - Q(0)) * 2 + std::abs(P(1) - Q(1)) / 2 > limits_.blimit)
      return false;
    for (int i = 1; i < kRead; ++i) {
      if (std::abs(P(i) - P(i - 1)) > limits_.limit) return false;
      if (std::abs(Q(i) - Q(i - 1)) > limits_.limit) return false;
    }
    return true;
  }

  // Samples first..last on both sides differ from the edge's by one step of 8
  // bit at most.
  bool IsFlat(int first, int last) const {
    const int step = 1 << (bit_depth_ - 8);
    for (int i = first; i <= last; ++i) {
      if (std::abs(P(i) - P(0)) > step) return false;
      if (std::abs(Q(i) - Q(0)) > step) return false;
    }
    return true;
  }

  // ---- 7.14.6.3: narrow filter ----

  // filter4_clamp.
  int Clamp(int value) const {
    const int half = 1 << (bit_depth_ - 1);
    return std::clamp(value, -half, half - 1);
  }

  void NarrowFilter() const {
    const int offset = 1 << (bit_depth_ - 1);
    const bool high_variance = IsHighVariance();
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

  // ---- 7.14.6.4: wide filter ----

  // Each of n samples on both sides becomes the mean of 2^log2Size: the 2n + 1
  // around it and once more the 2 * n2 + 1 around it (past the outermost sample
  // that is read, that one again).
  template <int kN, int kN2, int kLog2Size>
  void WideFilter() const {
    constexpr int kLast = 2 * kN + 1;  // of the samples read, kN + 1 a side
    Sample* const first = q0_ - (kN + 1) * step_;
    int samples[kLast + 1];
    for (int i = 0; i <= kLast; ++i) samples[i] = first[i * step_];
    int around = samples[0] * kN;  // of 2n + 1, around sample 1
    for (int i = 1; i <= kN + 1; ++i) around += samples[i];
    for (int i = 1; i < kLast; ++i) {
      int sum = around + samples[i];
      if (kN2 == 1) sum += samples[i - 1] + samples[i + 1];
      first[i * step_] =
          static_cast<Sample>((sum + (1 << (kLog2Size - 1))) >> kLog2Size);
      around += samples[std::min(i + 1 + kN, kLast)];
      around -= samples[std::max(i - kN, 0)];
    }
  }

  Sample* const q0_;
  const ptrdiff_t step_;
  const EdgeLimits& limits_;
  const int bit_depth_;
};

template <EdgeTaps kTaps, typename Sample>
void FilterLines(const Edge<Sample>& edge, int bit_depth) {
  for (int line = 0; line < 4; ++line) {
    EdgeLine<Sample>(edge.first + line * edge.along, edge.across, *edge.limits,
                     bit_depth)
        .template Filter<kTaps>();
  }
}

template <typename Sample>
void FilterEdge(const Edge<Sample>& edge, int bit_depth) {
  switch (edge.taps) {
    case EdgeTaps::k4:
      return FilterLines<EdgeTaps::k4>(edge, bit_depth);
    case EdgeTaps::k6:
      return FilterLines<EdgeTaps::k6>(edge, bit_depth);
    case EdgeTaps::k8:
      return FilterLines<EdgeTaps::k8>(edge, bit_depth);
    case EdgeTaps::k16:
      return FilterLines<EdgeTaps::k16>(edge, bit_depth);
  }
}

}  // namespace

template <typename Sample>
void Deblock(const KernelArgs& args, Range range) {
  const int bit_depth =
      sizeof(Sample) == 1 ? 8 : static_cast<int>(args.params->bit_depth);
  DeblockRows<Sample>(args, range, [&](const Edge<Sample>& edge) {
    FilterEdge(edge, bit_depth);
  });
}

template void Deblock<uint8_t>(const KernelArgs&, Range);
template void Deblock<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
