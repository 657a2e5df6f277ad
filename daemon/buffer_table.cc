// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/buffer_table.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <string.h>
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

Status SyncStatus(int error) {
  // ENOTTY: ordinary shared memory, which needs no care.
  if (!error || error == -ENOTTY) return Status::Ok();
  if (error == -ECANCELED)
    return Status(StatusCode::kInvalidArgument,
                  "taken back while a device still used it: a fence on it has "
                  "not signalled");
  return Failed("DMA_BUF_IOCTL_SYNC", -error);
}

}  // namespace

Buffer::Buffer(UniqueFd fd, std::span<uint8_t> bytes,
               std::shared_ptr<KernelChannel> channel)
    : fd_(std::move(fd)), bytes_(bytes), channel_(std::move(channel)) {}

Buffer::~Buffer() { munmap(bytes_.data(), bytes_.size()); }

Status Buffer::Map(UniqueFd fd, uint64_t size,
                   std::shared_ptr<KernelChannel> channel,
                   std::shared_ptr<Buffer>* buffer) {
  if (size == 0 || size > std::numeric_limits<size_t>::max() / 2)
    return Status(StatusCode::kInvalidArgument,
                  "size " + std::to_string(size) + " cannot be mapped");
  void* at =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return Failed("mmap", errno);
  *buffer = std::shared_ptr<Buffer>(new Buffer(
      std::move(fd), {static_cast<uint8_t*>(at), size}, std::move(channel)));
  return Status::Ok();
}

Status Buffer::BeginAccess(BufferAccess access, JobStop& stop) const {
  const uint64_t flags = SyncFlags(access) | DMA_BUF_SYNC_START;
  return SyncStatus(stop.Run([&] { return channel_->Sync(fd(), flags); }));
}

Status Buffer::EndAccess(BufferAccess access) const {
  const uint64_t flags = SyncFlags(access) | DMA_BUF_SYNC_END;
  int error;
  do {
    error = channel_->Sync(fd(), flags);
  } while (error == -EINTR);
  return SyncStatus(error);
}

bool Buffer::WaitForDevices(BufferAccess access,
                            std::chrono::milliseconds limit) const {
  return channel_->FencesSignalled(fd(), SyncFlags(access), limit);
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
  const int error = channel_->BufferFd(id, &fd, &size);
  if (error == -ENOENT)  // the client was faster than we were
    return Status(StatusCode::kCancelled, name + " is gone");
  if (error) return Failed(name, -error);
  std::shared_ptr<Buffer> mapped;
  if (const Status status = Buffer::Map(std::move(fd), size, channel_, &mapped);
      !status.ok())
    return Status(status.code(), name + ": " + status.message());
  ++imports_;
  *buffer = buffers_.emplace(id, std::move(mapped)).first->second;
  return Status::Ok();
}

}  // namespace perdix
