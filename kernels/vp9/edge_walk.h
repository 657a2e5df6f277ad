// SPDX-License-Identifier: BSD-2-Clause
// Which edges of a superblock are filtered, in which order and how strongly
// (VP9 8.8.1, 8.8.2); what is done to the samples across one edge is up to the
// variants of the loop filter.
#ifndef PERDIX_KERNELS_VP9_EDGE_WALK_H_
#define PERDIX_KERNELS_VP9_EDGE_WALK_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/decoded_area.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

// Widths as the edge words hold them.
enum EdgeWidth : uint32_t { kNone, kFour, kEight, kSixteen };

// VP9 8.8.1, at bit depth 8.
struct EdgeLimits {
  int limit;
  int blimit;
  int thresh;
};

inline EdgeLimits LimitsOf(int level, int sharpness) {
  const int shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const int highest = sharpness > 0 ? 9 - sharpness : 63;
  const int limit = std::clamp(level >> shift, 1, highest);
  return {limit, 2 * (level + 2) + limit, level >> 4};
}

// An edge of a cell. The sample before it in line i and component j is at
// first + i * along + j - across, the one behind it at first + i * along + j.
template <typename Sample>
struct Edge {
  Sample* first;
  ptrdiff_t across;  // samples, from pixel to pixel
  ptrdiff_t along;   // samples, from line to line
  int lines;         // 8, or 4 where the plane ends
  int components;    // of a pixel, filtered independently
  EdgeWidth width;   // not kNone
  EdgeLimits limits;
  int bit_depth;
};

// The edges of one plane of one superblock; filter(const Edge<Sample>&) is
// called in the order in which they must be filtered.
template <typename Sample, typename Filter>
class EdgeWalk {
 public:
  EdgeWalk(const KernelArgs& args, uint32_t plane, uint32_t superblock,
           const Filter& filter)
      : params_(*args.params),
        vp9_(ParamsOf(args)),
        edges_(args.tables.Of(kEdges)),
        plane_(args.target.planes[plane]),
        area_(PlaneDecodedArea(params_, plane)),
        edge_shift_(plane == kLuma ? PERDIX_EDGE_LUMA_SHIFT
                                   : PERDIX_EDGE_CHROMA_SHIFT),
        subsampling_x_(plane == kLuma ? 0 : params_.subsampling_x),
        subsampling_y_(plane == kLuma ? 0 : params_.subsampling_y),
        components_(plane == kLuma ? 1 : 2),
        first_col_(superblock % params_.sb_cols * kSuperblockMi),
        first_row_(superblock / params_.sb_cols * kSuperblockMi),
        filter_(filter) {}

  void VerticalEdges() const {
    ForEachCell([this](uint32_t cell, int x, int y) {
      const int lines = std::min(kCellSize, area_.height - y);
      Vertical(x, y, lines, EdgeLeft(cell, edge_shift_), cell);
      Vertical(x + kInnerEdge, y, lines, EdgeInnerLeft(cell, edge_shift_),
               cell);
    });
  }

  void HorizontalEdges() const {
    ForEachCell([this](uint32_t cell, int x, int y) {
      const int lines = std::min(kCellSize, area_.width - x);
      Horizontal(x, y, lines, EdgeAbove(cell, edge_shift_), cell);
      Horizontal(x, y + kInnerEdge, lines, EdgeInnerAbove(cell, edge_shift_),
                 cell);
    });
  }

 private:
  static constexpr int kCellSize = 8;           // pixels of any plane
  static constexpr int kInnerEdge = 4;          // pixels from the cell's border
  static constexpr uint32_t kSuperblockMi = 8;  // 8x8 luma blocks

  // visit(word, x, y) for each cell of the plane that has a level, in raster
  // order; x, y: its first pixel.
  template <typename Visit>
  void ForEachCell(const Visit& visit) const {
    const uint32_t end_row = std::min(first_row_ + kSuperblockMi, vp9_.mi_rows);
    const uint32_t end_col = std::min(first_col_ + kSuperblockMi, vp9_.mi_cols);
    for (uint32_t row = first_row_; row < end_row; row += 1 << subsampling_y_) {
      const uint32_t* words = &edges_[size_t{row} * vp9_.mi_cols];
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
  void Vertical(int x, int y, int lines, uint32_t width, uint32_t cell) const {
    FilterEdge(x, y, components_, Stride(), lines, width, cell);
  }

  // The edge above y, along lines pixels right from x.
  void Horizontal(int x, int y, int lines, uint32_t width,
                  uint32_t cell) const {
    FilterEdge(x, y, Stride(), components_, lines, width, cell);
  }

  void FilterEdge(int x, int y, ptrdiff_t across, ptrdiff_t along, int lines,
                  uint32_t width, uint32_t cell) const {
    if (width == kNone) return;
    const EdgeLimits limits =
        LimitsOf(static_cast<int>(EdgeLevel(cell)),
                 static_cast<int>(vp9_.loop_filter_sharpness));
    Sample* first =
        plane_.template Row<Sample>(static_cast<uint32_t>(y)) + x * components_;
    filter_(Edge<Sample>{first, across, along, lines, components_,
                         static_cast<EdgeWidth>(width), limits,
                         static_cast<int>(params_.bit_depth)});
  }

  ptrdiff_t Stride() const {
    return static_cast<ptrdiff_t>(plane_.stride_bytes / sizeof(Sample));
  }

  const FrameParams& params_;
  const Params& vp9_;
  const std::span<const uint32_t> edges_;
  const Plane& plane_;
  const DecodedArea area_;
  const uint32_t edge_shift_;
  const uint32_t subsampling_x_;
  const uint32_t subsampling_y_;
  const int components_;      // samples per pixel, filtered independently
  const uint32_t first_col_;  // 8x8 luma blocks
  const uint32_t first_row_;
  const Filter& filter_;
};

// Both passes over all planes of a range of superblocks (VP9 8.8.1).
template <typename Sample, typename Filter>
void WalkEdges(const KernelArgs& args, Range range, const Filter& filter) {
  for (uint32_t superblock = range.begin; superblock < range.end;
       ++superblock) {
    for (const uint32_t plane : {kLuma, kChroma}) {
      const EdgeWalk<Sample, Filter> walk(args, plane, superblock, filter);
      walk.VerticalEdges();
      walk.HorizontalEdges();
    }
  }
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_EDGE_WALK_H_
