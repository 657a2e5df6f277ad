// SPDX-License-Identifier: BSD-2-Clause
// AV1's intra prediction on the GPU: the residual of all records into scratch
// memory, then a step for each wave of records, in it a dispatch for each
// program that the wave needs.
#include "kernels/gpu/av1/intra_items.h"
#include "kernels/gpu/av1/kernels.h"
#include "kernels/gpu/av1/residual.h"
#include "kernels/shared/av1/intra_dispatch.h"

namespace perdix::av1 {
namespace {

struct Lanes {
  uint32_t block;
  uint32_t workgroup;

  uint32_t blocks() const { return workgroup / block; }
};

Lanes LanesFor(const gpu::DeviceTraits& traits) {
  if (gpu::HasLargeSubgroups(traits)) return {64, 64};
  return {16, gpu::kLanesOfOneWorkgroup};
}

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                        uint32_t program) {
  const Lanes lanes = LanesFor(traits);
  return {bit_depth > 8 ? "av1/intra_pred_10" : "av1/intra_pred",
          {program, lanes.block, lanes.workgroup},
          lanes.workgroup};
}

// Words of the scratch memory that keep luma beyond the decoded area. They are
// behind the residual planes; multiples of 4.
struct Overhang {
  uint32_t beside;  // where it begins
  uint32_t below;
  uint32_t end;
};

Overhang OverhangOf(const FrameParams& params) {
  const auto first =
      static_cast<uint32_t>(ResidualBytes(params) / sizeof(uint32_t));
  const uint32_t samples_of_word = 4 / SampleBytes(params);
  const uint32_t height = DecodedSize(params.height) + PERDIX_INTRA_OVERHANG;
  const uint32_t below =
      first + height * PERDIX_INTRA_OVERHANG / samples_of_word;
  const uint32_t end = below + DecodedSize(params.width) *
                                   PERDIX_INTRA_OVERHANG / samples_of_word;
  return {first, below, end};
}

class IntraPredWork final : public gpu::KernelWork {
 public:
  explicit IntraPredWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    gpu::PlaceTiles(input.tiles, &tiles_);
    if (Status status =
            items_.Set(*input.params, input.codec->As<Params>(), tiles_);
        !status.ok()) {
      return status;
    }
    if (items_.items().empty()) return Status::Ok();
    overhang_ = OverhangOf(*input.params);
    work->NeedScratch(sizeof(uint32_t) * size_t{overhang_.end});
    residual_.Set(input, tiles_, ResidualOf::kIntra, overhang_.end);
    if (!residual_.empty()) {
      AddResidual(traits_, input, tiles_, residual_, work);
    }
    if (items_.paints()) gpu::StageCoefficients(tiles_, work);
    AddWaves(input, work);
    return Status::Ok();
  }

 private:
  void AddWaves(const gpu::FrameInput& input, gpu::Work* work) const {
    const auto first = static_cast<uint32_t>(
        work->StageItems(PERDIX_BINDING_RECORDS, items_.items()) /
        sizeof(IntraItem));
    const auto tables = static_cast<uint32_t>(
        work->StageItems(PERDIX_BINDING_FRAME_TABLES, items_.tables()) /
        sizeof(uint32_t));
    const uint32_t blocks = LanesFor(traits_).blocks();
    for (const IntraBatch& batch : items_.batches()) {
      if (batch.begins_wave) work->AddBarrier();
      IntraConstants constants =
          ConstantsOf(input, batch.program >= PERDIX_INTRA_CHROMA);
      constants.first = first + batch.first;
      constants.end = constants.first + batch.count;
      constants.tables = tables;
      work->AddDispatch({.program = ProgramFor(traits_, input.params->bit_depth,
                                               batch.program),
                         .groups_x = (batch.count + blocks - 1) / blocks,
                         .records = blocks},
                        constants);
    }
  }

  IntraConstants ConstantsOf(const gpu::FrameInput& input, bool chroma) const {
    const PlaneOffsets& target = input.target.offsets;
    const ResidualLayout residual = ResidualLayoutOf(*input.params);
    const uint32_t shift = chroma ? 1 : 0;
    IntraConstants constants = {};
    constants.offset = (chroma ? target.chroma_offset : target.luma_offset) / 4;
    constants.stride = (chroma ? target.chroma_stride : target.luma_stride) / 4;
    constants.width = DecodedSize(input.params->width) >> shift;
    constants.height = DecodedSize(input.params->height) >> shift;
    constants.residual0 = chroma ? residual.u_offset / 2 : 0;
    constants.residual1 = residual.v_offset / 2;
    constants.residual_stride =
        (chroma ? residual.chroma_stride : residual.luma_stride) / 2;
    constants.luma_offset = target.luma_offset / 4;
    constants.luma_stride = target.luma_stride / 4;
    constants.beside = overhang_.beside;
    constants.below = overhang_.below;
    return constants;
  }

  const gpu::DeviceTraits traits_;
  std::vector<gpu::TileInput> tiles_;
  IntraItems items_;
  ResidualItems residual_;
  Overhang overhang_ = {};
};

}  // namespace

std::vector<gpu::Program> IntraPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth) {
  std::vector<gpu::Program> programs =
      ResidualPrograms(traits, bit_depth, ResidualOf::kIntra);
  for (uint32_t program = 0; program < PERDIX_INTRA_PROGRAMS; ++program) {
    // Only luma is filtered, only chroma is predicted from luma.
    if (program == PERDIX_INTRA_PROGRAM_CFL ||
        program == PERDIX_INTRA_CHROMA + PERDIX_INTRA_PROGRAM_FILTER) {
      continue;
    }
    programs.push_back(ProgramFor(traits, bit_depth, program));
  }
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeIntraPred(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<IntraPredWork>(traits);
}

}  // namespace perdix::av1
