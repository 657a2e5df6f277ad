// SPDX-License-Identifier: BSD-2-Clause
// Warped blocks (7.11.3.5) on vectors, for each Highway target. Included by
// inter_pred_simd.cc only.
#if defined(PERDIX_KERNELS_AV1_INTER_WARP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_WARP_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_WARP_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_WARP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/av1/prediction.h"
#include "kernels/av1/strips-inl.h"
#include "kernels/av1/warp_filters.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// Positions from the middle of the first filter's on, so that what is above
// bit 10 is a filter's index: 1/65536 sample.
constexpr int kWarpOrigin = (kWarpPositions << 10) + (1 << 9);

// The samples that four filters read lie side by side, in int16_t; the sums of
// their products with the taps. windows: kWarpStride apart. position, step: of
// the first filter, from kWarpOrigin on, and from one to the next.
constexpr int kWarpStride = 16;
HWY_INLINE auto FilterFour(const int16_t* windows, int position, int step) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<int32_t, 4> wide;
  const auto sum = [&](int i) HWY_ATTR {
    const int8_t* const filter = kWarpFilters[(position + i * step) >> 10];
    const auto taps =
        hn::PromoteTo(d, hn::LoadU(hn::FixedTag<int8_t, 8>(), filter));
    const auto samples = hn::LoadU(d, windows + i * kWarpStride);
#if !HWY_ARCH_ARM_A64
    return WidenMulPairwiseAdd(wide, samples, taps);
#else
    auto upper = hn::Zero(wide);
    const auto lower = hn::ReorderWidenMulAccumulate(wide, samples, taps,
                                                     hn::Zero(wide), upper);
    return hn::Add(lower, upper);
#endif
  };
  const auto add_pairs = [&](auto lower, auto upper) HWY_ATTR {
#if HWY_ARCH_ARM_A64
    return decltype(lower)(vpaddq_s32(lower.raw, upper.raw));
#else
    return hn::Add(hn::ConcatEven(wide, upper, lower),
                   hn::ConcatOdd(wide, upper, lower));
#endif
  };
  return add_pairs(add_pairs(sum(0), sum(1)), add_pairs(sum(2), sum(3)));
}

// The source as int16_t, U apart from V.
template <int kPixelStep, typename Sample>
HWY_INLINE void SplitSource(Pixels<const Sample> source,
                            int16_t (*out)[kWarpSource][kWarpStride]) {
  const hn::FixedTag<uint16_t, 8> d;
  for (int r = 0; r < kWarpSource; ++r) {
    const Sample* const line = source.data + r * source.stride;
    for (int i = 0; i < kWarpStride; i += 8) {
      const auto put = [&](int s, auto samples) HWY_ATTR {
        hn::StoreU(hn::BitCast(hn::FixedTag<int16_t, 8>(), samples),
                   hn::FixedTag<int16_t, 8>(), out[s][r] + i);
      };
      if constexpr (kPixelStep == 1 && sizeof(Sample) == 1) {
        put(0,
            hn::PromoteTo(d, hn::LoadU(hn::FixedTag<uint8_t, 8>(), line + i)));
      } else if constexpr (kPixelStep == 1) {
        put(0, hn::LoadU(d, line + i));
      } else if constexpr (sizeof(Sample) == 1) {
        const auto pairs = hn::BitCast(
            d, hn::LoadU(hn::FixedTag<uint8_t, 16>(), line + 2 * i));
        put(0, hn::And(pairs, hn::Set(d, uint16_t{0xff})));
        put(1, hn::ShiftRight<8>(pairs));
      } else {
        const auto lower = hn::LoadU(d, line + 2 * i);
        const auto upper = hn::LoadU(d, line + 2 * i + 8);
        put(0, hn::ConcatEven(d, upper, lower));
        put(1, hn::ConcatOdd(d, upper, lower));
      }
    }
  }
}

// The first pass of a component, by column and row.
template <typename Sample>
HWY_INLINE void WarpAcross(const WarpedBlock<Sample>& block,
                           const int16_t (*source)[kWarpStride],
                           int16_t (*out)[kWarpStride]) {
  const hn::FixedTag<int32_t, 4> wide;
  const hn::FixedTag<int16_t, 4> d;
  const int shift = block.rounding.AfterHorizontal();
  const auto add = hn::Set(wide, 1 << (shift - 1));
  for (int c = 0; c < kWarpBlock; ++c) {
    for (const int r : {0, 4, 8, kWarpSource - 4}) {
      const auto sums = FilterFour(
          source[r] + c,
          kWarpOrigin + block.x + r * block.beta + c * block.alpha, block.beta);
      hn::StoreU(hn::DemoteTo(d, hn::ShiftRightSame(hn::Add(sums, add), shift)),
                 d, out[c] + r);
    }
  }
}

#if HWY_ARCH_ARM_A64

// Bytes less 128. Taps add up to 128, so sums are less 2^14 and results less
// 2^11. Sums fit in int16_t: no filter's magnitudes add up to more than 255.
template <typename Sample>
using WarpSource = std::conditional_t<sizeof(Sample) == 1, int8_t, int16_t>;
template <typename Sample>
constexpr int kWarpBias = sizeof(Sample) == 1 ? 1 << 11 : 0;

template <int kPixelStep>
HWY_INLINE void SplitSource(Pixels<const uint8_t> source,
                            int8_t (*out)[kWarpSource][kWarpStride]) {
  const auto put = [&](int s, int r, uint8x16_t samples) HWY_ATTR {
    vst1q_s8(out[s][r],
             vreinterpretq_s8_u8(veorq_u8(samples, vdupq_n_u8(128))));
  };
  for (int r = 0; r < kWarpSource; ++r) {
    const uint8_t* const line = source.data + r * source.stride;
    const uint8x16_t first = vld1q_u8(line);
    if constexpr (kPixelStep == 1) {
      put(0, r, first);
    } else {
      const uint8x16_t second = vld1q_u8(line + 16);
      put(0, r, vuzp1q_u8(first, second));
      put(1, r, vuzp2q_u8(first, second));
    }
  }
}

HWY_INLINE void WarpAcross(const WarpedBlock<uint8_t>& block,
                           const int8_t (*source)[kWarpStride],
                           int16_t (*out)[kWarpStride]) {
  for (int c = 0; c < kWarpBlock; ++c) {
    for (const int r : {0, kWarpSource - 8}) {
      const int position =
          kWarpOrigin + block.x + r * block.beta + c * block.alpha;
      int16x8_t sums[8];
      for (int i = 0; i < 8; ++i) {
        const int8_t* const filter =
            kWarpFilters[(position + i * block.beta) >> 10];
        sums[i] = vmull_s8(vld1_s8(source[r + i] + c), vld1_s8(filter));
      }
      for (int count = 4; count > 0; count /= 2) {
        for (int i = 0; i < count; ++i)
          sums[i] = vpaddq_s16(sums[2 * i], sums[2 * i + 1]);
      }
      vst1q_s16(out[c] + r, vrshrq_n_s16(sums[0], 3));
    }
  }
}

#else

template <typename Sample>
using WarpSource = int16_t;
template <typename Sample>
constexpr int kWarpBias = 0;

#endif

// A row of results: eight pixels or, at the frame's edge, four.
template <int kPixelStep, typename Out>
HWY_INLINE void StoreWarped(const int16_t (*rows)[kWarpBlock], int width,
                            int max, Out* out) {
  const hn::FixedTag<int16_t, 8> d;
  const auto first = hn::LoadU(d, rows[0]);
  if constexpr (kPixelStep == 1) {
    if (width == kWarpBlock) {
      StoreWide<1, 8, 8>(first, 1, max, Pixels<Out>{out, 0});
    } else {
      StoreWide<1, 8, 4>(first, 1, max, Pixels<Out>{out, 0});
    }
  } else {
    const auto second = hn::LoadU(d, rows[1]);
    StoreWide<1, 8, 8>(hn::InterleaveLower(d, first, second), 1, max,
                       Pixels<Out>{out, 0});
    if (width == kWarpBlock) {
      StoreWide<1, 8, 8>(hn::InterleaveUpper(d, first, second), 1, max,
                         Pixels<Out>{out + 8, 0});
    }
  }
}

// 8x8 pixels (7.11.3.5).
template <int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE void WarpOnVectors(const WarpedBlock<Sample>& block,
                                Pixels<Out> out) {
  constexpr bool kSamples = std::is_same_v<Sample, Out>;
  const hn::FixedTag<int32_t, 4> wide;
  const hn::FixedTag<int16_t, 4> d;
  const Rounding<Sample>& rounding = block.rounding;
  const int shift = kSamples ? rounding.AfterVertical() : kCompoundRound1;
  const auto add =
      hn::Set(wide, (1 << (shift - 1)) + 128 * kWarpBias<Sample> -
                        (kSamples ? 0 : rounding.Bias() * (1 << shift)));
  alignas(16) WarpSource<Sample> source[kPixelStep][kWarpSource][kWarpStride];
  SplitSource<kPixelStep>(block.source, source);
  // By component, column and row: taps of the second pass lie side by side.
  alignas(16) int16_t between[kPixelStep][kWarpBlock][kWarpStride];
  for (int s = 0; s < kPixelStep; ++s) WarpAcross(block, source[s], between[s]);
  for (int r = 0; r < block.height; ++r) {
    alignas(16) int16_t rows[kPixelStep][kWarpBlock];
    for (int s = 0; s < kPixelStep; ++s) {
      for (int c = 0; c < kWarpBlock; c += 4) {
        const auto sums = FilterFour(
            between[s][c] + r,
            kWarpOrigin + block.y + r * block.delta + c * block.gamma,
            block.gamma);
        hn::StoreU(
            hn::DemoteTo(d, hn::ShiftRightSame(hn::Add(sums, add), shift)), d,
            rows[s] + c);
      }
    }
    StoreWarped<kPixelStep>(rows, block.width, rounding.MaxSample(),
                            out.data + r * out.stride);
  }
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_WARP_INL_H_
