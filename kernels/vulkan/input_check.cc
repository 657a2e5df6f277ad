// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/input_check.h"

#include <algorithm>
#include <string>

#include "kernels/vp9/decoded_area.h"

namespace perdix::vulkan {
namespace {

constexpr uint32_t kAlignment = 16;  // bytes; see PlaneOffsets

Status Bad(StatusCode code, const std::string& what, uint64_t got,
           const std::string& needed) {
  return {code, what + ": got " + std::to_string(got) + ", needed " + needed};
}

// rows: of the plane, in the picture's memory.
Status CheckPlane(const std::string& what, uint64_t offset, uint64_t stride,
                  uint64_t rows, uint64_t row_bytes, uint64_t memory_size) {
  if (offset % kAlignment != 0) {
    return Bad(StatusCode::kUnsupported, what + " offset", offset,
               "a multiple of 16 bytes");
  }
  if (stride % kAlignment != 0) {
    return Bad(StatusCode::kUnsupported, what + " stride", stride,
               "a multiple of 16 bytes");
  }
  if (stride < row_bytes) {
    return Bad(StatusCode::kInvalidArgument, what + " stride", stride,
               "at least " + std::to_string(row_bytes));
  }
  if (offset + stride * rows > memory_size) {
    return Bad(StatusCode::kInvalidArgument, what + " end",
               offset + stride * rows,
               "at most " + std::to_string(memory_size));
  }
  return Status::Ok();
}

// width, height: luma pixels that must be there.
Status CheckPicture(const std::string& what, const GpuPicture& picture,
                    const FrameParams& params, uint32_t width, uint32_t height,
                    uint64_t max_range) {
  const uint64_t size = picture.memory->size();
  if (size > max_range) {
    return Bad(StatusCode::kUnsupported, what + " memory", size,
               "at most " + std::to_string(max_range));
  }
  if (Status status =
          CheckPlane(what + " luma", picture.offsets.luma_offset,
                     picture.offsets.luma_stride, height, width, size);
      !status.ok()) {
    return status;
  }
  const uint32_t chroma_width =
      (width + params.subsampling_x) >> params.subsampling_x;
  const uint32_t chroma_height =
      (height + params.subsampling_y) >> params.subsampling_y;
  return CheckPlane(what + " chroma", picture.offsets.chroma_offset,
                    picture.offsets.chroma_stride, chroma_height,
                    2 * chroma_width, size);
}

}  // namespace

bool SupportsParams(const FrameParams& params) {
  return params.bit_depth == 8 && params.subsampling_x <= 1 &&
         params.subsampling_x == params.subsampling_y;
}

Status CheckInput(const GpuFrameInput& input, std::span<const KernelId> stages,
                  uint64_t max_range) {
  const FrameParams& params = *input.params;
  if (params.bit_depth != 8) {
    return Bad(StatusCode::kUnsupported, "bit depth", params.bit_depth, "8");
  }
  if (!SupportsParams(params)) {
    return Bad(StatusCode::kUnsupported, "chroma subsampling (x, y as digits)",
               params.subsampling_x * 10 + params.subsampling_y, "0 or 11");
  }
  if (stages.size() > kMaxStages) {
    return Bad(StatusCode::kInvalidArgument, "stages", stages.size(),
               "at most " + std::to_string(kMaxStages));
  }
  if (input.target.memory == nullptr) {
    return {StatusCode::kInvalidArgument, "target without memory"};
  }
  if (Status status =
          CheckPicture("target", input.target, params, params.mi_cols * 8,
                       params.mi_rows * 8, max_range);
      !status.ok()) {
    return status;
  }
  const auto check_other = [&](const char* what, const GpuPicture& picture) {
    if (picture.memory == nullptr) return Status::Ok();
    return CheckPicture(what, picture, params, picture.view.width,
                        picture.view.height, max_range);
  };
  for (const GpuPicture& reference : input.references) {
    if (Status status = check_other("reference", reference); !status.ok()) {
      return status;
    }
  }
  if (Status status = check_other("previous", input.previous); !status.ok()) {
    return status;
  }
  const bool filters = std::find(stages.begin(), stages.end(),
                                 KernelId::kVp9LoopFilter) != stages.end();
  const uint64_t cells = uint64_t{params.mi_cols} * params.mi_rows;
  if (filters && params.loop_filter_level != 0 && input.edges.size() != cells) {
    return Bad(StatusCode::kInvalidArgument, "edges", input.edges.size(),
               std::to_string(cells));
  }
  return Status::Ok();
}

}  // namespace perdix::vulkan
