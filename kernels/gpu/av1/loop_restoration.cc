// SPDX-License-Identifier: BSD-2-Clause
// AV1's loop restoration on the GPU, in two steps: what the filters make of
// each cell, by components, and the copy of that into the target. Around a
// stripe they read the lines that filters before have saved.
#include <string>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"
#include "kernels/gpu/av1/frame.h"
#include "kernels/gpu/av1/kernels.h"
#include "kernels/gpu/av1/restoration_items.h"

namespace perdix::av1 {
namespace {

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, const char* shader,
                        uint32_t plane, uint32_t passes) {
  const uint32_t lanes =
      gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
  return {shader, {plane, passes, lanes}, lanes};
}

gpu::Program FilterProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                           uint32_t plane, uint32_t kind) {
  if (kind == PERDIX_RESTORATION_WIENER) {
    return ProgramFor(traits, bit_depth > 8 ? "av1/wiener_10" : "av1/wiener",
                      plane, 0);
  }
  return ProgramFor(traits,
                    bit_depth > 8 ? "av1/self_guided_10" : "av1/self_guided",
                    plane, kind);
}

gpu::Program CopyProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                         uint32_t plane) {
  return ProgramFor(
      traits,
      bit_depth > 8 ? "av1/restoration_copy_10" : "av1/restoration_copy", plane,
      0);
}

// Lanes go down a cell's lines. Where many run at once, cells are lower,
// although lines around them are read and filtered once more.
uint32_t CellLines(const gpu::DeviceTraits& traits) {
  return gpu::HasLargeSubgroups(traits) ? 16 : 64;
}

Status CheckSize(const char* what, size_t got, size_t needed) {
  if (got == needed) return Status::Ok();
  return {StatusCode::kInvalidArgument,
          std::string("loop restoration's ") + what + ": got " +
              std::to_string(got) + ", needed " + std::to_string(needed)};
}

size_t UnitCount(const Params& av1) {
  size_t count = 0;
  for (const RestorationPlane& plane : av1.restoration) {
    if (plane.type == 0) continue;
    count = std::max(count,
                     plane.first + size_t{plane.unit_cols} * plane.unit_rows);
  }
  return count;
}

class LoopRestorationWork final : public gpu::KernelWork {
 public:
  explicit LoopRestorationWork(const gpu::DeviceTraits& traits)
      : traits_(traits), items_(CellLines(traits)) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    if (Status status = SetItems(input); !status.ok()) return status;
    if (items_.scratch_bytes() == 0) return Status::Ok();
    work->NeedScratch(items_.scratch_bytes());
    lines_at_ = work->StageTable(input.tables, LinesTable(input).index);
    work->AddBarrier();
    AddFilters(input, work);
    work->AddBarrier();
    AddCopies(input, work);
    return Status::Ok();
  }

 private:
  Status SetItems(const gpu::FrameInput& input) {
    const auto& av1 = input.codec->As<Params>();
    const std::span<const RestorationUnit> units =
        input.tables.Of(kRestorationUnits);
    if (units.size() < UnitCount(av1)) {
      return CheckSize("units", units.size(), UnitCount(av1));
    }
    items_.Set(*input.params, av1, units);
    return CheckSize("lines in bytes",
                     input.tables.Of(LinesTable(input)).size(),
                     Layout(input).Bytes());
  }

  // Lines of the picture that is filtered.
  static LineBuffers Layout(const gpu::FrameInput& input) {
    const auto& av1 = input.codec->As<Params>();
    return UsesSuperRes(*input.params, av1) ? UpscaledLines(*input.params, av1)
                                            : DecodedLines(*input.params, av1);
  }
  static Table<uint8_t> LinesTable(const gpu::FrameInput& input) {
    return UsesSuperRes(*input.params, input.codec->As<Params>())
               ? kRestorationLines
               : kCdefLines;
  }

  void AddFilters(const gpu::FrameInput& input, gpu::Work* work) const {
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      for (uint32_t kind = 0; kind < PERDIX_RESTORATION_KINDS; ++kind) {
        AddRecords(input, plane,
                   FilterProgram(traits_, input.params->bit_depth, plane, kind),
                   items_.Of(plane, kind), work);
      }
    }
  }

  void AddCopies(const gpu::FrameInput& input, gpu::Work* work) const {
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      AddRecords(input, plane,
                 CopyProgram(traits_, input.params->bit_depth, plane),
                 items_.copies(plane), work);
    }
  }

  // A dispatch, if there are any records.
  template <typename Record>
  void AddRecords(const gpu::FrameInput& input, uint32_t plane,
                  const gpu::Program& program, std::span<const Record> records,
                  gpu::Work* work) const {
    if (records.empty()) return;
    const auto count = static_cast<uint32_t>(records.size());
    // A lane has four pixels.
    const uint32_t at_once =
        program.lanes / (PERDIX_RESTORATION_CELL / Components(plane) / 4);
    RestorationConstants constants = ConstantsOf(input, plane);
    constants.first = 0;
    constants.end = count;
    constants.records = static_cast<uint32_t>(
        work->StageItems(PERDIX_BINDING_RECORDS, records) / sizeof(uint32_t));
    work->AddDispatch({.program = program,
                       .groups_x = (count + at_once - 1) / at_once,
                       .records = at_once},
                      constants);
  }

  RestorationConstants ConstantsOf(const gpu::FrameInput& input,
                                   uint32_t plane) const {
    const PlaneOffsets& target = input.target.offsets;
    const bool luma = plane == kLuma;
    const RestorationSize size =
        RestorationSizeOf(*input.params, input.codec->As<Params>(), plane);
    const LineBuffers layout = Layout(input);
    const size_t saved = layout.Offset(plane, 0, 0);
    RestorationConstants constants;
    constants.offset = (luma ? target.luma_offset : target.chroma_offset) / 4;
    constants.stride = (luma ? target.luma_stride : target.chroma_stride) / 4;
    constants.width = size.width;
    constants.height = size.height;
    constants.saved = static_cast<uint32_t>((lines_at_ + saved) / 4);
    constants.saved_slot =
        static_cast<uint32_t>((layout.Offset(plane, 1, 0) - saved) / 4);
    constants.saved_stride =
        static_cast<uint32_t>((layout.Offset(plane, 0, 1) - saved) / 4);
    return constants;
  }

  const gpu::DeviceTraits traits_;
  RestorationItems items_;
  size_t lines_at_ = 0;  // bytes of the frame's tables
};

}  // namespace

std::vector<gpu::Program> LoopRestorationPrograms(
    const gpu::DeviceTraits& traits, uint32_t bit_depth) {
  std::vector<gpu::Program> programs;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t kind = 0; kind < PERDIX_RESTORATION_KINDS; ++kind) {
      programs.push_back(FilterProgram(traits, bit_depth, plane, kind));
    }
    programs.push_back(CopyProgram(traits, bit_depth, plane));
  }
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeLoopRestoration(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<LoopRestorationWork>(traits);
}

}  // namespace perdix::av1
