// SPDX-License-Identifier: BSD-2-Clause
// AV1's inter prediction on the GPU, in three steps: predictions into the
// target and, for compound blocks, into the scratch memory; what these are
// blended to, and overlapping predictions of neighbours above; then those to
// the left. A dispatch serves all references: shaders find them by address.
#include <bit>
#include <cstring>
#include <string>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/subpel_filters.h"
#include "kernels/av1/inter/warp_filters.h"
#include "kernels/gpu/av1/inter_units.h"
#include "kernels/gpu/av1/kernels.h"
#include "kernels/gpu/half_float.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kElement = 16;  // bytes; see inter_dispatch.h
// What every device lets a shader see of the scratch memory.
constexpr uint64_t kMaxScratchBytes = 1u << 27;

// ---- tables ----

using Element = std::array<uint32_t, 4>;

// taps: eight, to be multiplied by <factor>.
constexpr Element FilterElement(const int8_t* taps, int factor) {
  Element element = {};
  for (size_t i = 0; i < element.size(); ++i) {
    element[i] = gpu::HalfFloatOf(taps[2 * i] * factor, 3) |
                 gpu::HalfFloatOf(taps[2 * i + 1] * factor, 3) << 16;
  }
  return element;
}

using Tables = std::array<Element, PERDIX_PREDICT_TABLE_ELEMENTS>;
static_assert(PERDIX_PREDICT_WARP_FILTERS == kFilterSets * kSubpelPositions &&
              PERDIX_PREDICT_WEIGHTS - PERDIX_PREDICT_WARP_FILTERS ==
                  kWarpFilterCount);

Tables MakeTables() {
  Tables tables = {};
  size_t at = 0;
  for (const auto& set : kSubpelFilters) {
    for (const auto& taps : set) tables[at++] = FilterElement(taps, 2);
  }
  for (const auto& taps : kWarpFilters) tables[at++] = FilterElement(taps, 1);
  constexpr int kWeights = 62;
  static_assert(kWeights <= kElement * (PERDIX_PREDICT_TABLE_ELEMENTS -
                                        PERDIX_PREDICT_WEIGHTS));
  std::memcpy(&tables[PERDIX_PREDICT_WEIGHTS], ObmcMask(2), kWeights);
  return tables;
}

const Tables& TablesOfAll() {
  static const Tables kTables = MakeTables();
  return kTables;
}

// ---- programs ----

uint32_t LanesFor(const gpu::DeviceTraits& traits) {
  return HasLargeSubgroups(traits) ? 64 : gpu::kLanesOfOneWorkgroup;
}

// output: PERDIX_PREDICT_TO_TARGET and the like.
gpu::Program PredictProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                            uint32_t plane, uint32_t output, uint32_t source) {
  static constexpr const char* kShaders[2][2][kPlaneCount] = {
      {{"av1/inter_pred", "av1/inter_pred_chroma"},
       {"av1/inter_pred_10", "av1/inter_pred_chroma_10"}},
      {{"av1/inter_overlap", "av1/inter_overlap_chroma"},
       {"av1/inter_overlap_10", "av1/inter_overlap_chroma_10"}}};
  const uint32_t lanes = LanesFor(traits);
  return {kShaders[output == PERDIX_PREDICT_OVERLAP][bit_depth > 8][plane],
          {output, source, lanes},
          lanes};
}

gpu::Program BlendProgram(const gpu::DeviceTraits& traits, uint32_t bit_depth,
                          uint32_t plane, uint32_t weights) {
  static constexpr const char* kShaders[2][kPlaneCount] = {
      {"av1/inter_blend", "av1/inter_blend_chroma"},
      {"av1/inter_blend_10", "av1/inter_blend_chroma_10"}};
  const uint32_t lanes = LanesFor(traits);
  return {kShaders[bit_depth > 8][plane], {weights, 0, lanes}, lanes};
}

uint32_t OutputOf(InterOutput output) {
  return output == InterOutput::kTarget    ? PERDIX_PREDICT_TO_TARGET
         : output == InterOutput::kScratch ? PERDIX_PREDICT_TO_SCRATCH
                                           : PERDIX_PREDICT_OVERLAP;
}

class InterPredWork final : public gpu::KernelWork {
 public:
  explicit InterPredWork(const gpu::DeviceTraits& traits) : traits_(traits) {}

  Status Build(const gpu::FrameInput& input, gpu::Work* work) override {
    if (Status status = units_.Set(*input.params, input.codec->As<Params>(),
                                   input.tiles, PicturesOf(input));
        !status.ok()) {
      return status;
    }
    if (units_.empty()) return Status::Ok();
    const uint64_t scratch = units_.scratch_words() * sizeof(uint32_t);
    if (scratch > kMaxScratchBytes) {
      return {StatusCode::kUnsupported,
              "bytes of compound predictions: got " + std::to_string(scratch) +
                  ", needed at most " + std::to_string(kMaxScratchBytes)};
    }
    work->NeedScratch(scratch);
    StageTables(input, work);
    last_step_ = kNoStep;
    AddPredictions(input, InterOutput::kTarget, work);
    AddPredictions(input, InterOutput::kScratch, work);
    AddBlends(input, work);
    AddPredictions(input, InterOutput::kAbove, work);
    AddPredictions(input, InterOutput::kLeft, work);
    return Status::Ok();
  }

 private:
  // What is done at the same time. Each begins with a barrier.
  enum Step { kNoStep, kPredict, kBlendAndOverlap, kOverlapLeft };

  static Step StepOf(InterOutput output) {
    return output == InterOutput::kLeft    ? kOverlapLeft
           : output == InterOutput::kAbove ? kBlendAndOverlap
                                           : kPredict;
  }

  static InterPictures PicturesOf(const gpu::FrameInput& input) {
    InterPictures pictures;
    pictures.target = input.target.offsets;
    for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) {
      const gpu::Picture& reference = input.references[i];
      if (reference.memory == nullptr) continue;
      PictureView& view = pictures.references[i];
      view = reference.view;
      view.planes[kLuma].stride_bytes = reference.offsets.luma_stride;
      view.planes[kChroma].stride_bytes = reference.offsets.chroma_stride;
    }
    return pictures;
  }

  void StageTables(const gpu::FrameInput& input, gpu::Work* work) {
    constexpr uint32_t kRecords = PERDIX_BINDING_RECORDS;
    tables_ = ElementOf(
        work->StageItems(kRecords, std::span<const Element>(TablesOfAll())));
    for (uint32_t ref = 0; ref < PERDIX_AV1_REFS; ++ref) {
      for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
        StageSource(input, ref, plane, work);
      }
    }
    bool has_wedges = false;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      has_wedges |= !units_.Blended(plane, PERDIX_BLEND_WEDGE).empty();
    }
    if (!has_wedges) return;
    wedges_ = ElementOf(work->StageItems(kRecords, WedgeMasters())) *
              (kElement / sizeof(uint32_t));
  }

  // A SourcePlane.
  static void StageSource(const gpu::FrameInput& input, uint32_t ref,
                          uint32_t plane, gpu::Work* work) {
    constexpr uint32_t kRecords = PERDIX_BINDING_RECORDS;
    const gpu::Picture& picture = input.references[ref];
    const ReferenceScale& scale = input.codec->As<Params>().references[ref];
    const bool luma = plane == kLuma;
    if (picture.memory == nullptr) {
      work->StageValue(kRecords, SourcePlane{});
      return;
    }
    work->StageAddress(
        kRecords, gpu::ReferenceId(ref),
        luma ? picture.offsets.luma_offset : picture.offsets.chroma_offset);
    const Plane& size = picture.view.planes[plane];
    struct {
      uint32_t stride, shift, last_x, last_y, x_step, y_step;
    } const rest = {
        (luma ? picture.offsets.luma_stride : picture.offsets.chroma_stride) /
            4,
        picture.view.shift,
        size.width - 1,
        size.height - 1,
        scale.x_step,
        scale.y_step};
    static_assert(sizeof(rest) + sizeof(uint64_t) == sizeof(SourcePlane));
    work->StageValue(kRecords, rest);
  }

  static uint32_t ElementOf(size_t bytes) {
    return static_cast<uint32_t>(bytes / kElement);
  }

  void AddPredictions(const gpu::FrameInput& input, InterOutput output,
                      gpu::Work* work) {
    const uint32_t bit_depth = input.params->bit_depth;
    const uint32_t becomes = OutputOf(output);
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      PredictConstants constants = ConstantsOf(input, plane);
      constants.weight_line = output == InterOutput::kAbove ? 1 : 0;
      constants.weight_pixel = output == InterOutput::kLeft ? 1 : 0;
      for (uint32_t source = 0; source < kVectorSources; ++source) {
        AddUnits(StepOf(output), units_.Predicted(output, plane, source),
                 PredictProgram(traits_, bit_depth, plane, becomes, source),
                 constants, work);
      }
      if (size_t(output) >= kWarpOutputs) continue;
      AddUnits(StepOf(output), units_.Warped(output, plane),
               PredictProgram(traits_, bit_depth, plane, becomes,
                              PERDIX_PREDICT_WARP),
               constants, work);
    }
  }

  void AddBlends(const gpu::FrameInput& input, gpu::Work* work) {
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      for (uint32_t weights = 0; weights < PERDIX_BLENDS; ++weights) {
        AddUnits(kBlendAndOverlap, units_.Blended(plane, weights),
                 BlendProgram(traits_, input.params->bit_depth, plane, weights),
                 ConstantsOf(input, plane), work);
      }
    }
  }

  // A dispatch, if there are any units.
  template <typename Unit>
  void AddUnits(Step step, std::span<const Unit> units,
                const gpu::Program& program, PredictConstants constants,
                gpu::Work* work) {
    if (units.empty()) return;
    if (step != last_step_) work->AddBarrier();
    last_step_ = step;
    const uint32_t at_once = program.lanes / PERDIX_PREDICT_UNIT_WORDS;
    const auto count = static_cast<uint32_t>(units.size());
    constants.first = 0;
    constants.end = count;
    constants.records =
        ElementOf(work->StageItems(PERDIX_BINDING_RECORDS, units));
    work->AddDispatch({.program = program,
                       .groups_x = (count + at_once - 1) / at_once,
                       .records = at_once},
                      constants);
  }

  PredictConstants ConstantsOf(const gpu::FrameInput& input,
                               uint32_t plane) const {
    const PlaneOffsets& target = input.target.offsets;
    PredictConstants constants = {};
    constants.tables = tables_;
    constants.stride =
        (plane == kLuma ? target.luma_stride : target.chroma_stride) / 4;
    constants.wedges = wedges_;
    return constants;
  }

  const gpu::DeviceTraits traits_;
  InterUnits units_;
  // Where the frame's tables are staged: element, and word.
  uint32_t tables_ = 0;
  uint32_t wedges_ = 0;
  Step last_step_ = kNoStep;
};

}  // namespace

std::vector<gpu::Program> InterPredPrograms(const gpu::DeviceTraits& traits,
                                            uint32_t bit_depth) {
  std::vector<gpu::Program> programs;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t output = 0; output < PERDIX_PREDICT_OUTPUTS; ++output) {
      const uint32_t sources = output == PERDIX_PREDICT_OVERLAP
                                   ? kVectorSources
                                   : PERDIX_PREDICT_SOURCES;
      for (uint32_t source = 0; source < sources; ++source) {
        programs.push_back(
            PredictProgram(traits, bit_depth, plane, output, source));
      }
    }
    for (uint32_t weights = 0; weights < PERDIX_BLENDS; ++weights) {
      programs.push_back(BlendProgram(traits, bit_depth, plane, weights));
    }
  }
  return programs;
}

std::unique_ptr<gpu::KernelWork> MakeInterPred(
    const gpu::DeviceTraits& traits) {
  return std::make_unique<InterPredWork>(traits);
}

}  // namespace perdix::av1
