// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/timestamps.h"

#include <algorithm>
#include <array>
#include <vector>

namespace perdix::vulkan {
namespace {

constexpr uint32_t kTimestamps = kMaxStages + 1;

}  // namespace

bool CanCalibrateClocks(VkInstance instance, VkPhysicalDevice device) {
  const auto list =
      reinterpret_cast<PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT>(
          vkGetInstanceProcAddr(
              instance, "vkGetPhysicalDeviceCalibrateableTimeDomainsEXT"));
  if (list == nullptr) return false;
  uint32_t count = 0;
  list(device, &count, nullptr);
  std::vector<VkTimeDomainEXT> domains(count);
  list(device, &count, domains.data());
  const auto has = [&](VkTimeDomainEXT domain) {
    return std::find(domains.begin(), domains.end(), domain) != domains.end();
  };
  return has(VK_TIME_DOMAIN_DEVICE_EXT) &&
         has(VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT);
}

Status Timestamps::Open() {
  if (device_.timestamp_bits == 0) return Status::Ok();
  if (device_.calibrates_clocks) {
    read_clocks_ = reinterpret_cast<PFN_vkGetCalibratedTimestampsEXT>(
        vkGetDeviceProcAddr(device_.handle, "vkGetCalibratedTimestampsEXT"));
  }
  VkQueryPoolCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = kTimestamps;
  return Make(device_.handle, "vkCreateQueryPool", vkCreateQueryPool, info,
              &pool_);
}

void Timestamps::RecordBegin(VkCommandBuffer commands) const {
  if (pool_.get() == VK_NULL_HANDLE) return;
  vkCmdResetQueryPool(commands, pool_.get(), 0, kTimestamps);
  Record(commands, 0);
}

void Timestamps::RecordEnd(VkCommandBuffer commands, uint32_t stage) const {
  if (pool_.get() != VK_NULL_HANDLE) Record(commands, stage + 1);
}

void Timestamps::Record(VkCommandBuffer commands, uint32_t index) const {
  vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                      pool_.get(), index);
}

void Timestamps::Read(size_t stages, bool begun, GpuFrameResult* result) const {
  if (pool_.get() == VK_NULL_HANDLE) return;
  std::array<uint64_t, kTimestamps> ticks = {};
  const auto count = static_cast<uint32_t>(stages + 1);
  if (vkGetQueryPoolResults(device_.handle, pool_.get(), 0, count,
                            sizeof(ticks), ticks.data(), sizeof(ticks[0]),
                            VK_QUERY_RESULT_64_BIT) != VK_SUCCESS) {
    return;
  }
  for (size_t i = 0; i < stages; ++i) {
    result->nanoseconds[i] = Nanoseconds(ticks[i], ticks[i + 1]);
  }
  if (begun) result->begun = OnCpuClock(ticks[0]);
}

uint64_t Timestamps::Nanoseconds(uint64_t from, uint64_t to) const {
  const uint64_t mask = ~uint64_t{0} >> (64 - device_.timestamp_bits);
  return static_cast<uint64_t>(
      static_cast<double>((to - from) & mask) *
      double{device_.properties.limits.timestampPeriod});
}

// Both clocks are read anew for each frame, just after it: they may drift.
uint64_t Timestamps::OnCpuClock(uint64_t ticks) const {
  if (read_clocks_ == nullptr) return 0;
  VkCalibratedTimestampInfoEXT infos[2] = {};
  infos[0].sType = infos[1].sType =
      VK_STRUCTURE_TYPE_CALIBRATED_TIMESTAMP_INFO_EXT;
  infos[0].timeDomain = VK_TIME_DOMAIN_DEVICE_EXT;
  infos[1].timeDomain = VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT;
  uint64_t now[2] = {};
  uint64_t deviation = 0;
  if (read_clocks_(device_.handle, 2, infos, now, &deviation) != VK_SUCCESS) {
    return 0;
  }
  return now[1] - Nanoseconds(ticks, now[0]);
}

}  // namespace perdix::vulkan
