// SPDX-License-Identifier: BSD-2-Clause
// Squared errors, of which PSNR is made. The GPU's: shaders/quality/sse.comp.
#ifndef PERDIX_KERNELS_QUALITY_SSE_H_
#define PERDIX_KERNELS_QUALITY_SSE_H_

#include "kernels/plane.h"
#include "kernels/shared/quality.h"

namespace perdix::quality {

// Sums of squared differences of Y, Cb and Cr.
void MeasureSse(const PictureView& reference, const PictureView& decoded,
                QualityWord sums[3]);
void MeasureSseSimd(const PictureView& reference, const PictureView& decoded,
                    QualityWord sums[3]);

}  // namespace perdix::quality

#endif  // PERDIX_KERNELS_QUALITY_SSE_H_
