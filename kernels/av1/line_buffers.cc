// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1/line_buffers.h"

namespace perdix::av1 {
namespace {

constexpr size_t kLineAlignment = 64;  // bytes: no two lines share a cache line

size_t RoundUp(size_t bytes) {
  return (bytes + kLineAlignment - 1) / kLineAlignment * kLineAlignment;
}

}  // namespace

LineBuffers::LineBuffers(const FrameParams& params, const Params& av1,
                         uint32_t width)
    : slots_((DecodedSize(params.height) + 63) / 64) {
  const size_t chroma_width =
      (size_t{width} + params.subsampling_x) >> params.subsampling_x;
  line_bytes_[kLuma] = RoundUp(size_t{width} * SampleBytes(params));
  line_bytes_[kChroma] =
      av1.monochrome ? 0 : RoundUp(2 * chroma_width * SampleBytes(params));
  plane_begin_[kLuma] = 0;
  plane_begin_[kChroma] = kBufferedLines * line_bytes_[kLuma];
  slot_bytes_ = plane_begin_[kChroma] + kBufferedLines * line_bytes_[kChroma];
}

LineBuffers DecodedLines(const FrameParams& params, const Params& av1) {
  return {params, av1, DecodedSize(params.width)};
}

LineBuffers UpscaledLines(const FrameParams& params, const Params& av1) {
  return {params, av1, av1.upscaled_width};
}

size_t CdefLinesBytes(const FrameParams& params, const Params& av1) {
  return NeedsLineBuffers(av1) ? DecodedLines(params, av1).Bytes() : 0;
}

size_t RestorationLinesBytes(const FrameParams& params, const Params& av1) {
  if (!UsesSuperRes(params, av1) || !UsesRestoration(av1)) return 0;
  return UpscaledLines(params, av1).Bytes();
}

}  // namespace perdix::av1
