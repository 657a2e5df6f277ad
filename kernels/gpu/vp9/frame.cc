// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/vp9/frame.h"

#include <string>

namespace perdix::vp9 {
namespace {

struct ResidualPlanes {
  uint32_t width;  // padded to whole superblocks, as are all
  uint32_t height;
  uint32_t chroma_width;
  uint32_t chroma_height;

  uint32_t luma() const { return width * height; }
  uint32_t chroma() const { return chroma_width * chroma_height; }
};

ResidualPlanes ResidualPlanesOf(const FrameParams& params) {
  const uint32_t width = params.sb_cols << params.sb_log2;
  const uint32_t height = params.sb_rows << params.sb_log2;
  return {width, height, width >> params.subsampling_x,
          height >> params.subsampling_y};
}

}  // namespace

Status CheckGpuParams(const FrameParams& params) {
  if (params.subsampling_x <= 1 &&
      params.subsampling_x == params.subsampling_y) {
    return Status::Ok();
  }
  return {StatusCode::kUnsupported,
          "chroma subsampling (x, y as digits): got " +
              std::to_string(params.subsampling_x * 10 + params.subsampling_y) +
              ", needed 0 or 11"};
}

size_t ResidualBytes(const FrameParams& params) {
  const ResidualPlanes planes = ResidualPlanesOf(params);
  return sizeof(int16_t) * (size_t{planes.luma()} + 2 * planes.chroma());
}

FrameUniforms UniformsOf(const FrameParams& params,
                         const PlaneOffsets& target) {
  const ResidualPlanes planes = ResidualPlanesOf(params);
  return {DecodedSize(params.width),
          DecodedSize(params.height),
          params.subsampling_x,
          params.subsampling_y,
          target,
          {planes.width, planes.chroma_width, planes.luma(),
           planes.luma() + planes.chroma()}};
}

void StageUniforms(const gpu::FrameInput& input, gpu::Work* work) {
  if (work->IsStaged(PERDIX_BINDING_FRAME)) return;
  work->StageValue(PERDIX_BINDING_FRAME,
                   UniformsOf(*input.params, input.target.offsets));
}

}  // namespace perdix::vp9
