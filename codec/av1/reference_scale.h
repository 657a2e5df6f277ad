// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_CODEC_AV1_REFERENCE_SCALE_H_
#define PERDIX_CODEC_AV1_REFERENCE_SCALE_H_

#include "kernels/shared/av1/params.h"

namespace perdix::av1 {

// Whether the reference has another size than the frame (7.11.3.3).
inline bool HasOtherSize(const ReferenceScale& reference) {
  constexpr uint kNotScaled = 1 << 14;  // 1 << REF_SCALE_SHIFT
  return reference.x_scale != kNotScaled || reference.y_scale != kNotScaled;
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_REFERENCE_SCALE_H_
