// SPDX-License-Identifier: BSD-2-Clause
// How much a picture differs from the one before it. The GPU's:
// shaders/metrics/motion.comp.
#ifndef PERDIX_KERNELS_METRICS_MOTION_H_
#define PERDIX_KERNELS_METRICS_MOTION_H_

#include <cstdint>

#include "kernels/plane.h"

namespace perdix {

// Sum of absolute differences of the luma samples that are shown. Both
// pictures have the same size and bit depth.
uint64_t PictureMotion(const PictureView& picture, const PictureView& previous);

}  // namespace perdix

#endif  // PERDIX_KERNELS_METRICS_MOTION_H_
