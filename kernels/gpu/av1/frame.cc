// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/frame.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "kernels/gpu/av1/kernels.h"

namespace perdix::av1 {
namespace {

// strength: PackCdefStrength, before it is scaled.
CdefStrength StrengthOf(uint32_t strength, uint32_t damping,
                        uint32_t coeff_shift) {
  const uint32_t secondary = CdefSecondary(strength) << coeff_shift;
  const int log2 = std::bit_width(secondary | 1) - 1;
  const int shift = std::max(static_cast<int>(damping) - log2, 0);
  return {CdefPrimary(strength) << coeff_shift, static_cast<float>(secondary),
          std::ldexp(1.0f, -shift), damping};
}

}  // namespace

Status CheckGpuParams(const FrameParams& params) {
  if (params.subsampling_x == 1 && params.subsampling_y == 1) {
    return Status::Ok();
  }
  return {StatusCode::kUnsupported,
          "chroma subsampling (x, y as digits): got " +
              std::to_string(params.subsampling_x * 10 + params.subsampling_y) +
              ", needed 11"};
}

FrameUniforms UniformsOf(const FrameParams& params, const Params& av1) {
  FrameUniforms uniforms;
  const uint32_t coeff_shift = params.bit_depth - 8;
  const uint32_t damping = av1.cdef_damping + coeff_shift;
  for (uint32_t i = 0; i < PERDIX_CDEF_INDICES; ++i) {
    uniforms.cdef[i] = StrengthOf(av1.cdef_y_strength[i], damping, coeff_shift);
    uniforms.cdef[PERDIX_CDEF_INDICES + i] =
        StrengthOf(av1.cdef_uv_strength[i], damping - 1, coeff_shift);
  }
  return uniforms;
}

void StageUniforms(const gpu::FrameInput& input, gpu::Work* work) {
  if (work->IsStaged(PERDIX_BINDING_FRAME)) return;
  work->StageValue(PERDIX_BINDING_FRAME,
                   UniformsOf(*input.params, input.codec->As<Params>()));
}

}  // namespace perdix::av1
