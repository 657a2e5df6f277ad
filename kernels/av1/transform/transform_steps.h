// SPDX-License-Identifier: BSD-2-Clause
// The rotations of the inverse DCTs and ADSTs: 7.13.2.3, 7.13.2.7, 7.13.2.8.
#ifndef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_STEPS_H_
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_STEPS_H_

#include <cstddef>

#include "kernels/av1/transform/transform_shape.h"
#include "kernels/simd/rotations.h"

namespace perdix::av1 {

class TransformSteps : public Rotations<241> {  // of a DCT of 64
 public:
  // The ADST of 4 has none: it is not made of rotations. stored: elements of
  // the input, from the first on, that may be other than zero.
  constexpr TransformSteps(TransformKind kind, int n, int stored) {
    for (int i = 0; i < stored; ++i) {
      SetInput(InputOrder(kind, n)[static_cast<size_t>(i)]);
    }
    if (kind == TransformKind::kDct) {
      AddDct(n);
    } else if (n == 3) {
      AddAdst8();
    } else if (n == 4) {
      AddAdst16();
    }
  }

 private:
  // 7.13.2.1: butterfly rotation; flip exchanges the results.
  constexpr void B(int a, int b, int angle, bool flip) {
    AddButterfly(a, b, Cos128(angle), Sin128(angle), flip);
  }
  // 7.13.2.1: Hadamard rotation; flip is H(b, a).
  constexpr void H(int a, int b, bool flip) { AddHadamard(a, b, flip); }

  // ---- 7.13.2.3 ----
  // Each length adds its steps to those of half the length.

  constexpr void AddDct(int n) {
    B(0, 1, 32, true);
    B(2, 3, 48, false);
    H(0, 3, false);
    H(1, 2, false);
    if (n >= 3) AddDct8();
    if (n >= 4) AddDct16();
    if (n >= 5) AddDct32();
    if (n >= 6) AddDct64();
  }

  constexpr void AddDct8() {
    for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 56 - 32 * i, false);
    for (int i = 0; i < 2; ++i) H(4 + 2 * i, 5 + 2 * i, i);
    B(6, 5, 32, true);
    AddLast(8);
  }

  constexpr void AddDct16() {
    for (int i = 0; i < 4; ++i) {
      B(8 + i, 15 - i, 12 + (BitReverse(2, 3 - i) << 4), false);
    }
    for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
    for (int i = 0; i < 2; ++i) B(14 - i, 9 + i, 48 + 64 * i, true);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) H(8 + 4 * i + j, 11 + 4 * i - j, i);
    }
    for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 32, true);
    AddLast(16);
  }

  constexpr void AddDct32() {
    for (int i = 0; i < 8; ++i) {
      B(16 + i, 31 - i, 6 + (BitReverse(3, 7 - i) << 3), false);
    }
    for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        B(30 - 4 * i - j, 17 + 4 * i + j, 24 + (j << 6) + ((1 - i) << 5), true);
      }
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 2; ++j) H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
    }
    for (int i = 0; i < 4; ++i) B(29 - i, 18 + i, 48 + (i >> 1) * 64, true);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) H(16 + i * 8 + j, 23 + i * 8 - j, i);
    }
    for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 32, true);
    AddLast(32);
  }

  constexpr void AddDct64() {
    for (int i = 0; i < 16; ++i) {
      B(32 + i, 63 - i, 63 - 4 * BitReverse(4, i), false);
    }
    for (int i = 0; i < 16; ++i) H(32 + i * 2, 33 + i * 2, i & 1);
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 2; ++j) {
        B(62 - i * 4 - j, 33 + i * 4 + j, 60 - 16 * BitReverse(2, i) + 64 * j,
          true);
      }
    }
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 2; ++j) H(32 + i * 4 + j, 35 + i * 4 - j, i & 1);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) {
        B(61 - i * 8 - j, 34 + i * 8 + j, 56 - i * 32 + (j >> 1) * 64, true);
      }
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) H(32 + 8 * i + j, 39 + 8 * i - j, i & 1);
    }
    for (int i = 0; i < 8; ++i) B(59 - i, 36 + i, i < 4 ? 48 : 112, true);
    for (int i = 0; i < 8; ++i) {
      H(32 + i, 47 - i, false);
      H(48 + i, 63 - i, true);
    }
    for (int i = 0; i < 8; ++i) B(55 - i, 40 + i, 32, true);
    AddLast(64);
  }

  constexpr void AddLast(int length) {
    for (int i = 0; i < length / 2; ++i) H(i, length - 1 - i, false);
  }

  // ---- 7.13.2.7, 7.13.2.8 ----

  constexpr void AddAdst8() {
    for (int i = 0; i < 4; ++i) B(2 * i, 2 * i + 1, 60 - 16 * i, true);
    for (int i = 0; i < 4; ++i) H(i, 4 + i, false);
    for (int i = 0; i < 2; ++i) B(4 + 3 * i, 5 + i, 48 - 32 * i, true);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) H(4 * j + i, 2 + 4 * j + i, false);
    }
    for (int i = 0; i < 2; ++i) B(2 + 4 * i, 3 + 4 * i, 32, true);
  }

  constexpr void AddAdst16() {
    for (int i = 0; i < 8; ++i) B(2 * i, 2 * i + 1, 62 - 8 * i, true);
    for (int i = 0; i < 8; ++i) H(i, 8 + i, false);
    for (int i = 0; i < 2; ++i) {
      B(8 + 2 * i, 9 + 2 * i, 56 - 32 * i, true);
      B(13 + 2 * i, 12 + 2 * i, 8 + 32 * i, true);
    }
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 2; ++j) H(8 * j + i, 4 + 8 * j + i, false);
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        B(4 + 8 * j + 3 * i, 5 + 8 * j + i, 48 - 32 * i, true);
      }
    }
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) H(4 * j + i, 2 + 4 * j + i, false);
    }
    for (int i = 0; i < 4; ++i) B(2 + 4 * i, 3 + 4 * i, 32, true);
  }
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_STEPS_H_
