// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/work.h"

#include <algorithm>
#include <utility>

namespace perdix::gpu {

void Work::Clear() {
  parts_.clear();
  addresses_.clear();
  staged_ = {};
  tables_ = {};
  scratch_bytes_ = 0;
  partials_ = 0;
  commands_.clear();
  constants_.clear();
  barriers_ = 0;
  dispatches_ = 0;
  dispatched_ = true;  // by earlier submits
  AddBarrier();
}

size_t Work::Stage(uint32_t binding, size_t bytes, size_t alignment,
                   Writer write) {
  const size_t offset =
      (staged_[binding] + alignment - 1) / alignment * alignment;
  if (bytes == 0) return offset;
  parts_.push_back({binding, offset, bytes, std::move(write)});
  staged_[binding] = offset + bytes;
  return offset;
}

size_t Work::StageTable(const FrameTables& tables, uint32_t table) {
  std::optional<size_t>& at = tables_[table];
  if (!at) {
    const std::span<const std::byte> bytes = tables.bytes[table];
    at = Stage(
        PERDIX_BINDING_FRAME_TABLES, bytes.size(), kTableAlignment,
        [bytes](uint8_t* to) { std::memcpy(to, bytes.data(), bytes.size()); });
  }
  return *at;
}

size_t Work::MakeTable(const FrameTables& tables, uint32_t table) {
  tables_[table] =
      Stage(PERDIX_BINDING_FRAME_TABLES, tables.bytes[table].size(),
            kTableAlignment, [](uint8_t* /*at*/) {});
  return *tables_[table];
}

size_t Work::StageAddress(uint32_t binding, PictureId picture, uint32_t at) {
  const size_t offset = staged_[binding];
  addresses_.push_back({binding, offset, picture, at});
  staged_[binding] += sizeof(uint64_t);
  return offset;
}

void Work::NeedScratch(size_t bytes) {
  scratch_bytes_ = std::max(scratch_bytes_, bytes);
}

void Work::NeedPartials(uint32_t sums) {
  partials_ = std::max(partials_, sums);
}

void Work::AddBarrier() {
  if (!dispatched_) return;
  commands_.emplace_back(Barrier{});
  dispatched_ = false;
  ++barriers_;
}

void Work::Append(Dispatch dispatch, std::span<const uint32_t> constants) {
  dispatch.constants_at = static_cast<uint32_t>(constants_.size());
  dispatch.constants_bytes = static_cast<uint32_t>(constants.size_bytes());
  constants_.insert(constants_.end(), constants.begin(), constants.end());
  commands_.emplace_back(dispatch);
  dispatched_ = true;
  ++dispatches_;
}

void Work::EndStage(const EndOfStage& stage) { commands_.emplace_back(stage); }

}  // namespace perdix::gpu
