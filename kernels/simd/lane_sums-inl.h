// SPDX-License-Identifier: BSD-2-Clause
// What both codecs' deblocking filters compute with: sums and means of samples
// in each lane, and the arithmetic of the narrow filters.
#if defined(PERDIX_KERNELS_SIMD_LANE_SUMS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_SIMD_LANE_SUMS_INL_H_
#undef PERDIX_KERNELS_SIMD_LANE_SUMS_INL_H_
#else
#define PERDIX_KERNELS_SIMD_LANE_SUMS_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace perdix::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_ATTR hn::VFromD<D> Value(D d, int value) {
  return hn::Set(d, static_cast<hn::TFromD<D> >(value));
}

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
    if constexpr (kSaturates) {
      return hn::SaturatedAdd(a, b);
    } else {
      return Clamp(hn::Add(a, b));
    }
  }
  HWY_ATTR V Sub(V a, V b) const {
    if constexpr (kSaturates) {
      return hn::SaturatedSub(a, b);
    } else {
      return Clamp(hn::Sub(a, b));
    }
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

// A sum of 2^kLog2 samples in each lane: all 16 bits of it at bit depth 12.
template <class D, int kLog2, typename Sample = hn::TFromD<D> >
class LaneSums {
 public:
  using V = hn::VFromD<D>;

  // With 2^(kLog2 - 1) - 1 times the outermost sample in it.
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

// Samples of 8 bits: a sum for the even lanes and one for the odd ones.
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
class LaneSums<hn::FixedTag<uint8_t, 16>, kLog2, uint8_t> {
 public:
  using V = hn::VFromD<hn::FixedTag<uint8_t, 16> >;

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

}  // namespace perdix::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_SIMD_LANE_SUMS_INL_H_
