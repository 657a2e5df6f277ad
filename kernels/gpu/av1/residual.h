// SPDX-License-Identifier: BSD-2-Clause
// AV1's inverse transforms (7.13.3) on the GPU: for inter blocks, whose
// residual is added to the target, and for intra prediction, which finds it in
// planes of its own.
#ifndef PERDIX_KERNELS_GPU_AV1_RESIDUAL_H_
#define PERDIX_KERNELS_GPU_AV1_RESIDUAL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/gpu/av1/residual_items.h"
#include "kernels/gpu/program.h"
#include "kernels/gpu/tile_input.h"
#include "kernels/gpu/work.h"
#include "kernels/shared/av1/residual_dispatch.h"

namespace perdix::av1 {

// The residual planes of a frame, chroma 4:2:0, and their size, a multiple of
// 16 bytes. Those of a gray frame are as large.
ResidualLayout ResidualLayoutOf(const FrameParams& params);
size_t ResidualBytes(const FrameParams& params);

// All that AddResidual may dispatch for such blocks of a frame of such bit
// depth.
std::vector<gpu::Program> ResidualPrograms(const gpu::DeviceTraits& traits,
                                           uint32_t bit_depth,
                                           ResidualOf which);

// Stages the items' records and, unless another kernel has, the coefficients,
// and dispatches in up to three steps with a barrier before each. Asks for the
// scratch memory that the items need. tiles: those of items.Set; all must stay.
void AddResidual(const gpu::DeviceTraits& traits, const gpu::FrameInput& input,
                 const std::vector<gpu::TileInput>& tiles,
                 const ResidualItems& items, gpu::Work* work);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_RESIDUAL_H_
