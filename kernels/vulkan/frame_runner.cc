// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/frame_runner.h"

#include <cassert>
#include <utility>

#include "kernels/vulkan/commands.h"
#include "kernels/vulkan/executor.h"

namespace perdix::vulkan {

FrameRunner::~FrameRunner() { assert(!in_flight_); }

Status FrameRunner::Open() {
  if (commands_ != VK_NULL_HANDLE) return Status::Ok();
  if (Status status = timestamps_.Open(); !status.ok()) return status;
  if (Status status = sets_.Open(programs_.set_layout()); !status.ok()) {
    return status;
  }
  return MakeCommands(device_, &command_pool_, &commands_);
}

Status FrameRunner::Prepare(const gpu::FrameInput& input,
                            std::span<const KernelId> stages) {
  assert(!in_flight_);
  memories_ = {};
  if (queue_.lost()) return {StatusCode::kDeviceLost, "the GPU is lost"};
  if (Status status = work_.Build(
          input, stages, device_.properties.limits.maxStorageBufferRange);
      !status.ok()) {
    return status;
  }
  if (Status status = CheckReady(input, stages); !status.ok()) return status;
  if (Status status = Write(input, stages.size()); !status.ok()) {
    return status;
  }
  if (Status status = Record(); !status.ok()) return status;
  Keep(input);
  begun_ = input.begun;
  return Status::Ok();
}

Status FrameRunner::Submit(std::function<void(const GpuFrameResult&)> done) {
  assert(!in_flight_);
  FlushPictures();
  done_ = std::move(done);
  in_flight_ = true;
  const Status status = queue_.Submit(
      commands_, [this](const Status& outcome) { Finish(outcome); });
  if (!status.ok()) {
    memories_ = {};
    done_ = nullptr;
    in_flight_ = false;
  }
  return status;
}

Status FrameRunner::CheckReady(const gpu::FrameInput& input,
                               std::span<const KernelId> stages) {
  groups_.clear();
  for (const KernelId stage : stages) {
    groups_.push_back(GroupOf(stage, *input.params));
  }
  const auto check = [this](ProgramGroup group) -> Status {
    if (programs_.ready(group)) return programs_.status(group);
    return {StatusCode::kUnsupported, "programs are still being compiled"};
  };
  Status status = check(kMetricsGroup);
  for (size_t i = 0; status.ok() && i < groups_.size(); ++i) {
    status = check(groups_[i]);
  }
  return status;
}

// All that the command buffer names.
Status FrameRunner::Write(const gpu::FrameInput& input, size_t stages) {
  const gpu::Work& work = work_.work();
  if (Status status = Open(); !status.ok()) return status;
  if (Status status = staging_.Write(work, input); !status.ok()) return status;
  if (Status status = ReserveScratch(work.scratch_bytes()); !status.ok()) {
    return status;
  }
  if (Status status = metrics_.Set(input, stages, work.partials());
      !status.ok()) {
    return status;
  }
  return sets_.Set(
      work, input,
      {staging_, scratch_, metrics_.partials(), metrics_.results()});
}

Status FrameRunner::ReserveScratch(VkDeviceSize bytes) {
  if (bytes <= scratch_.size) return Status::Ok();
  return MakeBuffer(device_, bytes, MemoryUse::kDevice, "scratch", &scratch_);
}

Status FrameRunner::Record() {
  return Executor(device_, commands_, programs_, sets_, timestamps_)
      .Record(command_pool_.get(), work_.work(), groups_);
}

// The memory must live until the frame is done.
void FrameRunner::Keep(const gpu::FrameInput& input) {
  memories_[0] = input.target.memory;
  memories_[1] = input.display.memory;
  for (size_t i = 0; i < input.references.size(); ++i) {
    memories_[2 + i] = input.references[i].memory;
  }
  memories_.back() = input.previous.memory;
}

// What the CPU wrote there must be seen.
void FrameRunner::FlushPictures() const {
  for (const gpu::MemoryPtr& memory : memories_) {
    if (memory != nullptr) Flush(device_, MemoryOf(*memory).buffer());
  }
}

void FrameRunner::CountSteps(GpuFrameResult* result) const {
  size_t stage = 0;
  for (const gpu::Command& command : work_.work().commands()) {
    if (const auto* const end = std::get_if<gpu::EndOfStage>(&command)) {
      result->steps[stage] = end->steps;
      result->dispatches[stage++] = end->dispatches;
    }
  }
}

void FrameRunner::Finish(const Status& status) {
  GpuFrameResult result;
  result.status = status;
  if (status.ok()) {
    for (const gpu::MemoryPtr& written : std::span(memories_).first(2)) {
      if (written != nullptr) Invalidate(device_, MemoryOf(*written).buffer());
    }
    timestamps_.Read(groups_.size(), begun_, &result);
    CountSteps(&result);
    metrics_.Read(&result);
  }
  memories_ = {};
  // From here on the frame may be used again, by done too.
  const std::function<void(const GpuFrameResult&)> done = std::move(done_);
  in_flight_ = false;
  done(result);
}

}  // namespace perdix::vulkan
