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
#include <cstdint>
#include <cstdlib>

#include "kernels/vp9/decoded_area.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {
namespace {

constexpr int kCellSize = 8;           // pixels of any plane
constexpr int kInnerEdge = 4;          // pixels from the cell's border
constexpr uint32_t kSuperblockMi = 8;  // 8x8 luma blocks

// Widths as the edge words hold them.
enum EdgeWidth : uint32_t { kNone, kFour, kEight, kSixteen };

// VP9 8.8.1, at bit depth 8.
struct Limits {
  int limit;
  int blimit;
  int thresh;
};

Limits LimitsOf(int level, int sharpness) {
  const int shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const int highest = sharpness > 0 ? 9 - sharpness : 63;
  const int limit = std::clamp(level >> shift, 1, highest);
  return {limit, 2 * (level + 2) + limit, level >> 4};
}

// One line of samples across an edge: q0 is the first sample behind it, the
// next one is step away.
template <typename Sample>
class EdgeLine {
 public:
  EdgeLine(Sample* q0, ptrdiff_t step, int bit_depth)
      : q0_(q0), step_(step), shift_(bit_depth - 8) {}

  // VP9 8.8.2: the widest filter that width allows and the samples call for.
  void Filter(EdgeWidth width, const Limits& limits) const {
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
  int P(int i) const { return q0_[-(i + 1) * step_]; }
  int Q(int i) const { return q0_[i * step_]; }
  void SetP(int i, int value) const {
    q0_[-(i + 1) * step_] = static_cast<Sample>(value);
  }
  void SetQ(int i, int value) const {
    q0_[i * step_] = static_cast<Sample>(value);
  }

  // ---- VP9 8.8.3: masks ----

  bool IsHighVariance(int thresh) const {
    return std::abs(P(1) - P(0)) > thresh << shift_ ||
           std::abs(Q(1) - Q(0)) > thresh << shift_;
  }

  bool IsFiltered(const Limits& limits) const {
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
  // 2^log2Size: the 2n + 1 around it (past the outermost sample that is read,
  // that one again) and itself once more.
  template <int kLog2Size>
  void WideFilter() const {
    constexpr int kN = (1 << (kLog2Size - 1)) - 1;
    constexpr int kLast = 2 * kN + 1;  // of the samples read, kN + 1 a side
    Sample* const first = q0_ - (kN + 1) * step_;
    int samples[kLast + 1];
    for (int i = 0; i <= kLast; ++i) samples[i] = first[i * step_];
    int around = samples[0] * kN;  // samples i - n to i + n, of i = 1
    for (int i = 1; i <= kN + 1; ++i) around += samples[i];
    for (int i = 1; i < kLast; ++i) {
      const int sum = around + samples[i] + (1 << (kLog2Size - 1));
      first[i * step_] = static_cast<Sample>(sum >> kLog2Size);
      around += samples[std::min(i + 1 + kN, kLast)];
      around -= samples[std::max(i - kN, 0)];
    }
  }

  Sample* const q0_;
  const ptrdiff_t step_;
  const int shift_;
};

// One plane of one superblock.
template <typename Sample>
class PlaneFilter {
 public:
  PlaneFilter(const KernelArgs& args, uint32_t plane, uint32_t superblock)
      : params_(*args.params),
        edges_(args.edges),
        plane_(args.target.planes[plane]),
        area_(PlaneDecodedArea(params_, plane)),
        edge_shift_(plane == kLuma ? PERDIX_EDGE_LUMA_SHIFT
                                   : PERDIX_EDGE_CHROMA_SHIFT),
        subsampling_x_(plane == kLuma ? 0 : params_.subsampling_x),
        subsampling_y_(plane == kLuma ? 0 : params_.subsampling_y),
        components_(plane == kLuma ? 1 : 2),
        first_col_(superblock % params_.sb_cols * kSuperblockMi),
        first_row_(superblock / params_.sb_cols * kSuperblockMi) {}

  void FilterVerticalEdges() const {
    ForEachCell([this](uint32_t cell, int x, int y) {
      const int lines = std::min(kCellSize, area_.height - y);
      FilterVertical(x, y, lines, EdgeLeft(cell, edge_shift_), cell);
      FilterVertical(x + kInnerEdge, y, lines, EdgeInnerLeft(cell, edge_shift_),
                     cell);
    });
  }

  void FilterHorizontalEdges() const {
    ForEachCell([this](uint32_t cell, int x, int y) {
      const int lines = std::min(kCellSize, area_.width - x);
      FilterHorizontal(x, y, lines, EdgeAbove(cell, edge_shift_), cell);
      FilterHorizontal(x, y + kInnerEdge, lines,
                       EdgeInnerAbove(cell, edge_shift_), cell);
    });
  }

 private:
  // visit(word, x, y) for each cell of the plane that has a level, in raster
  // order; x, y: its first pixel.
  template <typename Visit>
  void ForEachCell(const Visit& visit) const {
    const uint32_t end_row =
        std::min(first_row_ + kSuperblockMi, params_.mi_rows);
    const uint32_t end_col =
        std::min(first_col_ + kSuperblockMi, params_.mi_cols);
    for (uint32_t row = first_row_; row < end_row; row += 1 << subsampling_y_) {
      const uint32_t* words = &edges_[size_t{row} * params_.mi_cols];
      const int y = static_cast<int>(row * kCellSize >> subsampling_y_);
      for (uint32_t col = first_col_; col < end_col;
           col += 1 << subsampling_x_) {
        if (EdgeLevel(words[col]) == 0) continue;
        visit(words[col], static_cast<int>(col * kCellSize >> subsampling_x_),
              y);
      }
    }
  }

  // The edge left of x, along lines pixels down from y.
  void FilterVertical(int x, int y, int lines, uint32_t width,
                      uint32_t cell) const {
    FilterEdge(x, y, components_, Stride(), lines, width, cell);
  }

  // The edge above y, along lines pixels right from x.
  void FilterHorizontal(int x, int y, int lines, uint32_t width,
                        uint32_t cell) const {
    FilterEdge(x, y, Stride(), components_, lines, width, cell);
  }

  // across: samples from pixel to pixel across the edge, along: along it.
  void FilterEdge(int x, int y, ptrdiff_t across, ptrdiff_t along, int lines,
                  uint32_t width, uint32_t cell) const {
    if (width == kNone) return;
    const Limits limits =
        LimitsOf(static_cast<int>(EdgeLevel(cell)),
                 static_cast<int>(params_.loop_filter_sharpness));
    Sample* first =
        plane_.Row<Sample>(static_cast<uint32_t>(y)) + x * components_;
    for (int line = 0; line < lines; ++line) {
      for (int component = 0; component < components_; ++component) {
        EdgeLine<Sample>(first + line * along + component, across,
                         static_cast<int>(params_.bit_depth))
            .Filter(static_cast<EdgeWidth>(width), limits);
      }
    }
  }

  ptrdiff_t Stride() const {
    return static_cast<ptrdiff_t>(plane_.stride_bytes / sizeof(Sample));
  }

  const FrameParams& params_;
  const std::span<const uint32_t> edges_;
  const Plane& plane_;
  const DecodedArea area_;
  const uint32_t edge_shift_;
  const uint32_t subsampling_x_;
  const uint32_t subsampling_y_;
  const int components_;      // samples per pixel, filtered independently
  const uint32_t first_col_;  // 8x8 luma blocks
  const uint32_t first_row_;
};

}  // namespace

template <typename Sample>
void LoopFilter(const KernelArgs& args, Range range) {
  for (uint32_t superblock = range.begin; superblock < range.end;
       ++superblock) {
    for (const uint32_t plane : {kLuma, kChroma}) {
      const PlaneFilter<Sample> filter(args, plane, superblock);
      filter.FilterVerticalEdges();
      filter.FilterHorizontalEdges();
    }
  }
}

template void LoopFilter<uint8_t>(const KernelArgs&, Range);
template void LoopFilter<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
