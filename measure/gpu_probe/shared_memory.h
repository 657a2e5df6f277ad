// SPDX-License-Identifier: BSD-2-Clause
// A dma-buf that nobody else has, of /dev/udmabuf or a heap.
#ifndef PERDIX_MEASURE_GPU_PROBE_SHARED_MEMORY_H_
#define PERDIX_MEASURE_GPU_PROBE_SHARED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "kernels/status.h"

namespace perdix::probe {

class SharedMemory {
 public:
  // Fails with kUnsupported, saying why each way failed.
  static Status Make(size_t bytes, std::unique_ptr<SharedMemory>* memory);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int fd() const { return fd_; }
  const uint8_t* data() const { return data_; }
  const std::string& source() const { return source_; }

  // Around what the CPU reads.
  void BeginReading() const;
  void EndReading() const;

 private:
  SharedMemory(int fd, size_t bytes, std::string source)
      : fd_(fd), bytes_(bytes), source_(std::move(source)) {}

  const int fd_;  // owned
  const size_t bytes_;
  const std::string source_;  // the device that it is from
  uint8_t* data_ = nullptr;   // mapped
};

}  // namespace perdix::probe

#endif  // PERDIX_MEASURE_GPU_PROBE_SHARED_MEMORY_H_
