// SPDX-License-Identifier: BSD-2-Clause
// A client's buffers, mapped once each and kept until the kernel says that
// they are gone and nothing here uses them any more.
#ifndef PERDIX_DAEMON_BUFFER_TABLE_H_
#define PERDIX_DAEMON_BUFFER_TABLE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>

#include "daemon/job_stop.h"
#include "daemon/kernel_channel.h"
#include "daemon/limits.h"
#include "daemon/mapping.h"
#include "daemon/unique_fd.h"
#include "engine/engine.h"
#include "kernels/status.h"

namespace perdix {

// What the buffers of a session share.
struct BufferResources {
  std::shared_ptr<KernelChannel> channel;
  std::shared_ptr<Quota> client_memory;  // bytes
  std::shared_ptr<Quota> client_buffers;
  std::shared_ptr<Quota> all_buffers;
};

// One mapped dma-buf. Unmapped with its last owner, on any thread.
class Buffer {
 public:
  // Fails with kOutOfMemory if the client has too much already.
  static Status Map(UniqueFd fd, uint64_t size, BufferAccess access,
                    const BufferResources& shared,
                    std::shared_ptr<Buffer>* buffer);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  bool writable() const { return access_ == BufferAccess::kReadWrite; }
  // Only to be read, unless writable.
  std::span<uint8_t> bytes() const { return mapping_->bytes(); }
  // Its memory went away while it was used. Any thread.
  bool faulted() const { return mapping_->faulted(); }
  int fd() const { return fd_.get(); }

  // DMA_BUF_IOCTL_SYNC around what the CPU does. On a machine without coherent
  // DMA the start drops cached lines and the end writes them back, so no two
  // accesses that write may overlap. Begin waits for fences, until the job is
  // stopped: never call it on the event loop.
  Status BeginAccess(BufferAccess access, JobStop& stop) const;
  Status EndAccess(BufferAccess access) const;

  // Whether no device writes to it (or, for kReadWrite, reads it) by the end of
  // that time.
  bool WaitForDevices(BufferAccess access,
                      std::chrono::milliseconds limit) const;

  // The same memory as the engine's GPU sees it, imported the first time; null
  // without a GPU, or one that will not have it. For one thread: its session's.
  const std::shared_ptr<gpu::Memory>& InGpu(Engine& engine);

 private:
  Buffer(UniqueFd fd, std::unique_ptr<Mapping> mapping, BufferAccess access,
         BufferResources shared);

  const UniqueFd fd_;
  const std::unique_ptr<Mapping> mapping_;
  const BufferAccess access_;
  const BufferResources shared_;
  std::shared_ptr<gpu::Memory> gpu_;
  bool gpu_asked_ = false;
};

// The buffers of a session. Belongs to the event loop's thread.
class BufferTable {
 public:
  explicit BufferTable(BufferResources shared) : shared_(std::move(shared)) {}

  // The buffer of that id; imported the first time, for that access: a client
  // may lend a bitstream that nobody can write to. Fails with kOutOfMemory if
  // the session or its client has too many already.
  Status Find(uint32_t id, BufferAccess access,
              std::shared_ptr<Buffer>* buffer);
  void Forget(uint32_t id) { buffers_.erase(id); }

  size_t size() const { return buffers_.size(); }
  uint64_t imports() const { return imports_; }

 private:
  const BufferResources shared_;
  std::unordered_map<uint32_t, std::shared_ptr<Buffer>> buffers_;
  uint64_t imports_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_BUFFER_TABLE_H_
