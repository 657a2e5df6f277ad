// SPDX-License-Identifier: BSD-2-Clause
// Submits in order and tells when each is done: one timeline semaphore, one
// thread that waits. The only place that knows whether the device is lost.
#ifndef PERDIX_KERNELS_VULKAN_SUBMIT_QUEUE_H_
#define PERDIX_KERNELS_VULKAN_SUBMIT_QUEUE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "kernels/vulkan/device.h"
#include "kernels/vulkan/handle.h"

namespace perdix::vulkan {

class SubmitQueue {
 public:
  using Done = std::function<void(const Status&)>;

  // device outlives the queue. lose_at: as
  // GpuOptions::TestHooks::lose_at_submit.
  SubmitQueue(const Device& device, uint64_t lose_at)
      : device_(device), lose_at_(lose_at) {}
  ~SubmitQueue();  // after every done

  Status Open();

  // done is called from the queue's thread, in the order of Submit, with ok or
  // kDeviceLost. Not called when this fails.
  Status Submit(VkCommandBuffer commands, Done done);
  Status SubmitAndWait(VkCommandBuffer commands);

  bool lost() const { return lost_; }

 private:
  struct Pending {
    uint64_t value;  // of the semaphore, when the work is done
    Done done;
  };

  // With mutex_ held.
  Status SubmitLocked(VkCommandBuffer commands);
  Status Wait(uint64_t value);
  void RunWaiter();

  const Device& device_;
  const uint64_t lose_at_;
  SemaphoreHandle semaphore_;
  std::atomic<bool> lost_{false};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Pending> pending_;
  uint64_t submits_ = 0;
  uint64_t last_value_ = 0;  // that the device will signal
  bool closing_ = false;
  std::thread waiter_;
};

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_SUBMIT_QUEUE_H_
