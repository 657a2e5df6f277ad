// SPDX-License-Identifier: BSD-2-Clause
// VP9's pipelines, and the place of each in their list.
#ifndef PERDIX_KERNELS_VULKAN_VP9_PIPELINES_H_
#define PERDIX_KERNELS_VULKAN_VP9_PIPELINES_H_

#include <vector>

#include "kernels/vulkan/pipelines.h"
#include "kernels/vulkan/vp9/work_order.h"

namespace perdix::vp9 {

std::vector<vulkan::PipelineDescription> PipelinesFor(
    const vulkan::Device& device);

// Indices in that list.
vulkan::PipelineIndex TransformPipeline(uint32_t tx_size, uint32_t transform,
                                        uint32_t output);
vulkan::PipelineIndex InterPredPipeline(uint32_t plane, uint32_t kind,
                                        uint32_t average);
vulkan::PipelineIndex IntraPredPipeline();
vulkan::PipelineIndex LoopFilterPipeline(const FrameParams& params);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VULKAN_VP9_PIPELINES_H_
