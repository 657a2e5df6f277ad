// SPDX-License-Identifier: BSD-2-Clause
// Round2 of the specification (AV1 4.7).
#ifndef PERDIX_KERNELS_AV1_ROUND2_H_
#define PERDIX_KERNELS_AV1_ROUND2_H_

namespace perdix::av1 {

inline int Round2(int x, int n) { return (x + ((1 << n) >> 1)) >> n; }

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_ROUND2_H_
