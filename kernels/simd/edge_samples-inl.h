// SPDX-License-Identifier: BSD-2-Clause
// The samples across an edge of a plane, to vectors and back: a vector holds
// those at one distance from the edge. Unchanged ones are written back, too.
#if defined(PERDIX_KERNELS_SIMD_EDGE_SAMPLES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_SIMD_EDGE_SAMPLES_INL_H_
#undef PERDIX_KERNELS_SIMD_EDGE_SAMPLES_INL_H_
#else
#define PERDIX_KERNELS_SIMD_EDGE_SAMPLES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace perdix::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// log2(kCount) rounds of interleaving the lanes of rows that are kCount / 2
// apart: with as many rows as lanes, rows become columns.
template <int kCount, class D>
HWY_INLINE HWY_ATTR void Interleave(D d, hn::VFromD<D>* rows) {
  for (int round = 1; round < kCount; round *= 2) {
    hn::VFromD<D> next[kCount];
    for (int i = 0; i < kCount / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kCount / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kCount / 2]);
    }
    for (int i = 0; i < kCount; ++i) rows[i] = next[i];
  }
}

// A horizontal edge: a row of the picture is a vector.
template <typename Sample, int kLanesAlong>
class HorizontalEdge {
 public:
  static constexpr int kLanes = kLanesAlong;
  using D = hn::FixedTag<Sample, kLanes>;
  using V = hn::VFromD<D>;

  HorizontalEdge(Sample* q0, ptrdiff_t stride) : q0_(q0), stride_(stride) {}

  // The bytes of the cells along the edge, from the first one on.
  static HWY_INLINE HWY_ATTR auto CellsAt(const uint8_t* first) {
    return hn::LoadDup128(hn::Repartition<uint8_t, D>(), first);
  }

  // Samples -kSide to kSide - 1 from the edge.
  template <int kSide>
  HWY_INLINE HWY_ATTR void Load(V* v) const {
    const Sample* from = q0_ - kSide * stride_;
    for (int i = 0; i < 2 * kSide; ++i, from += stride_) {
      v[i] = hn::LoadU(D(), from);
    }
  }
  template <int kSide>
  HWY_INLINE HWY_ATTR void Store(const V* v) const {
    Sample* to = q0_ - kSide * stride_;
    for (int i = 0; i < 2 * kSide; ++i, to += stride_) {
      hn::StoreU(v[i], D(), to);
    }
  }

 private:
  Sample* const q0_;
  const ptrdiff_t stride_;
};

// A vertical edge: lines of pixels (units: a sample of luma, a pair of chroma)
// are transposed, in blocks of 16 bytes if there are as many.
template <typename Sample, int kLanesAlong, int kComponents>
class VerticalEdge {
 public:
  static constexpr int kLanes = kLanesAlong;
  using D = hn::FixedTag<Sample, kLanes>;
  using V = hn::VFromD<D>;

  VerticalEdge(Sample* q0, ptrdiff_t stride) : q0_(q0), stride_(stride) {}

  // Cells that are one below the other are 8 bytes apart.
  static HWY_INLINE HWY_ATTR auto CellsAt(const uint8_t* first) {
    const hn::Repartition<uint8_t, D> bytes;
    if constexpr (kLanes / (8 * kComponents) * 8 > 16) {
      return hn::LoadU(bytes, first);
    } else {
      return hn::LoadDup128(bytes, first);
    }
  }

  template <int kSide>
  HWY_INLINE HWY_ATTR void Load(V* v) const {
    constexpr int kColumns = std::min(2 * kSide, kLines);  // at a time
    for (int column = 0; column < 2 * kSide; column += kColumns) {
      LoadColumns<kColumns>(column - kSide, v + column);
    }
  }
  template <int kSide>
  HWY_INLINE HWY_ATTR void Store(const V* v) const {
    constexpr int kColumns = std::min(2 * kSide, kLines);
    for (int column = 0; column < 2 * kSide; column += kColumns) {
      StoreColumns<kColumns>(column - kSide, v + column);
    }
  }

 private:
  using Unit =
      std::conditional_t<sizeof(Sample) * kComponents == 1, uint8_t,
                         std::conditional_t<sizeof(Sample) * kComponents == 2,
                                            uint16_t, uint32_t> >;
  using Units = hn::FixedTag<Unit, kLanes / kComponents>;
  static constexpr int kLines =  // in a block
      std::min<int>(kLanes / kComponents, 16 / sizeof(Unit));
  using Block = hn::FixedTag<Unit, kLines>;
  static constexpr int kBlocks = kLanes / kComponents / kLines;
  static_assert(kBlocks == 1 || kBlocks == 2);

  template <int kColumns>
  static HWY_INLINE HWY_ATTR hn::VFromD<Block> LoadLine(const Sample* from) {
    const auto row = hn::LoadU(hn::FixedTag<Unit, kColumns>(),
                               reinterpret_cast<const Unit*>(from));
    if constexpr (kColumns == kLines) {
      return row;
    } else {
      return hn::ZeroExtendVector(Block(), row);
    }
  }

  // first: pixels from the edge.
  template <int kColumns>
  HWY_INLINE HWY_ATTR void LoadColumns(int first, V* v) const {
    const Units d;
    hn::VFromD<Block> lines[kBlocks * kLines];
    const Sample* from = q0_ + first * kComponents;
    for (int i = 0; i < kBlocks * kLines; ++i, from += stride_) {
      lines[i] = LoadLine<kColumns>(from);
    }
    const auto line_of_blocks = [&](int i) HWY_ATTR {
      if constexpr (kBlocks == 2) {
        return hn::Combine(d, lines[i + kLines], lines[i]);
      } else {
        return lines[i];
      }
    };
    hn::VFromD<Units> rows[kColumns];
    for (int i = 0; i < kColumns; ++i) {
      rows[i] = line_of_blocks(i);
      if constexpr (kColumns < kLines) {
        static_assert(2 * kColumns == kLines);
        rows[i] = hn::InterleaveLower(d, rows[i], line_of_blocks(i + kColumns));
      }
    }
    Interleave<kColumns>(d, rows);
    for (int i = 0; i < kColumns; ++i) v[i] = hn::BitCast(D(), rows[i]);
  }

  template <int kColumns>
  HWY_INLINE HWY_ATTR void StoreColumns(int first, const V* v) const {
    const Units d;
    hn::VFromD<Units> rows[kColumns];
    for (int i = 0; i < kColumns; ++i) rows[i] = hn::BitCast(d, v[i]);
    Interleave<kColumns>(d, rows);
    Sample* to = q0_ + first * kComponents;
    for (int i = 0; i < kColumns; ++i) {
      if constexpr (kBlocks == 2) {
        to = StoreLines<kColumns>(hn::LowerHalf(rows[i]), to);
      } else {
        to = StoreLines<kColumns>(rows[i], to);
      }
    }
    if constexpr (kBlocks == 2) {
      for (int i = 0; i < kColumns; ++i) {
        to = StoreLines<kColumns>(hn::UpperHalf(Block(), rows[i]), to);
      }
    }
  }

  // Stores the lines that a vector holds; returns where the next line goes.
  template <int kColumns>
  HWY_INLINE HWY_ATTR Sample* StoreLines(hn::VFromD<Block> lines,
                                         Sample* to) const {
    if constexpr (kColumns == kLines) {
      hn::StoreU(lines, Block(), reinterpret_cast<Unit*>(to));
      return to + stride_;
    } else {
      using Line =
          std::conditional_t<sizeof(Unit) * kColumns == 8, uint64_t, uint32_t>;
      constexpr int kCount = kLines / kColumns;
      const auto line = hn::BitCast(hn::FixedTag<Line, kCount>(), lines);
      for (int i = 0; i < kCount; ++i, to += stride_) {
        const Line pixels = hn::ExtractLane(line, static_cast<size_t>(i));
        std::memcpy(to, &pixels, sizeof(pixels));
      }
      return to;
    }
  }

  Sample* const q0_;
  const ptrdiff_t stride_;
};

}  // namespace perdix::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_SIMD_EDGE_SAMPLES_INL_H_
