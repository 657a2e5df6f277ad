// SPDX-License-Identifier: BSD-2-Clause
// The metrics of a frame (shaders/metrics, shaders/reduce.*) as work for the
// GPU, and what their results mean.
#ifndef PERDIX_KERNELS_GPU_METRICS_H_
#define PERDIX_KERNELS_GPU_METRICS_H_

#include <cstdint>
#include <vector>

#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/program.h"
#include "kernels/gpu/work.h"
#include "kernels/luma_sums.h"
#include "kernels/shared/metrics.h"

namespace perdix::gpu {

// All that what follows may dispatch.
std::vector<Program> MetricsPrograms(const DeviceTraits& traits);

// Sums what decoding may write of the picture, the target or the display, into
// the result of <stage>, which is below kMaxStages.
void AddChecksum(const DeviceTraits& traits, const FrameInput& input,
                 PictureId written, uint32_t stage, Work* work);

// Sums the target's luma, if that is wanted (FrameInput::sums_luma).
void AddLuma(const DeviceTraits& traits, const FrameInput& input, Work* work);

// The same values as PictureChecksum and SumLuma (kernels/metrics) give.
uint64_t ChecksumOf(const MetricsResults& results, uint32_t stage);
LumaSums LumaOf(const MetricsResults& results);

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_METRICS_H_
