// SPDX-License-Identifier: BSD-2-Clause
// How worker threads tell the event loop that a frame has ended.
#ifndef PERDIX_DAEMON_COMPLETION_QUEUE_H_
#define PERDIX_DAEMON_COMPLETION_QUEUE_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "daemon/statistics.h"
#include "daemon/unique_fd.h"
#include "kernels/status.h"

namespace perdix {

struct Completion {
  uint32_t session = 0;
  uint64_t job = 0;
  Status status;
  int answer_error = 0;  // what KernelChannel::Complete() returned
  EndedFrame frame;      // as Statistics want it
};

class CompletionQueue {
 public:
  CompletionQueue();  // throws std::system_error

  void Push(Completion completion);  // any thread
  std::vector<Completion> TakeAll();
  int poll_fd() const { return wake_.get(); }  // readable: not empty

 private:
  UniqueFd wake_;
  std::mutex mutex_;
  std::vector<Completion> completions_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_COMPLETION_QUEUE_H_
