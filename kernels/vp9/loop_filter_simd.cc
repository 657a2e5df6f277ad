// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8) on vectors: what loop_filter.cc does, to many lines of
// samples across an edge at once. A lane is a line of luma, or of U or V; the
// edges of neighbouring cells share a vector, whatever their widths and levels.
//
// The order is that of the reference where it matters. All vertical edges of a
// superblock come before its horizontal ones. Vertical edges change samples of
// their own lines alone, so that vectors of lines go through the superblock one
// after the other, each from left to right; and horizontal edges, in columns,
// likewise from top to bottom.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/loop_filter_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstring>

#include "kernels/vp9/edge_walk.h"
#include "kernels/vp9/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void LoopFilter8(const KernelArgs& args, Range range) {
  LoopFilter<uint8_t>(args, range);
}
void LoopFilter16(const KernelArgs& args, Range range) {
  LoopFilter<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <typename Sample, int kLanes>
using Lanes = hn::FixedTag<Sample, kLanes>;

template <class D>
HWY_ATTR hn::VFromD<D> Value(D d, int value) {
  return hn::Set(d, static_cast<hn::TFromD<D> >(value));
}

// ---- the edges of a superblock ----

// A byte for each 8x8 pixel cell of a plane, by row and column.
constexpr int kCells = 8;
using CellBytes = uint8_t[kCells * kCells];

// A width, as the edge words have it, above a level.
constexpr int kWidthShift = 6;
constexpr uint64_t kWidths = 0xc0c0c0c0c0c0c0c0;  // of eight cells

struct SuperblockEdges {
  // Width and level of the edges left of and above a cell, and 4 pixels on.
  CellBytes left, inner_left, above, inner_above;
  // EdgeLimits.
  CellBytes limit, blimit, thresh;
  // Vectors are read from the first of several cells on.
  uint8_t padding[64];
};

// Where the edge words have those of a plane.
struct PlaneWords {
  int shift;  // PERDIX_EDGE_LUMA_SHIFT or PERDIX_EDGE_CHROMA_SHIFT
  int subsampling_x;
  int subsampling_y;
};

// words: of the eight 8x8 luma blocks in a row.
HWY_ATTR void UnpackRow(const uint32_t* words, const PlaneWords& plane,
                        uint8_t* levels, uint8_t* edges) {
  const Lanes<uint32_t, 4> d;
  auto low = hn::LoadU(d, words);
  auto high = hn::LoadU(d, words + 4);
  if (plane.subsampling_x != 0) {
    low = hn::ConcatEven(d, high, low);
    high = hn::Zero(d);
  }
  const auto store_bytes = [](auto lower, auto upper, uint8_t* to) HWY_ATTR {
    const Lanes<uint16_t, 8> d16;
    const Lanes<uint8_t, 16> d8;
    const auto words16 = hn::BitCast(
        d8,
        hn::ConcatEven(d16, hn::BitCast(d16, upper), hn::BitCast(d16, lower)));
    hn::StoreU(hn::LowerHalf(hn::ConcatEven(d8, words16, words16)),
               Lanes<uint8_t, 8>(), to);
  };
  store_bytes(low, high, levels);
  store_bytes(hn::ShiftRightSame(low, plane.shift),
              hn::ShiftRightSame(high, plane.shift), edges);
}

// words: those of a vector of cells; edges: as PackEdges has them. What is of
// other planes in the upper two bits does not matter.
template <class D>
HWY_ATTR void UnpackCells(D d, const uint8_t* words, const uint8_t* packed,
                          uint32_t sharpness, int cell,
                          SuperblockEdges* edges) {
  const auto level = hn::And(hn::Load(d, words + cell), hn::Set(d, 63));
  const auto packed_edges = hn::IfThenZeroElse(hn::Eq(level, hn::Zero(d)),
                                               hn::Load(d, packed + cell));
  const auto with_width = [&](auto shifted, int mask) HWY_ATTR {
    return hn::Or(level, hn::And(shifted, Value(d, mask << kWidthShift)));
  };
  hn::StoreU(with_width(hn::ShiftLeft<6>(packed_edges), 3), d,
             edges->left + cell);
  hn::StoreU(with_width(hn::ShiftLeft<4>(packed_edges), 3), d,
             edges->above + cell);
  hn::StoreU(with_width(hn::ShiftLeft<2>(packed_edges), 1), d,
             edges->inner_left + cell);
  hn::StoreU(with_width(hn::ShiftLeft<1>(packed_edges), 1), d,
             edges->inner_above + cell);

  // VP9 8.8.1.
  const int shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  const int highest = sharpness > 0 ? 9 - static_cast<int>(sharpness) : 63;
  const auto limit =
      hn::Min(hn::Max(hn::ShiftRightSame(level, shift), hn::Set(d, 1)),
              Value(d, highest));
  const auto raised = hn::Add(level, hn::Set(d, 2));
  hn::StoreU(limit, d, edges->limit + cell);
  hn::StoreU(hn::Add(hn::Add(raised, raised), limit), d, edges->blimit + cell);
  hn::StoreU(hn::ShiftRight<4>(level), d, edges->thresh + cell);
}

// first_row, first_col: of the superblock, in 8x8 luma blocks. Cells outside of
// the frame have no edges.
HWY_ATTR void EdgesOf(const FrameParams& params,
                      std::span<const uint32_t> words, const PlaneWords& plane,
                      uint32_t first_row, uint32_t first_col,
                      SuperblockEdges* edges) {
  const uint32_t rows = std::min(params.mi_rows - first_row, uint32_t{kCells});
  const uint32_t cols = std::min(params.mi_cols - first_col, uint32_t{kCells});
  alignas(64) CellBytes levels;
  alignas(64) CellBytes packed_edges;
  int cell = 0;
  for (uint32_t y = 0; y < rows; y += 1 << plane.subsampling_y) {
    const uint32_t* row =
        &words[size_t{first_row + y} * params.mi_cols + first_col];
    uint32_t padded[kCells] = {};
    if (cols < kCells) {
      std::copy_n(row, cols, padded);
      row = padded;
    }
    UnpackRow(row, plane, levels + cell, packed_edges + cell);
    cell += kCells;
  }
  const hn::CappedTag<uint8_t, kCells * kCells> d;
  for (int i = 0; i < cell; i += static_cast<int>(hn::Lanes(d))) {
    UnpackCells(d, levels, packed_edges, params.loop_filter_sharpness, i,
                edges);
  }
}

// ---- the filter ----

// Adds and subtracts as filter4_clamp does (VP9 8.8.4): at a bit depth of 8
// that is what signed bytes do.
template <class D>
class ClampedArithmetic {
 public:
  using Signed = hn::RebindToSigned<D>;
  using V = hn::VFromD<Signed>;

  explicit HWY_ATTR ClampedArithmetic(int depth_shift)
      : offset_(Value(D(), 0x80 << depth_shift)) {}

  HWY_ATTR V FromSample(hn::VFromD<D> sample) const {
    return hn::BitCast(Signed(), hn::Sub(sample, offset_));
  }
  HWY_ATTR hn::VFromD<D> ToSample(V value) const {
    return hn::Add(hn::BitCast(D(), value), offset_);
  }
  HWY_ATTR V Add(V a, V b) const {
    if constexpr (kSaturates)
      return hn::SaturatedAdd(a, b);
    else
      return Clamp(hn::Add(a, b));
  }
  HWY_ATTR V Sub(V a, V b) const {
    if constexpr (kSaturates)
      return hn::SaturatedSub(a, b);
    else
      return Clamp(hn::Sub(a, b));
  }

 private:
  static constexpr bool kSaturates = sizeof(hn::TFromD<D>) == 1;

  HWY_ATTR V Clamp(V value) const {
    const V above = hn::BitCast(Signed(), offset_);
    return hn::Min(hn::Max(value, hn::Neg(above)),
                   hn::Sub(above, Value(Signed(), 1)));
  }

  const hn::VFromD<D> offset_;
};

// Sums of 2^kLog2 samples, which need 16 bits at bit depth 12.
template <class D, int kLog2, typename Sample = hn::TFromD<D> >
class LaneSums {
 public:
  using V = hn::VFromD<D>;

  // All of the samples but half of them and one are the outermost.
  explicit HWY_INLINE HWY_ATTR LaneSums(V outermost)
      : sum_(hn::Add(hn::Sub(hn::ShiftLeft<kLog2 - 1>(outermost), outermost),
                     hn::Set(D(), 1 << (kLog2 - 1)))) {}

  HWY_INLINE HWY_ATTR void Add(V sample) { sum_ = hn::Add(sum_, sample); }
  HWY_INLINE HWY_ATTR void Replace(V sample, V by) {
    sum_ = hn::Add(sum_, hn::Sub(by, sample));
  }
  HWY_INLINE HWY_ATTR V Mean() const { return hn::ShiftRight<kLog2>(sum_); }

 private:
  V sum_;
};

// Samples of 8 bits are apart, those in even lanes and those in odd ones.
template <class D, int kLog2>
class LaneSums<D, kLog2, uint8_t> {
 public:
  using V = hn::VFromD<D>;

  explicit HWY_INLINE HWY_ATTR LaneSums(V outermost)
      : even_(Even(outermost)), odd_(Odd(outermost)) {}

  HWY_INLINE HWY_ATTR void Add(V sample) {
    even_.Add(Even(sample));
    odd_.Add(Odd(sample));
  }
  HWY_INLINE HWY_ATTR void Replace(V sample, V by) {
    even_.Replace(Even(sample), Even(by));
    odd_.Replace(Odd(sample), Odd(by));
  }
  HWY_INLINE HWY_ATTR V Mean() const {
    return hn::OddEven(hn::BitCast(D(), hn::ShiftLeft<8>(odd_.Mean())),
                       hn::BitCast(D(), even_.Mean()));
  }

 private:
  using Wide = hn::Repartition<uint16_t, D>;
  static HWY_INLINE HWY_ATTR hn::VFromD<Wide> Even(V samples) {
    return hn::And(hn::BitCast(Wide(), samples), hn::Set(Wide(), 0xff));
  }
  static HWY_INLINE HWY_ATTR hn::VFromD<Wide> Odd(V samples) {
    return hn::ShiftRight<8>(hn::BitCast(Wide(), samples));
  }

  LaneSums<Wide, kLog2> even_;
  LaneSums<Wide, kLog2> odd_;
};

#if HWY_ARCH_ARM_A64
// NEON has sums of 16 and 8 bits: lower and upper half. Where a wide filter
// applies, the difference of two samples has 8 bits: those on a side are all
// but the same, and between p0 and q0 there is at most half a blimit.
template <int kLog2>
class LaneSums<Lanes<uint8_t, 16>, kLog2, uint8_t> {
 public:
  using V = hn::VFromD<Lanes<uint8_t, 16> >;

  explicit HWY_INLINE LaneSums(V outermost)
      : low_(vsubw_u8(vshll_n_u8(vget_low_u8(outermost.raw), kLog2 - 1),
                      vget_low_u8(outermost.raw))),
        high_(vsubw_high_u8(vshll_high_n_u8(outermost.raw, kLog2 - 1),
                            outermost.raw)) {}

  HWY_INLINE void Add(V sample) {
    low_ = vaddw_u8(low_, vget_low_u8(sample.raw));
    high_ = vaddw_high_u8(high_, sample.raw);
  }
  HWY_INLINE void Replace(V sample, V by) {
    const int8x16_t change = vreinterpretq_s8_u8(vsubq_u8(by.raw, sample.raw));
    low_ = vreinterpretq_u16_s16(
        vaddw_s8(vreinterpretq_s16_u16(low_), vget_low_s8(change)));
    high_ = vreinterpretq_u16_s16(
        vaddw_high_s8(vreinterpretq_s16_u16(high_), change));
  }
  HWY_INLINE V Mean() const {
    return V(vrshrn_high_n_u16(vrshrn_n_u16(low_, kLog2), high_, kLog2));
  }

 private:
  uint16x8_t low_;
  uint16x8_t high_;
};
#endif

// Samples read on either side of an edge.
constexpr int SideOf(EdgeWidth width) { return width == kSixteen ? 8 : 4; }

// Of the edge that a lane crosses, at the frame's bit depth.
template <class D>
struct LaneEdges {
  hn::VFromD<D> edge;  // width and level as in SuperblockEdges
  hn::VFromD<D> limit;
  hn::VFromD<D> blimit;
  hn::VFromD<D> thresh;
};

// kWidth: the greatest in any lane.
template <class D, EdgeWidth kWidth>
class LineFilter {
 public:
  static constexpr int kSide = SideOf(kWidth);
  using V = hn::VFromD<D>;
  using M = hn::MFromD<D>;

  // samples: one for each distance from the edge, p[kSide - 1] first.
  LineFilter(V (&samples)[2 * kSide], const LaneEdges<D>& edges,
             int depth_shift)
      : v_(samples),
        edges_(edges),
        depth_shift_(sizeof(hn::TFromD<D>) == 1 ? 0 : depth_shift) {}

  // VP9 8.8.2. The samples that may have changed on either side: 2, 3 or 7.
  HWY_INLINE HWY_ATTR int Filter() {
    const D d;
    const V inner_steps = hn::Max(Distance(P(1), P(0)), Distance(Q(1), Q(0)));
    const V excess = FilterExcess(inner_steps);
    const M filtered = IsZero(excess);
    const M low_variance = IsZero(hn::SaturatedSub(inner_steps, edges_.thresh));
    if constexpr (kWidth == kFour) {
      Narrow(filtered, low_variance);
      return 2;
    } else {
      const V flat_excess =
          hn::Or(excess, FlatExcess<2, 3>(kEight, inner_steps));
      const M flat = IsZero(flat_excess);
      if (hn::AllFalse(d, flat)) {
        Narrow(filtered, low_variance);
        return 2;
      }
      V before[2 * kSide];
#pragma GCC unroll 16
      for (int i = 0; i < 2 * kSide; ++i) before[i] = v_[i];
      M flat2 = flat;
      if constexpr (kWidth == kSixteen) {
        flat2 = IsZero(
            hn::Or(flat_excess, FlatExcess<4, 7>(kSixteen, hn::Zero(d))));
      }
      Narrow(hn::AndNot(flat, filtered), low_variance);
      Wide<3>(before, flat);
      if constexpr (kWidth == kSixteen) {
        if (!hn::AllFalse(d, flat2)) {
          Wide<7>(before, flat2);
          return 7;
        }
      }
      return 3;
    }
  }

 private:
  HWY_ATTR V P(int i) const { return v_[kSide - 1 - i]; }
  HWY_ATTR V Q(int i) const { return v_[kSide + i]; }
  static HWY_ATTR V Distance(V a, V b) {
    return hn::Sub(hn::Max(a, b), hn::Min(a, b));
  }
  static HWY_ATTR M IsZero(V v) { return hn::Eq(v, hn::Zero(D())); }

  // ---- VP9 8.8.3: by how much a lane is beyond what a filter asks for ----

  // Above zero where the edge is narrower.
  HWY_ATTR V WidthExcess(EdgeWidth width) const {
    return hn::SaturatedSub(Value(D(), static_cast<int>(width) << kWidthShift),
                            edges_.edge);
  }

  HWY_ATTR V FilterExcess(V inner_steps) const {
    V steps = inner_steps;
    for (int i = 1; i < 3; ++i) {
      steps = hn::Max(steps, Distance(P(i + 1), P(i)));
      steps = hn::Max(steps, Distance(Q(i + 1), Q(i)));
    }
    const V step = Distance(P(0), Q(0));
    const V across = hn::SaturatedAdd(hn::SaturatedAdd(step, step),
                                      hn::ShiftRight<1>(Distance(P(1), Q(1))));
    return hn::Or(hn::Or(hn::SaturatedSub(steps, edges_.limit),
                         hn::SaturatedSub(across, edges_.blimit)),
                  WidthExcess(kFour));
  }

  template <int kFirst, int kLast>
  HWY_ATTR V FlatExcess(EdgeWidth width, V most) const {
    for (int i = kFirst; i <= kLast; ++i) {
      most = hn::Max(most, Distance(P(i), P(0)));
      most = hn::Max(most, Distance(Q(i), Q(0)));
    }
    return hn::Or(hn::SaturatedSub(most, Value(D(), 1 << depth_shift_)),
                  WidthExcess(width));
  }

  // VP9 8.8.4, where filtered: elsewhere nothing is added.
  HWY_INLINE HWY_ATTR void Narrow(M filtered, M low_variance) {
    const ClampedArithmetic<D> clamped(depth_shift_);
    const hn::RebindToSigned<D> d;
    const auto mask = [&](M m) HWY_ATTR { return hn::RebindMask(d, m); };
    const auto ps1 = clamped.FromSample(P(1));
    const auto ps0 = clamped.FromSample(P(0));
    const auto qs0 = clamped.FromSample(Q(0));
    const auto qs1 = clamped.FromSample(Q(1));
    const auto step = clamped.Sub(qs0, ps0);
    auto filter = hn::IfThenZeroElse(mask(low_variance), clamped.Sub(ps1, qs1));
    for (int i = 0; i < 3; ++i) filter = clamped.Add(filter, step);
    filter = hn::IfThenElseZero(mask(filtered), filter);
    const auto filter1 = hn::ShiftRight<3>(clamped.Add(filter, Value(d, 4)));
    const auto filter2 = hn::ShiftRight<3>(clamped.Add(filter, Value(d, 3)));
    const auto half = hn::IfThenElseZero(
        mask(low_variance), hn::ShiftRight<1>(hn::Add(filter1, Value(d, 1))));
    v_[kSide] = clamped.ToSample(clamped.Sub(qs0, filter1));
    v_[kSide - 1] = clamped.ToSample(clamped.Add(ps0, filter2));
    v_[kSide + 1] = clamped.ToSample(clamped.Sub(qs1, half));
    v_[kSide - 2] = clamped.ToSample(clamped.Add(ps1, half));
  }

  // VP9 8.8.5, where wide: kN samples on both sides become the means of
  // 2 * kN + 2.
  template <int kN>
  HWY_INLINE HWY_ATTR void Wide(const V* before, M wide) {
    constexpr int kFirst = kSide - 1 - kN;  // the outermost sample read
    constexpr int kLast = 2 * kN + 1;       // from there
    const auto at = [&](int i) HWY_ATTR { return before[kFirst + i]; };
    LaneSums<D, kN == 7 ? 4 : 3> around(at(0));
#pragma GCC unroll 16
    for (int i = 1; i <= kN + 1; ++i) around.Add(at(i));
#pragma GCC unroll 16
    for (int i = 1; i < kLast; ++i) {
      auto sum = around;
      sum.Add(at(i));
      v_[kFirst + i] = hn::IfThenElse(wide, sum.Mean(), v_[kFirst + i]);
      around.Replace(at(i > kN ? i - kN : 0),
                     at(i + 1 + kN < kLast ? i + 1 + kN : kLast));
    }
  }

  V (&v_)[2 * kSide];
  const LaneEdges<D> edges_;
  const int depth_shift_;
};

// ---- samples into lanes and back ----

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
  using D = Lanes<Sample, kLanes>;
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
// are transposed, in blocks of 16 bytes as far as there are as many.
template <typename Sample, int kLanesAlong, int kComponents>
class VerticalEdge {
 public:
  static constexpr int kLanes = kLanesAlong;
  using D = Lanes<Sample, kLanes>;
  using V = hn::VFromD<D>;

  VerticalEdge(Sample* q0, ptrdiff_t stride) : q0_(q0), stride_(stride) {}

  // Cells that are one below the other are kCells bytes apart.
  static HWY_INLINE HWY_ATTR auto CellsAt(const uint8_t* first) {
    const hn::Repartition<uint8_t, D> bytes;
    if constexpr (kLanes / (8 * kComponents) * kCells > 16) {
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
  using Units = Lanes<Unit, kLanes / kComponents>;
  static constexpr int kLines =  // in a block
      std::min<int>(kLanes / kComponents, 16 / sizeof(Unit));
  using Block = Lanes<Unit, kLines>;
  static constexpr int kBlocks = kLanes / kComponents / kLines;
  static_assert(kBlocks == 1 || kBlocks == 2);

  template <int kColumns>
  static HWY_INLINE HWY_ATTR hn::VFromD<Block> LoadLine(const Sample* from) {
    const auto row =
        hn::LoadU(Lanes<Unit, kColumns>(), reinterpret_cast<const Unit*>(from));
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

  // As many lines as fit; returns where the next one goes.
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
      const auto line = hn::BitCast(Lanes<Line, kCount>(), lines);
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

// ---- from the edges of cells to lanes ----

// For TableLookupBytesOr0: the byte of each lane's cell in its block of 16
// bytes, of cells that are kStep bytes apart.
template <typename Sample, int kLanesPerCell, int kStep>
struct CellOfLane {
  constexpr CellOfLane() {
    for (int i = 0; i < kLanes; ++i) {
      const int byte = i / kLanesPerCell * kStep % 16;
      lanes[i] =
          static_cast<Sample>(sizeof(Sample) == 1 ? byte : 0x8000 | byte);
    }
  }
  static constexpr int kLanes = 64 / sizeof(Sample);
  alignas(64) Sample lanes[kLanes] = {};
};

// What the edges of one pass over a superblock have in common.
template <typename Sample>
struct Pass {
  const SuperblockEdges& edges;
  const Sample* cell_of_lane;
  int depth_shift;
};

// cell: the first that the vector crosses; edges: of one field, from there.
template <class Edge, typename Sample>
HWY_INLINE HWY_ATTR LaneEdges<typename Edge::D> LanesOf(
    const Pass<Sample>& pass, int cell, const uint8_t* edges) {
  const typename Edge::D d;
  const hn::Repartition<uint8_t, decltype(d)> bytes;
  const auto of_lane = hn::BitCast(bytes, hn::LoadU(d, pass.cell_of_lane));
  const auto lanes = [&](const uint8_t* cells) HWY_ATTR {
    return hn::BitCast(d,
                       hn::TableLookupBytesOr0(Edge::CellsAt(cells), of_lane));
  };
  const auto limits = [&](const CellBytes& field) HWY_ATTR {
    if constexpr (sizeof(Sample) == 1) {
      return lanes(field + cell);
    } else {
      return hn::ShiftLeftSame(lanes(field + cell), pass.depth_shift);
    }
  };
  return {lanes(edges), limits(pass.edges.limit), limits(pass.edges.blimit),
          limits(pass.edges.thresh)};
}

// ---- the walk ----

template <class Edge, EdgeWidth kWidth, typename Sample>
HWY_NOINLINE HWY_ATTR void FilterEdge(const Edge edge, const Pass<Sample>& pass,
                                      int cell, const uint8_t* edges) {
  constexpr int kSide = SideOf(kWidth);
  using D = typename Edge::D;
  hn::VFromD<D> v[2 * kSide];
  edge.template Load<kSide>(v);
  const int changed = LineFilter<D, kWidth>(v, LanesOf<Edge>(pass, cell, edges),
                                            pass.depth_shift)
                          .Filter();
  if (changed == 2) {
    edge.template Store<2>(v + kSide - 2);
  } else if (kWidth == kEight || changed == 3) {
    edge.template Store<4>(v + kSide - 4);
  } else {
    edge.template Store<8>(v);
  }
}

// widths: bytes of the edges, one of them at least with a width.
template <class Edge, typename Sample>
HWY_INLINE HWY_ATTR void FilterWidest(const Edge edge, const Pass<Sample>& pass,
                                      uint64_t widths, int cell,
                                      const uint8_t* edges) {
  constexpr uint64_t kUpper = 0x8080808080808080;
  if ((widths & widths << 1 & kUpper) != 0) {
    FilterEdge<Edge, kSixteen>(edge, pass, cell, edges);
  } else if ((widths & kUpper) != 0) {
    FilterEdge<Edge, kEight>(edge, pass, cell, edges);
  } else {
    FilterEdge<Edge, kFour>(edge, pass, cell, edges);
  }
}

// One plane of a superblock.
template <typename Sample>
struct SuperblockPlane {
  Sample* first;
  ptrdiff_t stride;  // samples
  int width;         // samples, less where the frame ends
  int height;        // lines
};

// run(lanes, first lane) for vectors of kMost lanes, then of 16 and of 8.
template <int kMost, class Run>
HWY_INLINE HWY_ATTR void ForEachVector(int lanes, const Run& run) {
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

// Lanes in vectors of so many bytes.
template <typename Sample>
constexpr int LanesIn(int bytes) {
  return std::min(bytes, HWY_MAX_BYTES) / static_cast<int>(sizeof(Sample));
}

HWY_INLINE uint64_t WidthsOfRow(const uint8_t* row) {
  uint64_t bytes;
  std::memcpy(&bytes, row, kCells);
  return bytes & kWidths;
}

template <typename Sample, int kComponents>
class SuperblockFilter {
 public:
  SuperblockFilter(const SuperblockPlane<Sample>& plane,
                   const SuperblockEdges& edges, int depth_shift)
      : plane_(plane), edges_(edges), depth_shift_(depth_shift) {}

  HWY_ATTR void VerticalEdges() const {
    static constexpr CellOfLane<Sample, kLanesPerCell, kCells> kCellOfLane;
    const Pass<Sample> pass = {edges_, kCellOfLane.lanes, depth_shift_};
    const auto filter = [&](auto lanes, int lane)
                            HWY_ATTR { VerticalEdgesOf<lanes()>(pass, lane); };
    ForEachVector<LanesIn<Sample>(32)>(plane_.height * kComponents, filter);
  }

  HWY_ATTR void HorizontalEdges() const {
    static constexpr CellOfLane<Sample, kLanesPerCell, 1> kCellOfLane;
    const Pass<Sample> pass = {edges_, kCellOfLane.lanes, depth_shift_};
    Sample* q0 = plane_.first;
    for (int y = 0; y < plane_.height; y += 8) {
      HorizontalEdgesOf(pass, q0, y, edges_.above);
      HorizontalEdgesOf(pass, q0 + 4 * plane_.stride, y, edges_.inner_above);
      q0 += 8 * plane_.stride;
    }
  }

 private:
  static constexpr int kLanesPerCell = 8 * kComponents;

  // Of the lines of one vector, from left to right.
  template <int kLanes>
  HWY_INLINE HWY_ATTR void VerticalEdgesOf(const Pass<Sample>& pass,
                                           int lane) const {
    constexpr int kRows = std::max(kLanes / kLanesPerCell, 1);
    using Edge = VerticalEdge<Sample, kLanes, kComponents>;
    int cell = lane / kLanesPerCell * kCells;
    const auto filter = [&](const CellBytes& field, Sample* q0) HWY_ATTR {
      const uint8_t* const edges = field + cell;
      uint64_t widths = 0;
      for (int row = 0; row < kRows; ++row) {
        widths = widths << 8 | edges[row * kCells];
      }
      if ((widths & kWidths) == 0) return;
      FilterWidest(Edge(q0, plane_.stride), pass, widths, cell, edges);
    };
    uint64_t columns = 0;
    for (int row = 0; row < kRows; ++row) {
      columns |= WidthsOfRow(edges_.left + cell + row * kCells) |
                 WidthsOfRow(edges_.inner_left + cell + row * kCells);
    }
    Sample* q0 = plane_.first + lane / kComponents * plane_.stride;
    for (; columns != 0; columns >>= 8) {
      if ((columns & 0xff) != 0) {
        filter(edges_.left, q0);
        filter(edges_.inner_left, q0 + 4 * kComponents);
      }
      q0 += kLanesPerCell;
      ++cell;
    }
  }

  // Of one line.
  HWY_INLINE HWY_ATTR void HorizontalEdgesOf(const Pass<Sample>& pass,
                                             Sample* q0, int y,
                                             const CellBytes& field) const {
    const uint8_t* const edges = field + y;  // eight cells a row
    const uint64_t all = WidthsOfRow(edges);
    if (all == 0) return;
    const auto filter = [&](auto lanes, int lane) HWY_ATTR {
      constexpr int kCellBits = 8 * std::max(lanes() / kLanesPerCell, 1);
      const int column = lane / kLanesPerCell;
      const uint64_t widths = all >> 8 * column << (64 - kCellBits);
      if (widths == 0) return;
      FilterWidest(HorizontalEdge<Sample, lanes()>(q0 + lane, plane_.stride),
                   pass, widths, y + column, edges + column);
    };
    ForEachVector<LanesIn<Sample>(64)>(plane_.width, filter);
  }

  const SuperblockPlane<Sample> plane_;
  const SuperblockEdges& edges_;
  const int depth_shift_;
};

template <typename Sample, int kComponents>
HWY_ATTR void FilterPlane(const KernelArgs& args, uint32_t superblock) {
  const FrameParams& params = *args.params;
  constexpr bool kIsLuma = kComponents == 1;
  constexpr uint32_t kIndex = kIsLuma ? kLuma : kChroma;
  const PlaneWords words = {
      kIsLuma ? PERDIX_EDGE_LUMA_SHIFT : PERDIX_EDGE_CHROMA_SHIFT,
      kIsLuma ? 0 : static_cast<int>(params.subsampling_x),
      kIsLuma ? 0 : static_cast<int>(params.subsampling_y)};
  const uint32_t first_row = superblock / params.sb_cols * kCells;
  const uint32_t first_col = superblock % params.sb_cols * kCells;
  SuperblockEdges edges;
  EdgesOf(params, args.edges, words, first_row, first_col, &edges);

  const Plane& plane = args.target.planes[kIndex];
  const DecodedArea area = PlaneDecodedArea(params, kIndex);
  const int x = static_cast<int>(first_col * 8) >> words.subsampling_x;
  const int y = static_cast<int>(first_row * 8) >> words.subsampling_y;
  const SuperblockFilter<Sample, kComponents> filter(
      {plane.Row<Sample>(static_cast<uint32_t>(y)) + x * kComponents,
       static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample)),
       std::min(64 >> words.subsampling_x, area.width - x) * kComponents,
       std::min(64 >> words.subsampling_y, area.height - y)},
      edges, static_cast<int>(params.bit_depth) - 8);
  filter.VerticalEdges();
  filter.HorizontalEdges();
}

template <typename Sample>
HWY_ATTR void FilterSuperblocks(const KernelArgs& args, Range range) {
  for (uint32_t i = range.begin; i < range.end; ++i) {
    FilterPlane<Sample, 1>(args, i);
    FilterPlane<Sample, 2>(args, i);
  }
}

}  // namespace

void LoopFilter8(const KernelArgs& args, Range range) {
  FilterSuperblocks<uint8_t>(args, range);
}
void LoopFilter16(const KernelArgs& args, Range range) {
  FilterSuperblocks<uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

HWY_EXPORT(LoopFilter8);
HWY_EXPORT(LoopFilter16);

template <>
void LoopFilterSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(LoopFilter8)(args, range);
}
template <>
void LoopFilterSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(LoopFilter16)(args, range);
}

}  // namespace perdix::vp9
#endif
