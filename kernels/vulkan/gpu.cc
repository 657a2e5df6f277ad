// SPDX-License-Identifier: BSD-2-Clause
// The parts put together as a Gpu.
#include "kernels/vulkan/gpu.h"

#include <atomic>
#include <utility>

#include "kernels/gpu/kernel_work.h"
#include "kernels/vulkan/device.h"
#include "kernels/vulkan/dma_buf.h"
#include "kernels/vulkan/frame_runner.h"
#include "kernels/vulkan/memory.h"
#include "kernels/vulkan/overheads.h"
#include "kernels/vulkan/programs.h"
#include "kernels/vulkan/quality_runner.h"
#include "kernels/vulkan/readback.h"
#include "kernels/vulkan/submit_queue.h"

namespace perdix::vulkan {
namespace {

Status CheckRange(const gpu::Memory& memory, size_t offset, size_t size) {
  if (offset <= memory.size() && size <= memory.size() - offset) {
    return Status::Ok();
  }
  return {StatusCode::kInvalidArgument,
          "bytes to copy: got " + std::to_string(size) + " at " +
              std::to_string(offset) + ", there are " +
              std::to_string(memory.size())};
}

class VulkanGpu : public Gpu {
 public:
  VulkanGpu(std::unique_ptr<Device> device, const GpuOptions& options)
      : device_(std::move(device)),
        refuse_dma_bufs_(options.test_hooks.refuse_dma_bufs),
        programs_(*device_, options),
        queue_(*device_, options.test_hooks.lose_at_submit),
        readback_(*device_, queue_) {}

  Status Open() {
    if (Status status = programs_.Open(); !status.ok()) return status;
    return queue_.Open();
  }

  const GpuIdentity& identity() const override { return device_->identity; }
  bool Ready(KernelId kernel, const FrameParams& params) override {
    const ProgramGroup group = GroupOf(kernel, params);
    programs_.Prepare(kMetricsGroup);
    programs_.Prepare(group);
    return programs_.ready(kMetricsGroup) && programs_.ready(group);
  }
  void WaitReady(KernelId kernel, const FrameParams& params) override {
    programs_.Prepare(kMetricsGroup);
    programs_.Prepare(GroupOf(kernel, params));
    programs_.Wait(kMetricsGroup);
    programs_.Wait(GroupOf(kernel, params));
  }
  bool compiling() const override { return programs_.compiling(); }
  bool lost() const override { return removed_ || queue_.lost(); }
  void MarkRemoved() override { removed_ = true; }
  uint64_t validation_messages() const override {
    return device_->instance->messages();
  }
  bool Supports(KernelId kernel, const FrameParams& params) const override {
    return gpu::CheckParams(kernel, params).ok() &&
           gpu::CheckDevice(kernel, device_->traits).ok();
  }

  Status ImportDmaBuf(int fd, size_t size, gpu::MemoryPtr* memory) override {
    if (refuse_dma_bufs_) {
      return {StatusCode::kUnsupported,
              name() + " refused a dma-buf: as the test asked"};
    }
    return vulkan::ImportDmaBuf(*device_, fd, size, memory);
  }

  Status Allocate(size_t size, Placement placement,
                  gpu::MemoryPtr* memory) override {
    const bool shared = placement == Placement::kShared;
    Buffer buffer;
    if (Status status = MakeBuffer(
            *device_, size, shared ? MemoryUse::kShared : MemoryUse::kDevice,
            shared ? "shared picture" : "picture", &buffer);
        !status.ok()) {
      return status;
    }
    *memory =
        std::make_shared<Memory>(std::move(buffer), size, shared, nullptr);
    return Status::Ok();
  }

  Status Read(const gpu::Memory& memory, size_t offset,
              std::span<uint8_t> bytes) override {
    if (Status status = CheckRange(memory, offset, bytes.size());
        !status.ok()) {
      return status;
    }
    bytes_read_ += bytes.size();
    return readback_.Read(MemoryOf(memory).buffer(), offset, bytes);
  }
  uint64_t bytes_read() const override { return bytes_read_; }

  Status Write(gpu::Memory& memory, size_t offset,
               std::span<const uint8_t> bytes) override {
    if (Status status = CheckRange(memory, offset, bytes.size());
        !status.ok()) {
      return status;
    }
    return readback_.Write(MemoryOf(memory).buffer(), offset, bytes);
  }

  Status MeasureOverheads(GpuOverheads* overheads) override {
    return vulkan::MeasureOverheads(*device_, queue_, overheads);
  }

  std::unique_ptr<GpuFrame> NewFrame() override {
    return std::make_unique<FrameRunner>(*device_, programs_, queue_);
  }
  std::unique_ptr<GpuQuality> NewQuality() override {
    return std::make_unique<QualityRunner>(*device_, programs_, queue_);
  }

 private:
  const std::unique_ptr<Device> device_;  // outlives what is made of it
  const bool refuse_dma_bufs_;
  std::atomic<bool> removed_{false};
  std::atomic<uint64_t> bytes_read_{0};
  Programs programs_;
  SubmitQueue queue_;
  Readback readback_;
};

}  // namespace

std::vector<GpuDescription> Gpu::List(const GpuOptions& options) {
  return ListDevices(options.device);
}

Status Gpu::Open(const GpuOptions& options, std::unique_ptr<Gpu>* gpu) {
  std::unique_ptr<Device> device;
  if (Status status = OpenDevice(options.device, options.validate, &device);
      !status.ok()) {
    return status;
  }
  if (const uint32_t most = options.test_hooks.max_workgroups; most != 0) {
    device->properties.limits.maxComputeWorkGroupCount[0] = most;
  }
  auto made = std::make_unique<VulkanGpu>(std::move(device), options);
  if (Status status = made->Open(); !status.ok()) return status;
  *gpu = std::move(made);
  return Status::Ok();
}

}  // namespace perdix::vulkan
