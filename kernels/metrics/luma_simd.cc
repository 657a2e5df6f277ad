// SPDX-License-Identifier: BSD-2-Clause
// SumLuma on vectors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/metrics/luma_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "kernels/metrics/luma.h"
#include "kernels/metrics/luma_walk.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

LumaSums SumLines8(const PictureView& picture, const PictureView* previous,
                   uint32_t dark_level, Range lines) {
  return SumLuma(picture, previous, dark_level, lines);
}
LumaSums SumLines16(const PictureView& picture, const PictureView* previous,
                    uint32_t dark_level, Range lines) {
  return SumLuma(picture, previous, dark_level, lines);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<uint8_t>;
using Words = hn::ScalableTag<uint16_t>;

template <class D>
HWY_INLINE HWY_ATTR hn::VFromD<D> Difference(D, hn::VFromD<D> a,
                                             hn::VFromD<D> b) {
  return hn::Or(hn::SaturatedSub(a, b), hn::SaturatedSub(b, a));
}

// All bits, which is -1, in the lanes at or below <level>.
template <class D>
HWY_INLINE HWY_ATTR hn::VFromD<D> IsDark(D d, hn::VFromD<D> samples,
                                         hn::VFromD<D> level) {
  return hn::VecFromMask(d, hn::Eq(hn::Min(samples, level), samples));
}

// Sums of lanes over a run of vectors, which do not overflow them, added up to
// sums of the row.
template <typename Sample>
class RowSums;

// Each byte counts in one of its vector's words of 64 bits.
template <>
class RowSums<uint8_t> {
 public:
  static constexpr uint32_t kRun = 255;  // vectors, so that a lane counts them

  HWY_ATTR RowSums() {}
  HWY_INLINE HWY_ATTR void Add(hn::VFromD<Bytes> lanes) {
    sum_ = hn::Add(sum_, hn::SumsOf8(lanes));
  }
  HWY_INLINE HWY_ATTR void EndRun() {}
  HWY_INLINE HWY_ATTR uint64_t Total() const {
    return hn::GetLane(hn::SumOfLanes(Sums(), sum_));
  }

 private:
  using Sums = hn::Repartition<uint64_t, Bytes>;
  hn::VFromD<Sums> sum_ = hn::Zero(Sums());
};

// 16 samples of 12 bits fit a lane of 16.
template <>
class RowSums<uint16_t> {
 public:
  static constexpr uint32_t kRun = 16;

  HWY_ATTR RowSums() {}
  HWY_INLINE HWY_ATTR void Add(hn::VFromD<Words> lanes) {
    run_ = hn::Add(run_, lanes);
  }
  HWY_INLINE HWY_ATTR void EndRun() {
    const Sums d;
    const auto pairs = hn::BitCast(d, run_);
    sum_ = hn::Add(sum_, hn::Add(hn::ShiftRight<16>(pairs),
                                 hn::And(pairs, hn::Set(d, 0xffff))));
    run_ = hn::Zero(Words());
  }
  HWY_INLINE HWY_ATTR uint64_t Total() const {
    return hn::GetLane(hn::SumOfLanes(Sums(), sum_));
  }

 private:
  using Sums = hn::Repartition<uint32_t, Words>;
  hn::VFromD<Words> run_ = hn::Zero(Words());
  hn::VFromD<Sums> sum_ = hn::Zero(Sums());
};

template <typename Sample>
HWY_INLINE HWY_ATTR hn::VFromD<hn::ScalableTag<Sample> > Load(
    const Sample* samples, int shift) {
  const auto loaded = hn::LoadU(hn::ScalableTag<Sample>(), samples);
  if constexpr (sizeof(Sample) == 2)
    return hn::ShiftRightSame(loaded, shift);
  else
    return loaded;  // bytes are never shifted
}

// The samples of a row that fill vectors; <compares>: <before> is there.
template <bool compares, typename Sample>
HWY_INLINE HWY_ATTR LumaSums SumVectors(const Sample* row, const Sample* before,
                                        uint32_t vectors, uint32_t dark_level,
                                        int shift) {
  const hn::ScalableTag<Sample> d;
  const auto level = hn::Set(d, Sample(dark_level));
  RowSums<Sample> total, dark, difference;
  for (uint32_t done = 0; done < vectors;) {
    const uint32_t run = std::min(vectors - done, RowSums<Sample>::kRun);
    auto darks = hn::Zero(d);
    for (uint32_t i = 0; i < run; ++i) {
      const size_t at = size_t{done + i} * hn::Lanes(d);
      const auto samples = Load(row + at, shift);
      total.Add(samples);
      darks = hn::Sub(darks, IsDark(d, samples, level));
      if constexpr (compares)
        difference.Add(Difference(d, samples, Load(before + at, shift)));
    }
    dark.Add(darks);
    total.EndRun();
    dark.EndRun();
    difference.EndRun();
    done += run;
  }
  return {total.Total(), dark.Total(), difference.Total()};
}

template <typename Sample>
HWY_ATTR LumaSums SumRow(const Sample* row, const Sample* before,
                         uint32_t width, uint32_t dark_level, uint32_t shift) {
  const auto lanes = uint32_t(hn::Lanes(hn::ScalableTag<Sample>()));
  const uint32_t vectors = width / lanes;
  const uint32_t done = vectors * lanes;
  LumaSums sums = SumSamples(row + done, before ? before + done : nullptr,
                             width - done, dark_level, shift);
  sums += before
              ? SumVectors<true>(row, before, vectors, dark_level, int(shift))
              : SumVectors<false>(row, before, vectors, dark_level, int(shift));
  return sums;
}

}  // namespace

LumaSums SumLines8(const PictureView& picture, const PictureView* previous,
                   uint32_t dark_level, Range lines) {
  return SumLines<uint8_t>(picture, previous, dark_level, lines,
                           SumRow<uint8_t>);
}
LumaSums SumLines16(const PictureView& picture, const PictureView* previous,
                    uint32_t dark_level, Range lines) {
  return SumLines<uint16_t>(picture, previous, dark_level, lines,
                            SumRow<uint16_t>);
}

#endif  // HWY_TARGET

}  // namespace perdix::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix {

HWY_EXPORT(SumLines8);
HWY_EXPORT(SumLines16);

LumaSums SumLumaSimd(const PictureView& picture, const PictureView* previous,
                     uint32_t dark_level, Range lines) {
  return picture.bit_depth > 8 ? HWY_DYNAMIC_DISPATCH(SumLines16)(
                                     picture, previous, dark_level, lines)
                               : HWY_DYNAMIC_DISPATCH(SumLines8)(
                                     picture, previous, dark_level, lines);
}

}  // namespace perdix
#endif
