// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/dbus_trace.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "daemon/control.h"
#include "daemon/dbus_view.h"

namespace perdix {
namespace {

using std::chrono::steady_clock;

// For a reader who does not read.
constexpr std::chrono::seconds kWriteTime{10};
constexpr int kLookForEndMs = 100;

// Returns why it is not written; empty: it is. Never waits in write(): after
// poll() a pipe takes PIPE_BUF bytes.
std::string WriteAll(int file, const std::string& text,
                     const std::stop_token& stop) {
  const auto end = steady_clock::now() + kWriteTime;
  size_t written = 0;
  while (written < text.size()) {
    if (stop.stop_requested() || steady_clock::now() > end)
      return "file: nobody reads it";
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
  control_.EndTrace();  // calls recorded
}

void DbusTrace::Recorded(const Trace& trace) {
  deadline_ = SteadyTime::max();
  writer_ = std::jthread([this, trace, calls = calls_,
                          self = weak_from_this()](std::stop_token stop) {
    const std::string error = WriteAll(file_.get(), trace.ToJson(), stop);
    calls->Post([self, error, frames = trace.frames()] {
      if (const auto request = self.lock()) request->Reply(frames, error);
    });
  });
}

void DbusTrace::Reply(uint32_t frames, const std::string& error) {
  replied_ = true;
  if (error.empty())
    result_.returnResults(frames);
  else
    result_.returnError(bus::NewError(kErrorFailed, error));
}

}  // namespace perdix
