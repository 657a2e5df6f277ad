// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/input_check.h"

#include <optional>
#include <string>

#include "kernels/vulkan/gpu_codec.h"

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
  const uint64_t sample = SampleBytes(params);
  if (size > max_range) {
    return Bad(StatusCode::kUnsupported, what + " memory", size,
               "at most " + std::to_string(max_range));
  }
  if (Status status =
          CheckPlane(what + " luma", picture.offsets.luma_offset,
                     picture.offsets.luma_stride, height, width * sample, size);
      !status.ok()) {
    return status;
  }
  const uint32_t chroma_width =
      (width + params.subsampling_x) >> params.subsampling_x;
  const uint32_t chroma_height =
      (height + params.subsampling_y) >> params.subsampling_y;
  return CheckPlane(what + " chroma", picture.offsets.chroma_offset,
                    picture.offsets.chroma_stride, chroma_height,
                    2 * chroma_width * sample, size);
}

}  // namespace

Status CheckParams(KernelId kernel, const FrameParams& params) {
  const std::optional<size_t> codec = GpuCodecOf(kernel);
  if (!codec) {
    return {StatusCode::kUnsupported,
            std::string("no shader for ") + RowOf(kernel).name};
  }
  return GpuCodecs()[*codec].check_params(params);
}

Status CheckInput(const GpuFrameInput& input, std::span<const KernelId> stages,
                  uint64_t max_range) {
  const FrameParams& params = *input.params;
  if (stages.empty() || stages.size() > kMaxStages) {
    return Bad(StatusCode::kInvalidArgument, "stages", stages.size(),
               "1 to " + std::to_string(kMaxStages));
  }
  for (const KernelId stage : stages) {
    if (Status status = CheckParams(stage, params); !status.ok()) return status;
    if (GpuCodecOf(stage) == GpuCodecOf(stages[0])) continue;
    return {StatusCode::kInvalidArgument, "stages of two codecs"};
  }
  if (input.target.memory == nullptr) {
    return {StatusCode::kInvalidArgument, "target without memory"};
  }
  if (Status status = CheckPicture("target", input.target, params,
                                   DecodedSize(params.width),
                                   DecodedSize(params.height), max_range);
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
  if (Status status = check_other("display", input.display); !status.ok()) {
    return status;
  }
  return check_other("previous", input.previous);
}

}  // namespace perdix::vulkan
