// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction on vectors, samples of 8 bits: inter_loops-inl.h for each
// Highway target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/inter/inter_pred8_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/av1/inter/inter_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

void InterPred8(const KernelArgs& args, Range range) {
  PredictOnVectors<uint8_t>(args, range);
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(InterPred8);

template <>
void InterPredSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InterPred8)(args, range);
}

}  // namespace perdix::av1
#endif
