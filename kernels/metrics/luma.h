// SPDX-License-Identifier: BSD-2-Clause
// How bright a picture is, and how much it differs from another one, in one
// pass over its luma. The GPU's: shaders/metrics/luma.comp.
#ifndef PERDIX_KERNELS_METRICS_LUMA_H_
#define PERDIX_KERNELS_METRICS_LUMA_H_

#include <cstdint>

#include "kernels/kernel.h"
#include "kernels/luma_sums.h"
#include "kernels/plane.h"

namespace perdix {

// The sums of the lines, dark_level that of LumaSums::dark. previous: of the
// same size, bit depth and shift, or null. SumLumaSimd is the same on vectors.
LumaSums SumLuma(const PictureView& picture, const PictureView* previous,
                 uint32_t dark_level, Range lines);
LumaSums SumLumaSimd(const PictureView& picture, const PictureView* previous,
                     uint32_t dark_level, Range lines);

}  // namespace perdix

#endif  // PERDIX_KERNELS_METRICS_LUMA_H_
