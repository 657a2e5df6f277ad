// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/completion_queue.h"

#include <errno.h>
#include <sys/eventfd.h>

#include <system_error>
#include <utility>

namespace perdix {

CompletionQueue::CompletionQueue()
    : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!wake_.valid())
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

void CompletionQueue::Push(Completion completion) {
  const std::lock_guard lock(mutex_);
  completions_.push_back(std::move(completion));
  // Fails only when the counter is full, and then it is readable anyway.
  (void)!eventfd_write(wake_.get(), 1);
}

std::vector<Completion> CompletionQueue::TakeAll() {
  const std::lock_guard lock(mutex_);
  eventfd_t ignored;
  (void)!eventfd_read(wake_.get(), &ignored);
  return std::exchange(completions_, {});
}

}  // namespace perdix
