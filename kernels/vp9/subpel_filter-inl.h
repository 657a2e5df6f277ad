// SPDX-License-Identifier: BSD-2-Clause
// One interpolation filter (VP9 8.5.2.4) on vectors of samples, for each
// Highway target. Included by inter_pred_simd.cc only.
#if defined(PERDIX_KERNELS_VP9_SUBPEL_FILTER_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_VP9_SUBPEL_FILTER_INL_H_
#undef PERDIX_KERNELS_VP9_SUBPEL_FILTER_INL_H_
#else
#define PERDIX_KERNELS_VP9_SUBPEL_FILTER_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/vp9/block_interpolation.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// kRows rows of kLanes samples in one vector.
template <int kRows, int kLanes, typename Sample>
HWY_INLINE auto LoadRows(const Sample* at, ptrdiff_t stride) {
  if constexpr (kRows == 1) {
    return hn::LoadU(hn::FixedTag<Sample, kLanes>(), at);
  } else {
    constexpr int kHalf = kRows / 2;
    return hn::Combine(hn::FixedTag<Sample, kRows * kLanes>(),
                       LoadRows<kHalf, kLanes>(at + kHalf * stride, stride),
                       LoadRows<kHalf, kLanes>(at, stride));
  }
}

// The filter of this kind at this position, which is not 0: there samples are
// taken as they are. filter(taps) is kLanes samples, in vectors of 16 bytes at
// least, filtered; taps[t] are the samples that go with tap t.
//
// Across: kRows rows of kRowLanes samples in one vector; pixels are kPixelStep
// samples. The first tap of the first pixel is at from; what is read is one
// pixel more than the taps go with.
//
// Samples go through filters as the target likes them: Enter makes them so,
// Leave undoes it, and what comes out of a filter may go into another.
template <typename Sample, int kLanes>
class SubpelFilter;

// Across with one load for each tap.
template <int kRows, int kRowLanes, int kPixelStep, class Filter,
          typename Sample>
HWY_INLINE typename Filter::V TapsAcross(const Filter& filter,
                                         const Sample* from, ptrdiff_t stride) {
  typename Filter::V taps[kTaps];
  for (int t = 0; t < kTaps; ++t) {
    taps[t] = Filter::Enter(
        LoadRows<kRows, kRowLanes>(from + t * kPixelStep, stride));
  }
  return filter(taps);
}

// Sums of 8-bit samples in 16 bits: with the taps of VP9 they span less than
// 2^16, from -13770 to 46410, so that less 128 * 128 they fit in an int16_t at
// the end; those on the way may overflow, and come back. Rounded they are the
// result less 128, which saturation to an int8_t clamps.

#if HWY_ARCH_ARM_A64

// Samples are less 128 already here, as int8_t: so are then the sums.
template <>
class SubpelFilter<uint8_t, 16> {
 public:
  static constexpr hn::FixedTag<uint8_t, 16> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint8_t, 16> >;

  HWY_INLINE SubpelFilter(uint32_t kind, int position, int /*max_sample*/) {
    const auto& taps = kSubpelFilters8.taps[kind][position];
    for (int t = 0; t < kTaps; ++t) taps_[t] = vld1q_dup_s8(taps + t);
  }

  static HWY_INLINE V Enter(V samples) {
    return hn::Xor(samples, hn::Set(kTag, 0x80));
  }
  static HWY_INLINE V Leave(V samples) { return Enter(samples); }

  HWY_INLINE V operator()(const V* taps) const {
    int16x8_t upper = vmull_high_s8(Signed(taps[0]), taps_[0]);
    for (int t = 1; t < kTaps; ++t) {
      upper = vmlal_high_s8(upper, Signed(taps[t]), taps_[t]);
    }
    return Round(SumLower(taps), upper);
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint8_t* from, ptrdiff_t stride) const {
    if constexpr (kRows == 1) {
      V taps[kTaps];
      ShiftTaps<kPixelStep, kTaps * kPixelStep>(from, taps);
      return (*this)(taps);
    } else if constexpr (kRows == 2) {
      V first[kTaps];
      V second[kTaps];
      ShiftTaps<kPixelStep, kTaps*(kPixelStep - 1)>(from, first);
      ShiftTaps<kPixelStep, kTaps*(kPixelStep - 1)>(from + stride, second);
      return Round(SumLower(first), SumLower(second));
    } else {
      return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
    }
  }

 private:
  static HWY_INLINE int8x16_t Signed(V samples) {
    return vreinterpretq_s8_u8(samples.raw);
  }

  HWY_INLINE int16x8_t SumLower(const V* taps) const {
    int16x8_t sum =
        vmull_s8(vget_low_s8(Signed(taps[0])), vget_low_s8(taps_[0]));
    for (int t = 1; t < kTaps; ++t) {
      sum = vmlal_s8(sum, vget_low_s8(Signed(taps[t])), vget_low_s8(taps_[t]));
    }
    return sum;
  }

  static HWY_INLINE V Round(int16x8_t lower, int16x8_t upper) {
    return V(vreinterpretq_u8_s8(vqrshrn_high_n_s16(
        vqrshrn_n_s16(lower, kFilterBits), upper, kFilterBits)));
  }

  // The samples of all taps from 16 and kMore samples.
  template <int kPixelStep, int kMore>
  static HWY_INLINE void ShiftTaps(const uint8_t* from, V* taps) {
    const V start = Enter(hn::LoadU(kTag, from));
    V end = start;
    if constexpr (kMore == 8)
      end = Enter(V(vcombine_u8(vld1_u8(from + 16), vdup_n_u8(0))));
    if constexpr (kMore == 16) end = Enter(hn::LoadU(kTag, from + 16));
    taps[0] = start;
    taps[1] = hn::CombineShiftRightBytes<1 * kPixelStep>(kTag, end, start);
    taps[2] = hn::CombineShiftRightBytes<2 * kPixelStep>(kTag, end, start);
    taps[3] = hn::CombineShiftRightBytes<3 * kPixelStep>(kTag, end, start);
    taps[4] = hn::CombineShiftRightBytes<4 * kPixelStep>(kTag, end, start);
    taps[5] = hn::CombineShiftRightBytes<5 * kPixelStep>(kTag, end, start);
    taps[6] = hn::CombineShiftRightBytes<6 * kPixelStep>(kTag, end, start);
    taps[7] = hn::CombineShiftRightBytes<7 * kPixelStep>(kTag, end, start);
  }

  int8x16_t taps_[kTaps];
};

template <>
class SubpelFilter<uint16_t, 8> {
 public:
  static constexpr hn::FixedTag<uint16_t, 8> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint16_t, 8> >;

  HWY_INLINE SubpelFilter(uint32_t kind, int position, int max_sample)
      : taps_(vld1q_s16(kSubpelFilters[kind][position])),
        max_(vdupq_n_u16(static_cast<uint16_t>(max_sample))) {}

  static HWY_INLINE V Enter(V samples) { return samples; }
  static HWY_INLINE V Leave(V samples) { return samples; }

  HWY_INLINE V operator()(const V* taps) const {
    int32x4_t lower = vmull_laneq_s16(vget_low_s16(Signed(taps[0])), taps_, 0);
    int32x4_t upper = vmull_high_laneq_s16(Signed(taps[0]), taps_, 0);
    AddProducts<1>(taps, lower, upper);
    return V(vminq_u16(vqrshrun_high_n_s32(vqrshrun_n_s32(lower, kFilterBits),
                                           upper, kFilterBits),
                       max_));
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint16_t* from, ptrdiff_t stride) const {
    return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
  }

 private:
  static HWY_INLINE int16x8_t Signed(V samples) {
    return vreinterpretq_s16_u16(samples.raw);
  }

  template <int kTap>
  HWY_INLINE void AddProducts(const V* taps, int32x4_t& lower,
                              int32x4_t& upper) const {
    const int16x8_t samples = Signed(taps[kTap]);
    lower = vmlal_laneq_s16(lower, vget_low_s16(samples), taps_, kTap);
    upper = vmlal_high_laneq_s16(upper, samples, taps_, kTap);
    if constexpr (kTap + 1 < kTaps) AddProducts<kTap + 1>(taps, lower, upper);
  }

  int16x8_t taps_;
  uint16x8_t max_;
};

#else  // targets that multiply and add pairs

#if HWY_MAJOR == 1 && HWY_MINOR == 0  // what Highway of Debian 12 lacks

HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 8>,
                                       hn::Vec128<uint8_t> a,
                                       hn::Vec128<int8_t> b) {
  return hn::Vec128<int16_t>{_mm_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto ReorderDemote2To(hn::FixedTag<int8_t, 16>,
                                 hn::Vec128<int16_t> a, hn::Vec128<int16_t> b) {
  return hn::Vec128<int8_t>{_mm_packs_epi16(a.raw, b.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 16>,
                                       hn::Vec256<uint8_t> a,
                                       hn::Vec256<int8_t> b) {
  return hn::Vec256<int16_t>{_mm256_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto ReorderDemote2To(hn::FixedTag<int8_t, 32>,
                                 hn::Vec256<int16_t> a, hn::Vec256<int16_t> b) {
  return hn::Vec256<int8_t>{_mm256_packs_epi16(a.raw, b.raw)};
}
#endif

#else

using hn::ReorderDemote2To;
using hn::SatWidenMulPairwiseAdd;

#endif

// bytes[n]: indices, among 16 samples from n before them, of the pairs that go
// with two taps of eight samples side by side.
struct PairTable {
  alignas(16) uint8_t bytes[8][16];
};
constexpr PairTable MakePairTable(int pixel_step) {
  PairTable table = {};
  for (int n = 0; n < 8; ++n) {
    for (int i = 0; i < 8; ++i) {
      table.bytes[n][2 * i] = static_cast<uint8_t>(n + i);
      table.bytes[n][2 * i + 1] = static_cast<uint8_t>(n + i + pixel_step);
    }
  }
  return table;
}
template <int kPixelStep>
constexpr PairTable kPairTable = MakePairTable(kPixelStep);

// No two taps 2 * n and 2 * n + 1 reach 129, so that no pair saturates.
template <int kLanes>
class SubpelFilter<uint8_t, kLanes> {
 public:
  static constexpr hn::FixedTag<uint8_t, kLanes> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint8_t, kLanes> >;

  HWY_INLINE SubpelFilter(uint32_t kind, int position, int /*max_sample*/) {
    int16_t pairs[kPairs];
    std::memcpy(pairs, kSubpelFilters8.taps[kind][position], sizeof(pairs));
    for (int p = 0; p < kPairs; ++p) {
      taps_[p] =
          hn::BitCast(hn::FixedTag<int8_t, kLanes>(), hn::Set(kWide, pairs[p]));
    }
  }

  static HWY_INLINE V Enter(V samples) { return samples; }
  static HWY_INLINE V Leave(V samples) { return samples; }

  HWY_INLINE V operator()(const V* taps) const {
    V lower[kPairs];
    V upper[kPairs];
    for (int p = 0; p < kPairs; ++p) {
      lower[p] = hn::InterleaveLower(kTag, taps[2 * p], taps[2 * p + 1]);
      upper[p] = hn::InterleaveUpper(kTag, taps[2 * p], taps[2 * p + 1]);
    }
    return Round(Sum(lower), Sum(upper));
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint8_t* from, ptrdiff_t stride) const {
    if constexpr (kRowLanes == 16) {
      return Round(SumAcross<kRows, kPixelStep>(from, stride),
                   SumAcross<kRows, kPixelStep>(from + 8, stride));
    } else if constexpr (kRowLanes == 8) {
      return Round(SumAcross<kRows / 2, kPixelStep>(from, 2 * stride),
                   SumAcross<kRows / 2, kPixelStep>(from + stride, 2 * stride));
    } else {
      return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
    }
  }

 private:
  static constexpr hn::FixedTag<int16_t, kLanes / 2> kWide{};
  using Wide = hn::VFromD<hn::FixedTag<int16_t, kLanes / 2> >;
  static constexpr int kPairs = kTaps / 2;

  HWY_INLINE Wide Sum(const V* pairs) const {
    Wide sum = hn::Set(kWide, -128 * 128);
    for (int p = 0; p < kPairs; ++p) {
      sum = hn::Add(sum, SatWidenMulPairwiseAdd(kWide, pairs[p], taps_[p]));
    }
    return sum;
  }

  // The sums of eight samples in each of kRows rows.
  template <int kRows, int kPixelStep>
  HWY_INLINE Wide SumAcross(const uint8_t* from, ptrdiff_t stride) const {
    V pairs[kPairs];
    for (int p = 0; p < kPairs; ++p) {
      const int first = 2 * p * kPixelStep;
      pairs[p] = hn::TableLookupBytes(
          LoadRows<kRows, 16>(from + first / 8 * 8, stride),
          hn::LoadDup128(kTag, kPairTable<kPixelStep>.bytes[first % 8]));
    }
    return Sum(pairs);
  }

  static HWY_INLINE V Round(Wide lower, Wide upper) {
    const auto rounding = hn::Set(kWide, 1 << (15 - kFilterBits));
    const auto signed_samples = ReorderDemote2To(
        hn::FixedTag<int8_t, kLanes>(), hn::MulFixedPoint15(lower, rounding),
        hn::MulFixedPoint15(upper, rounding));
    return hn::Xor(hn::BitCast(kTag, signed_samples), hn::Set(kTag, 0x80));
  }

  hn::VFromD<hn::FixedTag<int8_t, kLanes> > taps_[kPairs];
};

template <int kLanes>
class SubpelFilter<uint16_t, kLanes> {
 public:
  static constexpr hn::FixedTag<uint16_t, kLanes> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint16_t, kLanes> >;

  HWY_INLINE SubpelFilter(uint32_t kind, int position, int max_sample)
      : max_(hn::Set(kSigned, static_cast<int16_t>(max_sample))) {
    int32_t pairs[kPairs];
    std::memcpy(pairs, kSubpelFilters[kind][position], sizeof(pairs));
    for (int p = 0; p < kPairs; ++p) {
      taps_[p] = hn::BitCast(kSigned, hn::Set(kWide, pairs[p]));
    }
  }

  static HWY_INLINE V Enter(V samples) { return samples; }
  static HWY_INLINE V Leave(V samples) { return samples; }

  HWY_INLINE V operator()(const V* taps) const {
    auto lower = hn::Set(kWide, 1 << (kFilterBits - 1));
    auto upper = lower;
    auto unused = hn::Zero(kWide);
    for (int p = 0; p < kPairs; ++p) {
      const auto a = hn::BitCast(kSigned, taps[2 * p]);
      const auto b = hn::BitCast(kSigned, taps[2 * p + 1]);
      lower = hn::ReorderWidenMulAccumulate(
          kWide, hn::InterleaveLower(kSigned, a, b), taps_[p], lower, unused);
      upper = hn::ReorderWidenMulAccumulate(
          kWide, hn::InterleaveUpper(kSigned, a, b), taps_[p], upper, unused);
    }
    const auto samples =
        hn::ReorderDemote2To(kSigned, hn::ShiftRight<kFilterBits>(lower),
                             hn::ShiftRight<kFilterBits>(upper));
    return hn::BitCast(kTag,
                       hn::Min(hn::Max(samples, hn::Zero(kSigned)), max_));
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint16_t* from, ptrdiff_t stride) const {
    return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
  }

 private:
  static constexpr hn::FixedTag<int16_t, kLanes> kSigned{};
  static constexpr hn::FixedTag<int32_t, kLanes / 2> kWide{};
  static constexpr int kPairs = kTaps / 2;

  hn::VFromD<hn::FixedTag<int16_t, kLanes> > taps_[kPairs];
  hn::VFromD<hn::FixedTag<int16_t, kLanes> > max_;
};

#endif  // HWY_ARCH_ARM_A64

}  // namespace
}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_VP9_SUBPEL_FILTER_INL_H_
