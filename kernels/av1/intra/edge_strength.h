// SPDX-License-Identifier: BSD-2-Clause
// How strongly the edges of a directional prediction are filtered, and whether
// they are upsampled, for all variants.
#ifndef PERDIX_KERNELS_AV1_INTRA_EDGE_STRENGTH_H_
#define PERDIX_KERNELS_AV1_INTRA_EDGE_STRENGTH_H_

#include <cstdlib>

namespace perdix::av1 {

// 7.11.2.9: 0..3. size: width plus height. delta: angle to the edge's own.
inline int EdgeFilterStrength(int size, bool smooth, int delta) {
  const int d = std::abs(delta);
  if (smooth) {
    if (size <= 8) return d >= 64 ? 2 : d >= 40 ? 1 : 0;
    if (size <= 16) return d >= 48 ? 2 : d >= 20 ? 1 : 0;
    if (size <= 24) return d >= 4 ? 3 : 0;
    return 3;
  }
  if (size <= 8) return d >= 56 ? 1 : 0;
  if (size <= 16) return d >= 40 ? 1 : 0;
  if (size <= 24) return d >= 32 ? 3 : d >= 16 ? 2 : d >= 8 ? 1 : 0;
  if (size <= 32) return d >= 32 ? 3 : d >= 4 ? 2 : 1;
  return 3;
}

// 7.11.2.10.
inline bool UpsamplesEdge(int size, bool smooth, int delta) {
  const int d = std::abs(delta);
  return d > 0 && d < 40 && size <= (smooth ? 8 : 16);
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_EDGE_STRENGTH_H_
