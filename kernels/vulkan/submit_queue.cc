// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/submit_queue.h"

#include <utility>

namespace perdix::vulkan {
namespace {

Status Lost() { return {StatusCode::kDeviceLost, "the GPU is lost"}; }

}  // namespace

Status SubmitQueue::Open() {
  VkSemaphoreTypeCreateInfo type = {};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &type;
  if (Status status = Make(device_.handle, "vkCreateSemaphore",
                           vkCreateSemaphore, info, &semaphore_);
      !status.ok()) {
    return status;
  }
  waiter_ = std::thread(&SubmitQueue::RunWaiter, this);
  return Status::Ok();
}

SubmitQueue::~SubmitQueue() {
  if (!waiter_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  waiter_.join();
}

Status SubmitQueue::Submit(VkCommandBuffer commands, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (Status status = SubmitLocked(commands); !status.ok()) return status;
    pending_.push_back({last_value_, std::move(done)});
  }
  changed_.notify_one();
  return Status::Ok();
}

Status SubmitQueue::SubmitAndWait(VkCommandBuffer commands) {
  uint64_t value = 0;
  {
    const std::lock_guard lock(mutex_);
    if (Status status = SubmitLocked(commands); !status.ok()) return status;
    value = last_value_;
  }
  return Wait(value);
}

Status SubmitQueue::SubmitLocked(VkCommandBuffer commands) {
  if (lost_) return Lost();
  if (++submits_ == lose_at_) {
    // Accepted and never done, as if the device were lost at work.
    lost_ = true;
    return Status::Ok();
  }
  const uint64_t value = last_value_ + 1;
  VkTimelineSemaphoreSubmitInfo timeline = {};
  timeline.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
  timeline.signalSemaphoreValueCount = 1;
  timeline.pSignalSemaphoreValues = &value;
  const VkSemaphore semaphore = semaphore_.get();
  VkSubmitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  info.pNext = &timeline;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  info.signalSemaphoreCount = 1;
  info.pSignalSemaphores = &semaphore;
  const VkResult result =
      vkQueueSubmit(device_.queue, 1, &info, VK_NULL_HANDLE);
  if (result == VK_ERROR_DEVICE_LOST) lost_ = true;
  if (result == VK_SUCCESS) last_value_ = value;
  return ToStatus(result, "vkQueueSubmit");
}

Status SubmitQueue::Wait(uint64_t value) {
  const VkSemaphore semaphore = semaphore_.get();
  VkSemaphoreWaitInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO;
  info.semaphoreCount = 1;
  info.pSemaphores = &semaphore;
  info.pValues = &value;
  // Whatever it is that makes waiting fail, the work is not known to be done.
  // Also after the loss of the device is only played: memory that the real one
  // still works on must not be freed.
  if (vkWaitSemaphores(device_.handle, &info, UINT64_MAX) != VK_SUCCESS) {
    lost_ = true;
  }
  return lost_ ? Lost() : Status::Ok();
}

void SubmitQueue::RunWaiter() {
  for (;;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closing_ || !pending_.empty(); });
    if (pending_.empty()) return;
    const Pending pending = std::move(pending_.front());
    pending_.pop_front();
    lock.unlock();
    pending.done(Wait(pending.value));
  }
}

}  // namespace perdix::vulkan
