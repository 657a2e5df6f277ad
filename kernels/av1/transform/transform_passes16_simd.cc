// SPDX-License-Identifier: BSD-2-Clause
// One dimension of the inverse transform in lanes of 16 bits
// (transform_passes-inl.h).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/transform/transform_passes16_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/av1/transform/make_passes-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

template struct Passes<int16_t, kNarrow<int16_t>>;
#if HWY_MAX_BYTES >= 32
template struct Passes<int16_t, kWide<int16_t>>;
#endif
#if HWY_MAX_BYTES >= 64
template struct Passes<int16_t, kWidest<int16_t>>;
#endif

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
