// SPDX-License-Identifier: BSD-2-Clause
// VP9's inter prediction on the GPU: a dispatch for each reference, plane and
// kind of unit; second predictions of compound blocks after the first.
#include <string>

#include "kernels/gpu/vp9/inter_units.h"
#include "kernels/gpu/vp9/kernels.h"
#include "kernels/gpu/vp9/subpel_filters.h"

namespace perdix::vp9 {
namespace {

uint32_t LanesFor(const gpu::DeviceTraits& traits) {
  return HasLargeSubgroups(traits) ? 64 : kLanesOfOneWorkgroup;
}

gpu::Program ProgramFor(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                        uint32_t plane, uint32_t kind, uint32_t average) {
  static constexpr const char* kShaders[2][2] = {
      {"vp9/inter_pred", "vp9/inter_pred_rte"},
      {"vp9/inter_pred_10", "vp9/inter_pred_10_rte"}};
  const uint32_t lanes = LanesFor(traits);
  return {kShaders[bit_depth > 8][traits.rounds_to_even],
          {plane + (average != 0 ? PERDIX_INTER_AVERAGE : 0), kind, lanes},
          lanes};
}

class InterPredWork final : public gpu::KernelWork {
 public:
  explicit InterPredWork(const gpu::DeviceTraits& traits)
      : traits_(traits), units_(LanesFor(traits)) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    gpu::PlaceTiles(input.tiles, &tiles_);
    SetUnits(input);
    if (Status status = CheckReferences(input); !status.ok()) return status;
    if (units_.size() == 0) return Status::Ok();
    StageUniforms(input, work);
    work->StageItems(PERDIX_BINDING_TABLES,
                     std::span<const SubpelTable>(&SubpelFilters(), 1));
    const size_t at =
        work->Stage(PERDIX_BINDING_RECORDS, units_.size() * sizeof(InterUnit),
                    sizeof(InterUnit), [this](uint8_t* records) {
                      units_.Write(reinterpret_cast<InterUnit*>(records));
                    });
    work->AddBarrier();
    AddDispatches(input, static_cast<uint32_t>(at / sizeof(InterUnit)), work);
    return Status::Ok();
  }

 private:
  void SetUnits(const gpu::FrameInput& input) {
    std::array<PictureView, PERDIX_VP9_REFS> references;
    for (size_t i = 0; i < references.size(); ++i) {
      const gpu::Picture& picture = input.references[i];
      references[i] = picture.view;
      references[i].planes[kLuma].stride_bytes = picture.offsets.luma_stride;
      references[i].planes[kChroma].stride_bytes =
          picture.offsets.chroma_stride;
    }
    units_.Set(*input.params, input.codec->As<Params>(), tiles_,
               input.target.offsets, references);
  }

  Status CheckReferences(const gpu::FrameInput& input) const {
    for (const InterDispatch& dispatch : units_.dispatches()) {
      if (input.references[dispatch.reference].memory != nullptr) continue;
      return {StatusCode::kMissingReference,
              "blocks refer to reference " +
                  std::to_string(dispatch.reference) + ", which has no memory"};
    }
    return Status::Ok();
  }

  // base: the first unit's record.
  void AddDispatches(const gpu::FrameInput& input, uint32_t base,
                     gpu::Work* work) const {
    const Params& vp9 = input.codec->As<Params>();
    for (const InterDispatch& dispatch : units_.dispatches()) {
      if (dispatch.barrier) work->AddBarrier();
      const gpu::Picture& reference = input.references[dispatch.reference];
      InterConstants constants =
          ConstantsOf(vp9, dispatch, input.target.offsets, reference.offsets,
                      reference.view);
      constants.first += base;
      work->AddDispatch(
          {.program =
               ProgramFor(traits_, input.params->bit_depth, dispatch.plane,
                          dispatch.kind, dispatch.average),
           .bindings = {.reference = gpu::ReferenceId(dispatch.reference)},
           .groups_x = dispatch.workgroups,
           .records = InterUnitsOf(LanesFor(traits_), dispatch.kind)},
          constants);
    }
  }

  const gpu::DeviceTraits traits_;
  std::vector<TileInput> tiles_;
  InterUnits units_;
};

}  // namespace

std::vector<gpu::Program> InterPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth) {
  std::vector<gpu::Program> programs;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t kind = 0; kind < PERDIX_INTER_KINDS; ++kind) {
      for (uint32_t average = 0; average < 2; ++average) {
        programs.push_back(ProgramFor(traits, bit_depth, plane, kind, average));
      }
    }
  }
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeInterPred(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<InterPredWork>(traits);
}

}  // namespace perdix::vp9
