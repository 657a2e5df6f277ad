// SPDX-License-Identifier: BSD-2-Clause
// org.perdix.Decoder1 on the system bus, on a thread of its own: whatever a
// client or the bus does, the event loop only copies figures for it, at most
// every 50 ms. Without a bus the daemon decodes all the same; the thread looks
// for one every few seconds.
#ifndef PERDIX_DAEMON_DBUS_SERVICE_H_
#define PERDIX_DAEMON_DBUS_SERVICE_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "daemon/call_queue.h"
#include "daemon/control.h"
#include "daemon/log.h"

namespace perdix {

class DbusService {
 public:
  // All three outlive the service; loop: calls into the event loop. Constructor
  // and destructor belong to the event loop's thread, the destructor after
  // loop's end (CallQueue::Close).
  DbusService(Control& control, CallQueue& loop, const Log& log);
  ~DbusService();

 private:
  class Bus;  // one connection

  void Work();
  void Say(const std::string& text, int priority);
  void Pause();
  void Told(Statistics::Change change);  // event loop's thread

  Control& control_;
  CallQueue& loop_;
  const Log& log_;
  const std::shared_ptr<CallQueue> calls_;  // into thread_
  std::atomic<bool> ending_{false};
  // Something has changed since the last announcement.
  std::atomic<bool> news_{false};
  std::atomic<bool> session_news_{false};  // one came or went
  Bus* bus_ = nullptr;  // thread_'s; null while there is no connection
  std::string said_;    // last; thread_'s
  std::thread thread_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_DBUS_SERVICE_H_
