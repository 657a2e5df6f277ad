// SPDX-License-Identifier: BSD-2-Clause
// AV1's super-resolution on the GPU, in two steps: upscaled lines, and the copy
// of those of the picture into the target. Where loop restoration follows, the
// lines that it needs are upscaled in the first step, too.
#include <memory>
#include <string>
#include <vector>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"
#include "kernels/av1/super_res/super_res_walk.h"
#include "kernels/av1/super_res/upscale_filter.h"
#include "kernels/gpu/av1/kernels.h"
#include "kernels/shared/av1/super_res_dispatch.h"

namespace perdix::av1 {
namespace {

static_assert(sizeof(kUpscaleFilter) ==
              PERDIX_UPSCALE_PHASES * PERDIX_UPSCALE_WORDS * sizeof(uint32_t));

constexpr uint32_t kUnit = 16;  // bytes that a lane copies

uint32_t Parts(uint32_t whole, uint32_t part) {
  return (whole + part - 1) / part;
}

uint32_t WordOf(size_t bytes) {
  return static_cast<uint32_t>(bytes / sizeof(uint32_t));
}

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, const char* shader,
                        uint32_t plane, uint32_t saved) {
  const uint32_t lanes =
      gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
  return {shader, {plane, saved, lanes}, lanes};
}

// saved: 1 for line buffers.
gpu::Program UpscaleProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                            uint32_t plane, uint32_t saved) {
  return ProgramFor(traits,
                    bit_depth > 8 ? "av1/super_res_10" : "av1/super_res", plane,
                    saved);
}

gpu::Program CopyProgram(const gpu::DeviceTraits& traits) {
  return ProgramFor(traits, "av1/super_res_copy", 0, 0);
}

Status CheckSize(const char* what, size_t got, size_t needed) {
  if (got == needed) return Status::Ok();
  return {StatusCode::kInvalidArgument,
          std::string("super-resolution's ") + what + " in bytes: got " +
              std::to_string(got) + ", needed " + std::to_string(needed)};
}

// A plane's upscaled lines in the scratch memory.
struct Results {
  uint32_t begin;  // bytes
  uint32_t stride;
  uint32_t row_bytes;
  uint32_t lines;

  uint32_t end() const { return begin + lines * stride; }
};

class SuperResWork final : public gpu::KernelWork {
 public:
  explicit SuperResWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    const Params& av1 = input.codec->As<Params>();
    if (!UsesSuperRes(*input.params, av1)) return Status::Ok();
    if (Status status = CheckLines(input); !status.ok()) return status;
    SetResults(*input.params, av1);
    StageTables(input, work);
    work->AddBarrier();
    for (uint32_t plane = 0; plane < PlaneCount(av1); ++plane) {
      AddPlane(input, plane, work);
      if (UsesRestoration(av1)) AddSavedLines(input, plane, work);
    }
    work->AddBarrier();
    for (uint32_t plane = 0; plane < PlaneCount(av1); ++plane) {
      AddCopy(input, plane, work);
    }
    return Status::Ok();
  }

 private:
  static Status CheckLines(const gpu::FrameInput& input) {
    const FrameParams& params = *input.params;
    const Params& av1 = input.codec->As<Params>();
    if (!UsesRestoration(av1)) return Status::Ok();
    const Status status = CheckSize("lines", input.tables.Of(kCdefLines).size(),
                                    DecodedLines(params, av1).Bytes());
    if (!status.ok()) return status;
    return CheckSize("upscaled lines",
                     input.tables.Of(kRestorationLines).size(),
                     UpscaledLines(params, av1).Bytes());
  }

  void SetResults(const FrameParams& params, const Params& av1) {
    uint32_t begin = 0;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      const uint32_t shift_x = SubsamplingX(params, plane);
      const uint32_t row_bytes = ((av1.upscaled_width + shift_x) >> shift_x) *
                                 Components(plane) * SampleBytes(params);
      results_[plane] = {
          begin, Parts(row_bytes, kUnit) * kUnit, row_bytes,
          DecodedSize(params.height) >> SubsamplingY(params, plane)};
      begin = results_[plane].end();
    }
  }

  void StageTables(const gpu::FrameInput& input, gpu::Work* work) {
    work->NeedScratch(results_[kChroma].end());
    if (UsesRestoration(input.codec->As<Params>())) {
      from_lines_ = work->StageTable(input.tables, kCdefLines.index);
      to_lines_ = work->MakeTable(input.tables, kRestorationLines.index);
    }
    taps_at_ =
        work->StageItems(PERDIX_BINDING_FRAME_TABLES,
                         std::span<const int16_t>(
                             kUpscaleFilter[0], 8 * std::size(kUpscaleFilter)));
  }

  void AddPlane(const gpu::FrameInput& input, uint32_t plane,
                gpu::Work* work) const {
    const PlaneOffsets& target = input.target.offsets;
    const bool luma = plane == kLuma;
    const Results& results = results_[plane];
    SuperResConstants constants = ConstantsOf(input, plane);
    constants.from = PlaneAt(luma ? target.luma_offset : target.chroma_offset,
                             luma ? target.luma_stride : target.chroma_stride);
    constants.to = PlaneAt(results.begin, results.stride);
    constants.lines = results.lines;
    AddUpscaling(input, plane, 0, constants, work);
  }

  void AddSavedLines(const gpu::FrameInput& input, uint32_t plane,
                     gpu::Work* work) const {
    const FrameParams& params = *input.params;
    const Params& av1 = input.codec->As<Params>();
    const LineBuffers from = DecodedLines(params, av1);
    SuperResConstants constants = ConstantsOf(input, plane);
    constants.from = SavedAt(from, from_lines_, plane);
    constants.to = SavedAt(UpscaledLines(params, av1), to_lines_, plane);
    constants.lines = from.slots() * kBufferedLines;
    AddUpscaling(input, plane, 1, constants, work);
  }

  void AddUpscaling(const gpu::FrameInput& input, uint32_t plane,
                    uint32_t saved, const SuperResConstants& constants,
                    gpu::Work* work) const {
    const gpu::Program program =
        UpscaleProgram(traits_, input.params->bit_depth, plane, saved);
    work->AddDispatch(
        {.program = program,
         .groups_x = Parts(constants.words, PERDIX_UPSCALE_COLUMNS),
         .groups_y =
             Parts(constants.lines, program.lanes / PERDIX_UPSCALE_COLUMNS)},
        constants);
  }

  void AddCopy(const gpu::FrameInput& input, uint32_t plane,
               gpu::Work* work) const {
    const PlaneOffsets& target = input.target.offsets;
    const bool luma = plane == kLuma;
    const Results& results = results_[plane];
    const gpu::Program program = CopyProgram(traits_);
    work->AddDispatch(
        {.program = program,
         .groups_x = Parts(results.stride, kUnit * PERDIX_UPSCALE_COLUMNS),
         .groups_y =
             Parts(results.lines, program.lanes / PERDIX_UPSCALE_COLUMNS)},
        SuperResCopyConstants{
            results.begin / kUnit, results.stride / kUnit,
            (luma ? target.luma_offset : target.chroma_offset) / kUnit,
            (luma ? target.luma_stride : target.chroma_stride) / kUnit,
            results.row_bytes, results.lines});
  }

  // All but where lines are and how many.
  SuperResConstants ConstantsOf(const gpu::FrameInput& input,
                                uint32_t plane) const {
    const UpscaleScale scale(*input.params, input.codec->As<Params>(), plane);
    SuperResConstants constants = {};
    constants.words = Parts(results_[plane].row_bytes, sizeof(uint32_t));
    constants.taps = WordOf(taps_at_);
    constants.position = scale.PositionOf(0);
    constants.step = scale.PositionOf(1) - scale.PositionOf(0);
    constants.last_source = scale.last_source();
    return constants;
  }

  static UpscaleLinesAt PlaneAt(uint32_t offset, uint32_t stride) {
    return {WordOf(offset), WordOf(stride), 4 * WordOf(stride)};
  }
  // table: bytes of the frame's tables, where that of the lines begins.
  static UpscaleLinesAt SavedAt(const LineBuffers& lines, size_t table,
                                uint32_t plane) {
    const size_t begin = lines.Offset(plane, 0, 0);
    return {WordOf(table + begin), WordOf(lines.Offset(plane, 0, 1) - begin),
            WordOf(lines.Offset(plane, 1, 0) - begin)};
  }

  const gpu::DeviceTraits traits_;
  Results results_[kPlaneCount] = {};
  // Bytes of the frame's tables.
  size_t from_lines_ = 0;
  size_t to_lines_ = 0;
  size_t taps_at_ = 0;
};

}  // namespace

std::vector<gpu::Program> SuperResPrograms(const gpu::DeviceTraits& traits,
                                           uint32_t bit_depth) {
  std::vector<gpu::Program> programs = {CopyProgram(traits)};
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t saved = 0; saved < 2; ++saved) {
      programs.push_back(UpscaleProgram(traits, bit_depth, plane, saved));
    }
  }
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeSuperRes(const gpu::DeviceTraits& traits) {
  return std::make_unique<SuperResWork>(traits);
}

}  // namespace perdix::av1
