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
  const bool awaited =
      all_awaited_ || !completion.status.ok() || completion.answer_error != 0;
  completions_.push_back(std::move(completion));
  if (awaited) Wake();
}

std::vector<Completion> CompletionQueue::TakeAll() {
  const std::lock_guard lock(mutex_);
  eventfd_t ignored;
  if (std::exchange(woken_, false)) (void)!eventfd_read(wake_.get(), &ignored);
  return std::exchange(completions_, {});
}

void CompletionQueue::set_all_awaited(bool all_awaited) {
  const std::lock_guard lock(mutex_);
  all_awaited_ = all_awaited;
  if (all_awaited && !completions_.empty()) Wake();
}

void CompletionQueue::Wake() {
  if (!std::exchange(woken_, true)) (void)!eventfd_write(wake_.get(), 1);
}

}  // namespace perdix
