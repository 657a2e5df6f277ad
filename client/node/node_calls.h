// SPDX-License-Identifier: BSD-2-Clause
// The kernel as a node's client calls it. Tests play it.
#ifndef PERDIX_CLIENT_NODE_NODE_CALLS_H_
#define PERDIX_CLIENT_NODE_NODE_CALLS_H_

#include <poll.h>

#include <cstddef>
#include <cstdint>

namespace perdix::client {

class NodeCalls {
 public:
  virtual ~NodeCalls() = default;
  // ioctl(), poll() of one descriptor, mmap() to read and write, munmap().
  // errno says why one failed.
  virtual int Ioctl(int fd, unsigned long request, void* argument) = 0;
  virtual int Poll(pollfd* wait, int timeout_ms) = 0;
  virtual void* Map(size_t bytes, int fd, int64_t offset) = 0;
  virtual void Unmap(void* data, size_t bytes) = 0;

  // The kernel's own, by way of libv4l2.
  static NodeCalls& Kernel();
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_NODE_NODE_CALLS_H_
