// SPDX-License-Identifier: BSD-2-Clause
// The dispatches of the metrics of a frame (shaders/metrics, shaders/reduce.*),
// and what their results mean. Pure CPU code, no Vulkan.
//
// To record a metric: a barrier after what wrote the target; bind the metrics'
// set (kernels/shared/dispatch.h); dispatch <shader> over groups_x x groups_y
// with constants; a barrier; dispatch "reduce" over one workgroup with reduce.
// Before the partials are written again: another barrier. After the last
// reduction: results are made visible to the host.
#ifndef PERDIX_KERNELS_VULKAN_METRICS_ORDER_H_
#define PERDIX_KERNELS_VULKAN_METRICS_ORDER_H_

#include <cstdint>

#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/shared/metrics.h"

namespace perdix::vulkan {

struct MetricsDispatch {
  const char* shader;  // metrics/checksum or metrics/motion
  MetricsConstants constants;
  uint32_t groups_x;
  uint32_t groups_y;
  ReduceConstants reduce;
};

// Room the partials need, in elements of MetricsSum. Those of the checksums and
// of the motion lie apart: these may run side by side, checksums may not.
uint32_t MetricsPartials(const FrameParams& params);

// The dispatch that sums the target after a stage; stage: below kMaxStages.
MetricsDispatch ChecksumDispatch(const FrameParams& params,
                                 const PlaneOffsets& target, uint32_t stage);

// previous: of the same size and bit depth. The shader's constant
// PERDIX_CONSTANT_SAMPLE_BYTES goes by the bit depth.
MetricsDispatch MotionDispatch(const FrameParams& params,
                               const PlaneOffsets& target,
                               const PlaneOffsets& previous);

// The same values as PictureChecksum and PictureMotion (kernels/metrics) give.
uint64_t ChecksumOf(const MetricsResults& results, uint32_t stage);
uint64_t MotionOf(const MetricsResults& results);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_METRICS_ORDER_H_
