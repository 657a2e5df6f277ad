// SPDX-License-Identifier: BSD-2-Clause
// The rotations of the inverse DCTs, as VP9 8.7.1.3 lists them.
#ifndef PERDIX_KERNELS_VP9_DCT_ROTATIONS_H_
#define PERDIX_KERNELS_VP9_DCT_ROTATIONS_H_

#include "kernels/vp9/transform_block.h"

namespace perdix::vp9 {

// Calls B and H for each rotation of a DCT of 1 << n elements, in order, after
// the permutation of 8.7.1.2. B(a, b, angle, flip): butterfly rotation,
// H(a, b, flip): Hadamard rotation (8.7.1.1).
template <typename Butterfly, typename Hadamard>
constexpr void RotateDct(int n, const Butterfly& B, const Hadamard& H) {
  if (n == 5) {
    for (int i = 0; i < 8; ++i) B(16 + i, 31 - i, 3 + 4 * Brev(3, 7 - i), 0);
  }
  if (n >= 4) {
    for (int i = 0; i < 4; ++i) B(8 + i, 15 - i, 6 + 8 * Brev(2, 3 - i), 0);
  }
  if (n == 5) {
    for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
  }
  if (n >= 3) {
    for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 28 - 16 * i, 0);
  }
  if (n >= 4) {
    for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
  }
  if (n == 5) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j)
        B(30 - 4 * i - j, 17 + 4 * i + j, 28 - 16 * i + 32 * j, 1);
    }
  }
  for (int i = 0; i < 2; ++i) B(2 * i, 2 * i + 1, 16 + 8 * i, 1 - i);
  if (n >= 3) {
    for (int i = 0; i < 2; ++i) H(4 + 2 * i, 5 + 2 * i, i);
  }
  if (n >= 4) {
    for (int i = 0; i < 2; ++i) B(14 - i, 9 + i, 24 + 32 * i, 1);
  }
  if (n == 5) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 2; ++j) H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
    }
  }
  for (int i = 0; i < 2; ++i) H(i, 3 - i, 0);
  if (n >= 3) B(6, 5, 16, 1);
  if (n >= 4) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) H(8 + 4 * i + j, 11 + 4 * i - j, i);
    }
  }
  if (n == 5) {
    for (int i = 0; i < 4; ++i) B(29 - i, 18 + i, 24 + 32 * (i >> 1), 1);
  }
  if (n >= 3) {
    for (int i = 0; i < 4; ++i) H(i, 7 - i, 0);
  }
  if (n >= 4) {
    for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 16, 1);
  }
  if (n == 5) {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) H(16 + 8 * i + j, 23 + 8 * i - j, i);
    }
  }
  if (n >= 4) {
    for (int i = 0; i < 8; ++i) H(i, 15 - i, 0);
  }
  if (n == 5) {
    for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 16, 1);
    for (int i = 0; i < 16; ++i) H(i, 31 - i, 0);
  }
}

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_DCT_ROTATIONS_H_
