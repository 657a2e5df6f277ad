// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms and reconstruction on vectors, samples of 8 bits:
// transform_blocks-inl.h for each Highway target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/inverse_transform8_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/vp9/transform_blocks-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

void AddResidual8(const KernelArgs& args, const TransformBlock& block) {
  AddOne<uint8_t>(args, block);
}
void InverseTransform8(const KernelArgs& args, Range range) {
  AddAll<uint8_t>(args, range);
}

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

HWY_EXPORT(AddResidual8);
HWY_EXPORT(InverseTransform8);

template <>
void AddResidualSimd<uint8_t>(const KernelArgs& args,
                              const TransformBlock& block) {
  HWY_DYNAMIC_DISPATCH(AddResidual8)(args, block);
}
template <>
void InverseTransformSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InverseTransform8)(args, range);
}

}  // namespace perdix::vp9
#endif
