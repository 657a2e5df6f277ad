// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/call_queue.h"

#include <errno.h>
#include <sys/eventfd.h>

#include <system_error>

namespace perdix {

CallQueue::CallQueue() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.valid())
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

void CallQueue::Post(std::function<void()> call) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  calls_.push_back(std::move(call));
  // Fails only when the counter is full, and then it is readable anyway.
  (void)!eventfd_write(wake_.get(), 1);
}

bool CallQueue::closed() {
  const std::lock_guard lock(mutex_);
  return closed_;
}

void CallQueue::Run() {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    eventfd_t ignored;
    (void)!eventfd_read(wake_.get(), &ignored);
    calls.swap(calls_);
  }
  for (const auto& call : calls) call();
}

void CallQueue::Close() {
  std::vector<std::function<void()>> dropped;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(calls_);
}

}  // namespace perdix
