// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/vp9/frame_recorder.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/vulkan/bindings.h"
#include "kernels/vulkan/tile_input.h"
#include "kernels/vulkan/vp9/pipelines.h"
#include "kernels/vulkan/vp9/work_order.h"

namespace perdix::vp9 {
namespace {

using vulkan::GpuFrameInput;
using vulkan::GpuPicture;
using vulkan::PipelineIndex;
using vulkan::Recorder;
using vulkan::Staging;

constexpr uint32_t kFirstSet = 0;  // of what reads no reference

bool Has(std::span<const KernelId> stages, KernelId kernel) {
  return std::find(stages.begin(), stages.end(), kernel) != stages.end();
}

// The words that the stages read.
std::span<const uint32_t> EdgesOf(const GpuFrameInput& input,
                                  std::span<const KernelId> stages) {
  if (!Has(stages, KernelId::kVp9LoopFilter)) return {};
  return input.tables.Of(kEdges);
}

class FrameRecorder : public vulkan::CodecRecorder {
 public:
  explicit FrameRecorder(PipelineIndex first_pipeline)
      : first_pipeline_(first_pipeline) {}

  Status Check(const GpuFrameInput& input,
               std::span<const KernelId> stages) const override;
  Status Set(const GpuFrameInput& input, std::span<const KernelId> stages,
             Staging* staging) override;
  VkDeviceSize scratch_bytes() const override { return residual_bytes_; }
  void Record(KernelId stage, const GpuFrameInput& input,
              Recorder* recorder) const override;

 private:
  void Order(const GpuFrameInput& input, std::span<const KernelId> stages);
  Status CheckReferences(const GpuFrameInput& input) const;
  void WriteRecords(Staging* staging) const;

  void RecordInterPred(const GpuFrameInput& input, Recorder* recorder) const;
  void RecordTransforms(const TransformOrder& order, uint32_t base,
                        const GpuFrameInput& input, Recorder* recorder) const;
  void RecordIntraPred(const GpuFrameInput& input, Recorder* recorder) const;
  void RecordLoopFilter(const GpuFrameInput& input, Recorder* recorder) const;

  const PipelineIndex first_pipeline_;

  // What the stages of the frame read; empty where they do not need it.
  std::vector<TileInput> tiles_;
  InterOrder inter_;
  TransformOrder inter_transforms_;
  TransformOrder intra_transforms_;
  IntraOrder intra_;
  // First records of the lists, which share a buffer.
  struct Bases {
    uint32_t inter;
    uint32_t inter_transforms;
    uint32_t intra_transforms;
    uint32_t intra;
    uint32_t end;
  } bases_ = {};
  uint32_t coefficients_ = 0;  // 16-bit units
  VkDeviceSize residual_bytes_ = 0;
};

// ---- what a frame needs ----

Status FrameRecorder::Check(const GpuFrameInput& input,
                            std::span<const KernelId> stages) const {
  const Params& params = input.codec->As<Params>();
  const uint64_t cells = uint64_t{params.mi_cols} * params.mi_rows;
  const uint64_t edges = EdgesOf(input, stages).size();
  if (!Has(stages, KernelId::kVp9LoopFilter) || params.loop_filter_level == 0 ||
      edges == cells) {
    return Status::Ok();
  }
  return {StatusCode::kInvalidArgument, "edges: got " + std::to_string(edges) +
                                            ", needed " +
                                            std::to_string(cells)};
}

Status FrameRecorder::Set(const GpuFrameInput& input,
                          std::span<const KernelId> stages, Staging* staging) {
  Order(input, stages);
  if (Status status = CheckReferences(input); !status.ok()) return status;
  static_assert(sizeof(SubpelTable) <= vulkan::kMaxUniformBytes);
  const std::span<const uint32_t> edges = EdgesOf(input, stages);
  const Staging::Section sections[] = {
      {PERDIX_BINDING_FRAME, sizeof(FrameUniforms)},
      {PERDIX_BINDING_TABLES, sizeof(SubpelTable)},
      {PERDIX_BINDING_RECORDS, VkDeviceSize{kRecordBytes} * bases_.end},
      {PERDIX_BINDING_COEFFICIENTS, sizeof(int16_t) * coefficients_},
      {PERDIX_BINDING_EDGES, edges.size_bytes()}};
  if (Status status = staging->Reserve(sections); !status.ok()) return status;

  const FrameParams& params = *input.params;
  uint32_t residual_values = 0;
  const FrameUniforms uniforms =
      UniformsOf(params, input.target.offsets, &residual_values);
  residual_bytes_ =
      intra_transforms_.size() == 0 ? 0 : VkDeviceSize{2} * residual_values;
  std::memcpy(staging->At(PERDIX_BINDING_FRAME), &uniforms, sizeof(uniforms));
  std::memcpy(staging->At(PERDIX_BINDING_TABLES), &SubpelFilters(),
              sizeof(SubpelTable));
  WriteRecords(staging);
  if (coefficients_ != 0) {
    vulkan::WriteCoefficients(
        tiles_, staging->ItemsAt<int16_t>(PERDIX_BINDING_COEFFICIENTS));
  }
  std::copy(edges.begin(), edges.end(),
            staging->ItemsAt<uint32_t>(PERDIX_BINDING_EDGES));
  return Status::Ok();
}

void FrameRecorder::Order(const GpuFrameInput& input,
                          std::span<const KernelId> stages) {
  coefficients_ = vulkan::PlaceTiles(input.tiles, &tiles_);
  const auto tiles_for = [&](KernelId kernel) {
    return Has(stages, kernel) ? std::span<const TileInput>(tiles_)
                               : std::span<const TileInput>();
  };
  std::array<PictureView, PERDIX_VP9_REFS> references;
  for (size_t i = 0; i < references.size(); ++i) {
    const GpuPicture& picture = input.references[i];
    references[i] = picture.view;
    references[i].planes[kLuma].stride_bytes = picture.offsets.luma_stride;
    references[i].planes[kChroma].stride_bytes = picture.offsets.chroma_stride;
  }
  const FrameParams& params = *input.params;
  const Params& vp9 = input.codec->As<Params>();
  inter_.Set(params, vp9, tiles_for(KernelId::kVp9InterPred),
             input.target.offsets, references);
  inter_transforms_.Set(vp9, tiles_for(KernelId::kVp9InverseTransform),
                        TransformList::kInter);
  intra_transforms_.Set(vp9, tiles_for(KernelId::kVp9IntraPred),
                        TransformList::kIntra);
  intra_.Set(params, tiles_for(KernelId::kVp9IntraPred));

  bases_.inter = 0;
  bases_.inter_transforms = inter_.size();
  bases_.intra_transforms = bases_.inter_transforms + inter_transforms_.size();
  bases_.intra = bases_.intra_transforms + intra_transforms_.size();
  bases_.end = bases_.intra + intra_.size();
  if (inter_transforms_.size() + intra_transforms_.size() == 0) {
    coefficients_ = 0;
  }
}

// Known only now that the work is in order.
Status FrameRecorder::CheckReferences(const GpuFrameInput& input) const {
  for (const InterDispatch& dispatch : inter_.dispatches()) {
    if (input.references[dispatch.reference].memory != nullptr) continue;
    return {StatusCode::kMissingReference,
            "blocks refer to reference " + std::to_string(dispatch.reference) +
                ", which has no memory"};
  }
  return Status::Ok();
}

void FrameRecorder::WriteRecords(Staging* staging) const {
  uint8_t* const records = staging->At(PERDIX_BINDING_RECORDS);
  const auto at = [&](uint32_t base) { return records + kRecordBytes * base; };
  inter_.Write(reinterpret_cast<InterUnit*>(at(bases_.inter)));
  inter_transforms_.Write(
      reinterpret_cast<TransformBlock*>(at(bases_.inter_transforms)));
  intra_transforms_.Write(
      reinterpret_cast<TransformBlock*>(at(bases_.intra_transforms)));
  intra_.Write(reinterpret_cast<IntraBlock*>(at(bases_.intra)));
}

// ---- dispatches ----

void FrameRecorder::Record(KernelId stage, const GpuFrameInput& input,
                           Recorder* recorder) const {
  switch (stage) {
    case KernelId::kVp9InterPred:
      RecordInterPred(input, recorder);
      break;
    case KernelId::kVp9InverseTransform:
      if (inter_transforms_.size() != 0) recorder->Barrier();
      RecordTransforms(inter_transforms_, bases_.inter_transforms, input,
                       recorder);
      break;
    case KernelId::kVp9IntraPred:
      RecordIntraPred(input, recorder);
      break;
    case KernelId::kVp9LoopFilter:
      RecordLoopFilter(input, recorder);
      break;
    default:  // of another codec
      break;
  }
}

void FrameRecorder::RecordInterPred(const GpuFrameInput& input,
                                    Recorder* recorder) const {
  const Params& params = input.codec->As<Params>();
  recorder->Barrier();
  for (const InterDispatch& dispatch : inter_.dispatches()) {
    if (dispatch.barrier) recorder->Barrier();
    const GpuPicture& reference = input.references[dispatch.reference];
    InterConstants constants =
        ConstantsOf(params, dispatch, input.target.offsets, reference.offsets,
                    reference.view);
    constants.first += bases_.inter;
    recorder->Dispatch(
        {first_pipeline_ +
             InterPredPipeline(dispatch.plane, dispatch.kind, dispatch.average),
         dispatch.reference, InterUnitsOfWorkgroup(dispatch.kind),
         dispatch.workgroups, 1},
        constants);
  }
}

void FrameRecorder::RecordTransforms(const TransformOrder& order, uint32_t base,
                                     const GpuFrameInput& input,
                                     Recorder* recorder) const {
  for (const TransformDispatch& dispatch : order.dispatches()) {
    if (dispatch.barrier) recorder->Barrier();
    TransformConstants constants =
        ConstantsOf(*input.params, dispatch, input.target.offsets);
    constants.first += base;
    recorder->Dispatch({first_pipeline_ + TransformPipeline(dispatch.tx_size,
                                                            dispatch.transform,
                                                            dispatch.output),
                        kFirstSet, TransformsOfWorkgroup(dispatch.tx_size),
                        dispatch.workgroups, 1},
                       constants);
  }
}

// The residual is written into memory of its own: before it no barrier.
void FrameRecorder::RecordIntraPred(const GpuFrameInput& input,
                                    Recorder* recorder) const {
  RecordTransforms(intra_transforms_, bases_.intra_transforms, input, recorder);
  for (const IntraWave& wave : intra_.waves()) {
    recorder->Barrier();
    const IntraConstants constants = {bases_.intra + wave.first};
    recorder->Dispatch(
        {first_pipeline_ + IntraPredPipeline(), kFirstSet, 1, wave.count, 1},
        constants);
  }
}

void FrameRecorder::RecordLoopFilter(const GpuFrameInput& input,
                                     Recorder* recorder) const {
  const FrameParams& params = *input.params;
  const Params& vp9 = input.codec->As<Params>();
  if (vp9.loop_filter_level == 0) return;
  for (uint32_t i = 0; i < LoopFilterStepCount(params); ++i) {
    const LoopFilterStep step =
        LoopFilterStepAt(params, vp9, input.target.offsets, i);
    recorder->Barrier();
    recorder->Dispatch({first_pipeline_ + LoopFilterPipeline(params), kFirstSet,
                        1, step.workgroups, kPlaneCount},
                       step.constants);
  }
}

}  // namespace

Status CheckGpuParams(const FrameParams& params) {
  if (params.bit_depth != 8) {
    return {
        StatusCode::kUnsupported,
        "bit depth: got " + std::to_string(params.bit_depth) + ", needed 8"};
  }
  if (params.subsampling_x > 1 ||
      params.subsampling_x != params.subsampling_y) {
    return {
        StatusCode::kUnsupported,
        "chroma subsampling (x, y as digits): got " +
            std::to_string(params.subsampling_x * 10 + params.subsampling_y) +
            ", needed 0 or 11"};
  }
  return Status::Ok();
}

std::unique_ptr<vulkan::CodecRecorder> MakeFrameRecorder(
    PipelineIndex first_pipeline) {
  return std::make_unique<FrameRecorder>(first_pipeline);
}

}  // namespace perdix::vp9
