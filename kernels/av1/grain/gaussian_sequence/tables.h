// SPDX-License-Identifier: BSD-2-Clause
// Gaussian_Sequence (9.3), of film grain.
#ifndef PERDIX_KERNELS_AV1_GRAIN_GAUSSIAN_SEQUENCE_TABLES_H_
#define PERDIX_KERNELS_AV1_GRAIN_GAUSSIAN_SEQUENCE_TABLES_H_

#include <cstdint>

namespace perdix::av1 {

extern const int16_t kGaussianSequence[2048];

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_GRAIN_GAUSSIAN_SEQUENCE_TABLES_H_
