// SPDX-License-Identifier: BSD-2-Clause
// Checksum of a picture, to compare what two variants decoded. The GPU's:
// shaders/metrics/checksum.comp.
#ifndef PERDIX_KERNELS_METRICS_CHECKSUM_H_
#define PERDIX_KERNELS_METRICS_CHECKSUM_H_

#include <cstdint>

#include "kernels/plane.h"

namespace perdix {

// The checksum of every byte that decoding writes (the frame rounded up to 8
// luma samples), whatever else lies in the rows.
uint64_t PictureChecksum(const PictureView& picture);

}  // namespace perdix

#endif  // PERDIX_KERNELS_METRICS_CHECKSUM_H_
