// SPDX-License-Identifier: BSD-2-Clause
#include "engine/frame_plan.h"

#include <algorithm>
#include <string>

#include "codec/codec.h"

namespace perdix {
namespace {

void AppendToSegment(FramePlan& plan, const Pass& pass, uint32_t index,
                     bool gpu) {
  const PlannedStage& stage = plan.stages[index];
  if (plan.segment_count == 0 ||
      plan.segments[plan.segment_count - 1].gpu != gpu) {
    plan.segments[plan.segment_count++] = {gpu, index, index};
  }
  Segment& segment = plan.segments[plan.segment_count - 1];
  segment.end = index + 1;
  segment.passes |= 1u << stage.pass;
  if (RowOf(stage.kernel).ReadsList()) segment.last_list_pass = stage.pass;
  if (!pass.output) segment.last_target_pass = stage.pass;
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

void KeepTablesOnCpu(std::span<const KernelId> kernels,
                     std::span<bool> on_gpu) {
  TableSet read = 0;            // by stages behind this segment
  TableSet read_in_submit = 0;  // by stages behind, of this segment on the GPU
  for (size_t i = kernels.size(); i-- > 0;) {
    const KernelRow& row = RowOf(kernels[i]);
    if (row.writes & read) on_gpu[i] = false;
    if (on_gpu[i]) {
      read_in_submit |= row.reads;
    } else {
      read |= row.reads | read_in_submit;
      read_in_submit = 0;
    }
  }
}

void KeepNeighboursOnGpu(std::span<bool> on_gpu) {
  const auto last = std::find(on_gpu.rbegin(), on_gpu.rend(), true);
  const auto before = std::find(last, on_gpu.rend(), false);
  std::fill(before, on_gpu.rend(), false);
}

Status PlanFrame(const CodecRow& codec, const Recipe& recipe,
                 const ParsedFrame& frame, const GpuOffer& gpu,
                 FramePlan* plan) {
  FramePlan made;
  std::array<bool, kMaxStages> on_gpu = {};
  const uint32_t bit_depth = frame.params.bit_depth;
  for (uint32_t i = 0; i < codec.passes.size(); ++i) {
    const Pass& pass = codec.passes[i];
    if (!IsNeeded(pass, frame)) continue;
    for (const KernelId kernel : pass.kernels) {
      if (made.stage_count == kMaxStages) return TooManyStages(codec);
      const uint32_t index = made.stage_count++;
      made.stages[index] = {kernel, i, recipe.function(kernel, bit_depth),
                            recipe.CpuVariant(kernel, bit_depth)};
      made.kernels[index] = kernel;
      on_gpu[index] = recipe.variant(kernel) == Variant::kVulkan &&
                      !pass.on_cpu && gpu.takes && gpu.takes(kernel);
    }
  }
  KeepTablesOnCpu(std::span(made.kernels).first(made.stage_count),
                  std::span(on_gpu).first(made.stage_count));
  if (gpu.neighbours_only) {
    KeepNeighboursOnGpu(std::span(on_gpu).first(made.stage_count));
  }
  for (uint32_t i = 0; i < made.stage_count; ++i) {
    AppendToSegment(made, codec.passes[made.stages[i].pass], i, on_gpu[i]);
  }
  *plan = made;
  return Status::Ok();
}

}  // namespace perdix
