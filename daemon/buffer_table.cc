// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/buffer_table.h"

#include <errno.h>
#include <linux/dma-buf.h>
#include <string.h>

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

Status TooMuch(const Quota& memory, uint64_t size) {
  return Status(
      StatusCode::kOutOfMemory,
      "its " + std::to_string(size) + " bytes and the " +
          std::to_string(memory.taken()) +
          " that this process has mapped are "
          "more than the " +
          std::to_string(memory.limit()) +
          " allowed: close a stream, or raise client-memory in perdixd.conf");
}

Status TooMany(const char* whose, const Quota& buffers, const char* option) {
  return Status(StatusCode::kOutOfMemory,
                std::string(whose) + " " + std::to_string(buffers.taken()) +
                    " buffers, allowed " + std::to_string(buffers.limit()) +
                    ": close a stream, or raise " + option +
                    " in perdixd.conf");
}

// One buffer of so many bytes.
Status Take(const BufferResources& from, uint64_t size) {
  Quota& client = *from.client_buffers;
  Quota& all = *from.all_buffers;
  if (!client.Take(1))
    return TooMany("this process has", client, "client-buffers");
  if (!all.Take(1)) {
    client.Return(1);
    return TooMany("all processes have", all, "buffers");
  }
  if (from.client_memory->Take(size)) return Status::Ok();
  all.Return(1);
  client.Return(1);
  return TooMuch(*from.client_memory, size);
}

void Return(const BufferResources& to, uint64_t size) {
  to.client_memory->Return(size);
  to.all_buffers->Return(1);
  to.client_buffers->Return(1);
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

Buffer::Buffer(UniqueFd fd, std::unique_ptr<Mapping> mapping,
               BufferAccess access, BufferResources shared)
    : fd_(std::move(fd)),
      mapping_(std::move(mapping)),
      access_(access),
      shared_(std::move(shared)) {}

Buffer::~Buffer() { Return(shared_, bytes().size()); }

Status Buffer::Map(UniqueFd fd, uint64_t size, BufferAccess access,
                   const BufferResources& shared,
                   std::shared_ptr<Buffer>* buffer) {
  Status status = Take(shared, size);
  if (!status.ok()) return status;
  std::unique_ptr<Mapping> mapping;
  status = Mapping::Map(fd.get(), size, access, &mapping);
  if (status.ok())
    *buffer = std::shared_ptr<Buffer>(
        new Buffer(std::move(fd), std::move(mapping), access, shared));
  else
    Return(shared, size);
  return status;
}

Status Buffer::BeginAccess(BufferAccess access, JobStop& stop) const {
  const uint64_t flags = SyncFlags(access) | DMA_BUF_SYNC_START;
  return SyncStatus(
      stop.Run([&] { return shared_.channel->Sync(fd(), flags); }));
}

Status Buffer::EndAccess(BufferAccess access) const {
  const uint64_t flags = SyncFlags(access) | DMA_BUF_SYNC_END;
  int error;
  do {
    error = shared_.channel->Sync(fd(), flags);
  } while (error == -EINTR);
  return SyncStatus(error);
}

bool Buffer::WaitForDevices(BufferAccess access,
                            std::chrono::milliseconds limit) const {
  return shared_.channel->FencesSignalled(fd(), SyncFlags(access), limit);
}

const std::shared_ptr<gpu::Memory>& Buffer::InGpu(Engine& engine) {
  if (!gpu_asked_) gpu_ = engine.ImportDmaBuf(fd(), bytes().size());
  gpu_asked_ = true;
  return gpu_;
}

Status BufferTable::Find(uint32_t id, BufferAccess access,
                         std::shared_ptr<Buffer>* buffer) {
  const std::string name = "buffer " + std::to_string(id);
  if (const auto known = buffers_.find(id); known != buffers_.end()) {
    if (access == BufferAccess::kReadWrite && !known->second->writable())
      return Status(StatusCode::kInvalidArgument,
                    name + " was a bitstream, and is mapped only for reading");
    *buffer = known->second;
    return Status::Ok();
  }
  if (buffers_.size() >= PERDIX_MAX_BUFFERS)
    return Status(StatusCode::kOutOfMemory,
                  name + ": the session has " +
                      std::to_string(buffers_.size()) + " buffers, allowed " +
                      std::to_string(PERDIX_MAX_BUFFERS) +
                      ": free some (VIDIOC_REQBUFS)");
  UniqueFd fd;
  uint64_t size = 0;
  const int error = shared_.channel->BufferFd(id, &fd, &size);
  if (error == -ENOENT)  // the client was faster than we were
    return Status(StatusCode::kCancelled, name + " is gone");
  if (error) return Failed(name, -error);
  std::shared_ptr<Buffer> mapped;
  const Status status =
      Buffer::Map(std::move(fd), size, access, shared_, &mapped);
  if (!status.ok())
    return Status(status.code(), name + ": " + status.message());
  ++imports_;
  *buffer = buffers_.emplace(id, std::move(mapped)).first->second;
  return Status::Ok();
}

}  // namespace perdix
