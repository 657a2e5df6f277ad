// SPDX-License-Identifier: BSD-2-Clause
// What libdrm knows of a GPU: the one place that calls it.
#ifndef PERDIX_KERNELS_VULKAN_DRM_NODE_H_
#define PERDIX_KERNELS_VULKAN_DRM_NODE_H_

#include <sys/types.h>

#include "kernels/vulkan/gpu_identity.h"

namespace perdix::vulkan {

// render: the number of the GPU's render node, which Vulkan gives
// (VK_EXT_physical_device_drm). All empty when no such device is there; only
// the driver is empty when the node cannot be opened.
DrmNode FindDrmNode(dev_t render);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_DRM_NODE_H_
