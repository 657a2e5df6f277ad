// SPDX-License-Identifier: BSD-2-Clause
#include "codec/picture_access.h"

#include <new>
#include <string>

namespace perdix {
namespace {

Status Access(const FrameJob& job, Picture& picture, CpuAccess access) {
  const auto& cpu_access = job.request.cpu_access;
  const Status status = cpu_access ? cpu_access(picture, access) : Status::Ok();
  if (access == CpuAccess::kBegin && status.ok()) picture.gpu_wrote = false;
  return status;
}

}  // namespace

bool AllReached(const FrameJob& job, bool (*reach)(const Picture&)) {
  if (!reach(*job.request.target)) return false;
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (!job.params.references[i].valid) continue;
    if (!reach(*job.request.references[i])) return false;
  }
  return true;
}

Status NoMemory(const FrameParams& params) {
  return {StatusCode::kOutOfMemory, "not enough memory for a frame of " +
                                        std::to_string(params.width) + "x" +
                                        std::to_string(params.height)};
}

Status BeginPictures(const FrameJob& job) {
  try {
    TakeMemory(*job.request.target);
  } catch (const std::bad_alloc&) {
    return NoMemory(job.params);
  }
  return BeginReferences(job);
}

Status BeginReferences(const FrameJob& job) {
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (!job.params.references[i].valid) continue;
    Picture& picture = *job.request.references[i];
    if (picture.memory.data == nullptr) {
      return {StatusCode::kMissingReference,
              "there was no memory for a reference frame"};
    }
    if (!picture.gpu_wrote) continue;
    Status status = Access(job, picture, CpuAccess::kBegin);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

Status CheckReferences(const FrameJob& job) {
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    if (!job.params.references[i].valid) continue;
    if (job.request.references[i]->broken.load(std::memory_order_acquire)) {
      return {StatusCode::kMissingReference,
              "a reference frame failed after this one had begun"};
    }
  }
  return Status::Ok();
}

Status AccessTarget(const FrameJob& job, CpuAccess access) {
  return Access(job, *job.request.target, access);
}

}  // namespace perdix
