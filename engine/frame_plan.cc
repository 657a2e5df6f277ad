// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_plan.h"

#include <string>

#include "codec/codec.h"

namespace perdix {
namespace {

// False: there is no room for the stage.
bool Append(FramePlan& plan, const Pass& pass, const PlannedStage& stage,
            bool gpu) {
  if (plan.stage_count == kMaxStages) return false;
  const uint32_t index = plan.stage_count++;
  plan.stages[index] = stage;
  plan.kernels[index] = stage.kernel;
  if (plan.segment_count == 0 ||
      plan.segments[plan.segment_count - 1].gpu != gpu) {
    plan.segments[plan.segment_count++] = {gpu, index, index};
  }
  Segment& segment = plan.segments[plan.segment_count - 1];
  segment.end = index + 1;
  segment.passes |= 1u << stage.pass;
  if (RowOf(stage.kernel).ReadsList()) segment.last_list_pass = stage.pass;
  if (!pass.output) segment.last_target_pass = stage.pass;
  return true;
}

Status TooManyStages(const CodecRow& codec) {
  return {StatusCode::kUnsupported,
          std::string(codec.name) + " has " +
              std::to_string(StageCount(codec.passes)) +
              " stages; a frame has room for " + std::to_string(kMaxStages)};
}

bool IsNeeded(const Pass& pass, const ParsedFrame& frame) {
  if (pass.shifts && !frame.IsShifted()) return false;
  return pass.needed == nullptr || pass.needed(frame);
}

}  // namespace

Status PlanFrame(const CodecRow& codec, const Recipe& recipe,
                 const ParsedFrame& frame,
                 const std::function<bool(KernelId)>& gpu_takes,
                 FramePlan* plan) {
  FramePlan made;
  const uint32_t bit_depth = frame.params.bit_depth;
  for (uint32_t i = 0; i < codec.passes.size(); ++i) {
    const Pass& pass = codec.passes[i];
    if (!IsNeeded(pass, frame)) continue;
    for (const KernelId kernel : pass.kernels) {
      const bool gpu = recipe.variant(kernel) == Variant::kVulkan &&
                       gpu_takes && gpu_takes(kernel);
      const PlannedStage stage = {kernel, i, recipe.function(kernel, bit_depth),
                                  recipe.CpuVariant(kernel, bit_depth)};
      if (!Append(made, pass, stage, gpu)) return TooManyStages(codec);
    }
  }
  *plan = made;
  return Status::Ok();
}

}  // namespace perdix
