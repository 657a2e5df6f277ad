// SPDX-License-Identifier: BSD-2-Clause
// Which blocks CDEF filters, how strongly, and from which samples (AV1 7.15,
// 7.15.1); the search for a block's direction and the filter itself are up to
// the variants of the kernel.
//
// A stripe is worked off in pieces of 64 luma columns, from left to right. The
// samples of a piece and two more around it are copied before any of it is
// filtered. With 16 bits a sample what is not available has a value of its own;
// of 8 bits blocks at the picture's edges are filtered apart.
#ifndef PERDIX_KERNELS_AV1_CDEF_CDEF_WALK_H_
#define PERDIX_KERNELS_AV1_CDEF_CDEF_WALK_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"

namespace perdix::av1 {

// Stands for a sample that is not available. Whoever takes it as unsigned for
// the minimum and as signed for the maximum need not ask for it there; the
// difference to any sample is too large to count.
inline constexpr uint16_t kCdefNotAvailable = 0x8000;

// Samples from line to line of a piece: 64 pairs of chroma, and what is around,
// so that lines of a piece begin with a cache line.
inline constexpr ptrdiff_t kCdefPitch = 128 + 64;
inline constexpr ptrdiff_t kCdefMargin = 64;  // to the left of a piece

// Cdef_Directions, from -2 to 9, lines and pixels of the first and the second
// tap.
inline constexpr int kCdefDirections[12][2][2] = {
    {{1, 0}, {2, 0}}, {{1, 0}, {2, -1}}, {{-1, 1}, {-2, 2}}, {{0, 1}, {-1, 2}},
    {{0, 1}, {0, 2}}, {{0, 1}, {1, 2}},  {{1, 1}, {2, 2}},   {{1, 0}, {2, 1}},
    {{1, 0}, {2, 0}}, {{1, 0}, {2, -1}}, {{-1, 1}, {-2, 2}}, {{0, 1}, {-1, 2}},
};

// Samples to a tap: primary, secondary, secondary.
using CdefOffsets = ptrdiff_t[3][2];

// The offsets of each direction, for samples and for pairs.
struct CdefOffsetTable {
  constexpr CdefOffsetTable() {
    constexpr int kTurns[3] = {2, 4, 0};
    for (int step = 1; step <= 2; ++step) {
      for (int direction = 0; direction < 8; ++direction) {
        for (int i = 0; i < 3; ++i) {
          for (int k = 0; k < 2; ++k) {
            const int* to = kCdefDirections[direction + kTurns[i]][k];
            offsets[step - 1][direction][i][k] =
                to[0] * kCdefPitch + to[1] * step;
          }
        }
      }
    }
  }
  CdefOffsets offsets[2][8] = {};
};
inline constexpr CdefOffsetTable kCdefOffsets;

// FloorLog2; 0 of 0.
inline int Log2(uint32_t x) {
  return static_cast<int>(std::bit_width(x | 1)) - 1;
}

// What 7.15.3 does to a block of one plane. A strength of 0 has no taps.
struct CdefFilter {
  int primary;  // strengths, scaled to the bit depth
  int secondary;
  int primary_shift;  // dampingAdj
  int secondary_shift;
  int primary_taps[2];  // Cdef_Pri_Taps
  const CdefOffsets& offsets;
};

// direction: of the plane. step: samples from pixel to pixel.
inline CdefFilter MakeCdefFilter(int primary, int secondary, int damping,
                                 int direction, int step, int coeff_shift) {
  const auto shift = [damping](int strength) {
    return std::max(0, damping - Log2(static_cast<uint32_t>(strength)));
  };
  const bool odd = (primary >> coeff_shift) & 1;
  return {primary,
          secondary,
          shift(primary),
          shift(secondary),
          {odd ? 3 : 4, odd ? 3 : 2},
          kCdefOffsets.offsets[step - 1][direction]};
}

// Blocks beside each other, and whether there are samples around them.
struct CdefArea {
  int width;  // samples
  int height;
  int around;  // samples to each side that taps reach
  bool left, right, above, below;
};

// What the direction process finds of an 8x8 of luma (7.15.2).
struct CdefDirection {
  int direction;  // yDir
  int variance;   // var
};

// A variant's part:
//   static void Directions(const Sample* blocks, uint32_t wanted,
//                          int bit_depth, CdefDirection* found);
//     Of eight 8x8 beside each other, lines kCdefPitch apart. wanted: bits; of
//     the others anything may be found.
//   static void Filter(const CdefFilter& filter, const Sample* block,
//                      Sample* to, ptrdiff_t stride, int width, int height);
//     filter: with a strength. width: a multiple of 8 samples, up to 128.
//     height: 4 or 8.
//   static void FilterAtEdge(const CdefFilter& filter, const uint8_t* block,
//                            const CdefArea& area, uint8_t* to,
//                            ptrdiff_t stride);
//     Of 8 bits, where some samples around are not available.
template <typename Sample, typename Variant>
class CdefWalk {
 public:
  explicit CdefWalk(const KernelArgs& args)
      : args_(args),
        params_(*args.params),
        av1_(ParamsOf(args)),
        coeff_shift_(static_cast<int>(params_.bit_depth) - 8),
        lines_(DecodedLines(params_, av1_)),
        block_cols_((av1_.mi_cols + 15) / 16) {}

  void FilterStripe(const Stripe& stripe) {
    for (PlanePiece& piece : pieces_) piece.kept = {};
    for (uint32_t col = 0; col < block_cols_; ++col) FilterPiece(stripe, col);
  }

 private:
  static constexpr uint32_t kRows8 = 8;  // 8x8 of a stripe

  // The lines of a piece.
  struct Lines {
    int begin;
    int end;
  };

  // A piece in one plane.
  struct PlanePiece {
    // The two pixels to the left of the piece as they were, by the stripe's
    // lines, where the piece to the left was filtered; elsewhere the target has
    // them.
    Lines kept;
    Sample left[64][4];
  };

  // The filtered 8x8 of a piece and their parameters, by row.
  struct Rows {
    uint8_t filtered[kRows8];  // bit: 8x8 from the left
    uint8_t index[kRows8];
    uint32_t first = kRows8;  // with any
    uint32_t end = 0;
  };

  Rows RowsOf(const Stripe& stripe, uint32_t col) const {
    const CdefBlock* blocks = args_.tables.Of(kCdefBlocks).data();
    const uint32_t cols8 = std::min(av1_.mi_cols / 2 - col * 8, 8u);
    Rows rows;
    for (uint32_t i = 0; i < (stripe.end - stripe.begin) / 8; ++i) {
      const uint32_t row8 = stripe.begin / 8 + i;
      const CdefBlock& block = blocks[size_t{row8 / 8} * block_cols_ + col];
      const uint32_t word = row8 & 4 ? block.filtered1 : block.filtered0;
      const uint32_t bits = (word >> (row8 % 4 * 8)) & ((1u << cols8) - 1);
      const bool filtered = block.index != PERDIX_NO_CDEF &&
                            (av1_.cdef_y_strength[block.index & 7] |
                             av1_.cdef_uv_strength[block.index & 7]) != 0;
      rows.filtered[i] = static_cast<uint8_t>(filtered ? bits : 0);
      rows.index[i] = static_cast<uint8_t>(block.index & 7);
      if (rows.filtered[i] == 0) continue;
      rows.first = std::min(rows.first, i);
      rows.end = i + 1;
    }
    return rows;
  }

  void FilterPiece(const Stripe& stripe, uint32_t col) {
    const Rows rows = RowsOf(stripe, col);
    if (rows.end == 0) {
      for (PlanePiece& piece : pieces_) piece.kept = {};
      return;
    }
    Load(stripe, kLuma, col, rows);
    FindDirections(rows);
    FilterLuma(stripe, col, rows);
    if (av1_.monochrome) return;
    Load(stripe, kChroma, col, rows);
    FilterChroma(stripe, col, rows);
  }

  // ---- samples ----

  // Where a plane's piece lies; pixels and lines of the plane.
  struct Place {
    uint32_t plane;
    uint32_t components;
    uint32_t x;
    uint32_t width;
    uint32_t y;
    uint32_t height;
    uint32_t plane_width;
    uint32_t plane_height;
  };

  Place PlaceOf(const Stripe& stripe, uint32_t plane, uint32_t col) const {
    const uint32_t shift_x = SubsamplingX(params_, plane);
    const uint32_t shift_y = SubsamplingY(params_, plane);
    const uint32_t plane_width = (av1_.mi_cols * 4) >> shift_x;
    const uint32_t x = (col * 64) >> shift_x;
    return {plane,
            Components(plane),
            x,
            std::min(64u >> shift_x, plane_width - x),
            stripe.begin >> shift_y,
            (stripe.end - stripe.begin) >> shift_y,
            plane_width,
            DecodedSize(params_.height) >> shift_y};
  }

  // The sample at the left upper corner of the piece.
  Sample* Samples() { return samples_ + 2 * kCdefPitch + kCdefMargin; }
  const Sample* Samples() const {
    return samples_ + 2 * kCdefPitch + kCdefMargin;
  }

  // Copies the lines that the filtered rows need.
  void Load(const Stripe& stripe, uint32_t plane, uint32_t col,
            const Rows& rows) {
    const Place place = PlaceOf(stripe, plane, col);
    const int size8 = 8 >> SubsamplingY(params_, plane);
    const int begin = static_cast<int>(rows.first) * size8 - 2;
    const int end = static_cast<int>(rows.end) * size8 + 2;
    if (plane == kLuma) {
      LoadLines<1>(stripe, place, begin, end);
    } else {
      LoadLines<2>(stripe, place, begin, end);
    }
  }

  // begin, end: lines of the piece, from -2 to two past its last. Those of
  // other stripes, which may be filtered already, are saved.
  template <int kComponents>
  void LoadLines(const Stripe& stripe, const Place& place, int begin, int end) {
    constexpr int kAround = 2 * kComponents;
    const int height = static_cast<int>(place.height);
    const int own_begin = std::max(begin, 0);
    const int own_end = std::min(end, height);
    for (int line = begin; line < 0; ++line) {
      LoadSaved<kAround>(place, stripe.index - 1, line + 2, line);
    }
    const Plane& plane = args_.target.planes[place.plane];
    const auto stride =
        static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample));
    const Sample* from =
        plane.template Row<Sample>(place.y + static_cast<uint32_t>(own_begin));
    for (int line = own_begin; line < own_end; ++line, from += stride) {
      LoadLine<kAround>(place, from, Samples() + line * kCdefPitch);
    }
    for (int line = height; line < end; ++line) {
      LoadSaved<kAround>(place, stripe.index, line - height + 2, line);
    }
    TakeLeft<kAround>(place, {own_begin, own_end});
    KeepLeft<kAround>(place, {begin + 2, end - 2});
  }

  // The line <in_slot> of those saved.
  template <int kAround>
  void LoadSaved(const Place& place, uint32_t slot, int in_slot, int line) {
    const uint32_t y = place.y + static_cast<uint32_t>(line);  // may wrap
    Sample* const to = Samples() + line * kCdefPitch;
    if (y >= place.plane_height) {
      const int count = static_cast<int>(place.width * place.components);
      return Mark(to, -kAround, count + kAround);
    }
    LoadLine<kAround>(
        place,
        lines_.template Line<Sample>(args_.tables.Of(kCdefLines), place.plane,
                                     slot, static_cast<uint32_t>(in_slot)),
        to);
  }

  // from: a line of the plane. kAround: samples beside the piece.
  template <int kAround>
  static void LoadLine(const Place& place, const Sample* from, Sample* to) {
    const int count = static_cast<int>(place.width * place.components);
    from += size_t{place.x} * place.components;
    // Prefetches the line of the next piece, whose first samples are read now.
    PrefetchBehind(from + count, count);
    CopyInSteps(from, count, to);
    if (place.x == 0) {
      Mark(to, -kAround, 0);
    } else {
      std::memcpy(to - kAround, from - kAround, kAround * sizeof(Sample));
    }
    if (place.x + place.width == place.plane_width) {
      Mark(to, count, count + kAround);
    } else {
      std::memcpy(to + count, from + count, kAround * sizeof(Sample));
    }
  }

  // Every cache line of count samples, but for the one that <from> is in.
  static void PrefetchBehind(const Sample* from, int count) {
    constexpr int kStep = 64 / static_cast<int>(sizeof(Sample));
    for (int i = kStep; i <= count; i += kStep) __builtin_prefetch(from + i);
  }

  // count: a multiple of 8, mostly of 64. More than 64 bytes at once would be
  // a string instruction for GCC, which takes its time to start.
  static void CopyInSteps(const Sample* from, int count, Sample* to) {
    constexpr int kStep = 64 / static_cast<int>(sizeof(Sample));
    int i = 0;
    for (; i + kStep <= count; i += kStep) {
      std::memcpy(to + i, from + i, 64);
    }
    for (; i < count; i += 8) {
      std::memcpy(to + i, from + i, 8 * sizeof(Sample));
    }
  }

  // What is not available.
  static void Mark(Sample* line, int begin, int end) {
    if constexpr (sizeof(Sample) == 2) {
      std::fill(line + begin, line + end, kCdefNotAvailable);
    }
  }

  // The two pixels to the left of the piece, where they have been filtered.
  template <int kAround>
  void TakeLeft(const Place& place, Lines lines) {
    const PlanePiece& piece = pieces_[place.plane];
    const int begin = std::max(lines.begin, piece.kept.begin);
    const int end = std::min(lines.end, piece.kept.end);
    for (int line = begin; line < end; ++line) {
      std::memcpy(Samples() + line * kCdefPitch - kAround, piece.left[line],
                  kAround * sizeof(Sample));
    }
  }

  // For the next piece: the last two pixels of the lines that are going to be
  // filtered.
  template <int kAround>
  void KeepLeft(const Place& place, Lines lines) {
    PlanePiece& piece = pieces_[place.plane];
    piece.kept = lines;
    const Sample* const right =
        Samples() + place.width * place.components - kAround;
    for (int line = lines.begin; line < lines.end; ++line) {
      std::memcpy(piece.left[line], right + line * kCdefPitch,
                  kAround * sizeof(Sample));
    }
  }

  // ---- blocks ----

  // Where they count: with a primary strength.
  void FindDirections(const Rows& rows) {
    for (uint32_t i = rows.first; i < rows.end; ++i) {
      const uint32_t index = rows.index[i];
      if (CdefPrimary(av1_.cdef_y_strength[index] |
                      av1_.cdef_uv_strength[index]) == 0)
        continue;
      Variant::Directions(Samples() + i * 8 * kCdefPitch, rows.filtered[i],
                          coeff_shift_ + 8, directions_[i]);
    }
  }

  // 7.15.1, steps 1 to 7.
  void FilterLuma(const Stripe& stripe, uint32_t col, const Rows& rows) {
    FilterRuns(PlaceOf(stripe, kLuma, col), rows, av1_.cdef_y_strength,
               [](const CdefDirection& found, int primary) {
                 return BlockTaps{AdjustedPrimary(primary, found.variance),
                                  found.direction};
               });
  }

  // Steps 4, 5.
  static int AdjustedPrimary(int primary, int variance) {
    if (variance == 0) return 0;
    const int strength =
        std::min(Log2(static_cast<uint32_t>(variance) >> 6), 12);
    return (primary * (4 + strength) + 8) >> 4;
  }

  // Steps 8 to 13, for U and V together.
  void FilterChroma(const Stripe& stripe, uint32_t col, const Rows& rows) {
    // Cdef_Uv_Dir.
    static constexpr uint8_t kDirections[2][2][8] = {
        {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 2, 2, 2, 3, 4, 6, 0}},
        {{7, 0, 2, 4, 5, 6, 6, 6}, {0, 1, 2, 3, 4, 5, 6, 7}}};
    const uint8_t* chroma_direction =
        kDirections[params_.subsampling_x][params_.subsampling_y];
    FilterRuns(PlaceOf(stripe, kChroma, col), rows, av1_.cdef_uv_strength,
               [&](const CdefDirection& found, int primary) {
                 return BlockTaps{primary, chroma_direction[found.direction]};
               });
  }

  // What blocks of the same strengths may differ in.
  struct BlockTaps {
    int primary;  // strength
    int direction;
    bool operator==(const BlockTaps&) const = default;
  };

  // A row of 8x8 in a plane's piece, from its first sample on.
  struct BlockRow {
    const Sample* from;
    Sample* to;
    ptrdiff_t stride;
    int components;
    int block_width;  // samples
    int height;
    int width;      // of the piece
    bool is_first;  // pieces and rows at the picture's edges
    bool is_last;
    bool is_top;
    bool is_bottom;
  };

  BlockRow BlockRowOf(const Place& place, uint32_t i) const {
    const Plane& plane = args_.target.planes[place.plane];
    const uint32_t height = 8 >> SubsamplingY(params_, place.plane);
    const uint32_t y = place.y + i * height;
    return {Samples() + static_cast<ptrdiff_t>(i * height) * kCdefPitch,
            plane.template Row<Sample>(y) + place.x * place.components,
            static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample)),
            static_cast<int>(place.components),
            static_cast<int>((8 >> SubsamplingX(params_, place.plane)) *
                             place.components),
            static_cast<int>(height),
            static_cast<int>(place.width * place.components),
            place.x == 0,
            place.x + place.width == place.plane_width,
            y == 0,
            y + height >= place.plane_height};
  }

  // Neighbours with the same taps are filtered at once. taps_of(CdefDirection,
  // primary strength), where that is not 0.
  template <typename TapsOf>
  void FilterRuns(const Place& place, const Rows& rows,
                  const uint32_t* strengths, const TapsOf& taps_of) const {
    const int damping = static_cast<int>(av1_.cdef_damping) + coeff_shift_ -
                        (place.plane == kLuma ? 0 : 1);
    for (uint32_t i = rows.first; i < rows.end; ++i) {
      const uint32_t strength = strengths[rows.index[i]];
      uint32_t bits = rows.filtered[i];
      if (strength == 0 || bits == 0) continue;
      const int primary = static_cast<int>(CdefPrimary(strength))
                          << coeff_shift_;
      const int secondary = static_cast<int>(CdefSecondary(strength))
                            << coeff_shift_;
      const BlockRow row = BlockRowOf(place, i);
      const auto filter_run = [&](const BlockTaps& taps, int begin, int count) {
        FilterRun(MakeCdefFilter(taps.primary, secondary, damping,
                                 taps.direction, row.components, coeff_shift_),
                  row, begin, count);
      };
      while (bits != 0) {
        const int begin = std::countr_zero(bits);
        const int beside = std::countr_one(bits >> begin);
        bits &= bits + (1u << begin);
        if (primary == 0) {
          filter_run({0, 0}, begin, beside);
          continue;
        }
        BlockTaps taps = taps_of(directions_[i][begin], primary);
        int first = begin;
        for (int j = begin + 1; j < begin + beside; ++j) {
          const BlockTaps next = taps_of(directions_[i][j], primary);
          if (next == taps) continue;
          filter_run(taps, first, j - first);
          taps = next;
          first = j;
        }
        filter_run(taps, first, begin + beside - first);
      }
    }
  }

  // count: of blocks beside each other, from column <begin> on.
  void FilterRun(const CdefFilter& filter, const BlockRow& row, int begin,
                 int count) const {
    if (filter.primary == 0 && filter.secondary == 0) return;
    const int x = begin * row.block_width;
    const int width = count * row.block_width;
    if constexpr (sizeof(Sample) == 1) {
      const CdefArea area = {width,
                             row.height,
                             2 * row.components,
                             !row.is_first || begin != 0,
                             !row.is_last || x + width != row.width,
                             !row.is_top,
                             !row.is_bottom};
      if (!(area.left && area.right && area.above && area.below)) {
        return Variant::FilterAtEdge(filter, row.from + x, area, row.to + x,
                                     row.stride);
      }
    }
    Variant::Filter(filter, row.from + x, row.to + x, row.stride, width,
                    row.height);
  }

  const KernelArgs& args_;
  const FrameParams& params_;
  const Params& av1_;
  const int coeff_shift_;
  const LineBuffers lines_;
  const uint32_t block_cols_;  // 64x64
  PlanePiece pieces_[kPlaneCount];
  CdefDirection directions_[kRows8][8];
  alignas(64) Sample samples_[(64 + 4) * kCdefPitch + kCdefMargin];
};

template <typename Sample, typename Variant>
void CdefRows(const KernelArgs& args, Range range) {
  CdefWalk<Sample, Variant> walk(args);
  ForEachStripe(*args.params, range,
                [&](const Stripe& stripe) { walk.FilterStripe(stripe); });
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_CDEF_CDEF_WALK_H_
