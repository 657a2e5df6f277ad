// SPDX-License-Identifier: BSD-2-Clause
// Superresolution (AV1 7.16) on vectors: what super_res.cc does, to the eight
// taps of a sample at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/super_res/super_res_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/super_res/super_res_walk.h"
#include "kernels/av1/super_res/upscale_filter.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void SuperRes8(const KernelArgs& args, Range range) {
  SuperRes<uint8_t>(args, range);
}
void SuperRes16(const KernelArgs& args, Range range) {
  SuperRes<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The taps of a pixel, and of the fourth one from there.
#if HWY_MAX_BYTES >= 32
constexpr int kPixels = 8;
#else
constexpr int kPixels = 4;
#endif
using Taps = hn::FixedTag<int16_t, 2 * kPixels>;
using Sums = hn::RepartitionToWide<Taps>;
using VTaps = hn::VFromD<Taps>;
using VSums = hn::VFromD<Sums>;

HWY_INLINE HWY_ATTR VTaps LoadTaps(const int16_t* first,
                                   const int16_t* fourth) {
  const hn::FixedTag<int16_t, 8> d;
#if HWY_MAX_BYTES >= 32
  return hn::Combine(Taps(), hn::LoadU(d, fourth), hn::LoadU(d, first));
#else
  (void)fourth;
  return hn::LoadU(d, first);
#endif
}

// Four sums in each block of 16 bytes, which add up to that of all taps times
// samples.
HWY_INLINE HWY_ATTR VSums Products(const UpscalePositions& positions,
                                   const int16_t* sources, int first,
                                   int fourth) {
  const Sums d;
  VSums others = hn::Zero(d);
  const VSums sums = hn::ReorderWidenMulAccumulate(
      d,
      LoadTaps(sources + positions.source[first],
               sources + positions.source[fourth]),
      LoadTaps(kUpscaleFilter[positions.phase[first]],
               kUpscaleFilter[positions.phase[fourth]]),
      hn::Zero(d), others);
  return hn::Add(sums, others);
}

// The sums of kPixels pixels from x on, none of which lies behind last.
HWY_INLINE HWY_ATTR VSums SumsOfTaps(const UpscalePositions& positions,
                                     const int16_t* sources, int x, int last) {
  const Sums d;
  const auto halves = [&](VSums a, VSums b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  VSums v[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    v[i] = Products(positions, sources, std::min(x + i, last),
                    std::min(x + i + 4, last));
  }
  return halves(halves(v[0], v[2]), halves(v[1], v[3]));
}

// Writes <count> samples to whole vectors.
HWY_NOINLINE HWY_ATTR void Upscale(const UpscalePositions& positions,
                                   const uint16_t* sources, int max_sample,
                                   uint16_t* to) {
  const Sums d;
  const hn::Rebind<uint16_t, Sums> d16;
  const VSums most = hn::Set(d, max_sample);
  // At most 12 bits.
  const int16_t* const words = reinterpret_cast<const int16_t*>(sources);
  const auto store = [&](int x, int last) HWY_ATTR {
    const VSums sums = SumsOfTaps(positions, words, x, last);
    const VSums rounded = hn::ShiftRight<7>(hn::Add(sums, hn::Set(d, 64)));
    hn::StoreU(hn::DemoteTo(d16, hn::Min(rounded, most)), d16, to + x);
  };
  int x = 0;
  for (; x + kPixels <= positions.count; x += kPixels)
    store(x, x + kPixels - 1);
  if (x < positions.count) store(x, positions.count - 1);
}

// step: 1 or 2.
template <typename Sample>
void StoreComponent(const uint16_t* __restrict samples, int count,
                    Sample* __restrict to, int step) {
  if (step == 1) {
    for (int i = 0; i < count; ++i) to[i] = static_cast<Sample>(samples[i]);
  } else {
    for (int i = 0; i < count; ++i) to[2 * i] = static_cast<Sample>(samples[i]);
  }
}

template <typename Sample>
void UpscaleRows(const KernelArgs& args, Range range) {
  const int max_sample = (1 << args.params->bit_depth) - 1;
  SuperResRows<Sample>(
      args, range,
      [max_sample](const UpscalePositions& positions, const uint16_t* sources,
                   Sample* to, int step) {
        uint16_t samples[kUpscalePiece];
        Upscale(positions, sources, max_sample, samples);
        StoreComponent(samples, positions.count, to, step);
      });
}

}  // namespace

void SuperRes8(const KernelArgs& args, Range range) {
  UpscaleRows<uint8_t>(args, range);
}
void SuperRes16(const KernelArgs& args, Range range) {
  UpscaleRows<uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(SuperRes8);
HWY_EXPORT(SuperRes16);

template <>
void SuperResSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(SuperRes8)(args, range);
}
template <>
void SuperResSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(SuperRes16)(args, range);
}

}  // namespace perdix::av1
#endif
