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

// "10 bits, 4:2:0"
std::string FormatOf(const FrameParams& params) {
  const char* const chroma = params.subsampling_y   ? "4:2:0"
                             : params.subsampling_x ? "4:2:2"
                                                    : "4:4:4";
  return std::to_string(params.bit_depth) + " bits, " + chroma;
}

}  // namespace

Status GpuFrame::Make(vulkan::Gpu& gpu, const CapturedFrame& frame,
                      KernelId kernel, Placement placement,
                      std::unique_ptr<GpuFrame>* made) {
  if (!gpu.Supports(kernel, frame.params)) {
    return {StatusCode::kUnsupported,
            "not on this GPU for " + FormatOf(frame.params)};
  }
  gpu.WaitReady(kernel, frame.params);
  std::unique_ptr<GpuFrame> result(new GpuFrame(gpu, frame));
  if (Status status = result->Upload(placement); !status.ok()) return status;
  *made = std::move(result);
  return Status::Ok();
}

Status GpuFrame::NewPicture(const CapturedPicture& captured,
                            Placement placement, gpu::Picture* picture) {
  gpu::MemoryPtr memory;
  const Status status = gpu_.Allocate(captured.bytes, placement, &memory);
  if (!status.ok()) return status;
  *picture = InMemory(captured.view, captured.layout, std::move(memory));
  return status;
}

Status GpuFrame::Upload(Placement placement) {
  for (const CapturedTile& tile : frame_.tiles) tiles_.push_back(tile.View());
  input_.params = &frame_.params;
  input_.tiles = tiles_;
  input_.codec = &frame_.codec_params;
  input_.filter_lag = frame_.filter_lag;
  input_.coded_planes = frame_.coded_planes;
  Status status = NewPicture(frame_.target, placement, &input_.target);
  if (status.ok() && frame_.display) {
    status = NewPicture(*frame_.display, placement, &input_.display);
  }
  if (!status.ok()) return status;
  gpu::MemoryPtr memory;
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

Status GpuFrame::Fill(const FrameState& state) {
  tables_ = state.tables;
  input_.tables = tables_.View();
  Status status = gpu_.Write(*input_.target.memory, 0, *state.target);
  if (!status.ok() || !frame_.display) return status;
  return gpu_.Write(*input_.display.memory, 0, *state.display);
}

Status GpuFrame::Read(KernelId kernel, std::vector<uint8_t>* bytes) {
  const bool shown = RowOf(kernel).picture == WrittenPicture::kDisplay;
  bytes->resize(frame_.WrittenBy(kernel).bytes);
  return gpu_.Read(*(shown ? input_.display : input_.target).memory, 0, *bytes);
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
