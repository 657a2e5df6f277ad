// SPDX-License-Identifier: BSD-2-Clause
#include "client/node/node_calls.h"

#include <libv4l2.h>
#include <sys/mman.h>

namespace perdix::client {
namespace {

class KernelCalls : public NodeCalls {
  int Ioctl(int fd, unsigned long request, void* argument) override {
    return v4l2_ioctl(fd, request, argument);
  }
  int Poll(pollfd* wait, int timeout_ms) override {
    return poll(wait, 1, timeout_ms);
  }
  void* Map(size_t bytes, int fd, int64_t offset) override {
    return v4l2_mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                     offset);
  }
  void Unmap(void* data, size_t bytes) override { v4l2_munmap(data, bytes); }
};

}  // namespace

NodeCalls& NodeCalls::Kernel() {
  static KernelCalls calls;
  return calls;
}

}  // namespace perdix::client
