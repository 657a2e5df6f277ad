// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/job_layout.h"

#include <linux/videodev2.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace perdix {
namespace {

// Rows of pairs U, V follow the luma rows, as many bytes each.
struct SemiPlanarFormat {
  uint32_t pixelformat;
  uint32_t bytes_per_sample;
  uint32_t luma_rows_per_chroma_row;
};

constexpr SemiPlanarFormat kFormats[] = {{V4L2_PIX_FMT_NV12, 1, 2},
                                         {V4L2_PIX_FMT_P010, 2, 2}};

const SemiPlanarFormat* FindFormat(uint32_t pixelformat) {
  const auto* const found =
      std::ranges::find(kFormats, pixelformat, &SemiPlanarFormat::pixelformat);
  return found == std::end(kFormats) ? nullptr : found;
}

Status Invalid(const std::string& message) {
  return Status(StatusCode::kInvalidArgument, message);
}

Status CheckSide(const char* name, uint32_t value) {
  if (value == 0 || value > kMaxSide || value % 8 != 0)
    return Invalid(std::string(name) + " " + std::to_string(value) +
                   ", want a multiple of 8 up to " + std::to_string(kMaxSide));
  return Status::Ok();
}

std::string FourCc(uint32_t code) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) {
    const char c = static_cast<char>(code >> shift);
    text += c > ' ' && c <= '~' ? c : '?';
  }
  return text;
}

}  // namespace

Status TargetLayout(const perdix_job& job, size_t buffer_bytes,
                    PictureLayout* layout) {
  const SemiPlanarFormat* const format = FindFormat(job.pixelformat);
  if (!format)
    return Invalid("pixelformat " + FourCc(job.pixelformat) +
                   ", want NV12 or P010");
  if (Status status = CheckSide("width", job.width); !status.ok())
    return status;
  if (Status status = CheckSide("height", job.height); !status.ok())
    return status;
  const uint64_t row_bytes = uint64_t{job.width} * format->bytes_per_sample;
  if (job.stride < row_bytes)
    return Invalid("stride " + std::to_string(job.stride) + ", want at least " +
                   std::to_string(row_bytes));
  if (job.stride % format->bytes_per_sample != 0)
    return Invalid("stride " + std::to_string(job.stride) +
                   ", want whole samples");
  const uint64_t luma_bytes = uint64_t{job.stride} * job.height;
  const uint64_t bytes =
      luma_bytes + luma_bytes / format->luma_rows_per_chroma_row;
  if (bytes > buffer_bytes)
    return Invalid("target of " + std::to_string(buffer_bytes) +
                   " bytes, want at least " + std::to_string(bytes));
  *layout = {.luma_offset = 0,
             .chroma_offset = static_cast<size_t>(luma_bytes),
             .stride_bytes = job.stride,
             .chroma_stride_bytes = job.stride,
             .max_width = job.width,
             .max_height = job.height};
  return Status::Ok();
}

Status SetShift(const perdix_job& job, uint32_t bit_depth,
                PictureLayout* layout) {
  const SemiPlanarFormat* const format = FindFormat(job.pixelformat);
  const uint32_t sample_bytes = bit_depth > 8 ? 2 : 1;
  if (!format || format->bytes_per_sample != sample_bytes || bit_depth > 16)
    return Invalid("a frame of " + std::to_string(bit_depth) +
                   " bit for a target of " + FourCc(job.pixelformat));
  layout->shift = 8 * sample_bytes - bit_depth;
  return Status::Ok();
}

Status CheckBitstream(const perdix_job& job, size_t buffer_bytes) {
  if (job.bitstream_bytes > buffer_bytes)
    return Invalid("bitstream_bytes " + std::to_string(job.bitstream_bytes) +
                   ", the buffer has " + std::to_string(buffer_bytes));
  if (job.bitstream == job.target)
    return Invalid("buffer " + std::to_string(job.target) +
                   " is both bitstream and target");
  return Status::Ok();
}

}  // namespace perdix
