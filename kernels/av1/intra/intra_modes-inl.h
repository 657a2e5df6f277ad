// SPDX-License-Identifier: BSD-2-Clause
// The intra modes without a direction (7.11.2.2, .3, .5, .6) on vectors, for
// each Highway target: what intra_block.h does. Included by intra_pred_simd.cc
// only.
#if defined(PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_INL_H_
#undef PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_INL_H_
#else
#define PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/intra/intra_edges.h"
#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/strips-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- samples and lanes ----

// Samples of a whole vector.
template <typename Sample>
constexpr int kSampleLanes = kVectorBytes / static_cast<int>(sizeof(Sample));

// An integer of twice a sample's size, and how many of it a vector has.
template <typename Sample>
using Wide = std::conditional_t<sizeof(Sample) == 1, uint16_t, uint32_t>;
template <typename Sample>
constexpr int kWideSamples = kSampleLanes<Sample> / 2;

// kLanes samples as int16_t.
template <int kLanes, typename Sample>
HWY_INLINE auto Load16(const Sample* at) {
  const hn::FixedTag<int16_t, kLanes> d;
  const auto samples = hn::LoadU(hn::FixedTag<Sample, kLanes>(), at);
  if constexpr (sizeof(Sample) == 1) {
    return hn::PromoteTo(d, samples);
  } else {
    return hn::BitCast(d, samples);
  }
}

// A pixel of kStep samples in all of a vector.
template <int kStep, class D>
HWY_INLINE hn::VFromD<D> Broadcast(D d, const hn::TFromD<D>* pixel) {
  using Pixel = PixelWord<hn::TFromD<D>, kStep>;
  Pixel word;
  std::memcpy(&word, pixel, sizeof(word));
  return hn::BitCast(d, hn::Set(hn::Repartition<Pixel, D>(), word));
}

// Samples of twice the size as samples.
template <class D, class V>
HWY_INLINE hn::VFromD<D> Narrow(D d, V wide) {
  return hn::DemoteTo(d,
                      hn::BitCast(hn::RebindToSigned<hn::DFromV<V>>(), wide));
}

// The sum of count samples, at most 128: of all, or of U and of V.
template <int kStep, typename Sample>
HWY_INLINE void AddSamples(const Sample* edge, int count, uint32_t* sums) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<uint32_t, 4> pairs;
  auto sum = hn::Zero(d);  // 16 samples of 12 bits fit in a lane
  if (count == 4) {
    sum = hn::ZeroExtendVector(d, Load16<4>(edge));
  } else {
    for (int i = 0; i < count; i += 8) sum = hn::Add(sum, Load16<8>(edge + i));
  }
  const auto both = hn::BitCast(pairs, sum);
  const auto even = hn::And(both, hn::Set(pairs, 0xffff));
  const auto odd = hn::ShiftRight<16>(both);
  if constexpr (kStep == 1) {
    sums[0] += hn::GetLane(hn::SumOfLanes(pairs, hn::Add(even, odd)));
  } else {
    sums[0] += hn::GetLane(hn::SumOfLanes(pairs, even));
    sums[1] += hn::GetLane(hn::SumOfLanes(pairs, odd));
  }
}

// Writes the same rows everywhere: row(tag, first sample) is a vector of it.
template <typename Sample, class Row>
HWY_INLINE void FillRows(int samples, int rows, Output<Sample> out,
                         const Row& row) {
  ForStrips<kSampleLanes<Sample>>(samples, [&](auto lanes, int i) HWY_ATTR {
    const hn::FixedTag<Sample, decltype(lanes)::value> d;
    const auto v = row(d, i);
    Sample* to = out.data + i;
    for (int y = 0; y < rows; ++y, to += out.stride) hn::StoreU(v, d, to);
  });
}

// ---- smooth modes ----

// weight * near + (256 - weight) * far is far * 256 + weight * (near - far),
// in as many bits as the result needs. A vector of it for each row or column:
// kept apart for many weights.
template <class V>
struct Slope {
  V base;
  V difference;
};

template <class V>
HWY_INLINE V Weigh(const Slope<V>& slope, V weight) {
  return hn::Add(slope.base, hn::Mul(weight, slope.difference));
}

// Calls strip(wide tag, samples' tag, first sample).
template <typename Sample, class Strip>
HWY_INLINE void ForWideStrips(int samples, const Strip& strip) {
  ForStrips<kWideSamples<Sample>>(samples, [&](auto lanes, int i) HWY_ATTR {
    constexpr int kLanes = decltype(lanes)::value;
    strip(hn::FixedTag<Wide<Sample>, kLanes>(), hn::FixedTag<Sample, kLanes>(),
          i);
  });
}

struct ModesOnVectors {
  // 7.11.2.5. The sides that exist are read.
  template <typename Sample, int kStep>
  static HWY_NOINLINE void Dc(const Edges<Sample, kStep>& edges,
                              BlockExtent extent, Depth<Sample> depth,
                              Output<Sample> out) {
    uint32_t sums[kStep] = {};
    uint32_t count = 0;
    if (edges.have_left()) {
      AddSamples<kStep>(edges.Left(), kStep * extent.height, sums);
      count += static_cast<uint32_t>(extent.height);
    }
    if (edges.have_above()) {
      AddSamples<kStep>(edges.Above(), kStep * extent.width, sums);
      count += static_cast<uint32_t>(extent.width);
    }
    Sample pixel[kStep];
    for (int c = 0; c < kStep; ++c) {
      pixel[c] =
          static_cast<Sample>(count == 0 ? 1u << (depth.Bits() - 1)
                                         : (sums[c] + count / 2) / count);
    }
    FillRows(kStep * extent.width, extent.height, out,
             [&](auto d, int) HWY_ATTR { return Broadcast<kStep>(d, pixel); });
  }

  // Angle 90 and 180.
  template <typename Sample, int kStep>
  static HWY_NOINLINE void Vertical(const Edges<Sample, kStep>& edges,
                                    BlockExtent extent, Output<Sample> out) {
    FillRows(kStep * extent.width, extent.height, out,
             [&](auto d, int i)
                 HWY_ATTR { return hn::LoadU(d, edges.Above() + i); });
  }

  template <typename Sample, int kStep>
  static HWY_NOINLINE void Horizontal(const Edges<Sample, kStep>& edges,
                                      BlockExtent extent, Output<Sample> out) {
    ForStrips<kSampleLanes<Sample>>(
        kStep * extent.width, [&](auto lanes, int i) HWY_ATTR {
          const hn::FixedTag<Sample, decltype(lanes)::value> d;
          const Sample* left = edges.Left();
          for (int y = 0; y < extent.height; ++y, left += kStep) {
            hn::StoreU(Broadcast<kStep>(d, left), d, out.Row(y) + i);
          }
        });
  }

  // 7.11.2.2. Sums that saturate are larger than what they are compared with.
  template <typename Sample, int kStep>
  static HWY_NOINLINE void Paeth(const Edges<Sample, kStep>& edges,
                                 BlockExtent extent, Output<Sample> out) {
    ForStrips<kSampleLanes<Sample>>(
        kStep * extent.width, [&](auto lanes, int i) HWY_ATTR {
          const hn::FixedTag<Sample, decltype(lanes)::value> d;
          const auto corner = Broadcast<kStep>(d, edges.Above() - kStep);
          const auto above = hn::LoadU(d, edges.Above() + i);
          const auto above_more = hn::SaturatedSub(above, corner);
          const auto above_less = hn::SaturatedSub(corner, above);
          const auto to_left = hn::Or(above_more, above_less);
          const Sample* next = edges.Left();
          for (int y = 0; y < extent.height; ++y, next += kStep) {
            const auto left = Broadcast<kStep>(d, next);
            const auto left_more = hn::SaturatedSub(left, corner);
            const auto left_less = hn::SaturatedSub(corner, left);
            const auto to_above = hn::Or(left_more, left_less);
            const auto more = hn::SaturatedAdd(above_more, left_more);
            const auto less = hn::SaturatedAdd(above_less, left_less);
            const auto to_corner = hn::Or(hn::SaturatedSub(more, less),
                                          hn::SaturatedSub(less, more));
            const auto least = hn::Min(to_above, to_corner);
            const auto other =
                hn::IfThenElse(hn::Eq(least, to_above), above, corner);
            hn::StoreU(hn::IfThenElse(hn::Eq(hn::Min(to_left, least), to_left),
                                      left, other),
                       d, out.Row(y) + i);
          }
        });
  }

  // 7.11.2.6.
  template <typename Sample, int kStep>
  static HWY_NOINLINE void Smooth2d(const Edges<Sample, kStep>& edges,
                                    BlockExtent extent, Output<Sample> out) {
    const uint8_t* weights_x =
        kSmoothRowWeights<kStep>.data() + kStep * (extent.width - 4);
    const uint8_t* weights_y = kSmoothWeights.data() + extent.height - 4;
    ForWideStrips<Sample>(
        kStep * extent.width, [&](auto wide, auto d, int i) HWY_ATTR {
          const auto down = Down<kStep>(wide, d, edges, extent, i, 0);
          // Round2( down + across, 9 ): in 16 bits their mean, rounded up.
          const Across<kStep, decltype(wide)> across(
              wide, d, edges, extent, weights_x + i,
              sizeof(Sample) == 1 ? 255 : 256);
          for (int y = 0; y < extent.height; ++y) {
            const auto a = Weigh(down, hn::Set(wide, weights_y[y]));
            const auto b = across.Row(wide, d, edges.Left() + kStep * y);
            if constexpr (sizeof(Sample) == 1) {
              hn::StoreU(Narrow(d, hn::ShiftRight<8>(hn::AverageRound(a, b))),
                         d, out.Row(y) + i);
            } else {
              hn::StoreU(Narrow(d, hn::ShiftRight<9>(hn::Add(a, b))), d,
                         out.Row(y) + i);
            }
          }
        });
  }

  template <typename Sample, int kStep>
  static HWY_NOINLINE void SmoothV(const Edges<Sample, kStep>& edges,
                                   BlockExtent extent, Output<Sample> out) {
    const uint8_t* weights = kSmoothWeights.data() + extent.height - 4;
    ForWideStrips<Sample>(
        kStep * extent.width, [&](auto wide, auto d, int i) HWY_ATTR {
          const auto down = Down<kStep>(wide, d, edges, extent, i, 128);
          for (int y = 0; y < extent.height; ++y) {
            const auto sum = Weigh(down, hn::Set(wide, weights[y]));
            hn::StoreU(Narrow(d, hn::ShiftRight<8>(sum)), d, out.Row(y) + i);
          }
        });
  }

  template <typename Sample, int kStep>
  static HWY_NOINLINE void SmoothH(const Edges<Sample, kStep>& edges,
                                   BlockExtent extent, Output<Sample> out) {
    const uint8_t* weights =
        kSmoothRowWeights<kStep>.data() + kStep * (extent.width - 4);
    ForWideStrips<Sample>(
        kStep * extent.width, [&](auto wide, auto d, int i) HWY_ATTR {
          const Across<kStep, decltype(wide)> across(wide, d, edges, extent,
                                                     weights + i, 128);
          for (int y = 0; y < extent.height; ++y) {
            const auto sum = across.Row(wide, d, edges.Left() + kStep * y);
            hn::StoreU(Narrow(d, hn::ShiftRight<8>(sum)), d, out.Row(y) + i);
          }
        });
  }

  // 7.11.2.3, of luma. mode: filter_intra_mode. Eight outputs of a 4x2 are one
  // vector of 16 bits or two of 32.
  template <typename Sample>
  static HWY_NOINLINE void FilterIntra(const Edges<Sample, 1>& edges,
                                       uint32_t mode, BlockExtent extent,
                                       Depth<Sample> depth,
                                       Output<Sample> out) {
    constexpr int kParts = sizeof(Sample) == 1 ? 1 : 2;
    constexpr int kLanes = 8 / kParts;
    using Sum = std::conditional_t<kParts == 1, int16_t, int32_t>;
    const hn::FixedTag<Sum, kLanes> d;
    using V = hn::VFromD<decltype(d)>;
    V taps[kParts][7];
    for (int part = 0; part < kParts; ++part) {
      for (int i = 0; i < 7; ++i) {
        taps[part][i] =
            hn::PromoteTo(d, hn::LoadU(hn::FixedTag<int8_t, kLanes>(),
                                       kFilterIntraTaps[mode][i] + 4 * part));
      }
    }
    const V max = hn::Set(d, static_cast<Sum>(depth.MaxSample()));
    const auto set = [&](Sample sample)
                         HWY_ATTR { return hn::Set(d, Sum{sample}); };
    const Sample* above = edges.Above();
    for (int y = 0; y < extent.height; y += 2) {
      Sample* const row0 = out.Row(y);
      Sample* const row1 = out.Row(y + 1);
      V corner = set(edges.Left()[y - 1]);
      V left0 = set(edges.Left()[y]);
      V left1 = set(edges.Left()[y + 1]);
      for (int x = 0; x < extent.width; x += 4) {
        V sums[kParts];
        for (int part = 0; part < kParts; ++part) {
          V sum = hn::Add(hn::Set(d, 8), hn::Mul(corner, taps[part][0]));
          for (int i = 0; i < 4; ++i) {
            sum = hn::Add(sum, hn::Mul(set(above[x + i]), taps[part][1 + i]));
          }
          sum = hn::Add(sum, hn::Add(hn::Mul(left0, taps[part][5]),
                                     hn::Mul(left1, taps[part][6])));
          sums[part] =
              hn::Min(hn::Max(hn::ShiftRight<4>(sum), hn::Zero(d)), max);
        }
        corner = set(above[x + 3]);
        left0 = hn::Broadcast<3>(sums[0]);
        left1 = hn::Broadcast<kLanes - 1>(sums[kParts - 1]);
        StoreFiltered(sums, row0 + x, row1 + x);
      }
      above = row1;
    }
  }

 private:
  // far: the last pixel of the left column. round: what is added.
  template <int kStep, class D, class Samples, typename Sample>
  static HWY_INLINE auto Down(D wide, Samples d,
                              const Edges<Sample, kStep>& edges,
                              BlockExtent extent, int i, int round) {
    const auto bottom = hn::PromoteTo(
        wide, Broadcast<kStep>(d, edges.Left() + kStep * (extent.height - 1)));
    const auto above = hn::PromoteTo(wide, hn::LoadU(d, edges.Above() + i));
    return Slope<hn::VFromD<D>>{
        hn::Add(hn::ShiftLeft<8>(bottom),
                hn::Set(wide, static_cast<hn::TFromD<D>>(round))),
        hn::Sub(above, bottom)};
  }

  // The same from the left to the last pixel above, whose share is the same in
  // all rows.
  template <int kStep, class D>
  struct Across {
    using V = hn::VFromD<D>;

    template <class Samples, typename Sample>
    HWY_INLINE Across(D wide, Samples d, const Edges<Sample, kStep>& edges,
                      BlockExtent extent, const uint8_t* weights, int round) {
      const V right = hn::PromoteTo(
          wide,
          Broadcast<kStep>(d, edges.Above() + kStep * (extent.width - 1)));
      constexpr int kLanes = static_cast<int>(hn::MaxLanes(wide));
      weight = hn::PromoteTo(
          wide, hn::LoadU(hn::FixedTag<uint8_t, kLanes>(), weights));
      base = hn::Add(hn::Mul(hn::Sub(hn::Set(wide, 256), weight), right),
                     hn::Set(wide, static_cast<hn::TFromD<D>>(round)));
    }

    template <class Samples, typename Sample>
    HWY_INLINE V Row(D wide, Samples d, const Sample* left) const {
      const V pixel = hn::PromoteTo(wide, Broadcast<kStep>(d, left));
      return hn::Add(base, hn::Mul(weight, pixel));
    }

    V weight;
    V base;
  };

  template <class V, typename Sample>
  static HWY_INLINE void StoreFiltered(const V* sums, Sample* row0,
                                       Sample* row1) {
    const hn::FixedTag<Sample, 4> four;
    if constexpr (sizeof(Sample) == 1) {
      const auto both = hn::DemoteTo(hn::FixedTag<uint8_t, 8>(), sums[0]);
      hn::StoreU(hn::LowerHalf(four, both), four, row0);
      hn::StoreU(hn::UpperHalf(four, both), four, row1);
    } else {
      hn::StoreU(hn::DemoteTo(four, sums[0]), four, row0);
      hn::StoreU(hn::DemoteTo(four, sums[1]), four, row1);
    }
  }
};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_INL_H_
