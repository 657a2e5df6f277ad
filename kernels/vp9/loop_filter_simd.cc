// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8) on vectors: what loop_filter.cc does, to eight lines of
// samples across an edge at once. A line of luma is a lane; of chroma, four
// lines of U, V pairs are eight lanes. Samples are 16 bits in a lane.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/loop_filter_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

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

constexpr int kLanes = 8;
using Lanes = hn::FixedTag<int16_t, kLanes>;
using UnsignedLanes = hn::FixedTag<uint16_t, kLanes>;
using V = hn::VFromD<Lanes>;
using U = hn::VFromD<UnsignedLanes>;
using M = hn::MFromD<Lanes>;

// ---- the filter: kSide samples on both sides, p[kSide - 1] first ----

template <int kSide>
class LineFilter {
 public:
  // samples: 2 * kSide, one for each distance from the edge.
  LineFilter(V* samples, EdgeWidth width, const EdgeLimits& limits,
             int bit_depth)
      : v_(samples), width_(width), limits_(limits), shift_(bit_depth - 8) {}

  // VP9 8.8.2. The samples that may have changed on either side: 0 to kSide
  // - 1.
  HWY_ATTR int Filter() {
    const Lanes d;
    const M filtered = IsFiltered();
    if (hn::AllFalse(d, filtered)) return 0;
    if (width_ == kFour) {
      Narrow(filtered);
      return 2;
    }
    const M flat = hn::And(filtered, IsFlat<1, 3>());
    if (hn::AllFalse(d, flat)) {
      Narrow(filtered);
      return 2;
    }
    V before[2 * kSide];
    for (int i = 0; i < 2 * kSide; ++i) before[i] = v_[i];
    Narrow(hn::AndNot(flat, filtered));
    if constexpr (kSide == 8) {
      const M flat2 = hn::And(flat, IsFlatBefore<4, 7>(before));
      Wide<3>(before, hn::AndNot(flat2, flat));
      if (hn::AllFalse(d, flat2)) return 3;
      Wide<7>(before, flat2);
      return 7;
    } else {
      Wide<3>(before, flat);
      return 3;
    }
  }

 private:
  HWY_ATTR V P(int i) const { return v_[kSide - 1 - i]; }
  HWY_ATTR V Q(int i) const { return v_[kSide + i]; }
  HWY_ATTR V Set(int value) const {
    return hn::Set(Lanes(), static_cast<int16_t>(value << shift_));
  }
  static HWY_ATTR V Distance(V a, V b) {
    return hn::Sub(hn::Max(a, b), hn::Min(a, b));
  }

  // VP9 8.8.3.
  HWY_ATTR M IsFiltered() const {
    V steps = hn::Max(Distance(P(1), P(0)), Distance(Q(1), Q(0)));
    for (int i = 1; i < 3; ++i) {
      steps = hn::Max(steps, Distance(P(i + 1), P(i)));
      steps = hn::Max(steps, Distance(Q(i + 1), Q(i)));
    }
    const V across = hn::Add(hn::ShiftLeft<1>(Distance(P(0), Q(0))),
                             hn::ShiftRight<1>(Distance(P(1), Q(1))));
    return hn::Not(hn::Or(hn::Gt(steps, Set(limits_.limit)),
                          hn::Gt(across, Set(limits_.blimit))));
  }

  template <int kFirst, int kLast>
  HWY_ATTR M IsFlat() const {
    return IsFlatBefore<kFirst, kLast>(v_);
  }
  template <int kFirst, int kLast>
  HWY_ATTR M IsFlatBefore(const V* v) const {
    const V p0 = v[kSide - 1];
    const V q0 = v[kSide];
    V most = hn::Zero(Lanes());
    for (int i = kFirst; i <= kLast; ++i) {
      most = hn::Max(most, Distance(v[kSide - 1 - i], p0));
      most = hn::Max(most, Distance(v[kSide + i], q0));
    }
    return hn::Not(hn::Gt(most, Set(1)));
  }

  // VP9 8.8.4, where filtered.
  HWY_ATTR void Narrow(M filtered) {
    const Lanes d;
    const V offset = Set(0x80);
    const V lowest = hn::Neg(offset);
    const V highest = hn::Sub(offset, hn::Set(d, 1));
    const auto clamp = [&](V v) HWY_ATTR {
      return hn::Min(hn::Max(v, lowest), highest);
    };
    const V thresh = Set(limits_.thresh);
    const M variance =
        hn::Gt(hn::Max(Distance(P(1), P(0)), Distance(Q(1), Q(0))), thresh);
    const V ps1 = hn::Sub(P(1), offset);
    const V ps0 = hn::Sub(P(0), offset);
    const V qs0 = hn::Sub(Q(0), offset);
    const V qs1 = hn::Sub(Q(1), offset);
    const V outer = hn::IfThenElseZero(variance, clamp(hn::Sub(ps1, qs1)));
    const V step = hn::Sub(qs0, ps0);
    const V filter =
        clamp(hn::Add(outer, hn::Add(step, hn::ShiftLeft<1>(step))));
    const V filter1 = hn::ShiftRight<3>(clamp(hn::Add(filter, hn::Set(d, 4))));
    const V filter2 = hn::ShiftRight<3>(clamp(hn::Add(filter, hn::Set(d, 3))));
    const V half = hn::ShiftRight<1>(hn::Add(filter1, hn::Set(d, 1)));
    const auto put = [&](int at, M where, V value) HWY_ATTR {
      v_[at] = hn::IfThenElse(where, hn::Add(clamp(value), offset), v_[at]);
    };
    const M inner = hn::AndNot(variance, filtered);
    put(kSide, filtered, hn::Sub(qs0, filter1));
    put(kSide - 1, filtered, hn::Add(ps0, filter2));
    put(kSide + 1, inner, hn::Sub(qs1, half));
    put(kSide - 2, inner, hn::Add(ps1, half));
  }

  // VP9 8.8.5, where wide: kN samples on both sides become the means of
  // 2 * kN + 2. Sums of 16 samples of 12 bits need all 16.
  template <int kN>
  HWY_ATTR void Wide(const V* before, M wide) {
    const UnsignedLanes d;
    constexpr int kFirst = kSide - 1 - kN;  // the outermost sample read
    constexpr int kLast = 2 * kN + 1;       // from there
    constexpr int kLog2 = kN == 7 ? 4 : 3;
    const auto at = [&](int i)
                        HWY_ATTR { return hn::BitCast(d, before[kFirst + i]); };
    U around = hn::Set(d, 1 << (kLog2 - 1));
    for (int i = 0; i < kN; ++i) around = hn::Add(around, at(0));
    for (int i = 1; i <= kN + 1; ++i) around = hn::Add(around, at(i));
    for (int i = 1; i < kLast; ++i) {
      const U mean = hn::ShiftRight<kLog2>(hn::Add(around, at(i)));
      v_[kFirst + i] =
          hn::IfThenElse(wide, hn::BitCast(Lanes(), mean), v_[kFirst + i]);
      around = hn::Add(around, at(i + 1 + kN < kLast ? i + 1 + kN : kLast));
      around = hn::Sub(around, at(i > kN ? i - kN : 0));
    }
  }

  V* const v_;
  const EdgeWidth width_;
  const EdgeLimits limits_;
  const int shift_;
};

// ---- samples into lanes and back ----

HWY_ATTR V Widen(hn::VFromD<hn::FixedTag<uint8_t, kLanes> > samples) {
  return hn::PromoteTo(Lanes(), samples);
}
HWY_ATTR V Widen(U samples) { return hn::BitCast(Lanes(), samples); }

HWY_ATTR auto Narrowed(uint8_t /*of*/, V lanes) {
  return hn::DemoteTo(hn::FixedTag<uint8_t, kLanes>(), lanes);
}
HWY_ATTR auto Narrowed(uint16_t /*of*/, V lanes) {
  return hn::BitCast(UnsignedLanes(), lanes);
}

// Edges whose lines lie side by side in memory (horizontal ones): a row of the
// picture is a vector.
template <int kSide, typename Sample>
HWY_ATTR void FilterRows(const Edge<Sample>& edge, Sample* q0) {
  const hn::FixedTag<Sample, kLanes> d;
  V v[2 * kSide];
  for (int i = 0; i < 2 * kSide; ++i) {
    v[i] = Widen(hn::LoadU(d, q0 + (i - kSide) * edge.across));
  }
  const int changed =
      LineFilter<kSide>(v, edge.width, edge.limits, edge.bit_depth).Filter();
  for (int i = kSide - changed; i < kSide + changed; ++i) {
    hn::StoreU(Narrowed(Sample(), v[i]), d, q0 + (i - kSide) * edge.across);
  }
}

// Rows of kN units become columns, in place: log2(kN) rounds of interleaving
// what is kN / 2 apart.
template <int kN, class D, class Vector>
HWY_ATTR void Transpose(D d, Vector* rows) {
  for (int round = 1; round < kN; round *= 2) {
    Vector next[kN];
    for (int i = 0; i < kN / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + kN / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + kN / 2]);
    }
    for (int i = 0; i < kN; ++i) rows[i] = next[i];
  }
}

// Vertical edges: kN lines of pixels (Unit: a sample of luma, a pair of chroma)
// are transposed, kN pixels at a time.
template <int kSide, int kN, typename Unit, typename Sample>
HWY_ATTR void FilterColumns(const Edge<Sample>& edge, Sample* q0) {
  const hn::FixedTag<Unit, kN> d;
  const hn::FixedTag<Sample, kLanes> samples;
  constexpr int kBlocks = 2 * kSide / kN;
  Sample* const first = q0 - kSide * edge.across;
  hn::VFromD<decltype(d)> columns[kN];
  V v[2 * kSide];
  for (int block = 0; block < kBlocks; ++block) {
    const Sample* at = first + block * kN * edge.across;
    for (int line = 0; line < kN; ++line, at += edge.along) {
      columns[line] = hn::LoadU(d, reinterpret_cast<const Unit*>(at));
    }
    Transpose<kN>(d, columns);
    for (int i = 0; i < kN; ++i) {
      v[block * kN + i] = Widen(hn::BitCast(samples, columns[i]));
    }
  }
  const int changed =
      LineFilter<kSide>(v, edge.width, edge.limits, edge.bit_depth).Filter();
  for (int block = 0; block < kBlocks; ++block) {
    const int begin = block * kN;
    if (begin + kN <= kSide - changed || begin >= kSide + changed) continue;
    for (int i = 0; i < kN; ++i) {
      columns[i] = hn::BitCast(d, Narrowed(Sample(), v[begin + i]));
    }
    Transpose<kN>(d, columns);
    Sample* at = first + begin * edge.across;
    for (int line = 0; line < kN; ++line, at += edge.along) {
      hn::StoreU(columns[line], d, reinterpret_cast<Unit*>(at));
    }
  }
}

template <int kSide, typename Sample>
HWY_ATTR void FilterOfSide(const Edge<Sample>& edge) {
  using Pair = std::conditional_t<sizeof(Sample) == 1, uint16_t, uint32_t>;
  const bool luma = edge.components == 1;
  const int lines = luma ? kLanes : kLanes / 2;  // of a vector
  const bool vertical = edge.across == edge.components;
  for (int line = 0; line < edge.lines; line += lines) {
    Sample* const q0 = edge.first + line * edge.along;
    if (!vertical) {
      FilterRows<kSide>(edge, q0);
    } else if (luma) {
      FilterColumns<kSide, kLanes, Sample>(edge, q0);
    } else {
      FilterColumns<kSide, kLanes / 2, Pair>(edge, q0);
    }
  }
}

template <typename Sample>
HWY_ATTR void FilterEdge(const Edge<Sample>& edge) {
  if (edge.width == kSixteen) {
    FilterOfSide<8>(edge);
  } else {
    FilterOfSide<4>(edge);
  }
}

}  // namespace

void LoopFilter8(const KernelArgs& args, Range range) {
  WalkEdges<uint8_t>(args, range, &FilterEdge<uint8_t>);
}
void LoopFilter16(const KernelArgs& args, Range range) {
  WalkEdges<uint16_t>(args, range, &FilterEdge<uint16_t>);
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
