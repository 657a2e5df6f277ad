// SPDX-License-Identifier: BSD-2-Clause
// The filters across an edge (VP9 8.8.2 to 8.8.5) on vectors: each lane is one
// line of samples and has a width and limits of its own.
#if defined(PERDIX_KERNELS_VP9_LINE_FILTER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_VP9_LINE_FILTER_INL_H_
#undef PERDIX_KERNELS_VP9_LINE_FILTER_INL_H_
#else
#define PERDIX_KERNELS_VP9_LINE_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/simd/lane_sums-inl.h"
#include "kernels/vp9/edge_walk.h"
#include "kernels/vp9/superblock_edges-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using simd::HWY_NAMESPACE::ClampedArithmetic;
using simd::HWY_NAMESPACE::LaneSums;
using simd::HWY_NAMESPACE::Value;

// Samples read on either side of an edge.
constexpr int SideOf(EdgeWidth width) { return width == kSixteen ? 8 : 4; }

// For each lane the edge that it crosses, with limits at the frame's bit depth.
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
  using M = decltype(hn::Eq(V(), V()));  // MFromD: not in Highway 1.0.3

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
  // 2 * kN + 2. Unrolled, so that the samples stay in registers.
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

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_VP9_LINE_FILTER_INL_H_
