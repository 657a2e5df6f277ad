// SPDX-License-Identifier: BSD-2-Clause
// AV1's CDEF on the GPU, in three steps: the directions of blocks that need
// one, what the filter makes of the blocks, and the copy of that into the
// target. Lines saved for the kernel on the CPU are not read: the target is
// complete, and stays as it is until all blocks are filtered.
#include <string>

#include "kernels/av1/filter_rows.h"
#include "kernels/gpu/av1/cdef_items.h"
#include "kernels/gpu/av1/frame.h"
#include "kernels/gpu/av1/kernels.h"

namespace perdix::av1 {
namespace {

// The lines of an item in a plane of 4:2:0, and the samples of a line.
constexpr uint32_t LinesOf(uint32_t plane) { return plane == kLuma ? 8 : 4; }
constexpr uint32_t kLineSamples = 8;

uint32_t ItemWords(const FrameParams& params, uint32_t plane) {
  return LinesOf(plane) * kLineSamples * SampleBytes(params) / 4;
}

// A program, and how many lanes it has for an item.
struct ItemProgram {
  gpu::Program program;
  uint32_t item_lanes;

  uint32_t items() const { return program.lanes / item_lanes; }  // at once
};

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, const char* shader,
                        uint32_t plane, uint32_t taps) {
  const uint32_t lanes =
      gpu::HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
  return {shader, {plane, taps, lanes}, lanes};
}

ItemProgram DirectionProgram(const gpu::DeviceTraits& traits,
                             uint32_t bit_depth) {
  return {
      ProgramFor(traits,
                 bit_depth > 8 ? "av1/cdef_direction_10" : "av1/cdef_direction",
                 kLuma, 0),
      1};
}

ItemProgram FilterProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                          uint32_t plane, uint32_t taps) {
  return {ProgramFor(traits, bit_depth > 8 ? "av1/cdef_10" : "av1/cdef", plane,
                     taps),
          2 * LinesOf(plane)};
}

ItemProgram CopyProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                        uint32_t plane) {
  return {
      ProgramFor(traits, bit_depth > 8 ? "av1/cdef_copy_10" : "av1/cdef_copy",
                 plane, 0),
      LinesOf(plane)};
}

class CdefWork final : public gpu::KernelWork {
 public:
  explicit CdefWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    if (Status status = SetItems(input); !status.ok()) return status;
    if (items_.Count(kLuma) + items_.Count(kChroma) == 0) return Status::Ok();
    StageUniforms(input, work);
    StageItems(*input.params, work);
    work->AddBarrier();
    AddDirections(input, work);
    work->AddBarrier();
    AddFilters(input, work);
    work->AddBarrier();
    AddCopies(input, work);
    return Status::Ok();
  }

 private:
  // Where the items of a plane and their results begin.
  struct Place {
    uint32_t record;
    uint32_t results;  // words of the scratch memory
  };

  Status SetItems(const gpu::FrameInput& input) {
    const FrameParams& params = *input.params;
    const std::span<const CdefBlock> blocks = input.tables.Of(kCdefBlocks);
    const uint64_t needed =
        uint64_t{(params.width + 63) / 64} * ((params.height + 63) / 64);
    if (blocks.size() != needed) {
      return {StatusCode::kInvalidArgument,
              "CDEF's blocks: got " + std::to_string(blocks.size()) +
                  ", needed " + std::to_string(needed)};
    }
    items_.Set(params, input.codec->As<Params>(), blocks);
    return Status::Ok();
  }

  // The first record's index.
  static uint32_t StageRecords(std::span<const uint32_t> items,
                               gpu::Work* work) {
    const size_t at = work->StageItems(PERDIX_BINDING_RECORDS, items);
    return static_cast<uint32_t>(at / sizeof(uint32_t));
  }

  void StageItems(const FrameParams& params, gpu::Work* work) {
    first_directed_ = StageRecords(items_.directed(), work);
    // Behind the directions, a multiple of 16 bytes.
    uint32_t results = (CdefGridOf(params).cells() + 3) / 4 * 4;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      places_[plane] = {StageRecords(items_.Of(plane, 0), work), results};
      for (uint32_t taps = 1; taps < PERDIX_CDEF_KINDS; ++taps) {
        StageRecords(items_.Of(plane, taps), work);
      }
      results += items_.Count(plane) * ItemWords(params, plane);
    }
    work->NeedScratch(size_t{results} * sizeof(uint32_t));
  }

  void AddDirections(const gpu::FrameInput& input, gpu::Work* work) const {
    AddItems(input, kLuma, DirectionProgram(traits_, input.params->bit_depth),
             {first_directed_, Size(items_.directed())}, work);
  }

  void AddFilters(const gpu::FrameInput& input, gpu::Work* work) const {
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      uint32_t first = places_[plane].record;
      for (uint32_t taps = 0; taps < PERDIX_CDEF_KINDS; ++taps) {
        const uint32_t count = Size(items_.Of(plane, taps));
        AddItems(input, plane,
                 FilterProgram(traits_, input.params->bit_depth, plane, taps),
                 {first, count}, work);
        first += count;
      }
    }
  }

  void AddCopies(const gpu::FrameInput& input, gpu::Work* work) const {
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      AddItems(input, plane,
               CopyProgram(traits_, input.params->bit_depth, plane),
               {places_[plane].record, items_.Count(plane)}, work);
    }
  }

  static uint32_t Size(std::span<const uint32_t> items) {
    return static_cast<uint32_t>(items.size());
  }

  struct Records {
    uint32_t first;
    uint32_t count;
  };

  // A dispatch, if there are any records.
  void AddItems(const gpu::FrameInput& input, uint32_t plane,
                const ItemProgram& by, Records records, gpu::Work* work) const {
    if (records.count == 0) return;
    work->AddDispatch(
        {.program = by.program,
         .groups_x = (records.count + by.items() - 1) / by.items(),
         .records = by.items()},
        ConstantsOf(input, plane, records));
  }

  CdefConstants ConstantsOf(const gpu::FrameInput& input, uint32_t plane,
                            Records records) const {
    const FrameParams& params = *input.params;
    const PlaneOffsets& target = input.target.offsets;
    const bool luma = plane == kLuma;
    const Place& place = places_[plane];
    CdefConstants constants;
    constants.first = records.first;
    constants.end = records.first + records.count;
    constants.offset = (luma ? target.luma_offset : target.chroma_offset) / 4;
    constants.stride = (luma ? target.luma_stride : target.chroma_stride) / 4;
    constants.cols8 = CdefGridOf(params).columns;
    constants.results = place.results - place.record * ItemWords(params, plane);
    constants.width = DecodedSize(params.width) >> SubsamplingX(params, plane);
    constants.height =
        DecodedSize(params.height) >> SubsamplingY(params, plane);
    constants.zero = 0;
    return constants;
  }

  const gpu::DeviceTraits traits_;
  CdefItems items_;
  // Where the frame's items are staged.
  uint32_t first_directed_ = 0;
  Place places_[kPlaneCount] = {};
};

}  // namespace

std::vector<gpu::Program> CdefPrograms(const gpu::DeviceTraits& traits,
                                       uint32_t bit_depth) {
  std::vector<gpu::Program> programs = {
      DirectionProgram(traits, bit_depth).program};
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t taps = 0; taps < PERDIX_CDEF_KINDS; ++taps) {
      programs.push_back(FilterProgram(traits, bit_depth, plane, taps).program);
    }
    programs.push_back(CopyProgram(traits, bit_depth, plane).program);
  }
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeCdef(const gpu::DeviceTraits& traits) {
  return std::make_unique<CdefWork>(traits);
}

}  // namespace perdix::av1
