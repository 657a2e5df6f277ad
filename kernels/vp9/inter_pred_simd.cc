// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2) on vectors: the inner loops for
// block_interpolation.h. Of a scaled prediction only the vertical filter.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/inter_pred_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/vp9/block_interpolation.h"
#include "kernels/vp9/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void InterPred8(const KernelArgs& args, Range range) {
  InterPred<uint8_t>(args, range);
}
void InterPred16(const KernelArgs& args, Range range) {
  InterPred<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Sums of 8-bit samples in 16 bits: with the taps of VP9 they span less than
// 2^16, from -13770 to 46410, so that this far down none overflows at the end;
// those on the way may, and come back.
constexpr int kSumBias = 1 << 14;

// kLanes sums, rounded and clamped.
template <int kLanes>
HWY_ATTR void FilterVector(const uint8_t* source, ptrdiff_t tap_stride,
                           const int16_t (&filter)[kTaps], int /*max_sample*/,
                           uint8_t* out) {
  const hn::FixedTag<int16_t, kLanes> d;
  const hn::FixedTag<uint8_t, kLanes> samples;
  auto sum = hn::Set(d, (1 << (kFilterBits - 1)) - kSumBias);
  for (int t = 0; t < kTaps; ++t) {
    const auto tap =
        hn::PromoteTo(d, hn::LoadU(samples, source + t * tap_stride));
    sum = hn::Add(sum, hn::Mul(tap, hn::Set(d, filter[t])));
  }
  const auto rounded = hn::Add(hn::ShiftRight<kFilterBits>(sum),
                               hn::Set(d, kSumBias >> kFilterBits));
  hn::StoreU(hn::DemoteTo(samples, rounded), samples, out);
}

template <int kLanes>
HWY_ATTR void FilterVector(const uint16_t* source, ptrdiff_t tap_stride,
                           const int16_t (&filter)[kTaps], int max_sample,
                           uint16_t* out) {
  const hn::FixedTag<int32_t, kLanes> d;
  const hn::FixedTag<uint16_t, kLanes> samples;
  auto sum = hn::Set(d, 1 << (kFilterBits - 1));
  for (int t = 0; t < kTaps; ++t) {
    const auto tap =
        hn::PromoteTo(d, hn::LoadU(samples, source + t * tap_stride));
    sum = hn::Add(sum, hn::Mul(tap, hn::Set(d, int32_t{filter[t]})));
  }
  const auto clamped =
      hn::Min(hn::Max(hn::ShiftRight<kFilterBits>(sum), hn::Zero(d)),
              hn::Set(d, max_sample));
  hn::StoreU(hn::DemoteTo(samples, clamped), samples, out);
}

template <int kLanes, typename Sample>
HWY_ATTR void AverageVector(const Sample* second, Sample* first) {
  const hn::FixedTag<Sample, kLanes> d;
  hn::StoreU(hn::AverageRound(hn::LoadU(d, first), hn::LoadU(d, second)), d,
             first);
}

// Rows have 4, 8 or a multiple of 16 samples: blocks end at multiples of 8 luma
// samples, and of 4 U, V pairs; or they are 4 samples, or 2 pairs, wide.
struct VectorLines {
  // Samples in a vector, of as many as 2 * Sample bits in a lane.
  template <typename Sample>
  static constexpr int kMost = static_cast<int>(HWY_MAX_BYTES /
                                                (2 * sizeof(Sample)));

  template <typename Sample>
  HWY_ATTR static void Filter(Pixels<const Sample> source, ptrdiff_t tap_stride,
                              const int16_t (&filter)[kTaps], Extent extent,
                              int max_sample, Pixels<Sample> out) {
    for (int r = 0; r < extent.rows; ++r) {
      const Sample* from = source.data + r * source.stride;
      Sample* to = out.data + r * out.stride;
      const auto run = [&](auto lanes, int i) HWY_ATTR {
        FilterVector<lanes()>(from + i, tap_stride, filter, max_sample, to + i);
      };
      ForEachVector<kMost<Sample> >(extent.samples, run);
    }
  }

  template <typename Sample>
  HWY_ATTR static void Average(Pixels<const Sample> second, Extent extent,
                               Pixels<Sample> first) {
    for (int r = 0; r < extent.rows; ++r) {
      const Sample* from = second.data + r * second.stride;
      Sample* to = first.data + r * first.stride;
      const auto run = [&](auto lanes, int i) HWY_ATTR {
        AverageVector<lanes()>(from + i, to + i);
      };
      ForEachVector<kMost<Sample> >(extent.samples, run);
    }
  }

 private:
  // run(lanes, first sample), the widest vectors first.
  template <int kLanes, typename Run>
  HWY_ATTR static void ForEachVector(int samples, const Run& run) {
    int i = 0;
    for (; i + kLanes <= samples; i += kLanes) {
      run(std::integral_constant<int, kLanes>(), i);
    }
    if constexpr (kLanes > 4) {
      if (i < samples) {
        const auto rest = [&](auto lanes, int j)
                              HWY_ATTR { run(lanes, i + j); };
        ForEachVector<kLanes / 2>(samples - i, rest);
      }
    }
  }
};

}  // namespace

void InterPred8(const KernelArgs& args, Range range) {
  PredictInterBlocks<VectorLines, uint8_t>(args, range);
}
void InterPred16(const KernelArgs& args, Range range) {
  PredictInterBlocks<VectorLines, uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

HWY_EXPORT(InterPred8);
HWY_EXPORT(InterPred16);

template <>
void InterPredSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InterPred8)(args, range);
}
template <>
void InterPredSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InterPred16)(args, range);
}

}  // namespace perdix::vp9
#endif
