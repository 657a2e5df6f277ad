// SPDX-License-Identifier: BSD-2-Clause
// The residual of one transform block, for the kernels that add it: inverse
// transform of inter blocks, intra prediction.
#ifndef PERDIX_KERNELS_VP9_INVERSE_TRANSFORM_H_
#define PERDIX_KERNELS_VP9_INVERSE_TRANSFORM_H_

#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

// Inverse transforms the coefficients of block (from args.lists.coefficients)
// and adds them to the target.
template <typename Sample>
void AddResidual(const KernelArgs& args, const TransformBlock& block);

// The same on vectors (Google Highway), for the best target of this CPU.
template <typename Sample>
void AddResidualSimd(const KernelArgs& args, const TransformBlock& block);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_INVERSE_TRANSFORM_H_
