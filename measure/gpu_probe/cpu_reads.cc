// SPDX-License-Identifier: BSD-2-Clause
#include "measure/gpu_probe/cpu_reads.h"

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>

#include "kernels/vulkan/dma_buf.h"
#include "measure/gpu_probe/shared_memory.h"

namespace perdix::probe {
namespace {

using vulkan::Buffer;
using vulkan::MemoryUse;

// The GPU fills the buffer, then read() is timed, which copies all of it.
Status Repeat(Gpu& gpu, const Buffer& buffer, int repeats,
              const std::function<void()>& read, CpuReads* reads) {
  for (int i = -1; i < repeats; ++i) {
    const auto value = static_cast<uint32_t>(i);
    if (Status status = gpu.Fill(buffer, value); !status.ok()) return status;
    const auto start = std::chrono::steady_clock::now();
    read();
    const std::chrono::nanoseconds spent =
        std::chrono::steady_clock::now() - start;
    if (i < 0) continue;
    reads->nanoseconds.push_back(static_cast<uint64_t>(spent.count()));
  }
  return Status::Ok();
}

Status ReadBuffer(Gpu& gpu, MemoryUse use, int repeats, CpuReads* reads) {
  Buffer buffer;
  if (Status status =
          MakeBuffer(gpu.device(), reads->bytes, use, "read", &buffer);
      !status.ok()) {
    return status;
  }
  if (buffer.data == nullptr) {
    return {StatusCode::kUnsupported, "the CPU does not see this memory"};
  }
  std::vector<uint8_t> copy(reads->bytes);
  return Repeat(
      gpu, buffer, repeats,
      [&] {
        Invalidate(gpu.device(), buffer);
        std::memcpy(copy.data(), buffer.data, copy.size());
      },
      reads);
}

Status ReadDmaBuf(Gpu& gpu, int repeats, CpuReads* reads) {
  std::unique_ptr<SharedMemory> shared;
  if (Status status = SharedMemory::Make(reads->bytes, &shared); !status.ok()) {
    return status;
  }
  reads->source = shared->source();
  gpu::MemoryPtr memory;
  if (Status status = vulkan::ImportDmaBuf(gpu.device(), shared->fd(),
                                           reads->bytes, &memory);
      !status.ok()) {
    return status;
  }
  std::vector<uint8_t> copy(reads->bytes);
  return Repeat(
      gpu, vulkan::MemoryOf(*memory).buffer(), repeats,
      [&] {
        shared->BeginReading();
        std::memcpy(copy.data(), shared->data(), copy.size());
        shared->EndReading();
      },
      reads);
}

}  // namespace

std::vector<CpuReads> MeasureCpuReads(Gpu& gpu, size_t bytes, int repeats) {
  std::vector<CpuReads> all(3);
  for (CpuReads& reads : all) reads.bytes = bytes;
  all[0].memory = "device";
  all[0].status = ReadBuffer(gpu, MemoryUse::kDevice, repeats, &all[0]);
  all[1].memory = "cached";
  all[1].status = ReadBuffer(gpu, MemoryUse::kShared, repeats, &all[1]);
  all[2].memory = "dma_buf";
  all[2].status = ReadDmaBuf(gpu, repeats, &all[2]);
  return all;
}

}  // namespace perdix::probe
