// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_trace.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "daemon/control.h"
#include "daemon/dbus_view.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

// For a reader who does not read.
constexpr std::chrono::seconds kWriteTime{10};
constexpr int kLookForEndMs = 100;

// Threads that write, those included whose write() does not return.
constexpr int kMostWriters = 4;
std::atomic<int> writers{0};

// Returns why it is not written; empty: it is. After poll() a pipe takes
// PIPE_BUF bytes at once; other files may keep write() waiting.
std::string WriteAll(int file, const std::string& text,
                     const std::function<bool()>& wanted) {
  size_t written = 0;
  while (written < text.size()) {
    if (!wanted()) return "nobody waits for it";
    pollfd wait = {file, POLLOUT, 0};
    if (poll(&wait, 1, kLookForEndMs) == 0) continue;
    const size_t bytes = std::min<size_t>(text.size() - written, PIPE_BUF);
    const ssize_t result = write(file, text.data() + written, bytes);
    if (result < 0 && errno != EAGAIN && errno != EINTR)
      return std::string("file: ") + strerror(errno);
    written += size_t(std::max<ssize_t>(result, 0));
  }
  return {};
}

}  // namespace

DbusTrace::DbusTrace(Control& control, std::shared_ptr<CallQueue> calls,
                     sdbus::Result<uint32_t>&& result, sdbus::UnixFd file)
    : control_(control),
      calls_(std::move(calls)),
      result_(std::move(result)),
      file_(file.release()) {}

DbusTrace::~DbusTrace() {
  if (!replied_) control_.EndTrace();
}

void DbusTrace::Start(uint32_t frames, std::chrono::milliseconds timeout) {
  if (writers >= kMostWriters)
    return Reply(0, "the files of earlier traces still take no bytes");
  const auto recorded = [calls = calls_, self = weak_from_this()](Trace trace) {
    calls->Post([self, trace = std::move(trace)] {
      if (const auto request = self.lock()) request->Recorded(trace);
    });
  };
  const Status status = control_.StartTrace(frames, recorded);
  if (!status.ok()) return Reply(0, status.message());
  deadline_ = steady_clock::now() + timeout;
}

void DbusTrace::CheckTime(SteadyTime now) {
  if (now < deadline_) return;
  deadline_ = SteadyTime::max();
  if (file_.valid())
    control_.EndTrace();  // calls recorded
  else
    Reply(0, "file: nobody reads it");
}

void DbusTrace::Recorded(const Trace& trace) {
  deadline_ = steady_clock::now() + kWriteTime;
  ++writers;
  std::thread([trace, file = std::move(file_), calls = calls_,
               self = weak_from_this()]() mutable {
    const std::string error =
        WriteAll(file.get(), trace.ToJson(), [&] { return !self.expired(); });
    file = UniqueFd();
    --writers;
    calls->Post([self, error, frames = trace.frames()] {
      const auto request = self.lock();
      if (request && !request->replied()) request->Reply(frames, error);
    });
  }).detach();
}

void DbusTrace::Reply(uint32_t frames, const std::string& error) {
  replied_ = true;
  deadline_ = SteadyTime::max();
  if (error.empty())
    result_.returnResults(frames);
  else
    result_.returnError(bus::NewError(kErrorFailed, error));
}

}  // namespace perdix
