// SPDX-License-Identifier: BSD-2-Clause
// Makes the tables of transform_passes-inl.h: a function for each transform.
// They are most of the code of the inverse transform, and are compiled in files
// of their own: transform_passes16_simd.cc, transform_passes32_simd.cc.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_MAKE_PASSES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_MAKE_PASSES_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_MAKE_PASSES_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_MAKE_PASSES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>

#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_passes-inl.h"
#include "kernels/av1/transform/transform_shape.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

template <class L, TransformKind kKind, int kLog2, int kStored>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void RunPass(typename L::T* t, int bits,
                                               bool flip) {
  TransformArray<L, kKind, kLog2, kStored>(L(Limits::OfBits(bits)))
      .RunStored(t, flip);
}

// By log2 of how many vectors are stored, from 4 on.
template <class L, TransformKind kKind, int kLog2>
constexpr std::array<Pass<typename L::T>, 4> PassesOf() {
  return {RunPass<L, kKind, kLog2, 4>,
          RunPass<L, kKind, kLog2, std::min(8, 1 << kLog2)>,
          RunPass<L, kKind, kLog2, std::min(16, 1 << kLog2)>,
          RunPass<L, kKind, kLog2, std::min(32, 1 << kLog2)>};
}

template <class L>
constexpr PassTable<typename L::T> MakePasses() {
  constexpr TransformKind kDct = TransformKind::kDct;
  constexpr TransformKind kAdst = TransformKind::kAdst;
  constexpr auto kDct32 = PassesOf<L, kDct, 5>();
  constexpr auto kDct64 = PassesOf<L, kDct, 6>();
  constexpr std::array<Pass<typename L::T>, 4> kNone = {};
  return {{{PassesOf<L, kDct, 2>(), PassesOf<L, kDct, 3>(),
            PassesOf<L, kDct, 4>(), kDct32, kDct64},
           {PassesOf<L, kAdst, 2>(), PassesOf<L, kAdst, 3>(),
            PassesOf<L, kAdst, 4>(), kDct32, kDct64},
           {kNone, kNone, kNone, kNone, kDct64}}};
}

}  // namespace

template <typename T, int kLanes>
constinit const PassTable<T> Passes<T, kLanes>::kTable =
    MakePasses<Lanes<T, kLanes>>();

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
