// SPDX-License-Identifier: BSD-2-Clause
#include "engine/picture_access.h"

#include <new>
#include <string>

#include "kernels/gpu/frame_input.h"

namespace perdix {
namespace {

Status Access(const FrameJob& job, Picture& picture, CpuAccess access) {
  const auto& cpu_access = job.request.cpu_access;
  const Status status = cpu_access ? cpu_access(picture, access) : Status::Ok();
  if (access == CpuAccess::kBegin && status.ok()) picture.gpu_wrote = false;
  return status;
}

// What is wrong with the pictures that the frame depends on is wrong with it.
void TakeOver(FrameJob& job) {
  bool broken = false, damaged = false;
  const auto check = [&](const Picture& picture) {
    broken |= picture.broken.load(std::memory_order_acquire);
    damaged |= picture.damaged.load(std::memory_order_acquire);
  };
  ForEachReference(job.params, [&](uint32_t i) {
    if (job.used_references >> i & 1) check(*job.request.references[i]);
  });
  if (job.parse_sources.whole) check(*job.parse_sources.whole);
  for (const PicturePtr& picture : job.parse_sources.by_row) check(*picture);
  if (broken) {
    job.Fail({StatusCode::kMissingReference,
              "a reference frame failed after this one had begun"});
  } else if (damaged) {
    job.MarkDamaged(
        {StatusCode::kMissingReference, "a reference frame is damaged"});
  }
}

}  // namespace

bool CpuReadsCached(const Picture& picture) {
  const auto& gpu = picture.memory.gpu;
  return gpu == nullptr || gpu->data() == nullptr || gpu->cached();
}

bool AllReached(const FrameJob& job, bool (*reach)(const Picture&)) {
  const FrameRequest& request = job.request;
  bool all = reach(*request.target);
  if (request.display) all = all && reach(*request.display);
  ForEachReference(job.params, [&](uint32_t i) {
    all = all && reach(*request.references[i]);
  });
  return all;
}

bool SharesMemory(const Picture& a, const Picture& b) {
  if (&a == &b) return true;
  if (a.take_memory || b.take_memory) return false;
  return a.memory.data == b.memory.data;
}

bool Touches(const FrameJob& job, const Picture& picture) {
  const FrameRequest& request = job.request;
  bool touches = SharesMemory(picture, *request.target) ||
                 (request.display && SharesMemory(picture, *request.display));
  ForEachReference(job.params, [&](uint32_t i) {
    touches |= SharesMemory(picture, *request.references[i]);
  });
  return touches;
}

Status NoMemory(const FrameParams& params) {
  return {StatusCode::kOutOfMemory, "not enough memory for a frame of " +
                                        std::to_string(params.width) + "x" +
                                        std::to_string(params.height)};
}

Status BeginPictures(const FrameJob& job) {
  try {
    TakeMemory(*job.request.target);
    if (job.request.display) TakeMemory(*job.request.display);
  } catch (const std::bad_alloc&) {
    return NoMemory(job.params);
  }
  return BeginReferences(job);
}

Status BeginReferences(const FrameJob& job) {
  Status status;
  ForEachReference(job.params, [&](uint32_t i) {
    Picture& picture = *job.request.references[i];
    if (!status.ok()) return;
    if (picture.memory.data == nullptr) {
      status = {StatusCode::kMissingReference,
                "there was no memory for a reference frame"};
    } else if (picture.gpu_wrote) {
      status = Access(job, picture, CpuAccess::kBegin);
    }
  });
  return status;
}

void CheckReferences(FrameJob& job) {
  if (!job.failed()) TakeOver(job);
  Picture& target = *job.request.target;
  if (job.failed()) {
    target.broken.store(true, std::memory_order_release);
  } else if (job.damaged()) {
    target.damaged.store(true, std::memory_order_release);
  }
}

Status AccessTarget(const FrameJob& job, CpuAccess access) {
  const FrameRequest& request = job.request;
  Status status = Access(job, *request.target, access);
  if (!status.ok() || !request.display) return status;
  return Access(job, *request.display, access);
}

}  // namespace perdix
