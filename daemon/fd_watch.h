// SPDX-License-Identifier: BSD-2-Clause
// Waits in the event loop for a descriptor, once.
#ifndef PERDIX_DAEMON_FD_WATCH_H_
#define PERDIX_DAEMON_FD_WATCH_H_

#include <systemd/sd-event.h>

#include <functional>

namespace perdix {

// Calls fired when fd has one of these poll events. Keeps a duplicate of fd,
// so that nothing else has to outlive the wait; the loop's end ends it. Returns
// a negative errno on failure.
int WatchOnce(sd_event* loop, int fd, short events,
              std::function<void()> fired);

}  // namespace perdix

#endif  // PERDIX_DAEMON_FD_WATCH_H_
