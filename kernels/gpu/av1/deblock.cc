// SPDX-License-Identifier: BSD-2-Clause
// AV1's deblocking on the GPU: all vertical edges of the frame, then all
// horizontal ones (7.14.1). Edges of one direction change samples that no other
// one reads, so they are filtered in any order, but for those that share words
// of 8-bit samples. Then, where loop restoration follows, the lines that it
// needs (kernels/av1/line_buffers.h). They stay on the GPU: where a kernel on
// the CPU reads them, deblocking is there, too (engine/frame_plan.h).
#include <string>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/line_buffers.h"
#include "kernels/gpu/av1/deblock_edges.h"
#include "kernels/gpu/av1/kernels.h"

namespace perdix::av1 {
namespace {

// When edges of a kind are filtered. Of 8 bits those that share words with
// others come in a step of their own, beside chroma's horizontal ones.
uint32_t StepOf(const EdgeKind& kind, uint32_t bit_depth) {
  if (bit_depth > 8) return kind.horizontal ? 1 : 0;
  if (kind.plane == kChroma) return kind.horizontal ? 1 : 0;
  return kind.horizontal ? 2 : kind.odd ? 1 : 0;
}

// A lane has two lines across an edge: two of luma's four, or U and V of one of
// chroma's four.
constexpr uint32_t LanesOfEdge(uint32_t plane) { return 2u << plane; }

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, const EdgeKind& kind,
                        uint32_t bit_depth) {
  const uint32_t lanes =
      gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
  const uint32_t edges =
      kind.size + (kind.horizontal ? PERDIX_DEBLOCK_HORIZONTAL : 0);
  return {bit_depth > 8 ? "av1/deblock_10" : "av1/deblock",
          {kind.plane, edges, lanes},
          lanes};
}

gpu::Program LinesProgram(const gpu::DeviceTraits& traits) {
  const uint32_t lanes =
      gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
  return {"av1/deblock_lines", {0, 0, lanes}, lanes};
}

Status CheckSize(const char* what, size_t got, uint64_t needed) {
  if (got == needed) return Status::Ok();
  return {StatusCode::kInvalidArgument, std::string(what) + ": got " +
                                            std::to_string(got) + ", needed " +
                                            std::to_string(needed)};
}

class DeblockWork final : public gpu::KernelWork {
 public:
  explicit DeblockWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    if (Status status = SetEdges(input); !status.ok()) return status;
    uint32_t step = 0;
    work->AddBarrier();
    for (size_t i = 0; i < kEdgeKindCount; ++i) {
      const uint32_t own = StepOf(kEdgeKinds[i], input.params->bit_depth);
      if (own != step) work->AddBarrier();
      step = own;
      AddEdges(input, i, work);
    }
    if (UsesRestoration(input.codec->As<Params>())) AddLines(input, work);
    return Status::Ok();
  }

 private:
  Status SetEdges(const gpu::FrameInput& input) {
    const FrameParams& params = *input.params;
    const Params& av1 = input.codec->As<Params>();
    const std::span<const uint16_t> luma = input.tables.Of(kLumaEdges);
    const std::span<const uint32_t> chroma = input.tables.Of(kChromaEdges);
    const uint64_t cells = uint64_t{DecodedSize(params.width) / 4} *
                           (DecodedSize(params.height) / 4);
    Status status = CheckSize("edges of luma", luma.size(), cells);
    if (status.ok() && !av1.monochrome) {
      status = CheckSize("edges of chroma", chroma.size(), cells / 4);
    }
    if (status.ok() && UsesRestoration(av1)) {
      status =
          CheckSize("bytes of saved lines", input.tables.Of(kCdefLines).size(),
                    DecodedLines(params, av1).Bytes());
    }
    if (status.ok()) edges_.Set(params, av1, luma, chroma);
    return status;
  }

  void AddEdges(const gpu::FrameInput& input, size_t kind,
                gpu::Work* work) const {
    const std::span<const DeblockEdge> edges = edges_.Of(kind);
    if (edges.empty()) return;
    const uint32_t bit_depth = input.params->bit_depth;
    const EdgeKind& of = kEdgeKinds[kind];
    const gpu::Program program = ProgramFor(traits_, of, bit_depth);
    const uint32_t at_once = program.lanes / LanesOfEdge(of.plane);
    const auto count = static_cast<uint32_t>(edges.size());
    const size_t at = work->StageItems(PERDIX_BINDING_RECORDS, edges);
    const auto first = static_cast<uint32_t>(at / sizeof(DeblockEdge));
    const bool luma = of.plane == kLuma;
    const PlaneOffsets& target = input.target.offsets;
    DeblockConstants constants;
    constants.first = first;
    constants.end = first + count;
    constants.offset = (luma ? target.luma_offset : target.chroma_offset) / 4;
    constants.stride = (luma ? target.luma_stride : target.chroma_stride) / 4;
    work->AddDispatch({.program = program,
                       .groups_x = (count + at_once - 1) / at_once,
                       .records = at_once},
                      constants);
  }

  // Saves lines of the target, which is deblocked.
  void AddLines(const gpu::FrameInput& input, gpu::Work* work) const {
    const Params& av1 = input.codec->As<Params>();
    const size_t table = work->MakeTable(input.tables, kCdefLines.index);
    const gpu::Program program = LinesProgram(traits_);
    const uint32_t slots = DecodedLines(*input.params, av1).slots();
    work->AddBarrier();
    for (uint32_t plane = 0; plane < PlaneCount(av1); ++plane) {
      const DeblockLinesConstants constants =
          LinesConstantsOf(input, plane, table);
      work->AddDispatch(
          {.program = program,
           .groups_x = (constants.width + program.lanes - 1) / program.lanes,
           .groups_y = slots * kBufferedLines},
          constants);
    }
  }

  // table: bytes of the frame's tables, where that of lines begins.
  static DeblockLinesConstants LinesConstantsOf(const gpu::FrameInput& input,
                                                uint32_t plane, size_t table) {
    static_assert(kBufferedLines == PERDIX_LINES_OF_SLOT);
    constexpr uint32_t kUnit = 16;  // bytes
    const FrameParams& params = *input.params;
    const LineBuffers lines = DecodedLines(params, input.codec->As<Params>());
    const uint32_t shift_y = SubsamplingY(params, plane);
    const uint32_t row_bytes =
        (DecodedSize(params.width) >> SubsamplingX(params, plane)) *
        Components(plane) * SampleBytes(params);
    const bool luma = plane == kLuma;
    const PlaneOffsets& target = input.target.offsets;
    const size_t begin = lines.Offset(plane, 0, 0);
    DeblockLinesConstants constants;
    constants.offset =
        (luma ? target.luma_offset : target.chroma_offset) / kUnit;
    constants.stride =
        (luma ? target.luma_stride : target.chroma_stride) / kUnit;
    constants.width = (row_bytes + kUnit - 1) / kUnit;
    constants.height = DecodedSize(params.height) >> shift_y;
    constants.first_line = LineBuffers::FirstLine(0, shift_y);
    constants.slot_lines =
        LineBuffers::FirstLine(1, shift_y) - LineBuffers::FirstLine(0, shift_y);
    constants.saved = static_cast<uint32_t>((table + begin) / kUnit);
    constants.saved_slot =
        static_cast<uint32_t>((lines.Offset(plane, 1, 0) - begin) / kUnit);
    constants.saved_stride =
        static_cast<uint32_t>((lines.Offset(plane, 0, 1) - begin) / kUnit);
    return constants;
  }

  const gpu::DeviceTraits traits_;
  DeblockEdges edges_;
};

}  // namespace

std::vector<gpu::Program> DeblockPrograms(const gpu::DeviceTraits& traits,
                                          uint32_t bit_depth) {
  std::vector<gpu::Program> programs;
  for (const EdgeKind& kind : kEdgeKinds) {
    if (!kind.odd) programs.push_back(ProgramFor(traits, kind, bit_depth));
  }
  programs.push_back(LinesProgram(traits));
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeDeblock(const gpu::DeviceTraits& traits) {
  return std::make_unique<DeblockWork>(traits);
}

}  // namespace perdix::av1
