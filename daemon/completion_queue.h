// SPDX-License-Identifier: BSD-2-Clause
// How worker threads tell the event loop that a frame has ended. Where the next
// frame comes anyway, the loop need not wake for the end of this one.
#ifndef PERDIX_DAEMON_COMPLETION_QUEUE_H_
#define PERDIX_DAEMON_COMPLETION_QUEUE_H_

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "daemon/statistics.h"
#include "daemon/unique_fd.h"
#include "kernels/status.h"

namespace perdix {

// A picture that was shown, as ShownChecksum takes it.
struct ShownSum {
  uint32_t width;
  uint32_t height;
  uint64_t sum;
};

struct Completion {
  uint32_t session = 0;
  uint64_t job = 0;
  Status status;
  int answer_error = 0;           // what KernelChannel::Complete() returned
  EndedFrame frame;               // as Statistics want it
  std::optional<ShownSum> shown;  // where it is summed
};

class CompletionQueue {
 public:
  CompletionQueue();  // throws std::system_error

  void Push(Completion completion);  // any thread
  std::vector<Completion> TakeAll();

  // Readable: one has ended that is awaited.
  int poll_fd() const { return wake_.get(); }
  // Whether all are, as to begin with, or only those that did not go well.
  void set_all_awaited(bool all_awaited);

 private:
  void Wake();

  UniqueFd wake_;
  std::mutex mutex_;
  bool all_awaited_ = true;
  bool woken_ = false;  // poll_fd() is readable
  std::vector<Completion> completions_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_COMPLETION_QUEUE_H_
