// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/input_check.h"

#include <algorithm>
#include <string>

#include "kernels/gpu/kernel_work.h"

namespace perdix::gpu {
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

// What stages share: the codec, but for those of no codec.
Status CheckStages(const FrameParams& params,
                   std::span<const KernelId> stages) {
  if (stages.empty() || stages.size() > kMaxStages) {
    return Bad(StatusCode::kInvalidArgument, "stages", stages.size(),
               "1 to " + std::to_string(kMaxStages));
  }
  KernelCodec codec = KernelCodec::kAny;
  for (const KernelId stage : stages) {
    if (Status status = CheckParams(stage, params); !status.ok()) return status;
    const KernelCodec own = RowOf(stage).codec;
    if (own == KernelCodec::kAny) continue;
    if (codec != KernelCodec::kAny && codec != own) {
      return {StatusCode::kInvalidArgument, "stages of two codecs"};
    }
    codec = own;
  }
  return Status::Ok();
}

std::string SizeOf(const PictureView& view) {
  return std::to_string(view.width) + "x" + std::to_string(view.height);
}

// The target is at least as large as the frame that is decoded into it.
Status CheckTarget(const FrameInput& input, uint64_t max_range) {
  if (input.target.memory == nullptr) {
    return {StatusCode::kInvalidArgument, "target without memory"};
  }
  const FrameParams& params = *input.params;
  const PictureView& view = input.target.view;
  if (view.width < params.width || view.height != params.height) {
    return {StatusCode::kInvalidArgument,
            "target: got " + SizeOf(view) + ", needed at least " +
                std::to_string(params.width) + "x" +
                std::to_string(params.height)};
  }
  return CheckPicture("target", input.target, DecodedSize(view.width),
                      DecodedSize(view.height), max_range);
}

// The display is as large as the target that it is made of. Checksums cover as
// much of it.
Status CheckDisplay(const FrameInput& input, uint64_t max_range) {
  if (input.display.memory == nullptr) return Status::Ok();
  const PictureView& view = input.display.view;
  const PictureView& target = input.target.view;
  if (view.width != target.width || view.height != target.height) {
    return {StatusCode::kInvalidArgument,
            "display: got " + SizeOf(view) + ", needed " + SizeOf(target)};
  }
  return CheckPicture("display", input.display, DecodedSize(view.width),
                      DecodedSize(view.height), max_range);
}

Status CheckPrevious(const FrameInput& input, uint64_t max_range) {
  if (input.previous.memory == nullptr) return Status::Ok();
  const PictureView& view = input.previous.view;
  const PictureView& target = input.target.view;
  if (view.width != target.width || view.height != target.height ||
      view.bit_depth != target.bit_depth || view.shift != target.shift) {
    return {StatusCode::kInvalidArgument, "previous: got " + SizeOf(view) +
                                              ", needed what the target is, " +
                                              SizeOf(target)};
  }
  return CheckPicture("previous", input.previous, view.width, view.height,
                      max_range);
}

}  // namespace

Status CheckPicture(const std::string& what, const Picture& picture,
                    uint32_t width, uint32_t height, uint64_t max_range) {
  const PictureView& view = picture.view;
  const uint64_t size = picture.memory->size();
  const uint64_t sample = view.bit_depth > 8 ? 2 : 1;
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
      (width + view.subsampling_x) >> view.subsampling_x;
  const uint32_t chroma_height =
      (height + view.subsampling_y) >> view.subsampling_y;
  return CheckPlane(what + " chroma", picture.offsets.chroma_offset,
                    picture.offsets.chroma_stride, chroma_height,
                    2 * chroma_width * sample, size);
}

Status CheckInput(const FrameInput& input, std::span<const KernelId> stages,
                  uint64_t max_range) {
  if (Status status = CheckStages(*input.params, stages); !status.ok()) {
    return status;
  }
  if (Status status = CheckTarget(input, max_range); !status.ok()) {
    return status;
  }
  const auto check_other = [&](const char* what, const Picture& picture) {
    if (picture.memory == nullptr) return Status::Ok();
    return CheckPicture(what, picture, picture.view.width, picture.view.height,
                        max_range);
  };
  for (const Picture& reference : input.references) {
    if (Status status = check_other("reference", reference); !status.ok()) {
      return status;
    }
  }
  if (Status status = CheckDisplay(input, max_range); !status.ok()) {
    return status;
  }
  if (input.display.memory == nullptr &&
      std::ranges::any_of(stages, [](KernelId stage) {
        return RowOf(stage).picture == WrittenPicture::kDisplay;
      })) {
    return {StatusCode::kInvalidArgument, "display without memory"};
  }
  return CheckPrevious(input, max_range);
}

}  // namespace perdix::gpu
