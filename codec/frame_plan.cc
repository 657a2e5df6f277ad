// SPDX-License-Identifier: BSD-2-Clause
#include "codec/frame_plan.h"

#include "codec/codec.h"
#include "kernels/vp9/lists.h"

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
                    const ParsedFrame& frame, bool gpu) {
  FramePlan plan;
  const uint32_t bit_depth = frame.params.bit_depth;
  const auto append = [&](KernelId kernel) {
    Append(plan,
           {kernel, recipe.function(kernel, bit_depth),
            recipe.CpuVariant(kernel, bit_depth)},
           gpu && recipe.variant(kernel) == Variant::kVulkan);
  };
  for (const KernelId kernel : codec.reconstruct) append(kernel);
  if (frame.codec_params.As<vp9::Params>().loop_filter_level != 0) {
    append(codec.in_loop_filter);
  }
  return plan;
}

}  // namespace perdix
