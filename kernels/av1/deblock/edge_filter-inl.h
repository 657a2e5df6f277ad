// SPDX-License-Identifier: BSD-2-Clause
// The filters across an edge (AV1 7.14.6) on vectors: each lane is one line of
// samples and has a size and limits of its own. A vector holds the samples at
// one distance from the edge, the next one's are a stride away.
#if defined(PERDIX_KERNELS_AV1_DEBLOCK_EDGE_FILTER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_AV1_DEBLOCK_EDGE_FILTER_INL_H_
#undef PERDIX_KERNELS_AV1_DEBLOCK_EDGE_FILTER_INL_H_
#else
#define PERDIX_KERNELS_AV1_DEBLOCK_EDGE_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/av1/deblock/deblock_walk.h"
#include "kernels/simd/lane_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using simd::HWY_NAMESPACE::ClampedArithmetic;
using simd::HWY_NAMESPACE::LaneSums;
using simd::HWY_NAMESPACE::Value;

// An edge in a byte: a size (1 to 3) above a level. 0: not filtered.
constexpr int kSizeShift = 6;

// What all edges of a frame have in common.
struct FrameLimits {
  int shift;    // of the level
  int highest;  // limit
  int depth_shift;
};

// Samples on a side that a filter reads.
constexpr int ReadOf(EdgeTaps taps) {
  return taps == EdgeTaps::k4   ? 2
         : taps == EdgeTaps::k6 ? 3
         : taps == EdgeTaps::k8 ? 4
                                : 7;
}

// kTaps: the most of any lane: k6 in chroma, else k4, k8 and k16.
template <class D, EdgeTaps kTaps>
class EdgeFilter {
 public:
  using Sample = hn::TFromD<D>;
  using V = hn::VFromD<D>;
  using M = decltype(hn::Eq(V(), V()));  // MFromD: not in Highway 1.0.3

  // edge: of each lane, as a byte.
  HWY_INLINE HWY_ATTR EdgeFilter(Sample* q0, ptrdiff_t stride, V edge,
                                 const FrameLimits& limits)
      : q0_(q0), stride_(stride), edge_(edge), limits_(limits) {}

  // 7.14.6.1. How many samples on either side may have changed.
  HWY_INLINE HWY_ATTR int Filter() const {
    const D d;
    constexpr int kSide = ReadOf(kTaps);
    V before[2 * kSide];  // p[kSide - 1] first
    constexpr int kNear = kSide < 4 ? kSide : 4;
#pragma GCC unroll 8
    for (int i = -kNear; i < kNear; ++i) before[kSide + i] = Load(i);
    const V* const q = before + kSide;
    const V* const p = q - 1;

    const V inner = hn::Max(Distance(p[-1], p[0]), Distance(q[1], q[0]));
    const V excess = FilterExcess(p, q, inner);
    const M filtered = IsZero(excess);
    if (hn::AllFalse(d, filtered)) return 0;
    const M low_variance = IsZero(hn::SaturatedSub(inner, Threshold()));
    if constexpr (kTaps == EdgeTaps::k4) {
      Narrow(p, q, filtered, low_variance);
      return 2;
    } else {
      const V flat_excess = hn::Or(excess, FlatExcess < 1,
                                   kTaps == EdgeTaps::k6 ? 2 : 3 > (2, p, q));
      const M flat = IsZero(flat_excess);
      if (hn::AllFalse(d, flat)) {
        Narrow(p, q, filtered, low_variance);
        return 2;
      }
      const M narrow = hn::AndNot(flat, filtered);
      if (!hn::AllFalse(d, narrow)) Narrow(p, q, narrow, low_variance);
      if constexpr (kTaps == EdgeTaps::k6) {
        Wide<2, 1, 3>(q, flat);
        return 2;
      } else if constexpr (kTaps == EdgeTaps::k8) {
        Wide<3, 0, 3>(q, flat);
        return 3;
      } else {
#pragma GCC unroll 8
        for (int i = 4; i < 7; ++i) {
          before[kSide - 1 - i] = Load(-1 - i);
          before[kSide + i] = Load(i);
        }
        const M flat2 = IsZero(hn::Or(flat_excess, FlatExcess<4, 6>(3, p, q)));
        const bool any_16 = !hn::AllFalse(d, flat2);
        const M flat8 = hn::AndNot(flat2, flat);
        if (!any_16 || !hn::AllFalse(d, flat8)) Wide<3, 0, 3>(q, flat8);
        if (!any_16) return 3;
        Wide<6, 1, 4>(q, flat2);
        return 6;
      }
    }
  }

 private:
  HWY_INLINE HWY_ATTR V Load(int i) const {
    return hn::LoadU(D(), q0_ + i * stride_);
  }
  HWY_INLINE HWY_ATTR void Store(V v, int i) const {
    hn::StoreU(v, D(), q0_ + i * stride_);
  }
  // Where mask is not set, what is there now stays.
  HWY_INLINE HWY_ATTR void StoreWhere(M mask, V v, int i) const {
    Store(hn::IfThenElse(mask, v, Load(i)), i);
  }
  static HWY_INLINE HWY_ATTR V Distance(V a, V b) {
    return hn::Sub(hn::Max(a, b), hn::Min(a, b));
  }
  static HWY_INLINE HWY_ATTR M IsZero(V v) { return hn::Eq(v, hn::Zero(D())); }

  // ---- 7.14.4 ----

  HWY_INLINE HWY_ATTR V Scaled(V v) const {
    if constexpr (sizeof(Sample) == 1) {
      return v;
    } else {
      return hn::ShiftLeftSame(v, limits_.depth_shift);
    }
  }
  HWY_INLINE HWY_ATTR V Level() const {
    return hn::And(edge_, Value(D(), (1 << kSizeShift) - 1));
  }
  HWY_INLINE HWY_ATTR V Threshold() const {
    return Scaled(hn::ShiftRight<4>(Level()));
  }

  // ---- 7.14.6.2: by how much a lane is beyond what a filter asks for ----

  // Above zero where the edge is smaller.
  HWY_INLINE HWY_ATTR V SizeExcess(int size) const {
    return hn::SaturatedSub(Value(D(), size << kSizeShift), edge_);
  }

  HWY_INLINE HWY_ATTR V FilterExcess(const V* p, const V* q, V inner) const {
    const D d;
    const V level = Level();
    const V limit =
        hn::Max(Value(d, 1), hn::Min(hn::ShiftRightSame(level, limits_.shift),
                                     Value(d, limits_.highest)));
    const V two_more = hn::Add(level, Value(d, 2));
    const V blimit = hn::Add(hn::Add(two_more, two_more), limit);
    V steps = inner;
    if constexpr (kTaps != EdgeTaps::k4) {
      V outer = hn::Max(Distance(p[-2], p[-1]), Distance(q[2], q[1]));
      if constexpr (kTaps != EdgeTaps::k6) {
        outer = hn::Max(outer,
                        hn::Max(Distance(p[-3], p[-2]), Distance(q[3], q[2])));
      }
      steps = hn::Max(steps, hn::IfThenElseZero(IsZero(SizeExcess(2)), outer));
    }
    const V step = Distance(p[0], q[0]);
    const V across = hn::SaturatedAdd(hn::SaturatedAdd(step, step),
                                      hn::ShiftRight<1>(Distance(p[-1], q[1])));
    return hn::Or(hn::Or(hn::SaturatedSub(steps, Scaled(limit)),
                         hn::SaturatedSub(across, Scaled(blimit))),
                  SizeExcess(1));
  }

  // 0 where an edge is at least this size and flat (7.14.6.2).
  template <int kFirst, int kLast>
  HWY_INLINE HWY_ATTR V FlatExcess(int size, const V* p, const V* q) const {
    V most = hn::Max(Distance(p[-kFirst], p[0]), Distance(q[kFirst], q[0]));
#pragma GCC unroll 8
    for (int i = kFirst + 1; i <= kLast; ++i) {
      most = hn::Max(most, Distance(p[-i], p[0]));
      most = hn::Max(most, Distance(q[i], q[0]));
    }
    return hn::Or(hn::SaturatedSub(most, Scaled(Value(D(), 1))),
                  SizeExcess(size));
  }

  // ---- 7.14.6.3, where filtered: elsewhere nothing is added ----

  HWY_INLINE HWY_ATTR void Narrow(const V* p, const V* q, M filtered,
                                  M low_variance) const {
    const ClampedArithmetic<D> clamped(
        sizeof(Sample) == 1 ? 0 : limits_.depth_shift);
    const hn::RebindToSigned<D> d;
    const auto mask = [&](M m) HWY_ATTR { return hn::RebindMask(d, m); };
    const auto ps1 = clamped.FromSample(p[-1]);
    const auto ps0 = clamped.FromSample(p[0]);
    const auto qs0 = clamped.FromSample(q[0]);
    const auto qs1 = clamped.FromSample(q[1]);
    const auto step = clamped.Sub(qs0, ps0);
    auto filter = hn::IfThenZeroElse(mask(low_variance), clamped.Sub(ps1, qs1));
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) filter = clamped.Add(filter, step);
    filter = hn::IfThenElseZero(mask(filtered), filter);
    const auto filter1 = hn::ShiftRight<3>(clamped.Add(filter, Value(d, 4)));
    const auto filter2 = hn::ShiftRight<3>(clamped.Add(filter, Value(d, 3)));
    const auto half = hn::IfThenElseZero(
        mask(low_variance), hn::ShiftRight<1>(hn::Add(filter1, Value(d, 1))));
    Store(clamped.ToSample(clamped.Add(ps1, half)), -2);
    Store(clamped.ToSample(clamped.Add(ps0, filter2)), -1);
    Store(clamped.ToSample(clamped.Sub(qs0, filter1)), 0);
    Store(clamped.ToSample(clamped.Sub(qs1, half)), 1);
  }

  // ---- 7.14.6.4, where wide ----

  // kN samples on both sides become the means of 2^kLog2: the 2n + 1 around one
  // and once more the 2 * kN2 + 1 around it.
  template <int kN, int kN2, int kLog2>
  HWY_INLINE HWY_ATTR void Wide(const V* q, M wide) const {
    constexpr int kLast = 2 * kN + 1;
    const auto at = [&](int i) HWY_ATTR { return q[i - kN - 1]; };
    // Around sample 1; it has the outermost kN + kN2 times already.
    LaneSums<D, kLog2> around(at(0));
#pragma GCC unroll 16
    for (int i = 1; i <= kN + 1; ++i) around.Add(at(i));
    if constexpr (kN2 == 1) {
      around.Add(at(1));
      around.Add(at(2));
    }
#pragma GCC unroll 16
    for (int i = 1; i < kLast; ++i) {
      auto sum = around;
      if constexpr (kN2 == 0) sum.Add(at(i));
      StoreWhere(wide, sum.Mean(), i - kN - 1);
      if (i + 1 == kLast) break;
      around.Replace(at(i > kN ? i - kN : 0),
                     at(i + 1 + kN < kLast ? i + 1 + kN : kLast));
      if constexpr (kN2 == 1) around.Replace(at(i - 1), at(i + 2));
    }
  }

  Sample* const q0_;
  const ptrdiff_t stride_;
  const V edge_;
  const FrameLimits& limits_;
};

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_DEBLOCK_EDGE_FILTER_INL_H_
