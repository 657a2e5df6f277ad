// SPDX-License-Identifier: BSD-2-Clause
// What is done in decoding order (7.11.2 to 7.11.5) on vectors: intra_walk.h's
// walk with predictions by Highway. U and V are predicted together: a pixel is
// a sample of luma or a pair of chroma, a row of samples one vector or a few.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/intra/intra_pred_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/av1/intra/intra_copy.h"
#include "kernels/av1/intra/intra_walk.h"
#include "kernels/av1/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/intra/directional-inl.h"
#include "kernels/av1/intra/intra_modes-inl.h"
#include "kernels/av1/strips-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void IntraPred8(const KernelArgs& args, Range range) {
  IntraPred<uint8_t>(args, range);
}
void IntraPred16(const KernelArgs& args, Range range) {
  IntraPred<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- chroma from luma (7.11.5) ----

// The array L and its mean, for one chroma block of up to 32x32.
class LumaOnVectors {
 public:
  // See LumaDifference in intra_pred.cc. Widths are multiples of 4.
  template <typename Sample, int kSubX, int kSubY>
  HWY_NOINLINE void Read(Output<const Sample> luma, BlockExtent from,
                         BlockExtent extent) {
    width_ = extent.width;
    const int rows = std::min(from.height, extent.height);
    ForStrips<kLanes>(from.width, [&](auto lanes, int x) HWY_ATTR {
      for (int y = 0; y < rows; ++y) {
        ReadPixels<decltype(lanes)::value, kSubX, kSubY>(
            luma.Row(y << kSubY) + (x << kSubX), luma.stride,
            &values_[y * width_ + x]);
      }
    });
    Extend(from, extent);
    average_ = Average(width_ * extent.height);
  }

  int width() const { return width_; }
  int16_t average() const { return average_; }
  const int16_t* Row(int y) const { return &values_[y * width_]; }

 private:
  static constexpr int kLanes = kWideLanes / 2;

  // Sums of the luma samples of each pixel, 3 fractional bits.
  template <int kPixels, int kSubX, int kSubY, typename Sample>
  static HWY_INLINE void ReadPixels(const Sample* luma, ptrdiff_t stride,
                                    int16_t* to) {
    const hn::FixedTag<int16_t, kPixels> d;
    auto sum = SumAcross<kPixels, kSubX>(luma);
    if constexpr (kSubY != 0) {
      sum = hn::Add(sum, SumAcross<kPixels, kSubX>(luma + stride));
    }
    hn::StoreU(hn::ShiftLeft<3 - kSubX - kSubY>(sum), d, to);
  }

  template <int kPixels, int kSubX, typename Sample>
  static HWY_INLINE auto SumAcross(const Sample* luma) {
    if constexpr (kSubX == 0) {
      return Load16<kPixels>(luma);
    } else {
      const hn::FixedTag<int16_t, kPixels> d;
      const hn::FixedTag<Wide<Sample>, kPixels> pairs;
      const auto both = hn::BitCast(
          pairs, hn::LoadU(hn::FixedTag<Sample, 2 * kPixels>(), luma));
      constexpr int kBits = 8 * sizeof(Sample);
      const auto sum = hn::Add(hn::And(both, hn::Set(pairs, (1 << kBits) - 1)),
                               hn::ShiftRight<kBits>(both));
      if constexpr (sizeof(Sample) == 1) {
        return hn::BitCast(d, sum);
      } else {
        return hn::DemoteTo(
            d, hn::BitCast(hn::RebindToSigned<decltype(pairs)>(), sum));
      }
    }
  }

  // Repeats the last pixels where luma ended.
  void Extend(BlockExtent from, BlockExtent extent) {
    for (int y = 0; y < from.height && from.width < width_; ++y) {
      int16_t* row = &values_[y * width_];
      std::fill(row + from.width, row + width_, row[from.width - 1]);
    }
    for (int y = from.height; y < extent.height; ++y) {
      int16_t* row = &values_[y * width_];
      std::copy_n(row - width_, width_, row);
    }
  }

  // count: a multiple of 16.
  HWY_INLINE int16_t Average(int count) const {
    const hn::FixedTag<uint16_t, 8> d;
    const hn::FixedTag<uint32_t, 4> pairs;
    auto sum = hn::Zero(pairs);
    for (int i = 0; i < count; i += 8) {
      const auto both = hn::BitCast(
          pairs, hn::Load(d, reinterpret_cast<const uint16_t*>(values_) + i));
      sum = hn::Add(sum, hn::Add(hn::And(both, hn::Set(pairs, 0xffff)),
                                 hn::ShiftRight<16>(both)));
    }
    const auto all = static_cast<int>(hn::GetLane(hn::SumOfLanes(pairs, sum)));
    return static_cast<int16_t>((all + count / 2) / count);
  }

  int width_;
  int16_t average_;
  alignas(64) int16_t values_[kMaxCflSize * kMaxCflSize];
};

struct OnVectors : ModesOnVectors, DirectionsOnVectors {
  template <typename Sample, int kStep>
  using EdgesOf = EdgesOnVectors<Sample, kStep>;
  template <typename Sample, int kStep>
  using PredictorOf = Predictor<OnVectors, Sample, kStep>;
  using LumaDifference = LumaOnVectors;

  // The product's absolute value, rounded, gets its sign back.
  template <typename Sample>
  static HWY_NOINLINE void AddLuma(const LumaOnVectors& luma, int alpha_u,
                                   int alpha_v, const Sample* dc,
                                   BlockExtent extent, int bit_depth,
                                   Output<Sample> out) {
    const Depth<Sample> depth(static_cast<uint32_t>(bit_depth));
    ForStrips<kWideLanes / 2>(extent.width, [&](auto lanes, int x) HWY_ATTR {
      constexpr int kPixels = decltype(lanes)::value;
      constexpr int kLanes = 2 * kPixels;
      const hn::FixedTag<int16_t, kLanes> d;
      const hn::FixedTag<uint32_t, kPixels> pairs;
      const int16_t alphas[2] = {static_cast<int16_t>(alpha_u),
                                 static_cast<int16_t>(alpha_v)};
      uint32_t word;
      std::memcpy(&word, alphas, sizeof(word));
      const auto alpha = hn::BitCast(d, hn::Set(pairs, word));
      const auto factor = hn::ShiftLeft<9>(hn::Abs(alpha));
      const auto base = Load16OfPair<kLanes>(dc);
      const auto average = hn::Set(d, luma.average());
      for (int y = 0; y < extent.height; ++y) {
        const auto one = hn::PromoteTo(
            pairs,
            hn::LoadU(hn::FixedTag<uint16_t, kPixels>(),
                      reinterpret_cast<const uint16_t*>(luma.Row(y)) + x));
        const auto difference = hn::Sub(
            hn::BitCast(d, hn::Or(one, hn::ShiftLeft<16>(one))), average);
        const auto scaled = hn::MulFixedPoint15(hn::Abs(difference), factor);
        const auto sign = hn::ShiftRight<15>(hn::Xor(difference, alpha));
        const auto sum = hn::Add(base, hn::Sub(hn::Xor(scaled, sign), sign));
        StoreWide<1, kLanes>(sum, 1, depth.MaxSample(),
                             Pixels<Sample>{out.Row(y) + 2 * x, 0});
      }
    });
  }

  template <int kStep, typename Sample>
  static HWY_NOINLINE void Paint(const Sample* colours, MaskRows map,
                                 BlockExtent extent, Output<Sample> out) {
    ForStrips<16 / sizeof(Sample)>(
        extent.width, [&](auto lanes, int x) HWY_ATTR {
          const hn::FixedTag<Sample, decltype(lanes)::value> d;
          for (int y = 0; y < extent.height; ++y) {
            const uint8_t* indices = map.data + y * map.stride + x;
            Sample* const to = out.Row(y) + kStep * x;
            const auto first = Colours(d, colours, indices);
            if constexpr (kStep == 1) {
              hn::StoreU(first, d, to);
            } else {
              const auto second =
                  Colours(d, colours + PERDIX_PALETTE_COLOURS, indices);
              hn::StoreU(hn::InterleaveLower(d, first, second), d, to);
              hn::StoreU(hn::InterleaveUpper(d, first, second), d,
                         to + decltype(lanes)::value);
            }
          }
        });
  }

  template <int kStep, typename Sample>
  static void CopyFromFrame(const KernelArgs& args, const IntraBlock& block,
                            const IntraTarget<Sample>& target) {
    av1::CopyFromFrame<kStep>(args, block, target);
  }

  // Differences are doubled, because 64 times 512 is more than 16 bits hold.
  template <typename Sample>
  static HWY_NOINLINE void Blend(Output<Sample> intra, MaskRows mask,
                                 int samples, int rows, Output<Sample> out) {
    ForStrips<kWideLanes>(samples, [&](auto lanes, int i) HWY_ATTR {
      constexpr int kLanes = decltype(lanes)::value;
      for (int y = 0; y < rows; ++y) {
        Sample* const to = out.Row(y) + i;
        const auto weight =
            hn::ShiftLeft<8>(Load16<kLanes>(mask.data + y * mask.stride + i));
        const auto inter = Load16<kLanes>(to);
        const auto difference =
            hn::ShiftLeft<1>(hn::Sub(Load16<kLanes>(intra.Row(y) + i), inter));
        StoreWide<1, kLanes>(
            hn::Add(inter, hn::MulFixedPoint15(difference, weight)), 1,
            INT16_MAX, Pixels<Sample>{to, 0});
      }
    });
  }

  template <typename Sample>
  static void AddResidual(const KernelArgs& args, const TransformBlock& block) {
    AddResidualSimd<Sample>(args, block);
  }
  template <typename Sample>
  static void AddResidualTo(const KernelArgs& args, const TransformBlock& block,
                            const ResidualTarget<Sample>& target) {
    AddResidualToSimd<Sample>(args, block, target);
  }

 private:
  // The pair of samples U, V in all lanes.
  template <int kLanes, typename Sample>
  static HWY_INLINE auto Load16OfPair(const Sample* pair) {
    const hn::FixedTag<int16_t, kLanes> d;
    const auto samples = Broadcast<2>(hn::FixedTag<Sample, kLanes>(), pair);
    if constexpr (sizeof(Sample) == 1) {
      return hn::PromoteTo(d, samples);
    } else {
      return hn::BitCast(d, samples);
    }
  }

  // Eight colours fit in one vector.
  template <class D>
  static HWY_INLINE hn::VFromD<D> Colours(D d, const uint8_t* colours,
                                          const uint8_t* indices) {
    const hn::FixedTag<uint8_t, 16> all;
    return hn::TableLookupBytes(
        hn::ZeroExtendVector(all,
                             hn::LoadU(hn::FixedTag<uint8_t, 8>(), colours)),
        hn::And(hn::LoadU(d, indices), hn::Set(d, 7)));
  }
  template <class D>
  static HWY_INLINE hn::VFromD<D> Colours(D d, const uint16_t* colours,
                                          const uint8_t* indices) {
    const hn::FixedTag<uint8_t, 16> all;
    const hn::Repartition<uint8_t, D> bytes;
    const auto index =
        hn::And(hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, D>(), indices)),
                hn::Set(d, 7));
    const auto places =
        hn::Add(hn::Mul(index, hn::Set(d, 0x0202)), hn::Set(d, 0x0100));
    return hn::BitCast(
        d, hn::TableLookupBytes(
               hn::LoadU(all, reinterpret_cast<const uint8_t*>(colours)),
               hn::BitCast(bytes, places)));
  }
};

}  // namespace

void IntraPred8(const KernelArgs& args, Range range) {
  ReconstructIntraBlocks<OnVectors, uint8_t>(args, range);
}
void IntraPred16(const KernelArgs& args, Range range) {
  ReconstructIntraBlocks<OnVectors, uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(IntraPred8);
HWY_EXPORT(IntraPred16);

template <>
void IntraPredSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(IntraPred8)(args, range);
}
template <>
void IntraPredSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(IntraPred16)(args, range);
}

}  // namespace perdix::av1
#endif
