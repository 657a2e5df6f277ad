// SPDX-License-Identifier: BSD-2-Clause
// The rotations of the inverse DCTs (VP9 8.7.1.3).
#ifndef PERDIX_KERNELS_VP9_TRANSFORM_STEPS_H_
#define PERDIX_KERNELS_VP9_TRANSFORM_STEPS_H_

#include "kernels/simd/rotations.h"
#include "kernels/vp9/transform_block.h"

namespace perdix::vp9 {

class DctSteps : public Rotations<97> {  // of a DCT of 32
 public:
  // Of 1 << n elements after the permutation of 8.7.1.2. stored: elements of
  // the input, from the first on, that may be other than zero.
  constexpr DctSteps(int n, int stored) {
    for (int i = 0; i < stored; ++i) SetInput(Brev(n, i));
    if (n == 5) {
      for (int i = 0; i < 8; ++i)
        B(16 + i, 31 - i, 3 + 4 * Brev(3, 7 - i), false);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i)
        B(8 + i, 15 - i, 6 + 8 * Brev(2, 3 - i), false);
    }
    if (n == 5) {
      for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
    }
    if (n >= 3) {
      for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 28 - 16 * i, false);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
    }
    if (n == 5) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j)
          B(30 - 4 * i - j, 17 + 4 * i + j, 28 - 16 * i + 32 * j, true);
      }
    }
    for (int i = 0; i < 2; ++i) B(2 * i, 2 * i + 1, 16 + 8 * i, 1 - i);
    if (n >= 3) {
      for (int i = 0; i < 2; ++i) H(4 + 2 * i, 5 + 2 * i, i);
    }
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) B(14 - i, 9 + i, 24 + 32 * i, true);
    }
    if (n == 5) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
      }
    }
    for (int i = 0; i < 2; ++i) H(i, 3 - i, false);
    if (n >= 3) B(6, 5, 16, true);
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) H(8 + 4 * i + j, 11 + 4 * i - j, i);
      }
    }
    if (n == 5) {
      for (int i = 0; i < 4; ++i) B(29 - i, 18 + i, 24 + 32 * (i >> 1), true);
    }
    if (n >= 3) {
      for (int i = 0; i < 4; ++i) H(i, 7 - i, false);
    }
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 16, true);
    }
    if (n == 5) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) H(16 + 8 * i + j, 23 + 8 * i - j, i);
      }
    }
    if (n >= 4) {
      for (int i = 0; i < 8; ++i) H(i, 15 - i, false);
    }
    if (n == 5) {
      for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 16, true);
      for (int i = 0; i < 16; ++i) H(i, 31 - i, false);
    }
  }

 private:
  // Butterfly rotation; flip exchanges the results.
  constexpr void B(int a, int b, int angle, bool flip) {
    AddButterfly(a, b, Cos64(angle), Sin64(angle), flip);
  }
  // Hadamard rotation; flip is H(b, a).
  constexpr void H(int a, int b, bool flip) { AddHadamard(a, b, flip); }
};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_TRANSFORM_STEPS_H_
