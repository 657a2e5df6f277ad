// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_ENGINE_READ_PICTURE_H_
#define PERDIX_ENGINE_READ_PICTURE_H_

#include "codec/picture.h"
#include "kernels/gpu/frame_input.h"
#include "kernels/status.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {

// The picture as the GPU finds it; without memory: the GPU does not reach it.
gpu::Picture InGpuMemory(const Picture& picture);

// A copy on the heap of a picture in the GPU's memory, which the CPU need not
// reach (Engine::NewPicture). Fails with kDeviceLost. Throws std::bad_alloc.
Status ReadPicture(vulkan::Gpu& gpu, const Picture& picture, PicturePtr* copy);

}  // namespace perdix

#endif  // PERDIX_ENGINE_READ_PICTURE_H_
