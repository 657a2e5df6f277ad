// SPDX-License-Identifier: BSD-2-Clause
// Warped blocks (7.11.3.5) on vectors, for each Highway target. Included by
// inter_loops-inl.h only.
#if defined(PERDIX_KERNELS_AV1_INTER_INTER_WARP_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTER_INTER_WARP_INL_H_
#undef PERDIX_KERNELS_AV1_INTER_INTER_WARP_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTER_INTER_WARP_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/inter/warp_filters.h"
#include "kernels/av1/strips-inl.h"
#include "kernels/simd/lane_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// Positions from the middle of the first filter's on, so that what is above
// bit 10 is a filter's index: 1/65536 sample.
constexpr int kWarpOrigin = (kWarpPositions << 10) + (1 << 9);

// Positions of the filters of a pass.
struct WarpSteps {
  int first;   // of the first row's first column, from kWarpOrigin on
  int down;    // from a row to the next
  int across;  // from a column to the next
};

// Results of a row of the second pass.
using WarpedRow = Vector<int16_t, kWarpBlock>;

#if HWY_ARCH_ARM_A64
// ---- arm64 ----

struct WarpFilters : WarpSteps {
  WarpFilters(const WarpSteps& steps, int /*rows*/) : WarpSteps(steps) {}
};

// Results of the first pass by column and row: taps of the second pass lie side
// by side.
constexpr int kWarpStride = 16;
using WarpResults = int16_t[kWarpBlock][kWarpStride];

// The samples that four filters read lie side by side, in int16_t; the sums of
// their products with the taps. windows: kWarpStride apart. position, step: of
// the first filter, from kWarpOrigin on, and from one to the next.
HWY_INLINE auto FilterFour(const int16_t* windows, int position, int step) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<int32_t, 4> wide;
  const auto sum = [&](int i) HWY_ATTR {
    const int8_t* const filter = kWarpFilters[(position + i * step) >> 10];
    const auto taps =
        hn::PromoteTo(d, hn::LoadU(hn::FixedTag<int8_t, 8>(), filter));
    const auto samples = hn::LoadU(d, windows + i * kWarpStride);
    auto upper = hn::Zero(wide);
    const auto lower = hn::ReorderWidenMulAccumulate(wide, samples, taps,
                                                     hn::Zero(wide), upper);
    return hn::Add(lower, upper);
  };
  const auto add_pairs = [&](auto lower, auto upper) HWY_ATTR {
    return decltype(lower)(vpaddq_s32(lower.raw, upper.raw));
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
      hn::StoreU(hn::DemoteTo(d, ShiftRightBy(hn::Add(sums, add), shift)), d,
                 out[c] + r);
    }
  }
}

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

// The first pass.
template <int kPixelStep, typename Sample>
HWY_INLINE void WarpAcross(const WarpedBlock<Sample>& block, WarpResults* out) {
  alignas(16) WarpSource<Sample> source[kPixelStep][kWarpSource][kWarpStride];
  SplitSource<kPixelStep>(block.source, source);
  for (int s = 0; s < kPixelStep; ++s) WarpAcross(block, source[s], out[s]);
}

// Row r of the second one: (sum + add) >> shift, by component.
template <int kPixelStep>
HWY_INLINE void WarpDown(const WarpResults* between, const WarpFilters& filters,
                         int r, int add, int shift,
                         WarpedRow (&rows)[kPixelStep]) {
  const hn::FixedTag<int32_t, 4> wide;
  const int position = filters.first + r * filters.down;
  for (int s = 0; s < kPixelStep; ++s) {
    const auto half = [&](int c) HWY_ATTR {
      const auto sums = FilterFour(
          between[s][c] + r, position + c * filters.across, filters.across);
      return ShiftRightBy(hn::Add(sums, hn::Set(wide, add)), shift).raw;
    };
    rows[s] = WarpedRow(vqmovn_high_s32(vqmovn_s32(half(0)), half(4)));
  }
}

#else
// ---- targets that multiply and add pairs ----

constexpr int kWarpLanes = kVectorBytes / 4;    // columns in a vector of sums
constexpr int kWarpGroups = kVectorBytes / 16;  // of four columns, in a vector
constexpr hn::FixedTag<int32_t, kWarpLanes> kWarpWide{};
using WarpSums = Vector<int32_t, kWarpLanes>;

template <typename Sample>
constexpr int kWarpBias = 0;

// The columns in the order of the lanes. Two taps of a group of every other
// column read eight samples side by side: no lane has to be shuffled.
alignas(32) constexpr int32_t kWarpColumns[kWarpBlock] = {0, 2, 4, 6,
                                                          1, 3, 5, 7};

// The filters of a pass by row and lane: their first taps' places in
// kWideWarpTaps or kByteWarpTaps.
struct WarpFilters {
  HWY_INLINE WarpFilters(const WarpSteps& steps, int rows) {
    const auto d = kWarpWide;
    const auto down = hn::Set(d, steps.down);
    for (int i = 0; i < kWarpBlock; i += kWarpLanes) {
      auto at = hn::Add(
          hn::Set(d, steps.first),
          hn::Mul(hn::Load(d, kWarpColumns + i), hn::Set(d, steps.across)));
      for (int r = 0; r < rows; ++r) {
        hn::StoreU(hn::And(hn::ShiftRight<7>(at), hn::Set(d, -8)), d,
                   places[r] + i);
        at = hn::Add(at, down);
      }
    }
  }

  int32_t places[kWarpSource][kWarpBlock];
};

// Results of the first pass by row and lane: in the upper half of a lane the
// row's, in the lower half that of the row above.
using WarpResults = int32_t[kWarpSource][kWarpBlock];

// The filters of kWarpLanes columns, for samples of 16 bits.
class PairTaps {
 public:
  // places: the columns' in WarpFilters.
  HWY_INLINE explicit PairTaps(const int32_t* places) {
    const auto load = [&](int i) HWY_ATTR {
      const int16_t* const first = kWideWarpTaps.data() + places[i];
      const int16_t* const last =
          kWideWarpTaps.data() + places[i + kWarpLanes - 4];
      return hn::BitCast(kWarpWide,
                         LoadRows<kWarpGroups, 8>(first, last - first));
    };
    const auto c0 = load(0);
    const auto c1 = load(1);
    const auto c2 = load(2);
    const auto c3 = load(3);
    Interleave(hn::InterleaveLower(kWarpWide, c0, c1),
               hn::InterleaveLower(kWarpWide, c2, c3), taps_);
    Interleave(hn::InterleaveUpper(kWarpWide, c0, c1),
               hn::InterleaveUpper(kWarpWide, c2, c3), taps_ + 2);
  }

  // Along a row of samples. lane: the first column's in the row, 0 or 4.
  HWY_INLINE WarpSums Across(const uint16_t* row, int lane) const {
    const auto* const first =
        reinterpret_cast<const int16_t*>(row) + kWarpColumns[lane];
    return Sum([&](int p) HWY_ATTR {
      return LoadRows<kWarpGroups, 8>(first + 2 * p, 1);
    });
  }

  // Down the columns. first: the row of results with the first two samples.
  HWY_INLINE WarpSums Down(const int32_t* first) const {
    return Sum([&](int p) HWY_ATTR {
      return hn::BitCast(kWords,
                         hn::LoadU(kWarpWide, first + 2 * p * kWarpBlock));
    });
  }

 private:
  static constexpr hn::FixedTag<int16_t, 2 * kWarpLanes> kWords{};
  using V = Vector<int16_t, 2 * kWarpLanes>;

  // pairs(p): in each lane the samples for taps 2 * p and 2 * p + 1.
  template <class Pairs>
  HWY_INLINE WarpSums Sum(const Pairs& pairs) const {
    const auto multiply = [&](int p) HWY_ATTR {
      return WidenMulPairwiseAdd(kWarpWide, pairs(p), taps_[p]);
    };
    return hn::Add(hn::Add(multiply(0), multiply(1)),
                   hn::Add(multiply(2), multiply(3)));
  }

  static HWY_INLINE void Interleave(WarpSums a, WarpSums b, V* out) {
    const hn::FixedTag<int64_t, kWarpLanes / 2> d;
    const auto lower = hn::BitCast(d, a);
    const auto upper = hn::BitCast(d, b);
    out[0] = hn::BitCast(kWords, hn::InterleaveLower(d, lower, upper));
    out[1] = hn::BitCast(kWords, hn::InterleaveUpper(d, lower, upper));
  }

  V taps_[4];  // in each lane two taps of its column
};

// bytes[i]: which samples of a row the filters of lanes i and i + 1 read, in
// the order of kByteWarpTaps.
struct WarpWindows {
  alignas(16) uint8_t bytes[kWarpBlock - 1][16];
};
constexpr WarpWindows MakeWarpWindows() {
  WarpWindows windows = {};
  for (int i = 0; i < kWarpBlock - 1; ++i) {
    for (int b = 0; b < 16; ++b) {
      windows.bytes[i][b] =
          static_cast<uint8_t>(kWarpColumns[i + b / 8] + kWarpByteOrder[b % 8]);
    }
  }
  return windows;
}
constexpr WarpWindows kWarpWindows = MakeWarpWindows();

// The filters of kWarpLanes columns, for bytes.
class ByteTaps {
 public:
  HWY_INLINE explicit ByteTaps(const int32_t* places)
      : first_(Load(places)), second_(Load(places + 2)) {}

  // PairTaps::Across for bytes.
  HWY_INLINE WarpSums Across(const uint8_t* row, int lane) const {
    const auto samples = hn::LoadDup128(kBytes, row);
    const auto ones = hn::Set(kWords, int16_t{1});
    // Sums for two columns of a group: for each column that of its first four
    // products and that of its last four, which fit in int16_t.
    const auto multiply = [&](int i, V taps) HWY_ATTR {
      const auto windows = LoadRows<kWarpGroups, 16>(
          kWarpWindows.bytes[lane + i], 4 * sizeof(*kWarpWindows.bytes));
      return WidenMulPairwiseAdd(
          kWarpWide,
          SatWidenMulPairwiseAdd(kWords, hn::TableLookupBytes(samples, windows),
                                 taps),
          ones);
    };
    return WidenMulPairwiseAdd(
        kWarpWide,
        hn::ReorderDemote2To(kWords, multiply(0, first_), multiply(2, second_)),
        ones);
  }

 private:
  static constexpr hn::FixedTag<uint8_t, kVectorBytes> kBytes{};
  static constexpr hn::FixedTag<int16_t, 2 * kWarpLanes> kWords{};
  using V = Vector<int8_t, kVectorBytes>;

  static HWY_INLINE V Load(const int32_t* places) {
    const hn::FixedTag<int64_t, kWarpLanes / 2> d;
    const auto load = [&](int i) HWY_ATTR {
      int64_t taps;
      std::memcpy(&taps, kByteWarpTaps.data() + places[i], sizeof(taps));
      return hn::Set(d, taps);
    };
    auto taps = hn::OddEven(load(1), load(0));
    if constexpr (kWarpGroups == 2)
      taps = hn::ConcatUpperLower(d, hn::OddEven(load(5), load(4)), taps);
    return hn::BitCast(hn::FixedTag<int8_t, kVectorBytes>(), taps);
  }

  V first_;  // two columns of each group
  V second_;
};

// U apart from V.
template <typename Sample>
HWY_INLINE void SplitSource(Pixels<const Sample> source,
                            Sample (*out)[kWarpSource][16]) {
  constexpr int kLanes = HWY_MIN(16, kVectorBytes / int{sizeof(Sample)});
  const hn::FixedTag<Sample, kLanes> d;
  for (int r = 0; r < kWarpSource; ++r) {
    for (int i = 0; i < 16; i += kLanes) {
      Vector<Sample, kLanes> u;
      Vector<Sample, kLanes> v;
      hn::LoadInterleaved2(d, source.data + r * source.stride + 2 * i, u, v);
      hn::StoreU(u, d, out[0][r] + i);
      hn::StoreU(v, d, out[1][r] + i);
    }
  }
}

// The first pass.
template <int kPixelStep, typename Sample>
HWY_INLINE void WarpAcross(const WarpedBlock<Sample>& block, WarpResults* out) {
  using Taps = std::conditional_t<sizeof(Sample) == 1, ByteTaps, PairTaps>;
  const hn::FixedTag<int16_t, 2 * kWarpLanes> words;
  const int shift = block.rounding.AfterHorizontal();
  const auto add = hn::Set(kWarpWide, 1 << (shift - 1));
  const WarpFilters filters({kWarpOrigin + block.x, block.beta, block.alpha},
                            kWarpSource);
  const Pixels<const Sample> source = block.source;
  alignas(kVectorBytes) Sample split[kPixelStep][kWarpSource][16];
  if constexpr (kPixelStep == 2) SplitSource(source, split);
  for (int i = 0; i < kWarpBlock; i += kWarpLanes) {
    WarpSums above[kPixelStep];
    for (auto& sums : above) sums = hn::Zero(kWarpWide);
    for (int r = 0; r < kWarpSource; ++r) {
      const Taps taps(filters.places[r] + i);
      for (int s = 0; s < kPixelStep; ++s) {
        const Sample* const row =
            kPixelStep == 1 ? source.data + r * source.stride : split[s][r];
        const auto results =
            ShiftRightBy(hn::Add(taps.Across(row, i), add), shift);
        const auto pairs =
            hn::OddEven(hn::BitCast(words, hn::ShiftLeft<16>(results)),
                        hn::BitCast(words, above[s]));
        hn::StoreU(hn::BitCast(kWarpWide, pairs), kWarpWide, out[s][r] + i);
        above[s] = results;
      }
    }
  }
}

// Row r of the second one: (sum + add) >> shift, by component.
template <int kPixelStep>
HWY_INLINE void WarpDown(const WarpResults* between, const WarpFilters& filters,
                         int r, int add, int shift,
                         WarpedRow (&rows)[kPixelStep]) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<int32_t, 4> half;
  // The results of columns 0 to 3 and of columns 4 to 7.
  Vector<int32_t, 4> halves[kPixelStep][2];
  const auto put = [&](int s, int i, auto results) HWY_ATTR {
    if constexpr (kWarpGroups == 1) {
      halves[s][i / 4] = results;
    } else {
      halves[s][0] = hn::LowerHalf(half, results);
      halves[s][1] = hn::UpperHalf(half, results);
    }
  };
  for (int i = 0; i < kWarpBlock; i += kWarpLanes) {
    const PairTaps taps(filters.places[r] + i);
    for (int s = 0; s < kPixelStep; ++s) {
      const auto sums = taps.Down(between[s][r + 1] + i);
      put(s, i, ShiftRightBy(hn::Add(sums, hn::Set(kWarpWide, add)), shift));
    }
  }
  for (int s = 0; s < kPixelStep; ++s) {
    rows[s] = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<16>(halves[s][1])),
                          hn::BitCast(d, halves[s][0]));
  }
}

#endif

// Eight pixels or, at the frame's edge, four.
template <int kPixelStep, typename Out>
HWY_INLINE void StoreWarped(const WarpedRow (&rows)[kPixelStep], int width,
                            int max, Out* out) {
  if constexpr (kPixelStep == 1) {
    if (width == kWarpBlock) {
      StoreWide<1, 8, 8>(rows[0], 1, max, Pixels<Out>{out, 0});
    } else {
      StoreWide<1, 8, 4>(rows[0], 1, max, Pixels<Out>{out, 0});
    }
  } else {
    const hn::FixedTag<int16_t, 8> d;
    StoreWide<1, 8, 8>(hn::InterleaveLower(d, rows[0], rows[1]), 1, max,
                       Pixels<Out>{out, 0});
    if (width == kWarpBlock) {
      StoreWide<1, 8, 8>(hn::InterleaveUpper(d, rows[0], rows[1]), 1, max,
                         Pixels<Out>{out + 8, 0});
    }
  }
}

// 8x8 pixels (7.11.3.5).
template <int kPixelStep, typename Sample, typename Out>
HWY_NOINLINE void WarpOnVectors(const WarpedBlock<Sample>& block,
                                Pixels<Out> out) {
  constexpr bool kSamples = std::is_same_v<Sample, Out>;
  const Rounding<Sample>& rounding = block.rounding;
  const int shift = kSamples ? rounding.AfterVertical() : kCompoundRound1;
  const int add = (1 << (shift - 1)) + 128 * kWarpBias<Sample> -
                  (kSamples ? 0 : rounding.Bias() * (1 << shift));
  alignas(32) WarpResults between[kPixelStep];
  WarpAcross<kPixelStep>(block, between);
  const WarpFilters filters({kWarpOrigin + block.y, block.delta, block.gamma},
                            kWarpBlock);
  for (int r = 0; r < block.height; ++r) {
    WarpedRow rows[kPixelStep];
    WarpDown(between, filters, r, add, shift, rows);
    StoreWarped(rows, block.width, rounding.MaxSample(),
                out.data + r * out.stride);
  }
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTER_INTER_WARP_INL_H_
