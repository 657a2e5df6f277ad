// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/staging.h"

#include <algorithm>

namespace perdix::vulkan {
namespace {

constexpr VkDeviceSize kAlignment = 256;  // the most Vulkan may ask for
constexpr VkDeviceSize kLeast = 16;       // so that any section can be bound

}  // namespace

Status Staging::Reserve(std::span<const Section> sections) {
  ranges_.fill({0, kLeast});
  VkDeviceSize end = kAlignment;
  for (const Section& section : sections) {
    const uint32_t most = device_.properties.limits.maxStorageBufferRange;
    if (section.bytes > most) {
      return {StatusCode::kUnsupported,
              "bytes of a work list: got " + std::to_string(section.bytes) +
                  ", needed at most " + std::to_string(most)};
    }
    Range& range = ranges_[section.binding];
    range = {end, std::max(section.bytes, kLeast)};
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
