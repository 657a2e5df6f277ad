// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "client/base/no_throw.h"
#include "client/node/node_session.h"
#include "client/node/session.h"

namespace perdix::client {
namespace {

Status CallFailed(const char* name) {
  return {StatusCode::kInvalidArgument,
          std::string(name) + " of a surface: " + std::strerror(errno)};
}

}  // namespace

Surface::Surface(std::shared_ptr<SessionQueue> queue,
                 const SurfaceLayout& layout, uint32_t index, int fd)
    : queue_(std::move(queue)),
      queue_life_(queue_->life()),
      layout_(layout),
      index_(index),
      fd_(fd) {}

Surface::~Surface() {
  Unmap();
  if (data_ != nullptr) munmap(data_, layout_.bytes);
  close(fd_);
  if (queue_life_ != queue_->life()) return;  // its index is another's now
  // What fails here stays a buffer that is not used again.
  (void)NoThrow([&] {
    queue_->device().RemoveBuffer(Queue::kDecoded, index_);
    return Status::Ok();
  });
}

Status Surface::Export(int* fd) const noexcept {
  return NoThrow([&]() -> Status {
    const int exported = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
    if (exported < 0) return CallFailed("dup");
    *fd = exported;
    return Status::Ok();
  });
}

// Begins or ends what the CPU does; memory that is no dma-buf needs neither.
Status Surface::SyncCpu(uint64_t flags) const {
  dma_buf_sync sync = {flags};
  int result;
  do {
    result = ioctl(fd_, DMA_BUF_IOCTL_SYNC, &sync);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0 || errno == ENOTTY) return Status::Ok();
  return CallFailed("DMA_BUF_IOCTL_SYNC");
}

Status Surface::Map(Image* image) noexcept {
  return NoThrow([&]() -> Status {
    if (timestamp_us_ == 0 || in_flight_) {
      return {StatusCode::kInvalidArgument,
              in_flight_ ? "the surface's frame is in flight: wait for it"
                         : "no frame was decoded into the surface"};
    }
    if (data_ == nullptr) {
      void* const data =
          mmap(nullptr, layout_.bytes, PROT_READ, MAP_SHARED, fd_, 0);
      if (data == MAP_FAILED) return CallFailed("mmap");
      data_ = static_cast<uint8_t*>(data);
    }
    if (!cpu_reads_) {
      Status status = SyncCpu(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
      if (!status.ok()) return status;
      cpu_reads_ = true;
    }
    *image = {};
    PictureView& view = image->view;
    view.width = format_.width;
    view.height = format_.height;
    view.bit_depth = format_.bit_depth;
    view.planes[kLuma] = {data_ + layout_.offsets[kLuma],
                          layout_.strides[kLuma], view.width, view.height};
    view.planes[kChroma] = {data_ + layout_.offsets[kChroma],
                            layout_.strides[kChroma], (view.width + 1) / 2,
                            (view.height + 1) / 2};
    if (view.bit_depth > 8) image->shift = 16 - view.bit_depth;
    image->monochrome = format_.monochrome;
    return Status::Ok();
  });
}

void Surface::Unmap() noexcept {
  if (!cpu_reads_) return;
  cpu_reads_ = false;
  // Whether ending to read succeeds changes nothing.
  (void)NoThrow([&] { return SyncCpu(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ); });
}

}  // namespace perdix::client
