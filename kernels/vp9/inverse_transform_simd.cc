// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms and reconstruction on vectors: what inverse_transform.cc
// does.
#include "kernels/vp9/inverse_transform.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {

template <>
void AddResidualSimd<uint8_t>(const KernelArgs& args,
                              const TransformBlock& block) {
  AddResidual<uint8_t>(args, block);
}
template <>
void AddResidualSimd<uint16_t>(const KernelArgs& args,
                               const TransformBlock& block) {
  AddResidual<uint16_t>(args, block);
}
template <>
void InverseTransformSimd<uint8_t>(const KernelArgs& args, Range range) {
  InverseTransform<uint8_t>(args, range);
}
template <>
void InverseTransformSimd<uint16_t>(const KernelArgs& args, Range range) {
  InverseTransform<uint16_t>(args, range);
}

}  // namespace perdix::vp9
