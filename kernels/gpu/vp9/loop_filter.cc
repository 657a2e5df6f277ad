// SPDX-License-Identifier: BSD-2-Clause
// VP9's loop filter on the GPU: a wavefront of superblocks, a dispatch for each
// of its steps.
#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/gpu/vp9/kernels.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {
namespace {

std::string_view ShaderFor(bool lines, uint32_t bit_depth) {
  if (bit_depth == 8) {
    return lines ? "vp9/loop_filter_lines" : "vp9/loop_filter";
  }
  return lines ? "vp9/loop_filter_lines_10" : "vp9/loop_filter_10";
}

// Measured on an H200 and counted for V3D: docs/measurements/gpu.md.
gpu::Program ProgramFor(const gpu::DeviceTraits& traits, bool full_chroma,
                        uint32_t bit_depth) {
  const bool large = HasLargeSubgroups(traits);
  const uint32_t row_lanes = (large ? 64 : 32) << (full_chroma ? 1 : 0);
  const uint32_t lanes = large ? row_lanes : kLanesOfOneWorkgroup;
  return {
      ShaderFor(large, bit_depth), {PERDIX_EDGES_ALL, row_lanes, lanes}, lanes};
}

uint32_t RowsOfWorkgroup(const gpu::Program& program) {
  return program.lanes /
         program.constants[PERDIX_CONSTANT_ROW_LANES - PERDIX_CONSTANT_OWN];
}

// Offset and stride in bytes, multiples of 16.
LoopFilterPlane PlaneOf(uint32_t offset, uint32_t stride, uint32_t pixel_bytes,
                        uint32_t edges_right, uint32_t edges_below) {
  const uint32_t row = stride / 4;
  return {offset / 4, row,         row / 2,     2 * row,    4 * row,
          8 * row,    pixel_bytes, edges_right, edges_below};
}

// But for <first> and <step>.
LoopFilterConstants ConstantsOf(const FrameParams& params, const Params& vp9,
                                const PlaneOffsets& target) {
  const uint32_t sharpness = vp9.loop_filter_sharpness;
  const uint32_t sample_bytes = SampleBytes(params);
  LoopFilterConstants constants = {};
  constants.limit_shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  constants.limit_highest = (sharpness > 0 ? 9 - sharpness : 63) * 0x10001;
  constants.mi_cols = vp9.mi_cols;
  constants.mi_rows = vp9.mi_rows;
  constants.chroma_step_y = 1 << params.subsampling_y;
  constants.luma = PlaneOf(target.luma_offset, target.luma_stride, sample_bytes,
                           1, vp9.mi_cols);
  constants.chroma =
      PlaneOf(target.chroma_offset, target.chroma_stride, 2 * sample_bytes,
              1 << params.subsampling_x, vp9.mi_cols << params.subsampling_y);
  return constants;
}

class LoopFilterWork final : public gpu::KernelWork {
 public:
  explicit LoopFilterWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    const Params& vp9 = input.codec->As<Params>();
    if (vp9.loop_filter_level == 0) return Status::Ok();
    const std::span<const uint32_t> edges = input.tables.Of(kEdges);
    const uint64_t cells = uint64_t{vp9.mi_cols} * vp9.mi_rows;
    if (edges.size() != cells) {
      return {StatusCode::kInvalidArgument,
              "edges: got " + std::to_string(edges.size()) + ", needed " +
                  std::to_string(cells)};
    }
    work->StageItems(PERDIX_BINDING_EDGES, edges);
    AddSteps(input, work);
    return Status::Ok();
  }

 private:
  void AddSteps(const gpu::FrameInput& input, gpu::Work* work) const {
    const FrameParams& params = *input.params;
    LoopFilterConstants constants =
        ConstantsOf(params, input.codec->As<Params>(), input.target.offsets);
    const gpu::Program program =
        ProgramFor(traits_, params.subsampling_y == 0, params.bit_depth);
    const uint32_t rows = RowsOfWorkgroup(program);
    for (uint32_t step = 0; step < params.sb_cols + params.sb_rows; ++step) {
      // A row has work in steps row to row + sb_cols.
      const uint32_t first = step - std::min(step, params.sb_cols);
      const uint32_t last = std::min(step, params.sb_rows - 1);
      constants.first = first;
      constants.step = step;
      work->AddBarrier();
      work->AddDispatch({.program = program,
                         .groups_x = (last - first + rows) / rows,
                         .groups_y = kPlaneCount,
                         .records = rows},
                        constants);
    }
  }

  const gpu::DeviceTraits traits_;
};

}  // namespace

std::vector<gpu::Program> LoopFilterPrograms(const gpu::DeviceTraits& traits,
                                             uint32_t bit_depth) {
  return {ProgramFor(traits, false, bit_depth),
          ProgramFor(traits, true, bit_depth)};
}

std::unique_ptr<gpu::KernelWork> MakeLoopFilter(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<LoopFilterWork>(traits);
}

}  // namespace perdix::vp9
