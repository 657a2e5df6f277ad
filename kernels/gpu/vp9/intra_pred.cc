// SPDX-License-Identifier: BSD-2-Clause
// VP9's intra prediction on the GPU: the residual of all blocks into scratch
// memory, then a dispatch for each wave of blocks.
#include "kernels/gpu/vp9/intra_waves.h"
#include "kernels/gpu/vp9/kernels.h"
#include "kernels/gpu/vp9/transform_batches.h"

namespace perdix::vp9 {
namespace {

// Measured on an H200 and counted for V3D: docs/measurements/gpu.md.
gpu::Program ProgramFor(const gpu::DeviceTraits& traits) {
  if (HasLargeSubgroups(traits)) return {"vp9/intra_pred", {0, 128, 128}, 128};
  return {
      "vp9/intra_pred", {0, 16, kLanesOfOneWorkgroup}, kLanesOfOneWorkgroup};
}

uint32_t BlocksOfWorkgroup(const gpu::Program& program) {
  return program.lanes /
         program.constants[PERDIX_CONSTANT_BLOCK_LANES - PERDIX_CONSTANT_OWN];
}

class IntraPredWork final : public gpu::KernelWork {
 public:
  explicit IntraPredWork(const gpu::DeviceTraits& traits)
      : program_(ProgramFor(traits)),
        residual_(traits),
        waves_(BlocksOfWorkgroup(program_)) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    gpu::PlaceTiles(input.tiles, &tiles_);
    residual_.Set(input, tiles_, TransformList::kIntra);
    waves_.Set(*input.params, tiles_);
    if (waves_.size() == 0) return Status::Ok();
    StageUniforms(input, work);
    // No barrier before: the residual is written into memory of its own.
    if (residual_.size() != 0) {
      work->NeedScratch(ResidualBytes(*input.params));
      AddTransforms(input, tiles_, residual_, work);
    }
    AddWaves(work);
    return Status::Ok();
  }

 private:
  void AddWaves(gpu::Work* work) const {
    const size_t at =
        work->Stage(PERDIX_BINDING_RECORDS, waves_.size() * sizeof(IntraBlock),
                    [this](uint8_t* records) {
                      waves_.Write(reinterpret_cast<IntraBlock*>(records));
                    });
    const auto base = static_cast<uint32_t>(at / sizeof(IntraBlock));
    const uint32_t blocks = BlocksOfWorkgroup(program_);
    for (const IntraWave& wave : waves_.waves()) {
      work->AddBarrier();
      work->AddDispatch({.program = program_,
                         .groups_x = wave.count / blocks,
                         .records = blocks},
                        IntraConstants{base + wave.first});
    }
  }

  const gpu::Program program_;
  std::vector<TileInput> tiles_;
  TransformBatches residual_;
  IntraWaves waves_;
};

}  // namespace

std::vector<gpu::Program> IntraPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth) {
  std::vector<gpu::Program> programs =
      TransformPrograms(traits, bit_depth, {PERDIX_OUTPUT_RESIDUAL});
  programs.push_back(ProgramFor(traits));
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeIntraPred(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<IntraPredWork>(traits);
}

}  // namespace perdix::vp9
