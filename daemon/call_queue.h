// SPDX-License-Identifier: BSD-2-Clause
// Calls from other threads into the thread that owns what they need.
#ifndef PERDIX_DAEMON_CALL_QUEUE_H_
#define PERDIX_DAEMON_CALL_QUEUE_H_

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/unique_fd.h"

namespace perdix {

class CallQueue {
 public:
  CallQueue();  // throws std::system_error

  // Any thread; does not wait. Dropped once the queue is closed.
  void Post(std::function<void()> call);

  // Any thread but the owner's: waits, and returns or throws what the call
  // does. Throws std::future_error when the queue was closed before that.
  template <typename Function>
  auto Call(Function function) {
    using Result = std::invoke_result_t<Function>;
    auto task =
        std::make_shared<std::packaged_task<Result()>>(std::move(function));
    std::future<Result> result = task->get_future();
    // The queue's alone, so that dropping it breaks the promise.
    Post([task = std::move(task)] { (*task)(); });
    return result.get();
  }

  bool closed();  // any thread

  // The owner's.
  void Run();                                  // what waits
  void Close();                                // drops what waits
  int poll_fd() const { return wake_.get(); }  // readable: something waits

 private:
  UniqueFd wake_;
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<std::function<void()>> calls_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_CALL_QUEUE_H_
