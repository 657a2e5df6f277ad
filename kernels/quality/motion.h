// SPDX-License-Identifier: BSD-2-Clause
// Motion of the reference: how much its blurred luma differs from that of the
// picture before. The GPU's: shaders/quality/motion_blur.comp.
#ifndef PERDIX_KERNELS_QUALITY_MOTION_H_
#define PERDIX_KERNELS_QUALITY_MOTION_H_

#include "kernels/quality/arena.h"
#include "kernels/quality/luma.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

// Sum of absolute values of the blurred difference.
QualityWord MeasureMotion(const Luma& previous, const Luma& current,
                          int bit_depth, Arena& arena);
QualityWord MeasureMotionSimd(const Luma& previous, const Luma& current,
                              int bit_depth, Arena& arena);

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_MOTION_H_
