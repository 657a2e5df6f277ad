// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/frame_work.h"

#include "kernels/gpu/input_check.h"
#include "kernels/gpu/metrics.h"

namespace perdix::gpu {
namespace {

PictureId WrittenBy(KernelId kernel) {
  return RowOf(kernel).picture == WrittenPicture::kDisplay ? PictureId::kDisplay
                                                           : PictureId::kTarget;
}

}  // namespace

Status FrameWork::Build(const FrameInput& input,
                        std::span<const KernelId> stages, uint64_t max_range) {
  if (Status status = CheckInput(input, stages, max_range); !status.ok()) {
    return status;
  }
  for (const KernelId stage : stages) {
    if (Status status = CheckDevice(stage, traits_); !status.ok()) {
      return status;
    }
  }
  work_.Clear();
  for (uint32_t i = 0; i < stages.size(); ++i) {
    const uint32_t barriers = work_.barriers();
    const uint32_t dispatches = work_.dispatches();
    if (Status status = WorkOf(stages[i]).Build(input, &work_); !status.ok()) {
      return status;
    }
    const EndOfStage stage = {work_.barriers() - barriers,
                              work_.dispatches() - dispatches};
    if (input.checksums)
      AddChecksum(traits_, input, WrittenBy(stages[i]), i, &work_);
    work_.EndStage(stage);
  }
  AddLuma(traits_, input, &work_);
  return Status::Ok();
}

KernelWork& FrameWork::WorkOf(KernelId kernel) {
  std::unique_ptr<KernelWork>& work = kernels_[size_t(kernel)];
  if (work == nullptr) work = FindGpuKernel(kernel)->make(traits_);
  return *work;
}

}  // namespace perdix::gpu
