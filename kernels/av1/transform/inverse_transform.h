// SPDX-License-Identifier: BSD-2-Clause
// The residual of one transform block, for kernels that add it themselves.
#ifndef PERDIX_KERNELS_AV1_TRANSFORM_INVERSE_TRANSFORM_H_
#define PERDIX_KERNELS_AV1_TRANSFORM_INVERSE_TRANSFORM_H_

#include "kernels/av1/lists.h"
#include "kernels/av1/transform/transform_shape.h"

namespace perdix::av1 {

// Transforms the block's coefficients and adds them to the target, as much as
// lies inside the decoded area. Sample is uint8_t or uint16_t.
template <typename Sample>
void AddResidual(const KernelArgs& args, const TransformBlock& block);

// The same to other memory: the block's position is not looked at.
template <typename Sample>
void AddResidualTo(const KernelArgs& args, const TransformBlock& block,
                   const ResidualTarget<Sample>& target);

// The same on vectors.
template <typename Sample>
void AddResidualSimd(const KernelArgs& args, const TransformBlock& block);
template <typename Sample>
void AddResidualToSimd(const KernelArgs& args, const TransformBlock& block,
                       const ResidualTarget<Sample>& target);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_INVERSE_TRANSFORM_H_
