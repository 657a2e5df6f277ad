// SPDX-License-Identifier: BSD-2-Clause
// Whether a frame can run: what the shaders rely on, checked before anything is
// written.
#ifndef PERDIX_KERNELS_GPU_INPUT_CHECK_H_
#define PERDIX_KERNELS_GPU_INPUT_CHECK_H_

#include <cstdint>
#include <span>
#include <string>

#include "kernels/gpu/frame_input.h"
#include "kernels/status.h"

namespace perdix::gpu {

// Params, stages and pictures; what only a kernel knows is KernelWork's.
// max_range: the most bytes of a buffer that a shader of the device sees.
// kUnsupported, kInvalidArgument; messages name the field, what was got and
// what is allowed.
Status CheckInput(const FrameInput& input, std::span<const KernelId> stages,
                  uint64_t max_range);

// One picture, which has memory: whether its planes lie there as shaders need
// them. what: its name. width, height: luma pixels that must be there.
Status CheckPicture(const std::string& what, const Picture& picture,
                    uint32_t width, uint32_t height, uint64_t max_range);

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_INPUT_CHECK_H_
