// SPDX-License-Identifier: BSD-2-Clause
#include "measure/gpu_probe/shared_memory.h"

#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace perdix::probe {
namespace {

constexpr const char* kUdmabuf = "/dev/udmabuf";
constexpr const char* kHeaps[] = {"/dev/dma_heap/system",
                                  "/dev/dma_heap/linux,cma"};

// A dma-buf of pages of a memfd; -1: errno says why not.
int FromUdmabuf(size_t bytes) {
  const int device = open(kUdmabuf, O_RDWR | O_CLOEXEC);
  if (device < 0) return -1;
  const int pages = memfd_create("probe", MFD_ALLOW_SEALING | MFD_CLOEXEC);
  udmabuf_create create = {};
  create.memfd = static_cast<uint32_t>(pages);
  create.flags = UDMABUF_FLAGS_CLOEXEC;
  create.size = bytes;
  const bool ready = pages >= 0 &&
                     ftruncate(pages, static_cast<off_t>(bytes)) == 0 &&
                     fcntl(pages, F_ADD_SEALS, F_SEAL_SHRINK) == 0;
  const int fd = ready ? ioctl(device, UDMABUF_CREATE, &create) : -1;
  const int error = errno;
  if (pages >= 0) close(pages);
  close(device);
  errno = error;
  return fd;
}

int FromHeap(const char* path, size_t bytes) {
  const int device = open(path, O_RDONLY | O_CLOEXEC);
  if (device < 0) return -1;
  dma_heap_allocation_data data = {};
  data.len = bytes;
  data.fd_flags = O_RDWR | O_CLOEXEC;
  const int result = ioctl(device, DMA_HEAP_IOCTL_ALLOC, &data);
  const int error = errno;
  close(device);
  errno = error;
  return result < 0 ? -1 : static_cast<int>(data.fd);
}

void Sync(int fd, uint64_t flags) {
  dma_buf_sync sync = {};
  sync.flags = flags | DMA_BUF_SYNC_READ;
  ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

std::string Why(const char* path) {
  return std::string(path) + ": " + std::strerror(errno);
}

}  // namespace

Status SharedMemory::Make(size_t bytes, std::unique_ptr<SharedMemory>* memory) {
  const char* source = kUdmabuf;
  int fd = FromUdmabuf(bytes);
  std::string why = Why(source);
  for (const char* const heap : kHeaps) {
    if (fd >= 0) break;
    source = heap;
    fd = FromHeap(heap, bytes);
    why += "; " + Why(heap);
  }
  if (fd < 0) return {StatusCode::kUnsupported, "no dma-buf: " + why};
  std::unique_ptr<SharedMemory> made(new SharedMemory(fd, bytes, source));
  void* const data =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (data == MAP_FAILED) return {StatusCode::kUnsupported, Why("mmap")};
  made->data_ = static_cast<uint8_t*>(data);
  *memory = std::move(made);
  return Status::Ok();
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
  close(fd_);
}

void SharedMemory::BeginReading() const { Sync(fd_, DMA_BUF_SYNC_START); }
void SharedMemory::EndReading() const { Sync(fd_, DMA_BUF_SYNC_END); }

}  // namespace perdix::probe
