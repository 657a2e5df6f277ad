// SPDX-License-Identifier: BSD-2-Clause
#include "engine/self_check.h"

#include <cstring>
#include <new>
#include <vector>

#include "engine/frame_job.h"
#include "engine/read_picture.h"
#include "kernels/metrics/checksum.h"
#include "kernels/whole_frame.h"

namespace perdix {
namespace {

Status NoMemory() {
  return {StatusCode::kOutOfMemory, "no memory to check a frame with"};
}

// All that decoding may write.
void CopyPixels(const PictureView& from, const Picture& to) {
  const PictureLayout& layout = to.layout;
  const uint32_t sample_bytes = from.bit_depth > 8 ? 2 : 1;
  const uint32_t luma_bytes = layout.max_width * sample_bytes;
  const uint32_t row_bytes[kPlaneCount] = {
      luma_bytes, 2 * (luma_bytes >> from.subsampling_x)};
  const uint32_t rows[kPlaneCount] = {layout.max_height,
                                      layout.max_height >> from.subsampling_y};
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t y = 0; y < rows[plane]; ++y) {
      std::memcpy(to.view.planes[plane].Row<uint8_t>(y),
                  from.planes[plane].Row<uint8_t>(y), row_bytes[plane]);
    }
  }
}

Status CopyPicture(vulkan::Gpu& gpu, const Picture& picture, PicturePtr* copy) {
  if (picture.memory.data == nullptr) return ReadPicture(gpu, picture, copy);
  const PictureView& view = picture.view;
  const PicturePtr made =
      NewHeapPicture(view.width, view.height, view.bit_depth,
                     view.subsampling_x, view.subsampling_y);
  Status status = SetView(*made, view.width, view.height, view.bit_depth,
                          view.subsampling_x, view.subsampling_y);
  if (!status.ok()) return status;
  CopyPixels(view, *made);
  *copy = made;
  return status;
}

// The references' pixels where the CPU can read them.
class Readable {
 public:
  explicit Readable(const FrameRequest& request) : request_(request) {}
  Status Open(vulkan::Gpu& gpu, const FrameJob& job, KernelArgs* args) {
    Status status;
    ForEachReference(job.params, [&](uint32_t i) {
      if (!status.ok()) return;
      const PicturePtr& picture = job.request.references[i];
      if (picture->memory.data == nullptr) {
        status = ReadPicture(gpu, *picture, &copies_[i]);
        if (status.ok()) args->references[i] = copies_[i]->view;
      } else if (request_.cpu_access) {
        status = request_.cpu_access(*picture, CpuAccess::kBegin);
        if (status.ok()) begun_[i] = picture;
      }
    });
    return status;
  }
  ~Readable() {
    for (const PicturePtr& picture : begun_) {
      // what the CPU only read is there for the GPU in any case
      if (picture) (void)request_.cpu_access(*picture, CpuAccess::kEnd);
    }
  }

 private:
  const FrameRequest& request_;
  std::array<PicturePtr, kMaxReferences> copies_;
  std::array<PicturePtr, kMaxReferences> begun_;
};

uint32_t FirstGpuStage(const FramePlan& plan) {
  return plan.segments[plan.segments[0].gpu ? 0 : 1].begin;
}

Status Compare(vulkan::Gpu& gpu, FrameJob& job, const SelfCheck& check,
               std::optional<uint32_t>* stage) {
  KernelArgs args = job.Args();
  args.target = check.target->view;
  if (check.display) args.display = check.display->view;
  Readable references(job.request);
  Status status = references.Open(gpu, job, &args);
  if (!status.ok()) return status;
  std::vector<WorkLists> tiles;
  for (uint32_t i = 0; i < job.tile_cols; ++i) {
    tiles.push_back(job.tiles[i].Written());
  }
  for (uint32_t i = FirstGpuStage(job.plan); i < job.plan.stage_count; ++i) {
    const PlannedStage& planned = job.plan.stages[i];
    RunWholeFrame(planned.kernel, planned.function, args, tiles);
    const bool shown =
        RowOf(planned.kernel).picture == WrittenPicture::kDisplay;
    if (!job.plan.OnGpu(i) ||
        PictureChecksum(shown ? args.display : args.target) ==
            check.checksums[i]) {
      continue;
    }
    *stage = i;
    break;
  }
  return status;
}

}  // namespace

Status KeepPictures(vulkan::Gpu& gpu, const FrameJob& job, SelfCheck& check) {
  try {
    check.display = nullptr;
    if (Status status = CopyPicture(gpu, *job.request.target, &check.target);
        !status.ok() || !job.request.display) {
      return status;
    }
    return CopyPicture(gpu, *job.request.display, &check.display);
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

Status FindWrongStage(vulkan::Gpu& gpu, FrameJob& job, const SelfCheck& check,
                      std::optional<uint32_t>* stage) {
  try {
    return Compare(gpu, job, check, stage);
  } catch (const std::bad_alloc&) {
    return NoMemory();
  }
}

}  // namespace perdix
