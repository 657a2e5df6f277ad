// SPDX-License-Identifier: BSD-2-Clause
// VP9's work lists in the order in which shaders want them: records grouped by
// what a dispatch is specialised for, padded to whole workgroups, and the list
// of dispatches. Pure CPU code, no Vulkan. A file for each kind of record; here
// is what needs no grouping.
//
// An order is used for one frame after the other and keeps its memory. Set()
// groups the records and makes the dispatches; Write() puts size() records
// where shaders read them, each once and from the first to the last, because
// that memory may be uncached.
#ifndef PERDIX_KERNELS_VULKAN_VP9_WORK_ORDER_H_
#define PERDIX_KERNELS_VULKAN_VP9_WORK_ORDER_H_

#include <cstdint>

#include "kernels/plane.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/vulkan/vp9/inter_order.h"
#include "kernels/vulkan/vp9/intra_order.h"
#include "kernels/vulkan/vp9/subpel_filters.h"
#include "kernels/vulkan/vp9/transform_order.h"

namespace perdix::vp9 {

// Where intra residual lies; the buffer has residual_values of 16 bits,
// whatever the bit depth.
ResidualLayout LayOutResidual(const FrameParams& params,
                              uint32_t* residual_values);

// What PERDIX_BINDING_FRAME holds. Sets *residual_values as LayOutResidual
// does.
FrameUniforms UniformsOf(const FrameParams& params, const PlaneOffsets& target,
                         uint32_t* residual_values);

// ---- loop filter ----

struct LoopFilterStep {
  LoopFilterConstants constants;
  uint32_t workgroups;  // in x; 2 in y: luma, chroma
};

uint32_t LoopFilterStepCount(const FrameParams& params);
LoopFilterStep LoopFilterStepAt(const FrameParams& params, const Params& vp9,
                                const PlaneOffsets& target, uint32_t step);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VULKAN_VP9_WORK_ORDER_H_
