// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction on vectors, samples of 16 bits: inter_loops-inl.h for each
// Highway target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/inter/inter_pred16_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include "kernels/av1/inter/inter_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

void InterPred16(const KernelArgs& args, Range range) {
  PredictOnVectors<uint16_t>(args, range);
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(InterPred16);

template <>
void InterPredSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InterPred16)(args, range);
}

}  // namespace perdix::av1
#endif
