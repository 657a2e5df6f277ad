// SPDX-License-Identifier: BSD-2-Clause
// What needs no grouping: the layout of the residual, the loop filter's steps.
#include "kernels/vulkan/vp9/work_order.h"

#include <algorithm>

#include "kernels/decoded_area.h"

namespace perdix::vp9 {

ResidualLayout LayOutResidual(const FrameParams& params,
                              uint32_t* residual_values) {
  const uint32_t width = params.sb_cols << params.sb_log2;
  const uint32_t height = params.sb_rows << params.sb_log2;
  const uint32_t chroma_width = width >> params.subsampling_x;
  const uint32_t chroma = chroma_width * (height >> params.subsampling_y);
  *residual_values = width * height + 2 * chroma;
  return {width, chroma_width, width * height, width * height + chroma};
}

FrameUniforms UniformsOf(const FrameParams& params, const PlaneOffsets& target,
                         uint32_t* residual_values) {
  return {DecodedSize(params.width),
          DecodedSize(params.height),
          params.subsampling_x,
          params.subsampling_y,
          target,
          LayOutResidual(params, residual_values)};
}

uint32_t LoopFilterStepCount(const FrameParams& params) {
  return params.sb_cols + params.sb_rows;
}

namespace {

// Offset and stride in bytes, multiples of 16.
LoopFilterPlane LoopFilterPlaneOf(uint32_t offset, uint32_t stride,
                                  uint32_t pixel_bytes, uint32_t edges_right,
                                  uint32_t edges_below) {
  const uint32_t row = stride / 4;
  return {offset / 4, row,         row / 2,     2 * row,    4 * row,
          8 * row,    pixel_bytes, edges_right, edges_below};
}

}  // namespace

LoopFilterStep LoopFilterStepAt(const FrameParams& params, const Params& vp9,
                                const PlaneOffsets& target, uint32_t step) {
  const uint32_t sharpness = vp9.loop_filter_sharpness;
  const uint32_t sample_bytes = SampleBytes(params);
  // A row has work in steps row to row + sb_cols.
  const uint32_t first = step - std::min(step, params.sb_cols);
  const uint32_t last = std::min(step, params.sb_rows - 1);
  LoopFilterConstants constants = {};
  constants.first = first;
  constants.step = step;
  constants.limit_shift = sharpness > 4 ? 2 : (sharpness > 0 ? 1 : 0);
  constants.limit_highest = (sharpness > 0 ? 9 - sharpness : 63) * 0x10001;
  constants.mi_cols = vp9.mi_cols;
  constants.mi_rows = vp9.mi_rows;
  constants.chroma_step_y = 1 << params.subsampling_y;
  constants.luma = LoopFilterPlaneOf(target.luma_offset, target.luma_stride,
                                     sample_bytes, 1, vp9.mi_cols);
  constants.chroma = LoopFilterPlaneOf(
      target.chroma_offset, target.chroma_stride, 2 * sample_bytes,
      1 << params.subsampling_x, vp9.mi_cols << params.subsampling_y);
  return {constants, last - first + 1};
}

}  // namespace perdix::vp9
