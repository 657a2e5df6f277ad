// SPDX-License-Identifier: BSD-2-Clause
// Which edges of a superblock row are deblocked, in which order and how
// strongly (AV1 7.14.1, 7.14.2, 7.14.4); what is done to the samples across one
// edge is up to the variants of the kernel.
#ifndef PERDIX_KERNELS_AV1_DEBLOCK_DEBLOCK_WALK_H_
#define PERDIX_KERNELS_AV1_DEBLOCK_DEBLOCK_WALK_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"

namespace perdix::av1 {

// 7.14.4, scaled to the bit depth.
struct EdgeLimits {
  int limit;
  int blimit;
  int thresh;
};

inline EdgeLimits LimitsOf(int level, int sharpness, int bit_depth) {
  const int shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const int highest = sharpness > 0 ? 9 - sharpness : 63;
  const int limit = std::max(1, std::min(level >> shift, highest));
  const int scale = bit_depth - 8;
  return {limit << scale, (2 * (level + 2) + limit) << scale,
          (level >> 4) << scale};
}

// filterLen of 7.14.6.2.
enum class EdgeTaps { k4, k6, k8, k16 };

// An edge of a 4x4 block: four lines across it. The first sample behind it in
// line i is at first + i * along, the one before that at first + i * along -
// across. Both in samples.
template <typename Sample>
struct Edge {
  Sample* first;
  ptrdiff_t across;
  ptrdiff_t along;
  EdgeTaps taps;
  const EdgeLimits* limits;
};

// The levels of edges and their limits.
class LevelLimits {
 public:
  LevelLimits(const FrameParams& params, const Params& av1) {
    for (int level = 0; level < 64; ++level) {
      limits_[static_cast<size_t>(level)] =
          LimitsOf(level, static_cast<int>(av1.loop_filter_sharpness),
                   static_cast<int>(params.bit_depth));
    }
  }
  const EdgeLimits& operator[](uint32_t level) const { return limits_[level]; }

 private:
  std::array<EdgeLimits, 64> limits_;
};

// The edges of one plane in a superblock row. filter(const Edge<Sample>&) is
// called in an order that gives what 7.14.1's gives: all vertical edges of the
// frame, then all horizontal ones. A horizontal edge reads only the transform
// blocks above and below it, so all vertical edges that change these must come
// before it: those in its row and in the row above, up to the next one to the
// right of it. That one changes 6 samples of luma to its left, 2 of chroma.
template <typename Sample, typename Filter>
class DeblockWalk {
 public:
  DeblockWalk(const KernelArgs& args, uint32_t plane, uint32_t row,
              const Filter& filter)
      : plane_(args.target.planes[plane]),
        components_(Components(plane)),
        stride_(static_cast<ptrdiff_t>(plane_.stride_bytes / sizeof(Sample))),
        limits_(*args.params, ParamsOf(args)),
        filter_(filter) {
    const FrameParams& params = *args.params;
    const uint32_t log2_x = 2 + SubsamplingX(params, plane);
    const uint32_t log2_y = 2 + SubsamplingY(params, plane);
    // 7.14.2: onScreen.
    cols_ = (params.width + (1u << log2_x) - 1) >> log2_x;
    const uint32_t rows = (params.height + (1u << log2_y) - 1) >> log2_y;
    begin_row_ = (row << params.sb_log2) >> log2_y;
    end_row_ = std::min(((row + 1) << params.sb_log2) >> log2_y, rows);
    chunk_ = 64u >> log2_x;
  }

  // words: of the plane, words_per_row each row of it.
  // visit_left, visit_above(word, x, y): what to do with a word's edges.
  template <typename Word, typename Left, typename Above>
  void Walk(const Word* words, uint32_t words_per_row, const Left& left,
            const Above& above) const {
    for (uint32_t col = 0; col < cols_ + kLag; col += chunk_) {
      const uint32_t end = col + chunk_;
      ForEachWord(words, words_per_row, std::min(col, cols_),
                  std::min(end, cols_), left);
      ForEachWord(words, words_per_row, col == 0 ? 0 : col - kLag,
                  std::min(end - kLag, cols_), above);
    }
  }

  void Vertical(Sample* at, EdgeTaps taps, uint32_t level) const {
    filter_(Edge<Sample>{at, static_cast<ptrdiff_t>(components_), stride_, taps,
                         &limits_[level]});
  }
  void Horizontal(Sample* at, EdgeTaps taps, uint32_t level) const {
    filter_(Edge<Sample>{at, stride_, static_cast<ptrdiff_t>(components_), taps,
                         &limits_[level]});
  }

 private:
  static constexpr uint32_t kLag = 2;  // 4x4 blocks

  // visit(word, first sample of its block)
  template <typename Word, typename Visit>
  void ForEachWord(const Word* words, uint32_t words_per_row, uint32_t begin,
                   uint32_t end, const Visit& visit) const {
    for (uint32_t row = begin_row_; row < end_row_; ++row) {
      const Word* line = words + size_t{row} * words_per_row;
      Sample* samples = plane_.template Row<Sample>(row * 4);
      for (uint32_t col = begin; col < end; ++col) {
        visit(line[col], samples + size_t{col} * 4 * components_);
      }
    }
  }

  const Plane& plane_;
  const uint32_t components_;
  const ptrdiff_t stride_;
  const LevelLimits limits_;
  const Filter& filter_;
  uint32_t cols_;  // 4x4 blocks of the plane that have edges
  uint32_t begin_row_;
  uint32_t end_row_;
  uint32_t chunk_;  // blocks of 64 luma columns
};

template <typename Sample, typename Filter>
void WalkLumaEdges(const KernelArgs& args, uint32_t row, const Filter& filter) {
  constexpr EdgeTaps kTaps[4] = {EdgeTaps::k4, EdgeTaps::k4, EdgeTaps::k8,
                                 EdgeTaps::k16};
  const DeblockWalk<Sample, Filter> walk(args, kLuma, row, filter);
  walk.Walk(
      args.tables.Of(kLumaEdges).data(), ParamsOf(args).mi_cols,
      [&](uint32_t word, Sample* at) {
        const uint32_t size = LeftEdge(word);
        if (size != 0) walk.Vertical(at, kTaps[size], LumaLeftLevel(word));
      },
      [&](uint32_t word, Sample* at) {
        const uint32_t size = AboveEdge(word);
        if (size != 0) walk.Horizontal(at, kTaps[size], LumaAboveLevel(word));
      });
}

template <typename Sample, typename Filter>
void WalkChromaEdges(const KernelArgs& args, uint32_t row,
                     const Filter& filter) {
  constexpr EdgeTaps kTaps[4] = {EdgeTaps::k4, EdgeTaps::k4, EdgeTaps::k6,
                                 EdgeTaps::k6};
  const Params& av1 = ParamsOf(args);
  const DeblockWalk<Sample, Filter> walk(args, kChroma, row, filter);
  const bool filtered[2] = {av1.loop_filter_level[2] != 0,
                            av1.loop_filter_level[3] != 0};
  walk.Walk(
      args.tables.Of(kChromaEdges).data(),
      ChromaEdgeCols(av1.mi_cols, args.params->subsampling_x),
      [&](uint32_t word, Sample* at) {
        const uint32_t size = LeftEdge(word);
        if (size == 0) return;
        for (uint32_t i = 0; i < 2; ++i) {
          const uint32_t level = filtered[i] ? ChromaLeftLevel(word, i) : 0;
          if (level != 0) walk.Vertical(at + i, kTaps[size], level);
        }
      },
      [&](uint32_t word, Sample* at) {
        const uint32_t size = AboveEdge(word);
        if (size == 0) return;
        for (uint32_t i = 0; i < 2; ++i) {
          const uint32_t level = filtered[i] ? ChromaAboveLevel(word, i) : 0;
          if (level != 0) walk.Horizontal(at + i, kTaps[size], level);
        }
      });
}

// Copies what lies around the ends of the row's stripes.
template <typename Sample>
void SaveDeblockedLines(const KernelArgs& args, uint32_t row) {
  const FrameParams& params = *args.params;
  const LineBuffers lines = DecodedLines(params, ParamsOf(args));
  const std::span<uint8_t> table = args.tables.Of(kCdefLines);
  const uint32_t end = std::min((row + 1) << params.sb_log2, params.height);
  for (uint32_t slot = (row << params.sb_log2) / 64; slot * 64 < end; ++slot) {
    for (uint32_t plane = 0; plane < PlaneCount(ParamsOf(args)); ++plane) {
      const uint32_t shift_x = SubsamplingX(params, plane);
      const uint32_t shift_y = SubsamplingY(params, plane);
      const uint32_t first = LineBuffers::FirstLine(slot, shift_y);
      const uint32_t decoded = DecodedSize(params.height) >> shift_y;
      const size_t bytes = (DecodedSize(params.width) >> shift_x) *
                           Components(plane) * sizeof(Sample);
      for (uint32_t i = 0; i < kBufferedLines && first + i < decoded; ++i) {
        std::memcpy(lines.Line<Sample>(table, plane, slot, i),
                    args.target.planes[plane].Row<Sample>(first + i), bytes);
      }
    }
  }
}

// The whole kernel (7.14.1), by a variant's filter of an edge.
template <typename Sample, typename Filter>
void DeblockRows(const KernelArgs& args, Range range, const Filter& filter) {
  const Params& av1 = ParamsOf(args);
  const uint32_t* level = av1.loop_filter_level;
  const bool filtered = level[0] != 0 || level[1] != 0;
  const bool chroma = !av1.monochrome && (level[2] != 0 || level[3] != 0);
  ForEachRow(*args.params, range, [&](uint32_t row) {
    if (filtered) WalkLumaEdges<Sample>(args, row, filter);
    if (filtered && chroma) WalkChromaEdges<Sample>(args, row, filter);
    if (NeedsLineBuffers(av1)) SaveDeblockedLines<Sample>(args, row);
  });
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_DEBLOCK_DEBLOCK_WALK_H_
