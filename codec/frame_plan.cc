// SPDX-License-Identifier: BSD-2-Clause
#include "codec/frame_plan.h"

#include "codec/codec.h"

namespace perdix {
namespace {

void Append(FramePlan& plan, const PlannedStage& stage, bool gpu) {
  const uint32_t index = plan.stage_count++;
  plan.stages[index] = stage;
  plan.kernels[index] = stage.kernel;
  if (plan.segment_count == 0 ||
      plan.segments[plan.segment_count - 1].gpu != gpu) {
    plan.segments[plan.segment_count++] = {gpu, index, index};
  }
  plan.segments[plan.segment_count - 1].end = index + 1;
}

}  // namespace

FramePlan PlanFrame(const CodecRow& codec, const Recipe& recipe,
                    const FrameParams& params, bool gpu) {
  FramePlan plan;
  const auto append = [&](KernelId kernel,
                          uint32_t SuperblockIndex::*list_end) {
    Append(plan,
           {kernel, list_end, recipe.function(kernel, params.bit_depth),
            recipe.CpuVariant(kernel, params.bit_depth)},
           gpu && recipe.variant(kernel) == Variant::kVulkan);
  };
  for (const Stage& stage : codec.reconstruct) {
    append(stage.kernel, stage.list_end);
  }
  if (params.loop_filter_level != 0) append(codec.in_loop_filter, nullptr);
  return plan;
}

}  // namespace perdix
