// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters (7.11.3.4) for arm64: as inter_filter-inl.h, but of
// products of single taps, with both passes in one. Included by
// inter_loops-inl.h only.
//
// Bytes are less 128 here, so that they fit in int8_t. As the taps add up to
// 64, sums are less 64 * 128, and what the first pass makes of them is less
// 2048. After the last pass that is one more XOR, or one more sum.
#if defined(PERDIX_KERNELS_AV1_INTER_INTER_FILTER_NEON_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_INTER_FILTER_NEON_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_INTER_FILTER_NEON_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_INTER_FILTER_NEON_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/strips-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// The widest strip of each kind of pass, in samples.
template <typename Sample>
constexpr int kDownLanes = 16 / static_cast<int>(sizeof(Sample));
template <typename Sample>
constexpr int kBothLanes = kDownLanes<Sample>;
template <typename Sample, typename Out>
constexpr int kAcrossLanes = kDownLanes<Sample>;

// kLanes samples, or the sums of eight or more, in as many vectors as it takes.
template <class V, int kCount>
struct Vectors {
  HWY_INLINE Vectors() {}  // GCC's own would not be of this target
  V of[kCount];
};
template <int kLanes>
using Words = Vectors<int16x8_t, HWY_MAX(1, kLanes / 8)>;
template <int kLanes>
using LongWords = Vectors<int32x4_t, HWY_MAX(1, kLanes / 4)>;

HWY_INLINE int8x16_t LoadSigned(const uint8_t* at) {
  return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(at), vdupq_n_u8(128)));
}

template <int kLanes>
HWY_INLINE Words<kLanes> LoadWords(const int16_t* at) {
  Words<kLanes> words;
  words.of[0] = vld1q_s16(at);
  if constexpr (kLanes == 16) words.of[1] = vld1q_s16(at + 8);
  return words;
}

// ---- sums of products ----

// Products of lower lanes. By intrinsics GCC would keep the lower half of what
// the next rounds of a loop use, too, in a register of its own, and run out of
// registers.
HWY_INLINE int16x8_t MultiplyLower(int8x16_t a, int8x16_t b) {
  int16x8_t products;
  asm("smull %0.8h, %1.8b, %2.8b" : "=w"(products) : "w"(a), "w"(b));
  return products;
}
HWY_INLINE int16x8_t MultiplyLower(int16x8_t sums, int8x16_t a, int8x16_t b) {
  asm("smlal %0.8h, %1.8b, %2.8b" : "+w"(sums) : "w"(a), "w"(b));
  return sums;
}
template <int kLane>
HWY_INLINE int32x4_t MultiplyLower(int16x8_t a, int16x8_t b) {
  int32x4_t products;
  asm("smull %0.4s, %1.4h, %2.h[%3]"
      : "=w"(products)
      : "w"(a), "x"(b), "i"(kLane));
  return products;
}
template <int kLane>
HWY_INLINE int32x4_t MultiplyLower(int32x4_t sums, int16x8_t a, int16x8_t b) {
  asm("smlal %0.4s, %1.4h, %2.h[%3]" : "+w"(sums) : "w"(a), "x"(b), "i"(kLane));
  return sums;
}

// Filters samples of T, which come as vectors: bytes, whose sums are int16_t,
// or int16_t, whose sums are int32_t.
template <typename T, int kLanes, int kPairs>
class Taps;

template <int kLanes, int kPairs>
class Taps<uint8_t, kLanes, kPairs> {
 public:
  using Samples = int8x16_t;
  using Sums = Words<kLanes>;

  HWY_INLINE explicit Taps(const int8_t* filter) {
    for (int t = 0; t < 2 * kPairs; ++t) taps_[t] = vld1q_dup_s8(filter + t);
  }

  static HWY_INLINE Samples Load(const uint8_t* at) { return LoadSigned(at); }

  // Starts sums, with tap 0, or goes on with them.
  template <int kTap>
  HWY_INLINE void Multiply(const Samples& samples, Sums& sums) const {
    const int8x16_t tap = taps_[kTap];
    if constexpr (kTap == 0) {
      sums.of[0] = MultiplyLower(samples, tap);
      if constexpr (kLanes == 16) sums.of[1] = vmull_high_s8(samples, tap);
    } else {
      sums.of[0] = MultiplyLower(sums.of[0], samples, tap);
      if constexpr (kLanes == 16)
        sums.of[1] = vmlal_high_s8(sums.of[1], samples, tap);
    }
  }

 private:
  int8x16_t taps_[2 * kPairs];
};

template <int kLanes, int kPairs>
class Taps<int16_t, kLanes, kPairs> {
 public:
  using Samples = Words<kLanes>;
  using Sums = LongWords<kLanes>;

  HWY_INLINE explicit Taps(const int8_t* filter)
      : taps_(vmovl_s8(vld1_s8(filter - kFirst))) {}

  static HWY_INLINE Samples Load(const int16_t* at) {
    return LoadWords<kLanes>(at);
  }

  template <int kTap>
  HWY_INLINE void Multiply(const Samples& samples, Sums& sums) const {
    constexpr int kLane = kFirst + kTap;
    for (int i = 0; i < HWY_MAX(1, kLanes / 8); ++i) {
      int32x4_t& lower = sums.of[2 * i];
      if constexpr (kTap == 0) {
        lower = MultiplyLower<kLane>(samples.of[i], taps_);
      } else {
        lower = MultiplyLower<kLane>(lower, samples.of[i], taps_);
      }
      if constexpr (kLanes >= 8) {
        int32x4_t& upper = sums.of[2 * i + 1];
        if constexpr (kTap == 0) {
          upper = vmull_high_laneq_s16(samples.of[i], taps_, kLane);
        } else {
          upper = vmlal_high_laneq_s16(upper, samples.of[i], taps_, kLane);
        }
      }
    }
  }

 private:
  static constexpr int kFirst = kTaps / 2 - kPairs;  // of a filter's eight

  int16x8_t taps_;
};

// Down the rows of a ring, as many as taps, of which <first> is the first
// tap's.
template <int kTap, int kTaps, class Filter>
HWY_INLINE void SumDown(const Filter& filter,
                        const typename Filter::Samples* ring, int first,
                        typename Filter::Sums& sums) {
  filter.template Multiply<kTap>(ring[(first + kTap) % kTaps], sums);
  if constexpr (kTap + 1 < kTaps)
    SumDown<kTap + 1, kTaps>(filter, ring, first, sums);
}

// Along a row of bytes, from vectors of 16 that follow each other.
template <int kTap, int kTaps, int kPixelStep, class Filter>
HWY_INLINE void SumAcross(const Filter& filter, int8x16_t start, int8x16_t end,
                          typename Filter::Sums& sums) {
  int8x16_t samples = start;
  if constexpr (kTap > 0) samples = vextq_s8(start, end, kTap * kPixelStep);
  filter.template Multiply<kTap>(samples, sums);
  if constexpr (kTap + 1 < kTaps)
    SumAcross<kTap + 1, kTaps, kPixelStep>(filter, start, end, sums);
}
// Along a row of int16_t.
template <int kTap, int kTaps, int kPixelStep, class Filter>
HWY_INLINE void SumAcross(const Filter& filter, const int16_t* at,
                          typename Filter::Sums& sums) {
  filter.template Multiply<kTap>(Filter::Load(at + kTap * kPixelStep), sums);
  if constexpr (kTap + 1 < kTaps)
    SumAcross<kTap + 1, kTaps, kPixelStep>(filter, at, sums);
}

// ---- what becomes of sums ----

template <int kLanes, typename Out>
HWY_INLINE void StoreWords(const Words<kLanes>& words, Out* out) {
  for (int i = 0; i < HWY_MAX(1, kLanes / 8); ++i) {
    const Vector<int16_t, 8> vector(words.of[i]);
    StoreRows<1, 8, HWY_MIN(kLanes, 8)>(
        hn::BitCast(hn::FixedTag<Out, 8>(), vector), 1,
        Pixels<Out>{out + 8 * i, 0});
  }
}

// Bytes less 128, in the lower half where there are no more than eight.
template <int kLanes>
HWY_INLINE void StoreSigned(int8x16_t samples, uint8_t* out) {
  const hn::FixedTag<uint8_t, 16> d;
  const auto bytes = hn::Xor(Vector<uint8_t, 16>(vreinterpretq_u8_s8(samples)),
                             hn::Set(d, uint8_t{128}));
  StoreRows<1, 16, kLanes>(bytes, 1, Pixels<uint8_t>{out, 0});
}

// The passes of blocks of 8-bit samples.
template <typename Sample, typename Out>
class Finisher {
 public:
  HWY_INLINE explicit Finisher(const Passes<Sample, Out>&) {}

  // The first pass of two.
  template <int kLanes>
  HWY_INLINE Words<kLanes> First(const Words<kLanes>& sums) const {
    Words<kLanes> result;
    for (int i = 0; i < HWY_MAX(1, kLanes / 8); ++i)
      result.of[i] = vrshrq_n_s16(sums.of[i], 2);
    return result;
  }
  // A pass alone. Across it rounds as the first of two would, too.
  template <int kLanes>
  HWY_INLINE void Across(Words<kLanes> sums, Out* out) const {
    if constexpr (sizeof(Out) == 1) {
      for (int i = 0; i < HWY_MAX(1, kLanes / 8); ++i)
        sums.of[i] = vaddq_s16(sums.of[i], vdupq_n_s16(2));
    }
    Down<kLanes>(sums, out);
  }
  template <int kLanes>
  HWY_INLINE void Down(const Words<kLanes>& sums, Out* out) const {
    if constexpr (sizeof(Out) == 1) {
      int8x16_t samples = vcombine_s8(vqrshrn_n_s16(sums.of[0], 6), int8x8_t());
      if constexpr (kLanes == 16) {
        samples = vqrshrn_high_n_s16(vget_low_s8(samples), sums.of[1], 6);
      }
      StoreSigned<kLanes>(samples, out);
    } else {
      StorePrediction<kLanes>(First<kLanes>(sums), out);
    }
  }
  // The second of two.
  template <int kLanes>
  HWY_INLINE void Second(const LongWords<kLanes>& sums, Out* out) const {
    constexpr int kShift = sizeof(Out) == 1 ? 10 : 6;
    Words<kLanes> words;
    for (int i = 0; i < HWY_MAX(1, kLanes / 8); ++i) {
      const int16x4_t lower = vqrshrn_n_s32(sums.of[2 * i], kShift);
      words.of[i] = vcombine_s16(lower, int16x4_t());
      if constexpr (kLanes >= 8) {
        words.of[i] = vqrshrn_high_n_s32(lower, sums.of[2 * i + 1], kShift);
      }
    }
    if constexpr (sizeof(Out) == 1) {
      int8x16_t samples = vcombine_s8(vqmovn_s16(words.of[0]), int8x8_t());
      if constexpr (kLanes == 16)
        samples = vqmovn_high_s16(vget_low_s8(samples), words.of[1]);
      StoreSigned<kLanes>(samples, out);
    } else {
      StorePrediction<kLanes>(words, out);
    }
  }

 private:
  template <int kLanes>
  HWY_INLINE void StorePrediction(Words<kLanes> words, Out* out) const {
    for (int i = 0; i < HWY_MAX(1, kLanes / 8); ++i)
      words.of[i] = vaddq_s16(words.of[i], vdupq_n_s16(128 << 4));
    StoreWords<kLanes>(words, out);
  }
};

// For samples of more than 8 bits: shifts depend on the depth.
template <typename Out>
class Finisher<uint16_t, Out> {
 public:
  HWY_INLINE explicit Finisher(const Passes<uint16_t, Out>& passes)
      : first_(vdupq_n_s32(-passes.first_shift)),
        second_(vdupq_n_s32(-passes.both_shift)),
        only_(kSamples ? vdupq_n_s32(-6) : first_),
        first_add_(vdupq_n_s32(1 << (passes.first_shift - 1))),
        bias_(vdupq_n_s16(static_cast<int16_t>(passes.bias))),
        max_(vdupq_n_u16(static_cast<uint16_t>(passes.max))) {}

  template <int kLanes>
  HWY_INLINE Words<kLanes> First(const LongWords<kLanes>& sums) const {
    return Round<kLanes>(sums, first_);
  }
  template <int kLanes>
  HWY_INLINE void Across(LongWords<kLanes> sums, Out* out) const {
    if constexpr (kSamples) {
      for (int i = 0; i < HWY_MAX(1, kLanes / 4); ++i)
        sums.of[i] = vaddq_s32(sums.of[i], first_add_);
    }
    Down<kLanes>(sums, out);
  }
  template <int kLanes>
  HWY_INLINE void Down(const LongWords<kLanes>& sums, Out* out) const {
    Last<kLanes>(sums, only_, out);
  }
  template <int kLanes>
  HWY_INLINE void Second(const LongWords<kLanes>& sums, Out* out) const {
    Last<kLanes>(sums, second_, out);
  }

 private:
  static constexpr bool kSamples = std::is_same_v<Out, uint16_t>;

  // Modulo 2^16.
  template <int kLanes>
  HWY_INLINE Words<kLanes> Round(const LongWords<kLanes>& sums,
                                 int32x4_t shift) const {
    const int16x8_t lower =
        vreinterpretq_s16_s32(vrshlq_s32(sums.of[0], shift));
    int16x8_t upper = lower;
    if constexpr (kLanes == 8)
      upper = vreinterpretq_s16_s32(vrshlq_s32(sums.of[1], shift));
    Words<kLanes> words;
    words.of[0] = vuzp1q_s16(lower, upper);
    return words;
  }

  template <int kLanes>
  HWY_INLINE void Last(const LongWords<kLanes>& sums, int32x4_t shift,
                       Out* out) const {
    Words<kLanes> words;
    if constexpr (kSamples) {
      const uint16x4_t lower = vqmovun_s32(vrshlq_s32(sums.of[0], shift));
      uint16x8_t both = vcombine_u16(lower, uint16x4_t());
      if constexpr (kLanes == 8)
        both = vqmovun_high_s32(lower, vrshlq_s32(sums.of[1], shift));
      words.of[0] = vreinterpretq_s16_u16(vminq_u16(both, max_));
    } else {
      words = Round<kLanes>(sums, shift);
      words.of[0] = vsubq_s16(words.of[0], bias_);
    }
    StoreWords<kLanes>(words, out);
  }

  int32x4_t first_;
  int32x4_t second_;
  int32x4_t only_;
  int32x4_t first_add_;
  int16x8_t bias_;
  uint16x8_t max_;
};

// ---- passes ----

// Samples as filters read them.
HWY_INLINE const uint8_t* Readable(const uint8_t* at) { return at; }
HWY_INLINE const int16_t* Readable(const uint16_t* at) {
  return reinterpret_cast<const int16_t*>(at);
}
template <typename Sample>
using ReadAs = std::conditional_t<sizeof(Sample) == 1, uint8_t, int16_t>;

// The sums of a row. Reads up to 32 bytes.
template <int kLanes, int kPairs, int kPixelStep, class Filter>
HWY_INLINE typename Filter::Sums SumRow(const Filter& filter,
                                        const uint8_t* at) {
  constexpr int kBytes = HWY_MAX(kLanes, 8) + (2 * kPairs - 1) * kPixelStep;
  const int8x16_t start = LoadSigned(at);
  int8x16_t end = start;
  if constexpr (kBytes > 16) end = LoadSigned(at + 16);
  typename Filter::Sums sums;
  SumAcross<0, 2 * kPairs, kPixelStep>(filter, start, end, sums);
  return sums;
}
template <int kLanes, int kPairs, int kPixelStep, class Filter>
HWY_INLINE typename Filter::Sums SumRow(const Filter& filter,
                                        const int16_t* at) {
  typename Filter::Sums sums;
  SumAcross<0, 2 * kPairs, kPixelStep>(filter, at, sums);
  return sums;
}

// Down, of rows that next() returns one by one; store(sums).
template <int kPairs, class Filter, class Next, class Store>
HWY_INLINE void DownRing(const Filter& filter, int rows, const Next& next,
                         const Store& store) {
  constexpr int kTaps = 2 * kPairs;
  typename Filter::Samples ring[kTaps];
#pragma GCC unroll 8
  for (int t = 0; t + 1 < kTaps; ++t) ring[t] = next();
  for (;;) {
#pragma GCC unroll 8
    for (int first = 0; first < kTaps; ++first) {
      ring[(first + kTaps - 1) % kTaps] = next();
      typename Filter::Sums sums;
      SumDown<0, kTaps>(filter, ring, first, sums);
      store(sums);
      if (--rows == 0) return;
    }
  }
}

template <int kLanes, int kPairs, int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE void FilterAcross(Pixels<const Sample> in, const int8_t* filter,
                               int rows, const Passes<Sample, Out>& passes,
                               Pixels<Out> out) {
  const Taps<ReadAs<Sample>, kLanes, kPairs> taps(filter);
  const Finisher<Sample, Out> finish(passes);
  for (; rows > 0; --rows) {
    finish.template Across<kLanes>(
        SumRow<kLanes, kPairs, kPixelStep>(taps, Readable(in.data)), out.data);
    in.data += in.stride;
    out.data += out.stride;
  }
}

template <int kLanes, int kPairs, typename Sample, typename Out>
HWY_NOINLINE void FilterDown(Pixels<const Sample> in, const int8_t* filter,
                             int rows, const Passes<Sample, Out>& passes,
                             Pixels<Out> out) {
  const Taps<ReadAs<Sample>, kLanes, kPairs> taps(filter);
  const Finisher<Sample, Out> finish(passes);
  DownRing<kPairs>(
      taps, rows,
      [&]() HWY_ATTR {
        const auto row = taps.Load(Readable(in.data));
        in.data += in.stride;
        return row;
      },
      [&](const auto& sums) HWY_ATTR {
        finish.template Down<kLanes>(sums, out.data);
        out.data += out.stride;
      });
}

template <int kLanes, int kPairsX, int kPairsY, int kPixelStep, typename Sample,
          typename Out>
HWY_NOINLINE void FilterBoth(Pixels<const Sample> in, const int8_t* filter_x,
                             const int8_t* filter_y, int rows,
                             const Passes<Sample, Out>& passes,
                             Pixels<Out> out) {
  const Taps<ReadAs<Sample>, kLanes, kPairsX> across(filter_x);
  const Taps<int16_t, kLanes, kPairsY> down(filter_y);
  const Finisher<Sample, Out> finish(passes);
  DownRing<kPairsY>(
      down, rows,
      [&]() HWY_ATTR {
        const auto sums =
            SumRow<kLanes, kPairsX, kPixelStep>(across, Readable(in.data));
        in.data += in.stride;
        return finish.template First<kLanes>(sums);
      },
      [&](const auto& sums) HWY_ATTR {
        finish.template Second<kLanes>(sums, out.data);
        out.data += out.stride;
      });
}

// What the first pass of a scaled block adds to its sums.
template <typename Sample, typename Out>
HWY_INLINE Finish ScaledFirst(const Passes<Sample, Out>& passes) {
  Finish first = passes.First();
  if constexpr (sizeof(Sample) == 1) first.add -= 64 * 128;
  return first;
}
// The second, of one row. in: of the first tap.
template <int kLanes, typename Sample, typename Out>
HWY_NOINLINE void FilterScaledRow(Pixels<const int16_t> in,
                                  const int8_t* filter,
                                  const Passes<Sample, Out>& passes, Out* out) {
  const Taps<int16_t, kLanes, kTaps / 2> taps(filter);
  DownRing<kTaps / 2>(
      taps, 1,
      [&]() HWY_ATTR {
        const auto row = taps.Load(in.data);
        in.data += in.stride;
        return row;
      },
      [&](const auto& sums) HWY_ATTR {
        Finisher<Sample, Out>(passes).template Second<kLanes>(sums, out);
      });
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_INTER_FILTER_NEON_INL_H_
