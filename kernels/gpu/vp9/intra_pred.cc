// SPDX-License-Identifier: BSD-2-Clause
// VP9's intra prediction on the GPU: the residual of all blocks into scratch
// memory, then a dispatch for each wave of blocks.
#include "kernels/gpu/vp9/intra_waves.h"
#include "kernels/gpu/vp9/kernels.h"
#include "kernels/gpu/vp9/transform_batches.h"

namespace perdix::vp9 {
namespace {

// Measured on an H200 and counted for V3D: docs/measurements/gpu.md.
struct Lanes {
  uint32_t block;
  uint32_t workgroup;

  uint32_t blocks() const { return workgroup / block; }
};

Lanes LanesFor(const gpu::DeviceTraits& traits) {
  if (HasLargeSubgroups(traits)) return {128, 128};
  return {16, kLanesOfOneWorkgroup};
}

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, uint32_t bit_depth) {
  const Lanes lanes = LanesFor(traits);
  return {bit_depth == 8 ? "vp9/intra_pred" : "vp9/intra_pred_10",
          {0, lanes.block, lanes.workgroup},
          lanes.workgroup};
}

class IntraPredWork final : public gpu::KernelWork {
 public:
  explicit IntraPredWork(const gpu::DeviceTraits& traits)
      : traits_(traits), residual_(traits), waves_(LanesFor(traits).blocks()) {}

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
    AddWaves(ProgramFor(traits_, input.params->bit_depth), work);
    return Status::Ok();
  }

 private:
  void AddWaves(const gpu::Program& program, gpu::Work* work) const {
    const size_t at =
        work->Stage(PERDIX_BINDING_RECORDS, waves_.size() * sizeof(IntraBlock),
                    sizeof(IntraBlock), [this](uint8_t* records) {
                      waves_.Write(reinterpret_cast<IntraBlock*>(records));
                    });
    const auto base = static_cast<uint32_t>(at / sizeof(IntraBlock));
    const uint32_t blocks = LanesFor(traits_).blocks();
    for (const IntraWave& wave : waves_.waves()) {
      work->AddBarrier();
      work->AddDispatch({.program = program,
                         .groups_x = wave.count / blocks,
                         .records = blocks},
                        IntraConstants{base + wave.first});
    }
  }

  const gpu::DeviceTraits traits_;
  std::vector<TileInput> tiles_;
  TransformBatches residual_;
  IntraWaves waves_;
};

}  // namespace

std::vector<gpu::Program> IntraPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth) {
  std::vector<gpu::Program> programs =
      TransformPrograms(traits, bit_depth, {PERDIX_OUTPUT_RESIDUAL});
  programs.push_back(ProgramFor(traits, bit_depth));
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeIntraPred(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<IntraPredWork>(traits);
}

}  // namespace perdix::vp9
