// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/buffer_table.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <limits>
#include <string>
#include <utility>

namespace perdix {
namespace {

Status Failed(const std::string& what, int error) {
  return Status(StatusCode::kInvalidArgument, what + ": " + strerror(error));
}

uint64_t SyncFlags(BufferAccess access) {
  return access == BufferAccess::kRead ? DMA_BUF_SYNC_READ : DMA_BUF_SYNC_RW;
}

}  // namespace

Buffer::Buffer(UniqueFd fd, std::span<uint8_t> bytes)
    : fd_(std::move(fd)), bytes_(bytes) {}

Buffer::~Buffer() { munmap(bytes_.data(), bytes_.size()); }

Status Buffer::Map(UniqueFd fd, uint64_t size,
                   std::shared_ptr<Buffer>* buffer) {
  if (size == 0 || size > std::numeric_limits<size_t>::max() / 2)
    return Status(StatusCode::kInvalidArgument,
                  "size " + std::to_string(size) + " cannot be mapped");
  void* at =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return Failed("mmap", errno);
  *buffer = std::shared_ptr<Buffer>(
      new Buffer(std::move(fd), {static_cast<uint8_t*>(at), size}));
  return Status::Ok();
}

Status Buffer::Sync(uint64_t flags) const {
  dma_buf_sync sync = {};
  sync.flags = flags;
  int result;
  do {
    result = ioctl(fd_.get(), DMA_BUF_IOCTL_SYNC, &sync);
  } while (result < 0 && (errno == EINTR || errno == EAGAIN));
  // ENOTTY: ordinary shared memory, which needs no care.
  if (result < 0 && errno != ENOTTY) return Failed("DMA_BUF_IOCTL_SYNC", errno);
  return Status::Ok();
}

Status Buffer::BeginAccess(BufferAccess access) const {
  return Sync(SyncFlags(access) | DMA_BUF_SYNC_START);
}

Status Buffer::EndAccess(BufferAccess access) const {
  return Sync(SyncFlags(access) | DMA_BUF_SYNC_END);
}

short Buffer::PollEvents(BufferAccess access) {
  return access == BufferAccess::kRead ? POLLIN : POLLOUT;
}

bool Buffer::Ready(BufferAccess access) const {
  pollfd ask = {fd_.get(), PollEvents(access), 0};
  return poll(&ask, 1, 0) != 0;  // an error is for BeginAccess to report
}

const std::shared_ptr<vulkan::GpuMemory>& Buffer::InGpu(Engine& engine) {
  if (!gpu_asked_) gpu_ = engine.ImportDmaBuf(fd(), bytes_.size());
  gpu_asked_ = true;
  return gpu_;
}

Status BufferTable::Find(uint32_t id, std::shared_ptr<Buffer>* buffer) {
  if (const auto known = buffers_.find(id); known != buffers_.end()) {
    *buffer = known->second;
    return Status::Ok();
  }
  const std::string name = "buffer " + std::to_string(id);
  UniqueFd fd;
  uint64_t size = 0;
  const int error = channel_.BufferFd(id, &fd, &size);
  if (error == -ENOENT)  // the client was faster than we were
    return Status(StatusCode::kCancelled, name + " is gone");
  if (error) return Failed(name, -error);
  std::shared_ptr<Buffer> mapped;
  if (const Status status = Buffer::Map(std::move(fd), size, &mapped);
      !status.ok())
    return Status(status.code(), name + ": " + status.message());
  ++imports_;
  *buffer = buffers_.emplace(id, std::move(mapped)).first->second;
  return Status::Ok();
}

}  // namespace perdix
