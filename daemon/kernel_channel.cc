// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/kernel_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <utility>

namespace perdix {
namespace {

// Fits every codec's controls today; grows when the module asks for more.
constexpr size_t kFirstPayloadBytes = 4096;

int Ioctl(int fd, unsigned long request, void* argument) {
  int result;
  do {
    result = ioctl(fd, request, argument);
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : 0;
}

class DeviceChannel final : public KernelChannel {
 public:
  explicit DeviceChannel(UniqueFd fd)
      : fd_(std::move(fd)), payload_(kFirstPayloadBytes) {}

  int NextEvent(ChannelEvent* event) override {
    int error = Take(event);
    if (error == -EMSGSIZE && event->event.payload_bytes > payload_.size()) {
      payload_.resize(event->event.payload_bytes);
      error = Take(event);
    }
    if (error) return error;
    const size_t bytes =
        std::min<size_t>(event->event.payload_bytes, payload_.size());
    event->controls.assign(payload_.begin(), payload_.begin() + bytes);
    return 0;
  }

  int BufferFd(uint32_t buffer, UniqueFd* fd, uint64_t* size) override {
    perdix_buffer_fd request = {};
    request.buffer = buffer;
    if (const int error = Ioctl(fd_.get(), PERDIX_IOC_BUFFER_FD, &request))
      return error;
    *fd = UniqueFd(request.fd);
    *size = request.size;
    return 0;
  }

  int Complete(uint64_t job, perdix_result result) override {
    perdix_complete answer = {};
    answer.job = job;
    answer.result = result;
    return Ioctl(fd_.get(), PERDIX_IOC_COMPLETE, &answer);
  }

  int Sync(int buffer_fd, uint64_t flags) override {
    dma_buf_sync sync = {};
    sync.flags = flags;
    if (ioctl(buffer_fd, DMA_BUF_IOCTL_SYNC, &sync) == 0) return 0;
    return errno == EAGAIN ? -EINTR : -errno;  // both: to be called again
  }

  bool FencesSignalled(int buffer_fd, uint64_t flags,
                       std::chrono::milliseconds limit) override {
    // POLLIN: nobody writes to it any more; POLLOUT: nobody reads it either.
    const short events = flags & DMA_BUF_SYNC_WRITE ? POLLOUT : POLLIN;
    pollfd ask = {buffer_fd, events, 0};
    return poll(&ask, 1, static_cast<int>(limit.count())) != 0;
  }

  int poll_fd() const override { return fd_.get(); }

 private:
  int Take(ChannelEvent* event) {
    event->event = {};
    event->event.payload = reinterpret_cast<uintptr_t>(payload_.data());
    event->event.payload_bytes = static_cast<uint32_t>(payload_.size());
    return Ioctl(fd_.get(), PERDIX_IOC_NEXT_EVENT, &event->event);
  }

  const UniqueFd fd_;
  std::vector<uint8_t> payload_;
};

}  // namespace

int OpenKernelChannel(const std::string& path,
                      std::shared_ptr<KernelChannel>* channel,
                      std::string* reason) {
  UniqueFd fd(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    const int error = errno;
    *reason = path + ": " + strerror(error);
    return -error;
  }
  uint32_t version = 0;
  if (const int error = Ioctl(fd.get(), PERDIX_IOC_VERSION, &version)) {
    *reason = path + ": not a perdix channel: " + strerror(-error);
    return error;
  }
  if (version != PERDIX_API_VERSION) {
    *reason = path + ": the module speaks version " + std::to_string(version) +
              ", this daemon " + std::to_string(PERDIX_API_VERSION);
    return -EPROTO;
  }
  if (const int error = Ioctl(fd.get(), PERDIX_IOC_HELLO, &version)) {
    *reason = path + ": HELLO: " + strerror(-error);
    return error;
  }
  *channel = std::make_shared<DeviceChannel>(std::move(fd));
  return 0;
}

}  // namespace perdix
