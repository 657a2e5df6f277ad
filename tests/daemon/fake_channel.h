// SPDX-License-Identifier: BSD-2-Clause
// Plays perdix.ko: hands out events that the test has queued, memfds for
// dma-bufs (DMA_BUF_IOCTL_SYNC gives ENOTTY there), and notes the answers.
#ifndef PERDIX_TESTS_DAEMON_FAKE_CHANNEL_H_
#define PERDIX_TESTS_DAEMON_FAKE_CHANNEL_H_

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/kernel_channel.h"

namespace perdix {

struct Answer {
  uint64_t job;
  bool failed;
  bool operator==(const Answer&) const = default;
};

class FakeChannel final : public KernelChannel {
 public:
  void Send(ChannelEvent event) {
    if (event.event.type == PERDIX_EVENT_JOB) {
      const std::lock_guard lock(mutex_);
      sent_[event.event.job.id] = std::chrono::steady_clock::now();
    }
    events_.push_back(std::move(event));
  }

  void AddBuffer(uint32_t id, size_t bytes) {
    UniqueFd fd(memfd_create("buffer", MFD_CLOEXEC));
    (void)!ftruncate(fd.get(), static_cast<off_t>(bytes));
    AddBuffer(id, std::move(fd), bytes);
  }
  void AddBuffer(uint32_t id, UniqueFd fd, size_t bytes) {
    buffers_[id] = {std::move(fd), bytes};
  }
  void RemoveBuffer(uint32_t id) { buffers_.erase(id); }
  size_t buffers() const { return buffers_.size(); }
  int buffer_fd(uint32_t id) const { return buffers_.at(id).fd.get(); }

  // What NextEvent() returns when no event waits.
  void set_idle_error(int error) { idle_error_ = error; }
  // What Complete() returns.
  void set_answer_error(int error) { answer_error_ = error; }
  int buffer_fd_calls() const { return buffer_fd_calls_; }

  std::vector<Answer> answers() const {
    const std::lock_guard lock(mutex_);
    return answers_;
  }
  // Found soon if it is among the last.
  std::optional<Answer> AnswerTo(uint64_t job) const {
    const std::lock_guard lock(mutex_);
    for (auto answer = answers_.rbegin(); answer != answers_.rend(); ++answer)
      if (answer->job == job) return *answer;
    return std::nullopt;
  }
  // From Send() to Complete(), by the job, of those that were decoded.
  std::map<uint64_t, std::chrono::nanoseconds> latencies() const {
    const std::lock_guard lock(mutex_);
    return latencies_;
  }
  void WaitForAnswers(size_t count) {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return answers_.size() >= count; });
  }

  int NextEvent(ChannelEvent* event) override {
    if (events_.empty()) return idle_error_;
    *event = std::move(events_.front());
    events_.pop_front();
    return 0;
  }

  int BufferFd(uint32_t buffer, UniqueFd* fd, uint64_t* size) override {
    ++buffer_fd_calls_;
    const auto found = buffers_.find(buffer);
    if (found == buffers_.end()) return -ENOENT;
    *fd = UniqueFd(fcntl(found->second.fd.get(), F_DUPFD_CLOEXEC, 0));
    *size = found->second.bytes;
    return 0;
  }

  int Complete(uint64_t job, bool failed) override {
    const std::lock_guard lock(mutex_);
    answers_.push_back({job, failed});
    if (!failed && answer_error_ == 0)
      latencies_[job] = std::chrono::steady_clock::now() - sent_[job];
    answered_.notify_all();
    return answer_error_;
  }

  int poll_fd() const override { return -1; }

 private:
  struct Memory {
    UniqueFd fd;
    size_t bytes;
  };

  std::deque<ChannelEvent> events_;
  std::map<uint32_t, Memory> buffers_;
  int buffer_fd_calls_ = 0;
  int idle_error_ = -EAGAIN;
  int answer_error_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<Answer> answers_;
  std::map<uint64_t, std::chrono::steady_clock::time_point> sent_;
  std::map<uint64_t, std::chrono::nanoseconds> latencies_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_FAKE_CHANNEL_H_
