// SPDX-License-Identifier: BSD-2-Clause
// Blending of predictions (7.11.3.9 to 7.11.3.15) on vectors, for each Highway
// target. Included by inter_loops-inl.h only.
#if defined(PERDIX_KERNELS_AV1_INTER_INTER_BLEND_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_INTER_BLEND_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_INTER_BLEND_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_INTER_BLEND_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/strips-inl.h"
#include "kernels/simd/lane_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// Two vectors of int16_t times their weights: lower and upper lanes alike.
template <class V>
HWY_INLINE V WeightedSum(V first, V second, V weight0, V weight1, int add,
                         int shift) {
  const hn::DFromV<V> d;
  const hn::RepartitionToWide<hn::DFromV<V>> wide;
  const auto adds = hn::Set(wide, add);
#if !HWY_ARCH_ARM_A64
  const auto lower =
      AddProducts(wide, hn::InterleaveLower(d, first, second),
                  hn::InterleaveLower(d, weight0, weight1), adds);
  const auto upper =
      AddProducts(wide, hn::InterleaveUpper(d, first, second),
                  hn::InterleaveUpper(d, weight0, weight1), adds);
#else
  auto upper = adds;
  auto lower = hn::ReorderWidenMulAccumulate(wide, first, weight0, adds, upper);
  lower = hn::ReorderWidenMulAccumulate(wide, second, weight1, lower, upper);
#endif
  return hn::ReorderDemote2To(d, ShiftRightBy(lower, shift),
                              ShiftRightBy(upper, shift));
}

// Predictions of 8-bit samples, of which first weighs weight / 2^kBits, as one
// of them, rounded down. They differ by less than 2^14.
template <int kBits, class V>
HWY_INLINE V Mix(V first, V second, V weight) {
  const hn::DFromV<V> d;
  // Less than 0, for a weight of 2^kBits would not fit.
  const V less = hn::Sub(hn::Zero(d), hn::ShiftLeft<15 - kBits>(weight));
  const V difference = hn::Sub(second, first);
#if HWY_ARCH_ARM_A64
  const V part(vqdmulhq_s16(difference.raw, less.raw));
#else
  const V part = hn::MulHigh(hn::Add(difference, difference), less);
#endif
  return hn::Add(second, part);
}

// v >> kShift, rounded.
template <int kShift, class V>
HWY_INLINE V Round(V v) {
  if constexpr (kShift == 0) return v;
  return hn::MulFixedPoint15(
      v, hn::Set(hn::DFromV<V>(), static_cast<int16_t>(1 << (15 - kShift))));
}

// kLanes int16_t from memory, in a vector of 16 bytes at least.
template <int kLanes>
HWY_INLINE auto LoadWide(const int16_t* at) {
  const hn::FixedTag<int16_t, kLanes> d;
  if constexpr (kLanes >= 8) {
    return hn::LoadU(d, at);
  } else {
    return hn::ZeroExtendVector(hn::FixedTag<int16_t, 8>(), hn::LoadU(d, at));
  }
}
template <int kLanes>
HWY_INLINE auto LoadWide(const uint8_t* at) {
  const auto wide =
      hn::PromoteTo(hn::FixedTag<int16_t, kLanes>(),
                    hn::LoadU(hn::FixedTag<uint8_t, kLanes>(), at));
  if constexpr (kLanes >= 8) {
    return wide;
  } else {
    return hn::ZeroExtendVector(hn::FixedTag<int16_t, 8>(), wide);
  }
}
template <int kLanes>
HWY_INLINE auto LoadWide(const uint16_t* at) {
  return LoadWide<kLanes>(reinterpret_cast<const int16_t*>(at));
}

// Two vectors of results, rounded to samples.
template <int kShift, class D, class V>
HWY_INLINE auto RoundTwo(D d, V first, V second) {
#if HWY_ARCH_ARM_A64
  if constexpr (kShift > 0) {
    return hn::VFromD<D>(vqrshrun_high_n_s16(vqrshrun_n_s16(first.raw, kShift),
                                             second.raw, kShift));
  }
#endif
  return DemoteTwo(d, Round<kShift>(first), Round<kShift>(second));
}

// For fewer rounds of the loop where vectors are short.
constexpr int kBlendLanes = HWY_ARCH_ARM_A64 ? 4 * kWideLanes : kWideLanes;

// For each vector of a block: target = blend(std::integral_constant lanes, its
// place in rows without gaps, row, column) >> kShift, rounded. What blend
// returns is int16_t.
template <int kShift, typename Out, class Blend>
HWY_INLINE void BlendStrips(Extent extent, int max, Pixels<Out> target,
                            const Blend& blend) {
  ForStrips<kBlendLanes>(extent.samples, [&](auto lanes, int c) HWY_ATTR {
    constexpr int kLanes = decltype(lanes)::value;
    constexpr int kOnce = HWY_MIN(kLanes, kWideLanes);
    const std::integral_constant<int, kOnce> once;
    int at = c;
    Out* to = target.data + c;
    for (int r = 0; r < extent.rows; ++r) {
      if constexpr (sizeof(Out) == 1 && kLanes > kOnce) {
        const hn::FixedTag<uint8_t, 2 * kOnce> d;
        for (int i = 0; i < kLanes; i += 2 * kOnce) {
          const auto first = blend(once, at + i, r, c + i);
          const auto second = blend(once, at + i + kOnce, r, c + i + kOnce);
          hn::StoreU(RoundTwo<kShift>(d, first, second), d, to + i);
        }
      } else {
        for (int i = 0; i < kLanes; i += kOnce) {
          StoreWide<1, HWY_MAX(kOnce, 8), kOnce>(
              Round<kShift>(blend(once, at + i, r, c + i)), 1, max,
              Pixels<Out>{to + i, 0});
        }
      }
      at += extent.samples;
      to += target.stride;
    }
  });
}

// What block_prediction.h wants of two predictions, and of overlapping ones.
struct BlendOnVectors {
  template <typename Sample>
  static HWY_NOINLINE void Average(Predictions predictions,
                                   const Rounding<Sample>& rounding,
                                   Extent extent, Pixels<Sample> target) {
    const int shift = rounding.Post() + 1;
    const auto add =
        static_cast<int16_t>((1 << (shift - 1)) + 2 * rounding.Bias());
    BlendStrips<kSumShift<Sample>>(
        extent, rounding.MaxSample(), target,
        [&](auto lanes, int at, int, int) HWY_ATTR {
          constexpr int kLanes = decltype(lanes)::value;
          const auto first = LoadWide<kLanes>(predictions.first + at);
          const auto second = LoadWide<kLanes>(predictions.second + at);
          const hn::DFromV<decltype(hn::Add(first, second))> d;
          if constexpr (sizeof(Sample) == 1) {
            return hn::Add(first, second);
          } else {
            // What saturates is more than the largest sample, or less
            // than 0.
            return ShiftRightBy(
                hn::SaturatedAdd(hn::SaturatedAdd(first, second),
                                 hn::Set(d, add)),
                shift);
          }
        });
  }

  template <typename Sample>
  static HWY_NOINLINE void AverageSamples(Pixels<const Sample> first,
                                          Pixels<const Sample> second,
                                          Extent extent,
                                          Pixels<Sample> target) {
    constexpr int kWidest = kVectorBytes / static_cast<int>(sizeof(Sample));
    ForStrips<kWidest>(extent.samples, [&](auto lanes, int i) HWY_ATTR {
      const hn::FixedTag<Sample, decltype(lanes)::value> d;
      const Sample* from0 = first.data + i;
      const Sample* from1 = second.data + i;
      Sample* to = target.data + i;
      for (int r = 0; r < extent.rows; ++r) {
        hn::StoreU(hn::AverageRound(hn::LoadU(d, from0), hn::LoadU(d, from1)),
                   d, to);
        from0 += first.stride;
        from1 += second.stride;
        to += target.stride;
      }
    });
  }

  template <typename Sample>
  static HWY_NOINLINE void Weight(Predictions predictions, int weight,
                                  const Rounding<Sample>& rounding,
                                  Extent extent, Pixels<Sample> target) {
    const int shift = rounding.Post() + 4;
    const int add = (1 << (shift - 1)) + 16 * rounding.Bias();
    BlendStrips<kShift<Sample>>(
        extent, rounding.MaxSample(), target,
        [&](auto lanes, int at, int, int) HWY_ATTR {
          constexpr int kLanes = decltype(lanes)::value;
          const auto first = LoadWide<kLanes>(predictions.first + at);
          const auto second = LoadWide<kLanes>(predictions.second + at);
          const hn::DFromV<decltype(hn::Add(first, second))> d;
          if constexpr (sizeof(Sample) == 1) {
            return Mix<4>(first, second,
                          hn::Set(d, static_cast<int16_t>(weight)));
          }
          return WeightedSum(
              first, second, hn::Set(d, static_cast<int16_t>(weight)),
              hn::Set(d, static_cast<int16_t>(16 - weight)), add, shift);
        });
  }

  template <typename Sample>
  static HWY_NOINLINE void Mask(Predictions predictions, MaskRows mask,
                                const Rounding<Sample>& rounding, Extent extent,
                                Pixels<Sample> target) {
    const int shift = rounding.Post() + kMaskBits;
    const int add = (1 << (shift - 1)) + kMaskOne * rounding.Bias();
    BlendStrips<kShift<Sample>>(
        extent, rounding.MaxSample(), target,
        [&](auto lanes, int at, int r, int c) HWY_ATTR {
          constexpr int kLanes = decltype(lanes)::value;
          const auto first = LoadWide<kLanes>(predictions.first + at);
          const auto second = LoadWide<kLanes>(predictions.second + at);
          const auto weight = LoadWide<kLanes>(mask.data + r * mask.stride + c);
          const hn::DFromV<decltype(hn::Add(weight, weight))> d;
          if constexpr (sizeof(Sample) == 1) {
            return Mix<kMaskBits>(first, second, weight);
          }
          return WeightedSum(first, second, weight,
                             hn::Sub(hn::Set(d, int16_t{kMaskOne}), weight),
                             add, shift);
        });
  }

  template <typename Sample>
  static HWY_NOINLINE void DifferenceMask(Predictions predictions,
                                          const Rounding<Sample>& rounding,
                                          Extent extent, bool inverted,
                                          uint8_t* mask) {
    // Round2, then the division by 16. Differences fit in uint16_t.
    const int round = rounding.BitDepth() - 8 + rounding.Post();
    const auto add = static_cast<uint16_t>(1 << (round - 1));
    const auto flip = static_cast<int16_t>(inverted ? -1 : 0);
    const auto flipped = static_cast<int16_t>(inverted ? kMaskOne + 1 : 0);
    BlendStrips<0>(
        extent, 0, Pixels<uint8_t>{mask, kMaxPiece},
        [&](auto lanes, int at, int, int) HWY_ATTR {
          constexpr int kLanes = decltype(lanes)::value;
          const auto first = LoadWide<kLanes>(predictions.first + at);
          const auto second = LoadWide<kLanes>(predictions.second + at);
          const hn::DFromV<decltype(hn::Add(first, second))> d;
          const hn::RebindToUnsigned<decltype(d)> unsigned_d;
          const auto difference = hn::BitCast(
              unsigned_d,
              hn::Sub(hn::Max(first, second), hn::Min(first, second)));
          const auto steps = ShiftRightBy(
              hn::Add(difference, hn::Set(unsigned_d, add)), round + 4);
          const auto weight =
              hn::Min(hn::Add(hn::BitCast(d, steps), hn::Set(d, int16_t{38})),
                      hn::Set(d, int16_t{kMaskOne}));
          return hn::Add(hn::Xor(weight, hn::Set(d, flip)),
                         hn::Set(d, flipped));
        });
  }

  template <typename Sample>
  static HWY_NOINLINE void OverlapAbove(Pixels<const Sample> source,
                                        const uint8_t* mask, Extent extent,
                                        Pixels<Sample> target) {
    BlendStrips<0>(
        extent, kNoLimit, target, [&](auto lanes, int, int r, int c) HWY_ATTR {
          constexpr int kLanes = decltype(lanes)::value;
          const auto own =
              LoadWide<kLanes>(target.data + r * target.stride + c);
          const hn::DFromV<decltype(hn::Add(own, own))> d;
          return Overlapped(
              own, LoadWide<kLanes>(source.data + r * source.stride + c),
              hn::Set(d, int16_t{mask[r]}));
        });
  }
  template <typename Sample>
  static HWY_NOINLINE void OverlapLeft(Pixels<const Sample> source,
                                       const uint8_t* mask, Extent extent,
                                       Pixels<Sample> target) {
    BlendStrips<0>(extent, kNoLimit, target,
                   [&](auto lanes, int, int r, int c) HWY_ATTR {
                     constexpr int kLanes = decltype(lanes)::value;
                     return Overlapped(
                         LoadWide<kLanes>(target.data + r * target.stride + c),
                         LoadWide<kLanes>(source.data + r * source.stride + c),
                         LoadWide<kLanes>(mask + c));
                   });
  }

 private:
  static constexpr int kNoLimit = INT16_MAX;
  // Shifts of a blend: for 8-bit samples what Post() gives, and one more for a
  // sum.
  template <typename Sample>
  static constexpr int kShift = sizeof(Sample) == 1 ? 4 : 0;
  template <typename Sample>
  static constexpr int kSumShift = sizeof(Sample) == 1 ? 5 : 0;

  // weight: of own, more than 0.
  template <class V>
  static HWY_INLINE V Overlapped(V own, V neighbour, V weight) {
    const hn::DFromV<V> d;
    const V other = hn::ShiftLeft<15 - kMaskBits>(
        hn::Sub(hn::Set(d, int16_t{kMaskOne}), weight));
    return hn::Add(own, hn::MulFixedPoint15(hn::Sub(neighbour, own), other));
  }
};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_INTER_BLEND_INL_H_
