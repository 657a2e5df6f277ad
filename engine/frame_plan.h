// SPDX-License-Identifier: BSD-2-Clause
// Where each stage of one frame runs. Neighbouring stages of the same side are
// a segment: the GPU's is one submit, the CPU's works row by row, pass after
// pass (pass.h); the next segment starts when the whole frame is through the
// one before.
#ifndef PERDIX_ENGINE_FRAME_PLAN_H_
#define PERDIX_ENGINE_FRAME_PLAN_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "codec/pass.h"
#include "engine/recipe.h"
#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix {

struct CodecRow;
class ParsedFrame;

struct PlannedStage {
  KernelId kernel;
  uint32_t pass;            // index in the codec's passes
  KernelFunction function;  // the CPU's
  Variant variant;          // of function
};

struct Segment {
  bool gpu = false;
  uint32_t begin = 0;  // stages
  uint32_t end = 0;
  // The passes of these stages. Other stages of a pass may be in another
  // segment.
  uint32_t passes = 0;            // bit: index in the codec's passes
  uint32_t last_list_pass = 0;    // the last one that reads work lists
  uint32_t last_target_pass = 0;  // the last one that writes the target
};

struct FramePlan {
  std::array<PlannedStage, kMaxStages> stages;
  std::array<KernelId, kMaxStages> kernels;  // of the stages
  uint32_t stage_count = 0;
  std::array<Segment, kMaxStages> segments;
  uint32_t segment_count = 0;

  bool OnGpu(uint32_t stage) const {
    uint32_t i = 0;
    while (stage >= segments[i].end) ++i;
    return segments[i].gpu;
  }
  // The segment after which the target is final.
  uint32_t FinalSegment() const {
    uint32_t i = segment_count - 1;
    while (i > 0 && !WritesTarget(segments[i])) --i;
    return i;
  }
  bool WritesTarget(const Segment& segment) const {
    const auto of_segment =
        std::span(kernels).subspan(segment.begin, segment.end - segment.begin);
    return std::ranges::any_of(of_segment, [](KernelId kernel) {
      return RowOf(kernel).picture == WrittenPicture::kTarget;
    });
  }
  bool UsesGpu() const { return segments[0].gpu || segment_count > 1; }
};

// Takes kernels from the GPU that write a table which a kernel outside their
// segment reads: what shaders write of a table stays in their submit, and
// others read what the CPU has written. kernels: of the frame's stages, in
// order; on_gpu: of each.
void KeepTablesOnCpu(std::span<const KernelId> kernels, std::span<bool> on_gpu);

// Takes kernels from the GPU until no kernel on the CPU is between two on it:
// the last ones, which are neighbours, stay.
void KeepNeighboursOnGpu(std::span<bool> on_gpu);

// What the GPU does for a frame.
struct GpuOffer {
  std::function<bool(KernelId)> takes;  // null: nothing
  // The CPU reads what the GPU has written without its caches, so slowly that
  // it must not be between two stages on the GPU.
  bool neighbours_only = false;
};

// The stages of the passes that the frame needs, as the recipe wants them, but
// on the CPU where the pass or KeepTablesOnCpu wants it, where the GPU does not
// take the kernel, or as the offer says. Fails with kUnsupported on more than
// kMaxStages stages.
Status PlanFrame(const CodecRow& codec, const Recipe& recipe,
                 const ParsedFrame& frame, const GpuOffer& gpu,
                 FramePlan* plan);

}  // namespace perdix

#endif  // PERDIX_ENGINE_FRAME_PLAN_H_
