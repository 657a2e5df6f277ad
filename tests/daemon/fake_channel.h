// SPDX-License-Identifier: BSD-2-Clause
// Plays the kernel: hands out events that the test has queued, memfds for
// dma-bufs, with fences that the test signals, and notes what it was told.
#ifndef PERDIX_TESTS_DAEMON_FAKE_CHANNEL_H_
#define PERDIX_TESTS_DAEMON_FAKE_CHANNEL_H_

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
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
  bool failed;           // flagged
  bool damaged = false;  // but later frames may refer to it
  bool operator==(const Answer&) const = default;
};

struct SyncCall {
  uint32_t buffer;
  uint64_t flags;
  bool operator==(const SyncCall&) const = default;
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
    {
      const std::lock_guard lock(mutex_);
      ids_[InodeOf(fd.get())] = id;
    }
    buffers_[id] = {std::move(fd), bytes};
  }
  void RemoveBuffer(uint32_t id) { buffers_.erase(id); }
  size_t buffers() const { return buffers_.size(); }
  int buffer_fd(uint32_t id) const { return buffers_.at(id).fd.get(); }

  // From now on the start of an access to that buffer waits, as the ioctl does,
  // until the fence is signalled or a signal comes.
  void AddFence(uint32_t id) {
    const std::lock_guard lock(mutex_);
    fences_[id] = UniqueFd(eventfd(0, EFD_CLOEXEC));
  }
  void SignalFence(uint32_t id) {
    const std::lock_guard lock(mutex_);
    (void)!eventfd_write(fences_.at(id).get(), 1);
  }
  // Fences come after FencesSignalled() looked.
  void HideFences() { hidden_fences_ = true; }
  // Until that many calls are about to wait for a fence, or have.
  void WaitForWaiters(size_t count) {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return waiters_ >= count; });
  }
  std::vector<SyncCall> syncs() const {
    const std::lock_guard lock(mutex_);
    return syncs_;
  }

  bool empty() const { return events_.empty(); }
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

  int Complete(uint64_t job, perdix_result result) override {
    const std::lock_guard lock(mutex_);
    const bool failed = result != PERDIX_DECODED;
    answers_.push_back({job, failed, result == PERDIX_DAMAGED});
    if (!failed && answer_error_ == 0)
      latencies_[job] = std::chrono::steady_clock::now() - sent_[job];
    answered_.notify_all();
    return answer_error_;
  }

  int Sync(int buffer_fd, uint64_t flags) override {
    int fence = -1;
    {
      const std::lock_guard lock(mutex_);
      const uint32_t id = ids_.at(InodeOf(buffer_fd));
      syncs_.push_back({id, flags});
      const auto found = fences_.find(id);
      if (found == fences_.end() || (flags & DMA_BUF_SYNC_END)) return -ENOTTY;
      fence = found->second.get();
      ++waiters_;
      answered_.notify_all();
    }
    eventfd_t ignored;
    return eventfd_read(fence, &ignored) == 0 ? 0 : -errno;
  }

  bool FencesSignalled(int buffer_fd, uint64_t,
                       std::chrono::milliseconds) override {
    const std::lock_guard lock(mutex_);
    return !fences_.contains(ids_.at(InodeOf(buffer_fd))) || hidden_fences_;
  }

  // Without a test that wants it nobody polls.
  void set_poll_fd(int fd) { poll_fd_ = fd; }
  int poll_fd() const override { return poll_fd_; }

 private:
  static ino_t InodeOf(int fd) {
    struct stat stat = {};
    fstat(fd, &stat);
    return stat.st_ino;
  }

  struct Memory {
    UniqueFd fd;
    size_t bytes;
  };

  std::deque<ChannelEvent> events_;
  std::map<uint32_t, Memory> buffers_;
  int poll_fd_ = -1;
  int buffer_fd_calls_ = 0;
  int idle_error_ = -EAGAIN;
  int answer_error_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::vector<Answer> answers_;
  std::map<ino_t, uint32_t> ids_;  // of buffers, ever
  std::map<uint32_t, UniqueFd> fences_;
  std::atomic<bool> hidden_fences_{false};
  size_t waiters_ = 0;
  std::vector<SyncCall> syncs_;
  std::map<uint64_t, std::chrono::steady_clock::time_point> sent_;
  std::map<uint64_t, std::chrono::nanoseconds> latencies_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_FAKE_CHANNEL_H_
