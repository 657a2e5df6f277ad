// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/staging.h"

#include <algorithm>
#include <cstring>

namespace perdix::vulkan {
namespace {

constexpr VkDeviceSize kSectionAlignment = 256;  // the most Vulkan may ask for
constexpr uint32_t kCoefficientAlignment = 8;    // 16-bit units
constexpr VkDeviceSize kRecordBytes = 16;

uint32_t RoundedCoefficients(const WorkLists& lists) {
  const auto count = static_cast<uint32_t>(lists.coefficients.size());
  return (count + kCoefficientAlignment - 1) / kCoefficientAlignment *
         kCoefficientAlignment;
}

bool Has(std::span<const KernelId> stages, KernelId kernel) {
  return std::find(stages.begin(), stages.end(), kernel) != stages.end();
}

}  // namespace

Status Staging::Set(const GpuFrameInput& input,
                    std::span<const KernelId> stages) {
  Order(input, stages);
  const bool filters = Has(stages, KernelId::kVp9LoopFilter);
  const std::span<const uint32_t> edges =
      filters ? input.edges : std::span<const uint32_t>();
  if (Status status = Reserve(edges.size_bytes()); !status.ok()) return status;

  uint32_t residual_values = 0;
  const FrameUniforms uniforms = {
      *input.params, input.target.offsets,
      LayOutResidual(*input.params, &residual_values)};
  residual_bytes_ =
      intra_transforms_.size() == 0 ? 0 : VkDeviceSize{2} * residual_values;
  std::memcpy(At(PERDIX_BINDING_FRAME), &uniforms, sizeof(uniforms));
  std::memcpy(At(PERDIX_BINDING_TABLES), &SubpelFilters(), sizeof(SubpelTable));
  WriteRecords();
  WriteCoefficients();
  if (!edges.empty()) {
    std::memcpy(At(PERDIX_BINDING_EDGES), edges.data(), edges.size_bytes());
  }
  return Status::Ok();
}

void Staging::Order(const GpuFrameInput& input,
                    std::span<const KernelId> stages) {
  tiles_.clear();
  uint32_t coefficients = 0;
  for (const WorkLists& lists : input.tiles) {
    tiles_.push_back({lists, coefficients});
    coefficients += RoundedCoefficients(lists);
  }
  const std::span<const TileInput> all = tiles_;
  const std::span<const TileInput> none;
  std::array<PictureView, PERDIX_VP9_REFS> references;
  for (size_t i = 0; i < references.size(); ++i) {
    references[i] = input.references[i].view;
    const PlaneOffsets& offsets = input.references[i].offsets;
    references[i].planes[kLuma].stride_bytes = offsets.luma_stride;
    references[i].planes[kChroma].stride_bytes = offsets.chroma_stride;
  }
  const FrameParams& params = *input.params;
  const bool intra = Has(stages, KernelId::kVp9IntraPred);
  const bool transforms = Has(stages, KernelId::kVp9InverseTransform);
  inter_.Set(params, Has(stages, KernelId::kVp9InterPred) ? all : none,
             input.target.offsets, references);
  inter_transforms_.Set(params, transforms ? all : none, TransformList::kInter);
  intra_transforms_.Set(params, intra ? all : none, TransformList::kIntra);
  intra_.Set(params, intra ? all : none);

  bases_.inter = 0;
  bases_.inter_transforms = inter_.size();
  bases_.intra_transforms = bases_.inter_transforms + inter_transforms_.size();
  bases_.intra = bases_.intra_transforms + intra_transforms_.size();
  bases_.end = bases_.intra + intra_.size();
  const bool reads_coefficients =
      inter_transforms_.size() + intra_transforms_.size() != 0;
  coefficients_bytes_ = reads_coefficients ? VkDeviceSize{2} * coefficients : 0;
}

// Lays the sections out, one behind the other.
Status Staging::Reserve(VkDeviceSize edges_bytes) {
  VkDeviceSize end = 0;
  const auto add = [&](uint32_t binding, VkDeviceSize size) {
    sections_[binding] = {end, std::max(size, kRecordBytes)};
    end += (sections_[binding].size + kSectionAlignment - 1) /
           kSectionAlignment * kSectionAlignment;
  };
  add(PERDIX_BINDING_FRAME, sizeof(FrameUniforms));
  add(PERDIX_BINDING_TABLES, sizeof(SubpelTable));
  add(PERDIX_BINDING_RECORDS, kRecordBytes * bases_.end);
  add(PERDIX_BINDING_COEFFICIENTS, coefficients_bytes_);
  add(PERDIX_BINDING_EDGES, edges_bytes);
  for (const Range& section : sections_) {
    const uint32_t most = device_.properties.limits.maxStorageBufferRange;
    if (section.size <= most) continue;
    return {StatusCode::kUnsupported,
            "bytes of a work list: got " + std::to_string(section.size) +
                ", needed at most " + std::to_string(most)};
  }
  if (end <= buffer_.size) return Status::Ok();
  // Half as much again, so that it soon grows no more.
  return MakeBuffer(device_, end + end / 2, MemoryUse::kStaging, "staging",
                    &buffer_);
}

void Staging::WriteRecords() {
  uint8_t* const records = At(PERDIX_BINDING_RECORDS);
  const auto at = [&](uint32_t base) { return records + kRecordBytes * base; };
  inter_.Write(reinterpret_cast<InterUnit*>(at(bases_.inter)));
  inter_transforms_.Write(
      reinterpret_cast<TransformBlock*>(at(bases_.inter_transforms)));
  intra_transforms_.Write(
      reinterpret_cast<TransformBlock*>(at(bases_.intra_transforms)));
  intra_.Write(reinterpret_cast<IntraBlock*>(at(bases_.intra)));
}

void Staging::WriteCoefficients() {
  if (coefficients_bytes_ == 0) return;
  uint8_t* const coefficients = At(PERDIX_BINDING_COEFFICIENTS);
  for (const TileInput& tile : tiles_) {
    const std::span<const int16_t> from = tile.lists.coefficients;
    if (from.empty()) continue;
    std::memcpy(coefficients + VkDeviceSize{2} * tile.coefficient_base,
                from.data(), from.size_bytes());
  }
}

VkDescriptorBufferInfo Staging::Section(uint32_t binding) const {
  return {buffer_.handle.get(), sections_[binding].offset,
          sections_[binding].size};
}

}  // namespace perdix::vulkan
