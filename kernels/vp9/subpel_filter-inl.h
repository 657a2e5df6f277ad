// SPDX-License-Identifier: BSD-2-Clause
// One interpolation filter (VP9 8.5.2.4) on vectors of samples, for each
// Highway target; included by inter_pred_simd.cc only.
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

// filter(taps): kLanes samples, in vectors of at least 16 bytes, filtered.
// taps[t] are the samples that go with tap t. Not for filter 0, whose 128 is no
// int8_t.
//
// Samples go through filters as the target likes them: Enter makes them so,
// Leave undoes it, and what comes out of a filter may go into another.
//
// Across: kRows rows of samples in one vector, pixels of kPixelStep samples,
// the first tap of the first at from. It reads one pixel more than taps go with.
template <typename Sample, int kLanes>
class SubpelFilter;

// Across with one load for each tap.
template <int kRows, int kLanes, int kPixelStep, class Filter, typename Sample>
HWY_INLINE typename Filter::V TapsAcross(const Filter& filter,
                                         const Sample* from,
                                         ptrdiff_t stride) {
  typename Filter::V taps[kTaps];
  for (int t = 0; t < kTaps; ++t) {
    taps[t] = Filter::Enter(
        LoadRows<kRows, kLanes>(from + t * kPixelStep, stride));
  }
  return filter(taps);
}

// Sums of 8-bit samples in 16 bits: with the taps of VP9 they span less than
// 2^16, from -13770 to 46410, so that less 128 * 128 they fit in an int16_t at
// the end; those on the way may overflow, and come back. What remains is less
// 128 after the rounding, and clamped by saturation to int8_t.

#if HWY_ARCH_ARM_A64

// Samples less 128 make such sums without more ado.
template <>
class SubpelFilter<uint8_t, 16> {
 public:
  static constexpr hn::FixedTag<uint8_t, 16> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint8_t, 16> >;

  HWY_INLINE SubpelFilter(const int16_t (&taps)[kTaps], int /*max_sample*/) {
    for (int t = 0; t < kTaps; ++t) {
      taps_[t] = vdupq_n_s8(static_cast<int8_t>(taps[t]));
    }
  }

  static HWY_INLINE V Enter(V samples) {
    return hn::Xor(samples, hn::Set(kTag, 0x80));
  }
  static HWY_INLINE V Leave(V samples) { return Enter(samples); }

  HWY_INLINE V operator()(const V* taps) const {
    int8x16_t samples = vreinterpretq_s8_u8(taps[0].raw);
    int16x8_t lower = vmull_s8(vget_low_s8(samples), vget_low_s8(taps_[0]));
    int16x8_t upper = vmull_high_s8(samples, taps_[0]);
    for (int t = 1; t < kTaps; ++t) {
      samples = vreinterpretq_s8_u8(taps[t].raw);
      lower = vmlal_s8(lower, vget_low_s8(samples), vget_low_s8(taps_[t]));
      upper = vmlal_high_s8(upper, samples, taps_[t]);
    }
    return V(vreinterpretq_u8_s8(vqrshrn_high_n_s16(
        vqrshrn_n_s16(lower, kFilterBits), upper, kFilterBits)));
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint8_t* from, ptrdiff_t stride) const {
    if constexpr (kRows > 1) {
      return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
    } else {
      const V first = Enter(hn::LoadU(kTag, from));
      V rest;
      if constexpr (kPixelStep == 1) {
        const uint8x8_t half = vld1_u8(from + 16);
        rest = Enter(V(vcombine_u8(half, half)));
      } else {
        rest = Enter(hn::LoadU(kTag, from + 16));
      }
      constexpr int kStep = kPixelStep;
      const V taps[kTaps] = {
          first,
          hn::CombineShiftRightBytes<1 * kStep>(kTag, rest, first),
          hn::CombineShiftRightBytes<2 * kStep>(kTag, rest, first),
          hn::CombineShiftRightBytes<3 * kStep>(kTag, rest, first),
          hn::CombineShiftRightBytes<4 * kStep>(kTag, rest, first),
          hn::CombineShiftRightBytes<5 * kStep>(kTag, rest, first),
          hn::CombineShiftRightBytes<6 * kStep>(kTag, rest, first),
          hn::CombineShiftRightBytes<7 * kStep>(kTag, rest, first)};
      return (*this)(taps);
    }
  }

 private:
  int8x16_t taps_[kTaps];
};

template <>
class SubpelFilter<uint16_t, 8> {
 public:
  static constexpr hn::FixedTag<uint16_t, 8> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint16_t, 8> >;

  HWY_INLINE SubpelFilter(const int16_t (&taps)[kTaps], int max_sample)
      : taps_(vld1q_s16(taps)),
        max_(vdupq_n_u16(static_cast<uint16_t>(max_sample))) {}

  static HWY_INLINE V Enter(V samples) { return samples; }
  static HWY_INLINE V Leave(V samples) { return samples; }

  HWY_INLINE V operator()(const V* taps) const {
    int32x4_t lower = vdupq_n_s32(0);
    int32x4_t upper = vdupq_n_s32(0);
    AddProduct<0>(taps, lower, upper);
    AddProduct<1>(taps, lower, upper);
    AddProduct<2>(taps, lower, upper);
    AddProduct<3>(taps, lower, upper);
    AddProduct<4>(taps, lower, upper);
    AddProduct<5>(taps, lower, upper);
    AddProduct<6>(taps, lower, upper);
    AddProduct<7>(taps, lower, upper);
    return V(vminq_u16(vqrshrun_high_n_s32(vqrshrun_n_s32(lower, kFilterBits),
                                           upper, kFilterBits),
                       max_));
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint16_t* from, ptrdiff_t stride) const {
    return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
  }

 private:
  template <int t>
  HWY_INLINE void AddProduct(const V* taps, int32x4_t& lower,
                             int32x4_t& upper) const {
    const int16x8_t samples = vreinterpretq_s16_u16(taps[t].raw);
    lower = vmlal_laneq_s16(lower, vget_low_s16(samples), taps_, t);
    upper = vmlal_high_laneq_s16(upper, samples, taps_, t);
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
                                 hn::Vec128<int16_t> a,
                                 hn::Vec128<int16_t> b) {
  return hn::Vec128<int8_t>{_mm_packs_epi16(a.raw, b.raw)};
}
#if HWY_TARGET <= HWY_AVX2
HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 16>,
                                       hn::Vec256<uint8_t> a,
                                       hn::Vec256<int8_t> b) {
  return hn::Vec256<int16_t>{_mm256_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto ReorderDemote2To(hn::FixedTag<int8_t, 32>,
                                 hn::Vec256<int16_t> a,
                                 hn::Vec256<int16_t> b) {
  return hn::Vec256<int8_t>{_mm256_packs_epi16(a.raw, b.raw)};
}
#endif
#if HWY_TARGET <= HWY_AVX3
HWY_INLINE auto SatWidenMulPairwiseAdd(hn::FixedTag<int16_t, 32>,
                                       hn::Vec512<uint8_t> a,
                                       hn::Vec512<int8_t> b) {
  return hn::Vec512<int16_t>{_mm512_maddubs_epi16(a.raw, b.raw)};
}
HWY_INLINE auto ReorderDemote2To(hn::FixedTag<int8_t, 64>,
                                 hn::Vec512<int16_t> a,
                                 hn::Vec512<int16_t> b) {
  return hn::Vec512<int8_t>{_mm512_packs_epi16(a.raw, b.raw)};
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

// No two neighbouring taps reach 129, so that their products never saturate.
template <int kLanes>
class SubpelFilter<uint8_t, kLanes> {
 public:
  static constexpr hn::FixedTag<uint8_t, kLanes> kTag{};
  using V = hn::VFromD<hn::FixedTag<uint8_t, kLanes> >;

  HWY_INLINE SubpelFilter(const int16_t (&taps)[kTaps], int /*max_sample*/) {
    for (int p = 0; p < kTaps / 2; ++p) {
      const int pair = (taps[2 * p] & 0xff) | (taps[2 * p + 1] * 256);
      taps_[p] = hn::BitCast(hn::FixedTag<int8_t, kLanes>(),
                              hn::Set(kWide, static_cast<int16_t>(pair)));
    }
  }

  static HWY_INLINE V Enter(V samples) { return samples; }
  static HWY_INLINE V Leave(V samples) { return samples; }

  HWY_INLINE V operator()(const V* taps) const {
    V lower[kPairs];
    V upper[kPairs];
    for (int p = 0; p < kPairs; ++p) {
      const V a = taps[2 * p];
      const V b = taps[2 * p + 1];
      lower[p] = hn::InterleaveLower(kTag, a, b);
      upper[p] = hn::InterleaveUpper(kTag, a, b);
    }
    return Round(Sum(lower), Sum(upper));
  }

  // Eight samples, whose taps lie within 16 bytes or, of chroma, twice that,
  // are half a row of 16 or a row of 8.
  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint8_t* from, ptrdiff_t stride) const {
    constexpr int kStep = kPixelStep;
    if constexpr (kRowLanes == 16) {
      return Round(SumAcross<kRows, kStep>(from, stride),
                   SumAcross<kRows, kStep>(from + 8, stride));
    } else if constexpr (kRowLanes == 8) {
      return Round(SumAcross<kRows / 2, kStep>(from, 2 * stride),
                   SumAcross<kRows / 2, kStep>(from + stride, 2 * stride));
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
    const auto signed_samples =
        ReorderDemote2To(hn::FixedTag<int8_t, kLanes>(),
                         hn::MulFixedPoint15(lower, rounding),
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

  HWY_INLINE SubpelFilter(const int16_t (&taps)[kTaps], int max_sample)
      : max_(hn::Set(kSigned, static_cast<int16_t>(max_sample))) {
    for (int p = 0; p < kTaps / 2; ++p) {
      const int pair = (taps[2 * p] & 0xffff) | (taps[2 * p + 1] * 65536);
      pairs_[p] = hn::BitCast(kSigned, hn::Set(kWide, pair));
    }
  }

  static HWY_INLINE V Enter(V samples) { return samples; }
  static HWY_INLINE V Leave(V samples) { return samples; }

  HWY_INLINE V operator()(const V* taps) const {
    auto lower = hn::Set(kWide, 1 << (kFilterBits - 1));
    auto upper = lower;
    auto unused = hn::Zero(kWide);
    for (int p = 0; p < kTaps / 2; ++p) {
      const auto a = hn::BitCast(kSigned, taps[2 * p]);
      const auto b = hn::BitCast(kSigned, taps[2 * p + 1]);
      lower = hn::ReorderWidenMulAccumulate(
          kWide, hn::InterleaveLower(kSigned, a, b), pairs_[p], lower, unused);
      upper = hn::ReorderWidenMulAccumulate(
          kWide, hn::InterleaveUpper(kSigned, a, b), pairs_[p], upper, unused);
    }
    const auto samples = hn::ReorderDemote2To(
        kSigned, hn::ShiftRight<kFilterBits>(lower),
        hn::ShiftRight<kFilterBits>(upper));
    return hn::BitCast(
        kTag, hn::Min(hn::Max(samples, hn::Zero(kSigned)), max_));
  }

  template <int kRows, int kRowLanes, int kPixelStep>
  HWY_INLINE V Across(const uint16_t* from, ptrdiff_t stride) const {
    return TapsAcross<kRows, kRowLanes, kPixelStep>(*this, from, stride);
  }

 private:
  static constexpr hn::FixedTag<int16_t, kLanes> kSigned{};
  static constexpr hn::FixedTag<int32_t, kLanes / 2> kWide{};

  hn::VFromD<hn::FixedTag<int16_t, kLanes> > pairs_[kTaps / 2];
  hn::VFromD<hn::FixedTag<int16_t, kLanes> > max_;
};

#endif  // HWY_TARGET

}  // namespace
}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_VP9_SUBPEL_FILTER_INL_H_
