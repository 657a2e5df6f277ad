// SPDX-License-Identifier: BSD-2-Clause
// Superresolution (AV1 7.16) on vectors: what super_res.cc does, to the eight
// taps of a sample at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/super_res_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/super_res_walk.h"
#include "kernels/av1/upscale_filter.h"

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

using Taps = hn::FixedTag<int16_t, 8>;
using Sums = hn::FixedTag<int32_t, 4>;
using VSums = hn::VFromD<Sums>;

// Four sums, which add up to that of all taps times samples.
HWY_INLINE HWY_ATTR VSums Products(const uint16_t* samples,
                                   const int16_t* taps) {
  const Taps d;
  const Sums d32;
  const auto from =
      hn::BitCast(d, hn::LoadU(hn::RebindToUnsigned<Taps>(), samples));
  VSums others = hn::Zero(d32);
  const VSums sums = hn::ReorderWidenMulAccumulate(
      d32, from, hn::LoadU(d, taps), hn::Zero(d32), others);
  return hn::Add(sums, others);
}

// Writes <count> samples to whole vectors.
HWY_NOINLINE HWY_ATTR void Upscale(const UpscalePositions& positions,
                                   const uint16_t* sources, int max_sample,
                                   uint16_t* to) {
  const Sums d;
  const hn::Rebind<uint16_t, Sums> d16;
  const VSums most = hn::Set(d, max_sample);
  const auto halves = [&](VSums a, VSums b) HWY_ATTR {
    return hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  };
  for (int x = 0; x < positions.count; x += 4) {
    VSums v[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      const int pixel = std::min(x + i, positions.count - 1);
      v[i] = Products(sources + positions.source[pixel],
                      kUpscaleFilter[positions.phase[pixel]]);
    }
    const VSums sums = halves(halves(v[0], v[2]), halves(v[1], v[3]));
    const VSums rounded = hn::ShiftRight<7>(hn::Add(sums, hn::Set(d, 64)));
    hn::StoreU(hn::DemoteTo(d16, hn::Min(rounded, most)), d16, to + x);
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
        for (int i = 0; i < positions.count; ++i) {
          to[i * step] = static_cast<Sample>(samples[i]);
        }
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
