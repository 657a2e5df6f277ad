// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/gpu_frame.h"

#include <future>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace perdix::bench {
namespace {

gpu::Picture InMemory(const PictureView& view, const PictureLayout& layout,
                      gpu::MemoryPtr memory) {
  return {view,
          {uint32_t(layout.luma_offset), uint32_t(layout.chroma_offset),
           layout.stride_bytes, layout.chroma_stride_bytes},
          std::move(memory)};
}

}  // namespace

Status GpuFrame::Make(vulkan::Gpu& gpu, const CapturedFrame& frame,
                      Placement placement, std::unique_ptr<GpuFrame>* made) {
  for (uint32_t i = 0; i < frame.plan.stage_count; ++i) {
    const KernelId kernel = frame.plan.kernels[i];
    if (gpu.Supports(kernel, frame.params)) {
      gpu.WaitReady(kernel, frame.params);
      continue;
    }
    return {StatusCode::kUnsupported,
            "the GPU takes no frames of " +
                std::to_string(frame.params.bit_depth) + " bits"};
  }
  std::unique_ptr<GpuFrame> result(new GpuFrame(gpu, frame));
  if (Status status = result->Upload(placement); !status.ok()) return status;
  *made = std::move(result);
  return Status::Ok();
}

Status GpuFrame::Upload(Placement placement) {
  for (const CapturedTile& tile : frame_.tiles) tiles_.push_back(tile.View());
  input_.params = &frame_.params;
  input_.tiles = tiles_;
  input_.codec = &frame_.codec_params;
  input_.tables = tables_.View();
  gpu::MemoryPtr memory;
  Status status = gpu_.Allocate(frame_.target_bytes, placement, &memory);
  if (!status.ok()) return status;
  input_.target = InMemory(frame_.view, frame_.layout, memory);
  for (size_t i = 0; i < frame_.references.size(); ++i) {
    if (!frame_.references[i]) continue;
    const Picture& picture = *frame_.references[i];
    status = gpu_.Allocate(picture.memory.size, placement, &memory);
    if (!status.ok()) return status;
    status = gpu_.Write(*memory, 0, {picture.memory.data, picture.memory.size});
    if (!status.ok()) return status;
    input_.references[i] = InMemory(picture.view, picture.layout, memory);
  }
  return Status::Ok();
}

Status GpuFrame::Fill(const std::vector<uint8_t>& bytes) {
  return gpu_.Write(*input_.target.memory, 0, bytes);
}

Status GpuFrame::Read(std::vector<uint8_t>* bytes) {
  bytes->resize(frame_.target_bytes);
  return gpu_.Read(*input_.target.memory, 0, *bytes);
}

Status GpuFrame::Run(KernelId kernel, uint64_t* nanoseconds) {
  // Shared: get() may return before set_value() does.
  const auto promise = std::make_shared<std::promise<vulkan::GpuFrameResult>>();
  Status status = runner_->Prepare(input_, std::span(&kernel, 1));
  if (!status.ok()) return status;
  status = runner_->Submit([promise](const vulkan::GpuFrameResult& result) {
    promise->set_value(result);
  });
  if (!status.ok()) return status;
  const vulkan::GpuFrameResult result = promise->get_future().get();
  *nanoseconds = result.nanoseconds[0];
  return result.status;
}

}  // namespace perdix::bench
