// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/staging.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace perdix::vulkan {
namespace {

constexpr VkDeviceSize kAlignment = 256;  // the most Vulkan may ask for
constexpr VkDeviceSize kLeast = 16;       // so that any section can be bound

}  // namespace

Status Staging::Write(const gpu::Work& work, const gpu::FrameInput& input) {
  if (Status status = Reserve(work); !status.ok()) return status;
  for (const gpu::Work::Part& part : work.parts()) {
    part.write(buffer_.data + ranges_[part.binding].offset + part.offset);
  }
  for (const gpu::Work::Address& part : work.addresses()) {
    const gpu::Memory& memory = *input.Of(part.picture).memory;
    const uint64_t address =
        AddressOf(device_, MemoryOf(memory).buffer()) + part.at;
    std::memcpy(buffer_.data + ranges_[part.binding].offset + part.offset,
                &address, sizeof(address));
  }
  return Status::Ok();
}

Status Staging::Reserve(const gpu::Work& work) {
  const uint32_t most = device_.properties.limits.maxStorageBufferRange;
  ranges_.fill({0, kLeast});
  VkDeviceSize end = kAlignment;
  for (uint32_t binding = 0; binding < ranges_.size(); ++binding) {
    const VkDeviceSize bytes = work.staged_bytes(binding);
    if (bytes == 0) continue;
    if (bytes > most) {
      return {StatusCode::kUnsupported,
              "bytes of a work list: got " + std::to_string(bytes) +
                  ", needed at most " + std::to_string(most)};
    }
    Range& range = ranges_[binding];
    range = {end, std::max(bytes, kLeast)};
    end += (range.size + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (end <= buffer_.size) return Status::Ok();
  // Half as much again, so that it soon grows no more.
  return MakeBuffer(device_, end + end / 2, MemoryUse::kStaging, "staging",
                    &buffer_);
}

VkDescriptorBufferInfo Staging::BufferOf(uint32_t binding) const {
  return {buffer_.handle.get(), ranges_[binding].offset, ranges_[binding].size};
}

}  // namespace perdix::vulkan
