// SPDX-License-Identifier: BSD-2-Clause
// VP9's lists, tables and parameters by their types.
#ifndef PERDIX_KERNELS_VP9_LISTS_H_
#define PERDIX_KERNELS_VP9_LISTS_H_

#include "kernels/kernel.h"
#include "kernels/shared/vp9/params.h"
#include "kernels/shared/vp9/work_lists.h"

namespace perdix::vp9 {

inline constexpr List<InterBlock> kInterBlocks = {0};
inline constexpr List<TransformBlock> kInterTransforms = {1};  // their residual
inline constexpr List<IntraBlock> kIntraBlocks = {2};
inline constexpr List<TransformBlock> kIntraTransforms = {3};  // named by these

inline constexpr Table<uint32_t> kEdges = {0};  // mi_rows x mi_cols words

inline const Params& ParamsOf(const KernelArgs& args) {
  return args.codec->As<Params>();
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_LISTS_H_
