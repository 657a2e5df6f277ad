// SPDX-License-Identifier: BSD-2-Clause
// Deblocking (AV1 7.14) on vectors: what deblock.cc does, to many lines of
// samples across an edge at once. A lane is a line of luma, or of U or V; the
// edges of neighbouring blocks share a vector, whatever their sizes and levels.
//
// The order is deblock_walk.h's where it matters: in each 64 luma columns all
// vertical edges, vectors of lines one after the other, each from left to
// right; then the horizontal ones, from top to bottom, up to 2 blocks before
// the next columns.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/deblock/deblock_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/deblock/deblock_walk.h"
#include "kernels/av1/kernels.h"
#include "kernels/simd/prefetch.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/deblock/edge_filter-inl.h"
#include "kernels/simd/edge_samples-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void Deblock8(const KernelArgs& args, Range range) {
  Deblock<uint8_t>(args, range);
}
void Deblock16(const KernelArgs& args, Range range) {
  Deblock<uint16_t>(args, range);
}

#else

namespace {

// ---- cells: the edges of a 4x4, a byte for each component ----

constexpr int kChunk = 16;     // 4x4 of 64 luma columns
constexpr int kMostRows = 32;  // of a superblock row
constexpr int kLag = 2;        // 4x4

template <int kComponents>
struct CellRows {
  // Left edges: kChunk cells a row.
  static constexpr int kPitch = (kChunk + kLag) * kComponents + 4;
  uint8_t left[kMostRows + 8][kPitch];
  // Upper edges: in front of as many cells a row, kLag more.
  uint8_t above[kMostRows][kPitch];
};

using Cells = hn::FixedTag<uint8_t, 8>;
using CellWords = hn::FixedTag<uint16_t, 8>;
using VCellWords = hn::VFromD<CellWords>;

// none: a mask of those without an edge.
template <class Mask>
HWY_INLINE HWY_ATTR void StoreCells(VCellWords sizes, VCellWords levels,
                                    Mask none, uint8_t* to) {
  const VCellWords cells = hn::IfThenZeroElse(
      none, hn::Or(hn::ShiftLeft<kSizeShift>(sizes), levels));
  hn::StoreU(hn::TruncateTo(Cells(), cells), Cells(), to);
}

// Makes cells of eight words.
HWY_INLINE HWY_ATTR void UnpackWords(const uint16_t* words, const uint16_t*,
                                     uint8_t* left, uint8_t* above) {
  const CellWords d;
  const VCellWords v = hn::LoadU(d, words);
  const auto three = hn::Set(d, 3);
  const auto left_sizes = hn::And(v, three);
  const auto above_sizes = hn::And(hn::ShiftRight<2>(v), three);
  StoreCells(left_sizes, hn::And(hn::ShiftRight<4>(v), hn::Set(d, 63)),
             hn::Eq(left_sizes, hn::Zero(d)), left);
  StoreCells(above_sizes, hn::ShiftRight<10>(v),
             hn::Eq(above_sizes, hn::Zero(d)), above);
}
// Makes cells of four words. masks: one for U and one for V in turn, 0 where
// the frame does not filter that component. A component whose level is 0 has no
// edge.
HWY_INLINE HWY_ATTR void UnpackWords(const uint32_t* words,
                                     const uint16_t* masks, uint8_t* left,
                                     uint8_t* above) {
  const CellWords d;
  const hn::RepartitionToWide<CellWords> d32;
  const auto v = hn::LoadU(d32, words);
  const auto u_level = hn::Set(d32, 63);
  const auto v_level = hn::Set(d32, 63 << 16);
  const auto store = [&](auto sizes, auto levels, uint8_t* to) HWY_ATTR {
    const auto size = hn::And(sizes, hn::Set(d32, 3));
    const VCellWords both =
        hn::BitCast(d, hn::Or(size, hn::ShiftLeft<16>(size)));
    const VCellWords level =
        hn::And(hn::BitCast(d, levels), hn::LoadU(d, masks));
    StoreCells(both, level, hn::Eq(hn::Min(both, level), hn::Zero(d)), to);
  };
  store(v, hn::Or(hn::And(hn::ShiftRight<4>(v), u_level), hn::And(v, v_level)),
        left);
  store(hn::ShiftRight<2>(v),
        hn::Or(hn::And(hn::ShiftRight<10>(v), u_level),
               hn::And(hn::ShiftRight<6>(v), v_level)),
        above);
}

// For TableLookupBytes: the byte of each lane's cell; of samples with 16 bits
// the upper byte stays empty.
template <typename Sample, int kComponents>
struct CellOfLane {
  constexpr CellOfLane() {
    for (int i = 0; i < kLanes; ++i) {
      const int byte = kComponents == 1 ? i / 4 : i / 8 * 2 + i % 2;
      lanes[i] =
          static_cast<Sample>(sizeof(Sample) == 1 ? byte : 0x8000 | byte);
    }
  }
  static constexpr int kLanes = 32 / sizeof(Sample);
  alignas(32) Sample lanes[kLanes] = {};
};

template <class D, int kComponents>
HWY_INLINE HWY_ATTR hn::VFromD<D> LanesOf(uint64_t cells) {
  static constexpr CellOfLane<hn::TFromD<D>, kComponents> kCellOfLane;
  const D d;
  const hn::Repartition<uint8_t, D> bytes;
  alignas(16) const uint64_t twice[2] = {cells, cells};
  return hn::BitCast(
      d, hn::TableLookupBytesOr0(
             hn::LoadDup128(bytes, reinterpret_cast<const uint8_t*>(twice)),
             hn::BitCast(bytes, hn::Load(d, kCellOfLane.lanes))));
}

// ---- edges ----

// Returns how many samples on either side may have changed.
template <class D, int kComponents, EdgeTaps kTaps>
HWY_NOINLINE HWY_ATTR int FilterTaps(hn::TFromD<D>* q0, ptrdiff_t stride,
                                     uint64_t cells,
                                     const FrameLimits& limits) {
  return EdgeFilter<D, kTaps>(q0, stride, LanesOf<D, kComponents>(cells),
                              limits)
      .Filter();
}

// The greatest size in cells, one of which has an edge.
template <int kComponents>
HWY_INLINE EdgeTaps TapsOf(uint64_t cells) {
  constexpr uint64_t kUpper = 0x8080808080808080;
  if (kComponents == 1 && (cells & cells << 1 & kUpper) != 0)
    return EdgeTaps::k16;
  if ((cells & kUpper) == 0) return EdgeTaps::k4;
  return kComponents == 1 ? EdgeTaps::k8 : EdgeTaps::k6;
}

template <class D, int kComponents>
HWY_INLINE HWY_ATTR int FilterHorizontal(hn::TFromD<D>* q0, ptrdiff_t stride,
                                         EdgeTaps taps, uint64_t cells,
                                         const FrameLimits& limits) {
  if (taps == EdgeTaps::k4) {
    return FilterTaps<D, kComponents, EdgeTaps::k4>(q0, stride, cells, limits);
  }
  if constexpr (kComponents == 2) {
    return FilterTaps<D, 2, EdgeTaps::k6>(q0, stride, cells, limits);
  } else if (taps == EdgeTaps::k8) {
    return FilterTaps<D, 1, EdgeTaps::k8>(q0, stride, cells, limits);
  } else {
    return FilterTaps<D, 1, EdgeTaps::k16>(q0, stride, cells, limits);
  }
}

// Transposes, filters, transposes what has changed.
template <class D, int kComponents>
HWY_NOINLINE HWY_ATTR void FilterVertical(hn::TFromD<D>* q0, ptrdiff_t stride,
                                          uint64_t cells,
                                          const FrameLimits& limits) {
  using Sample = hn::TFromD<D>;
  const D d;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  constexpr ptrdiff_t kPitch = kLanes;
  alignas(32) Sample columns[16 * kLanes];
  const simd::HWY_NAMESPACE::VerticalEdge<Sample, kLanes, kComponents> edge(
      q0, stride);
  const auto load = [&](auto side) HWY_ATTR {
    constexpr int kSide = decltype(side)::value;
    hn::VFromD<D> v[2 * kSide];
    edge.template Load<kSide>(v);
#pragma GCC unroll 16
    for (int i = 0; i < 2 * kSide; ++i) {
      hn::Store(v[i], d, columns + (8 - kSide + i) * kPitch);
    }
  };
  const auto store = [&](auto side) HWY_ATTR {
    constexpr int kSide = decltype(side)::value;
    hn::VFromD<D> v[2 * kSide];
#pragma GCC unroll 16
    for (int i = 0; i < 2 * kSide; ++i) {
      v[i] = hn::Load(d, columns + (8 - kSide + i) * kPitch);
    }
    edge.template Store<kSide>(v);
  };
  const EdgeTaps taps = TapsOf<kComponents>(cells);
  if (taps != EdgeTaps::k16) {
    load(std::integral_constant<int, 4>());
  } else if constexpr (kComponents == 1) {
    load(std::integral_constant<int, 8>());
  }
  const int changed = FilterHorizontal<D, kComponents>(
      columns + 8 * kPitch, kPitch, taps, cells, limits);
  if (changed == 0) return;
  if (changed == 2) {
    store(std::integral_constant<int, 2>());
  } else if (changed == 3) {
    store(std::integral_constant<int, 4>());
  } else if constexpr (kComponents == 1) {
    store(std::integral_constant<int, 8>());
  }
}

// ---- the walk ----

// run(lanes, first) for vectors of the most lanes, then of 16 and of 8.
template <typename Sample, class Run>
HWY_INLINE HWY_ATTR void ForEachVector(int lanes, const Run& run) {
  constexpr int kMost =
      std::min<int>(32, HWY_MAX_BYTES) / static_cast<int>(sizeof(Sample));
  int i = 0;
  for (; i + kMost <= lanes; i += kMost) {
    run(std::integral_constant<int, kMost>(), i);
  }
  if constexpr (kMost > 16) {
    for (; i + 16 <= lanes; i += 16) {
      run(std::integral_constant<int, 16>(), i);
    }
  }
  for (; i < lanes; i += 8) run(std::integral_constant<int, 8>(), i);
}

// One plane of a superblock row.
template <typename Sample, int kComponents>
class PlaneRow {
 public:
  using Word = std::conditional_t<kComponents == 1, uint16_t, uint32_t>;

  PlaneRow(const KernelArgs& args, uint32_t row)
      : plane_(args.target.planes[kIndex]),
        stride_(static_cast<ptrdiff_t>(plane_.stride_bytes / sizeof(Sample))),
        prefetches_(simd::LeavesTheCaches(args.target.planes[kLuma])) {
    const FrameParams& params = *args.params;
    const Params& av1 = ParamsOf(args);
    const int sharpness = static_cast<int>(av1.loop_filter_sharpness);
    limits_ = {
        sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0),
        sharpness > 0 ? 9 - sharpness : 63,
        sizeof(Sample) == 1 ? 0 : static_cast<int>(params.bit_depth) - 8};
    const uint32_t log2_x = 2 + SubsamplingX(params, kIndex);
    const uint32_t log2_y = 2 + SubsamplingY(params, kIndex);
    const uint32_t rows = (params.height + (1u << log2_y) - 1) >> log2_y;
    const uint32_t begin = (row << params.sb_log2) >> log2_y;
    const uint32_t end =
        std::min(((row + 1) << params.sb_log2) >> log2_y, rows);
    rows_ = static_cast<int>(end - begin);
    cols_ = static_cast<int>((params.width + (1u << log2_x) - 1) >> log2_x);
    chunk_ = 64 >> log2_x;
    first_ = plane_.template Row<Sample>(begin * 4);
    if constexpr (kComponents == 1) {
      words_per_row_ = av1.mi_cols;
      words_ = args.tables.Of(kLumaEdges).data();
    } else {
      words_per_row_ = ChromaEdgeCols(av1.mi_cols, params.subsampling_x);
      words_ = args.tables.Of(kChromaEdges).data();
      for (int i = 0; i < 2; ++i) {
        if (av1.loop_filter_level[2 + i] == 0) continue;
        for (int k = i; k < 8; k += 2) masks_[k] = 63;
      }
    }
    words_ += size_t{begin} * words_per_row_;
    // A vector may have one row more than the frame, of 8 luma lines.
    std::memset(cells_.left[rows_], 0, sizeof(cells_.left[0]) * 8);
  }

  HWY_ATTR void Filter() {
    for (int col = 0; col < cols_ + kLag; col += chunk_) {
      Unpack(col);
      VerticalEdges(col);
      HorizontalEdges(col);
    }
  }

 private:
  static constexpr uint32_t kIndex = kComponents == 1 ? kLuma : kChroma;
  static constexpr int kLanesPerCell = 4 * kComponents;
  static constexpr int kPitch = CellRows<kComponents>::kPitch;
  static constexpr int kCellBytes = kComponents;
  static constexpr int kColumnRows = 8 / kCellBytes;  // of cells in 64 bits

  // Makes the cells of the columns from col on; the upper edges of columns
  // before col stay.
  HWY_INLINE HWY_ATTR void Unpack(int col) {
    const int count = std::clamp(cols_ - col, 0, chunk_);
    const Word* words = words_ + col;
    const int next = std::min(chunk_, cols_ - 1 - col);  // to prefetch
    for (int row = 0; row < rows_; ++row, words += words_per_row_) {
      __builtin_prefetch(words + next);
      uint8_t* above = cells_.above[row];
      std::memcpy(above, above + chunk_ * kCellBytes, kLag * kCellBytes);
      above += kLag * kCellBytes;
      Word padded[kChunk] = {};
      const bool whole = count == chunk_;
      for (int i = 0; i < kChunk && !whole; ++i) {
        padded[i] = i < count ? words[i] : Word{0};
      }
      const Word* const from = whole ? words : padded;
      uint8_t* left = cells_.left[row];
      for (int i = 0; i < chunk_ * kCellBytes; i += 8) {
        UnpackWords(from + i / kCellBytes, masks_, left + i, above + i);
      }
    }
  }

  // Asks for the next columns' pixels in kColumnRows rows: they were written a
  // row of superblocks ago, and each line of them lies elsewhere.
  HWY_INLINE HWY_ATTR void PrefetchPixels(const Sample* first) const {
    constexpr int kStep =
        simd::kCacheLineBytes / static_cast<int>(sizeof(Sample));
    for (int line = 0; line < 4 * kColumnRows; ++line, first += stride_) {
      for (int x = 0; x < chunk_ * kLanesPerCell; x += kStep) {
        __builtin_prefetch(first + x);
      }
    }
  }

  HWY_INLINE HWY_ATTR void VerticalEdges(int col) const {
    const int count = std::min(cols_ - col, chunk_);
    if (count <= 0) return;
    // Lines in pairs of rows of luma, of which there may be one too many.
    const int rows = kComponents == 1 ? (rows_ + 1) & ~1 : rows_;
    alignas(16) uint64_t columns[kChunk];
    for (int row = 0; row < rows; row += kColumnRows) {
      LoadColumns(cells_.left[row], columns);
      Sample* const first = first_ + row * 4 * stride_ + col * kLanesPerCell;
      if (prefetches_ && col + chunk_ < cols_) {
        PrefetchPixels(first + chunk_ * kLanesPerCell);
      }
      ForEachVector<Sample>(
          std::min(rows - row, kColumnRows) * kLanesPerCell,
          [&](auto lanes, int lane) HWY_ATTR {
            constexpr int kBits = lanes() / kLanesPerCell * kCellBytes * 8;
            const int shift = lane / kLanesPerCell * kCellBytes * 8;
            Sample* const q0 = first + lane / kComponents * stride_;
            for (int i = 0; i < count; ++i) {
              const uint64_t column = columns[i] >> shift << (64 - kBits);
              if (column == 0) continue;
              FilterVertical<hn::FixedTag<Sample, lanes()>, kComponents>(
                  q0 + i * kLanesPerCell, stride_, column >> (64 - kBits),
                  limits_);
            }
          });
    }
  }

  // Loads kColumnRows rows of cells, each column of cells into a word.
  HWY_INLINE HWY_ATTR void LoadColumns(const uint8_t* cells,
                                       uint64_t* columns) const {
    const hn::FixedTag<std::conditional_t<kComponents == 1, uint8_t, uint16_t>,
                       16 / kCellBytes>
        d;
    const hn::FixedTag<uint8_t, 16> bytes;
    const hn::FixedTag<uint64_t, 2> words;
    for (int i = 0; i * 16 < chunk_ * kCellBytes; ++i) {
      hn::VFromD<decltype(d)> rows[kColumnRows];
#pragma GCC unroll 8
      for (int row = 0; row < kColumnRows; ++row) {
        rows[row] =
            hn::BitCast(d, hn::LoadU(bytes, cells + row * kPitch + 16 * i));
      }
      simd::HWY_NAMESPACE::Interleave<kColumnRows>(d, rows);
#pragma GCC unroll 8
      for (int row = 0; row < kColumnRows; ++row) {
        hn::Store(hn::BitCast(words, rows[row]), words, columns);
        columns += 2;
      }
    }
  }

  HWY_INLINE HWY_ATTR void HorizontalEdges(int col) const {
    const int begin = std::max(col - kLag, 0);
    const int count = std::min(col + chunk_ - kLag, cols_) - begin;
    if (count <= 0) return;
    // Columns of luma go in pairs, like the rows in VerticalEdges.
    const int cols = kComponents == 1 ? (count + 1) & ~1 : count;
    for (int row = 0; row < rows_; ++row) {
      const uint8_t* cells =
          cells_.above[row] + (begin - col + kLag) * kCellBytes;
      Sample* q0 = first_ + row * 4 * stride_ + begin * kLanesPerCell;
      ForEachVector<Sample>(cols * kLanesPerCell, [&](auto lanes,
                                                      int lane) HWY_ATTR {
        uint64_t edges = 0;
        std::memcpy(&edges, cells + lane / 4, static_cast<size_t>(lanes() / 4));
        if (edges == 0) return;
        FilterHorizontal<hn::FixedTag<Sample, lanes()>, kComponents>(
            q0 + lane, stride_, TapsOf<kComponents>(edges), edges, limits_);
      });
    }
  }

  const Plane& plane_;
  const ptrdiff_t stride_;
  const bool prefetches_;
  FrameLimits limits_;
  int rows_;  // 4x4 blocks of the plane that have edges
  int cols_;
  int chunk_;  // 4x4 of 64 luma columns
  Sample* first_;
  const Word* words_;
  uint32_t words_per_row_;
  uint16_t masks_[8] = {};  // of levels, U and V in turn
  CellRows<kComponents> cells_ = {};
};

template <typename Sample>
HWY_ATTR void DeblockSuperblockRows(const KernelArgs& args, Range range) {
  const Params& av1 = ParamsOf(args);
  const uint32_t* level = av1.loop_filter_level;
  const bool filtered = level[0] != 0 || level[1] != 0;
  const bool chroma = !av1.monochrome && (level[2] != 0 || level[3] != 0);
  ForEachRow(*args.params, range, [&](uint32_t row) HWY_ATTR {
    if (filtered) PlaneRow<Sample, 1>(args, row).Filter();
    if (filtered && chroma) PlaneRow<Sample, 2>(args, row).Filter();
    if (NeedsLineBuffers(av1)) SaveDeblockedLines<Sample>(args, row);
  });
}

}  // namespace

void Deblock8(const KernelArgs& args, Range range) {
  DeblockSuperblockRows<uint8_t>(args, range);
}
void Deblock16(const KernelArgs& args, Range range) {
  DeblockSuperblockRows<uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(Deblock8);
HWY_EXPORT(Deblock16);

template <>
void DeblockSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(Deblock8)(args, range);
}
template <>
void DeblockSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(Deblock16)(args, range);
}

}  // namespace perdix::av1
#endif
