// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/vp9/pipelines.h"

#include <string_view>

namespace perdix::vp9 {
namespace {

using vulkan::PipelineDescription;
using vulkan::PipelineIndex;

// The list: inverse transforms [size][transform][output], inter prediction
// [plane][kind][average], intra prediction, loop filter [chroma of full size].
constexpr PipelineIndex kFirstTransform = 0;
constexpr PipelineIndex kFirstInterPred =
    kFirstTransform +
    kTransformSizes * PERDIX_TRANSFORM_KINDS * PERDIX_OUTPUT_KINDS;
constexpr PipelineIndex kIntraPred =
    kFirstInterPred + kPlaneCount * PERDIX_INTER_KINDS * 2;
constexpr PipelineIndex kFirstLoopFilter = kIntraPred + 1;
constexpr PipelineIndex kPipelines = kFirstLoopFilter + 2;

// What transform_order.cc asks for. WHT is 4x4, 32x32 is DCT_DCT (VP9 8.7.2),
// and a 4x4 block always has all its coefficients.
bool Exists(uint32_t tx_size, uint32_t transform) {
  switch (transform) {
    case PERDIX_TRANSFORM_DCT:
    case PERDIX_TRANSFORM_DC:
      return true;
    case PERDIX_TRANSFORM_WHT:
      return tx_size == 0;
    case PERDIX_TRANSFORM_DCT_WHOLE:
      return tx_size > 0;
    default:  // ADST
      return tx_size < 3;
  }
}

void AddTransforms(std::vector<PipelineDescription>* list) {
  constexpr std::string_view kShaders[kTransformSizes] = {
      "vp9/inverse_transform_4", "vp9/inverse_transform_8",
      "vp9/inverse_transform_16", "vp9/inverse_transform_32"};
  for (uint32_t size = 0; size < kTransformSizes; ++size) {
    for (uint32_t kind = 0; kind < PERDIX_TRANSFORM_KINDS; ++kind) {
      if (!Exists(size, kind)) continue;
      for (uint32_t output = 0; output < PERDIX_OUTPUT_KINDS; ++output) {
        (*list)[TransformPipeline(size, kind, output)] = {
            kShaders[size], {kind, output}, 64};
      }
    }
  }
}

void AddInterPred(const vulkan::Device& device,
                  std::vector<PipelineDescription>* list) {
  const std::string_view shader =
      device.rounds_to_even ? "vp9/inter_pred_rte" : "vp9/inter_pred";
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t kind = 0; kind < PERDIX_INTER_KINDS; ++kind) {
      for (uint32_t average = 0; average < 2; ++average) {
        (*list)[InterPredPipeline(plane, kind, average)] = {
            shader, {plane, kind, average}, 64};
      }
    }
  }
}

}  // namespace

std::vector<PipelineDescription> PipelinesFor(const vulkan::Device& device) {
  std::vector<PipelineDescription> list(kPipelines);
  AddTransforms(&list);
  AddInterPred(device, &list);
  // Measured on an H200 and counted for V3D:
  // docs/measurements/gpu.md.
  const bool wide = device.subgroup_size >= 32;
  const uint32_t intra_lanes = wide ? 128 : 16;
  list[kIntraPred] = {"vp9/intra_pred", {0, intra_lanes}, intra_lanes};
  for (uint32_t i = 0; i < 2; ++i) {
    const uint32_t lanes = (wide ? 64 : 32) << i;
    list[kFirstLoopFilter + i] = {
        wide ? "vp9/loop_filter_lines" : "vp9/loop_filter",
        {3, lanes, 1},
        lanes};
  }
  return list;
}

PipelineIndex TransformPipeline(uint32_t tx_size, uint32_t transform,
                                uint32_t output) {
  return kFirstTransform +
         (tx_size * PERDIX_TRANSFORM_KINDS + transform) * PERDIX_OUTPUT_KINDS +
         output;
}

PipelineIndex InterPredPipeline(uint32_t plane, uint32_t kind,
                                uint32_t average) {
  return kFirstInterPred + (plane * PERDIX_INTER_KINDS + kind) * 2 + average;
}

PipelineIndex IntraPredPipeline() { return kIntraPred; }

PipelineIndex LoopFilterPipeline(const FrameParams& params) {
  return kFirstLoopFilter + (params.subsampling_y == 0 ? 1 : 0);
}

}  // namespace perdix::vp9
