// SPDX-License-Identifier: BSD-2-Clause
// One call of the D-Bus method Trace, from its start to its reply. Belongs to
// the D-Bus thread; the client's file is written on a thread of its own, which
// nothing waits for: a file of FUSE can stop a write for ever, whatever poll()
// said and whatever signals come.
#ifndef PERDIX_DAEMON_DBUS_TRACE_H_
#define PERDIX_DAEMON_DBUS_TRACE_H_

#include <cstdint>
#include <memory>

#include "daemon/call_queue.h"
#include "daemon/sdbus.h"
#include "daemon/statistics.h"
#include "daemon/unique_fd.h"
#include "engine/trace.h"

namespace perdix {

class Control;

class DbusTrace : public std::enable_shared_from_this<DbusTrace> {
 public:
  // calls: into the D-Bus thread.
  DbusTrace(Control& control, std::shared_ptr<CallQueue> calls,
            sdbus::Result<uint32_t>&& result, sdbus::UnixFd file);
  ~DbusTrace();  // without a reply, if there was none

  // timeout: until recording ends, whatever there is by then; writing has its
  // own. Replies with an error at once if there can be no trace.
  void Start(uint32_t frames, std::chrono::milliseconds timeout);

  bool replied() const { return replied_; }
  // When CheckTime has something to do.
  SteadyTime deadline() const { return deadline_; }
  void CheckTime(SteadyTime now);

 private:
  void Recorded(const Trace& trace);
  void Reply(uint32_t frames, const std::string& error);

  Control& control_;
  const std::shared_ptr<CallQueue> calls_;
  sdbus::Result<uint32_t> result_;
  UniqueFd file_;  // until it is written
  SteadyTime deadline_ = SteadyTime::max();
  bool replied_ = false;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_TRACE_H_
