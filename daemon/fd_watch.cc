// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/fd_watch.h"

#include <errno.h>
#include <fcntl.h>

#include <memory>
#include <utility>

#include "daemon/unique_fd.h"

namespace perdix {
namespace {

using Fired = std::function<void()>;

void Free(void* fired) { delete static_cast<Fired*>(fired); }

int OnReady(sd_event_source* source, int, uint32_t, void* fired) {
  sd_event_source_set_enabled(source, SD_EVENT_OFF);
  sd_event_source_set_floating(source, false);  // freed after this call
  (*static_cast<Fired*>(fired))();
  return 0;
}

}  // namespace

int WatchOnce(sd_event* loop, int fd, short events, Fired fired) {
  UniqueFd own(fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!own.valid()) return -errno;
  auto callback = std::make_unique<Fired>(std::move(fired));
  sd_event_source* source = nullptr;
  const int result =
      sd_event_add_io(loop, &source, own.get(), static_cast<uint32_t>(events),
                      OnReady, callback.get());
  if (result < 0) return result;
  sd_event_source_set_destroy_callback(source, Free);
  callback.release();
  sd_event_source_set_io_fd_own(source, true);
  own.Release();
  sd_event_source_set_floating(source, true);
  sd_event_source_unref(source);
  return 0;
}

}  // namespace perdix
