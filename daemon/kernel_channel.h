// SPDX-License-Identifier: BSD-2-Clause
// The daemon's end of /dev/perdix (v4l2/perdix_uapi.h) and of the buffers that
// come from there: no state of its own. An interface only so that tests can
// play the kernel.
#ifndef PERDIX_DAEMON_KERNEL_CHANNEL_H_
#define PERDIX_DAEMON_KERNEL_CHANNEL_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/unique_fd.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {

struct ChannelEvent {
  perdix_event event = {};
  std::vector<uint8_t> controls;  // JOB: records, codec/controls.h
};

// Every call returns 0 or a negative errno. -ENODEV: the module has gone.
class KernelChannel {
 public:
  virtual ~KernelChannel() = default;

  // Takes the oldest event; -EAGAIN: none is waiting.
  virtual int NextEvent(ChannelEvent* event) = 0;

  // A descriptor of the buffer, and its size. -ENOENT: it is gone.
  virtual int BufferFd(uint32_t buffer, UniqueFd* fd, uint64_t* size) = 0;

  // Answers a job. May be called from any thread. -ENOENT: the client took it
  // back, or it ran out of time.
  virtual int Complete(uint64_t job, perdix_result result) = 0;

  // DMA_BUF_IOCTL_SYNC with these flags. DMA_BUF_SYNC_START waits for fences,
  // however long; -EINTR: a signal came. Any thread.
  virtual int Sync(int buffer_fd, uint64_t flags) = 0;

  // Whether the start of such an access has no fence to wait for, or none is
  // left by the end of <limit>. Any thread.
  virtual bool FencesSignalled(int buffer_fd, uint64_t flags,
                               std::chrono::milliseconds limit) = 0;

  // Readable while an event waits.
  virtual int poll_fd() const = 0;
};

// Opens the device and checks the version of the contract. Fails with a
// negative errno, -EPROTO for another version, and says why in *reason.
int OpenKernelChannel(const std::string& path,
                      std::shared_ptr<KernelChannel>* channel,
                      std::string* reason);

}  // namespace perdix

#endif  // PERDIX_DAEMON_KERNEL_CHANNEL_H_
