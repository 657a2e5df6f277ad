// SPDX-License-Identifier: BSD-2-Clause
// One-dimensional inverse transforms as the specification writes them
// (7.13.2), on one row or column.
//
// Numbers: a valid stream keeps the results of B within r bits, and the sums of
// the ADST4, before they are rounded, within r + 12 bits, which are 32 for rows
// at 12 bits. For any other, results are defined, too: where r is 16 bits those
// of B and of the ADST4 are clamped to it, which is what SIMD does for nothing;
// else sums of products wrap at 32 bits. r is 16 for rows at 8 bits, for
// columns at 8 and 10.
#ifndef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_1D_H_
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_1D_H_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/av1/transform/transform_shape.h"

namespace perdix::av1 {

// 32-bit arithmetic that wraps.
constexpr int32_t WrapAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}
constexpr int32_t WrapSub(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) -
                              static_cast<uint32_t>(b));
}
constexpr int32_t WrapMul(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) *
                              static_cast<uint32_t>(b));
}
// Round2(value, bits), bits not 0.
constexpr int32_t WrapRound(int32_t value, int bits) {
  return WrapAdd(value, 1 << (bits - 1)) >> bits;
}

// Signed integers of r bits.
struct Limits {
  int32_t min;
  int32_t max;

  static constexpr Limits OfBits(int r) {
    return {-(1 << (r - 1)), (1 << (r - 1)) - 1};
  }
  constexpr int32_t Clamp(int32_t value) const {
    return std::min(std::max(value, min), max);
  }
};

// With no more than this as the sum of the magnitudes of a transform's input,
// none of its values exceeds r bits, be it an intermediate one. No butterfly of
// the DCTs and ADSTs has a gain above 1 from any input; an eighth is left for
// rounding. Identities have gains up to 4.
constexpr uint32_t SumLimit(TransformKind kind, Limits limits) {
  const auto limit = static_cast<uint32_t>(limits.max - limits.max / 8);
  return kind == TransformKind::kIdentity ? limit / 4 : limit;
}

class Transform1d {
 public:
  explicit Transform1d(int r) : limits_(Limits::OfBits(r)), clamps_(r == 16) {}

  int32_t T[64];  // as many as the transform has are the caller's to set

  // n: log2 of the length. Kinds and lengths that no stream has (ADST and
  // identity of more than 16 and 32) are DCTs.
  void Run(TransformKind kind, int n) {
    switch (KindOfLength(kind, n)) {
      case TransformKind::kDct:
        return Dct(n);
      case TransformKind::kAdst:
        return n == 2 ? Adst4() : Adst(n);
      case TransformKind::kIdentity:
        return Identity(n);
    }
  }

  // 7.13.2.10.
  void Wht(int shift) {
    int32_t a = T[0] >> shift;
    int32_t c = T[1] >> shift;
    int32_t d = T[2] >> shift;
    int32_t b = T[3] >> shift;
    a += c;
    d -= b;
    const int32_t e = (a - d) >> 1;
    b = e - b;
    c = e - c;
    T[0] = a - b;
    T[1] = b;
    T[2] = c;
    T[3] = d + c;
  }

 private:
  // Round2( sum, 12 ).
  int32_t RoundSum(int64_t sum) const {
    return Fit(static_cast<int32_t>(sum + (1 << 11)) >> 12);
  }
  // The same without a sum that could wrap: of any value of 32 bits.
  int32_t RoundFullSum(int64_t sum) const {
    return Fit(((static_cast<int32_t>(sum) >> 11) + 1) >> 1);
  }
  int32_t Fit(int32_t value) const {
    return clamps_ ? limits_.Clamp(value) : value;
  }

  // ---- 7.13.2.1: butterfly and Hadamard rotation ----

  void B(int a, int b, int angle, int flip) {
    const int64_t x = T[a];
    const int64_t y = T[b];
    T[a] = RoundSum(x * Cos128(angle) - y * Sin128(angle));
    T[b] = RoundSum(x * Sin128(angle) + y * Cos128(angle));
    if (flip) std::swap(T[a], T[b]);
  }

  void H(int a, int b, int flip) {
    if (flip) std::swap(a, b);
    const int32_t x = T[a];
    const int32_t y = T[b];
    T[a] = limits_.Clamp(x + y);
    T[b] = limits_.Clamp(x - y);
  }

  // ---- 7.13.2.2, 7.13.2.3 ----

  void Dct(int n) {
    int32_t copy[64];
    std::copy_n(T, 1 << n, copy);
    for (int i = 0; i < 1 << n; ++i) T[i] = copy[BitReverse(n, i)];
    if (n == 6) {
      for (int i = 0; i < 16; ++i)
        B(32 + i, 63 - i, 63 - 4 * BitReverse(4, i), 0);
    }
    if (n >= 5) {
      for (int i = 0; i < 8; ++i) {
        B(16 + i, 31 - i, 6 + (BitReverse(3, 7 - i) << 3), 0);
      }
    }
    if (n == 6) {
      for (int i = 0; i < 16; ++i) H(32 + i * 2, 33 + i * 2, i & 1);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i) {
        B(8 + i, 15 - i, 12 + (BitReverse(2, 3 - i) << 4), 0);
      }
    }
    if (n >= 5) {
      for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
    }
    if (n == 6) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
          B(62 - i * 4 - j, 33 + i * 4 + j, 60 - 16 * BitReverse(2, i) + 64 * j,
            1);
        }
      }
    }
    if (n >= 3) {
      for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 56 - 32 * i, 0);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);
    }
    if (n >= 5) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          B(30 - 4 * i - j, 17 + 4 * i + j, 24 + (j << 6) + ((1 - i) << 5), 1);
        }
      }
    }
    if (n == 6) {
      for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 2; ++j) H(32 + i * 4 + j, 35 + i * 4 - j, i & 1);
      }
    }
    for (int i = 0; i < 2; ++i) B(2 * i, 2 * i + 1, 32 + 16 * i, 1 - i);
    if (n >= 3) {
      for (int i = 0; i < 2; ++i) H(4 + 2 * i, 5 + 2 * i, i);
    }
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) B(14 - i, 9 + i, 48 + 64 * i, 1);
    }
    if (n >= 5) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
      }
    }
    if (n == 6) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          B(61 - i * 8 - j, 34 + i * 8 + j, 56 - i * 32 + (j >> 1) * 64, 1);
        }
      }
    }
    for (int i = 0; i < 2; ++i) H(i, 3 - i, 0);
    if (n >= 3) B(6, 5, 32, 1);
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) H(8 + 4 * i + j, 11 + 4 * i - j, i);
      }
    }
    if (n >= 5) {
      for (int i = 0; i < 4; ++i) B(29 - i, 18 + i, 48 + (i >> 1) * 64, 1);
    }
    if (n == 6) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) H(32 + 8 * i + j, 39 + 8 * i - j, i & 1);
      }
    }
    if (n >= 3) {
      for (int i = 0; i < 4; ++i) H(i, 7 - i, 0);
    }
    if (n >= 4) {
      for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 32, 1);
    }
    if (n >= 5) {
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) H(16 + i * 8 + j, 23 + i * 8 - j, i);
      }
    }
    if (n == 6) {
      for (int i = 0; i < 8; ++i) B(59 - i, 36 + i, i < 4 ? 48 : 112, 1);
    }
    if (n >= 4) {
      for (int i = 0; i < 8; ++i) H(i, 15 - i, 0);
    }
    if (n >= 5) {
      for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 32, 1);
    }
    if (n == 6) {
      for (int i = 0; i < 8; ++i) {
        H(32 + i, 47 - i, 0);
        H(48 + i, 63 - i, 1);
      }
    }
    if (n >= 5) {
      for (int i = 0; i < 16; ++i) H(i, 31 - i, 0);
    }
    if (n == 6) {
      for (int i = 0; i < 8; ++i) B(55 - i, 40 + i, 32, 1);
      for (int i = 0; i < 32; ++i) H(i, 63 - i, 0);
    }
  }

  // ---- 7.13.2.4, 7.13.2.5, 7.13.2.7, 7.13.2.8 ----

  void Adst(int n) {
    const int n0 = 1 << n;
    int32_t copy[16];
    std::copy_n(T, n0, copy);
    for (int i = 0; i < n0; ++i) T[i] = copy[(i & 1) ? i - 1 : n0 - i - 1];
    if (n == 3) {
      for (int i = 0; i < 4; ++i) B(2 * i, 2 * i + 1, 60 - 16 * i, 1);
      for (int i = 0; i < 4; ++i) H(i, 4 + i, 0);
      for (int i = 0; i < 2; ++i) B(4 + 3 * i, 5 + i, 48 - 32 * i, 1);
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) H(4 * j + i, 2 + 4 * j + i, 0);
      }
      for (int i = 0; i < 2; ++i) B(2 + 4 * i, 3 + 4 * i, 32, 1);
    } else {
      for (int i = 0; i < 8; ++i) B(2 * i, 2 * i + 1, 62 - 8 * i, 1);
      for (int i = 0; i < 8; ++i) H(i, 8 + i, 0);
      for (int i = 0; i < 2; ++i) {
        B(8 + 2 * i, 9 + 2 * i, 56 - 32 * i, 1);
        B(13 + 2 * i, 12 + 2 * i, 8 + 32 * i, 1);
      }
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) H(8 * j + i, 4 + 8 * j + i, 0);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
          B(4 + 8 * j + 3 * i, 5 + 8 * j + i, 48 - 32 * i, 1);
        }
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) H(4 * j + i, 2 + 4 * j + i, 0);
      }
      for (int i = 0; i < 4; ++i) B(2 + 4 * i, 3 + 4 * i, 32, 1);
    }
    std::copy_n(T, n0, copy);
    for (int i = 0; i < n0; ++i) {
      const int32_t value = copy[AdstOutput(n, i)];
      T[i] = (i & 1) ? -value : value;
    }
  }

  // ---- 7.13.2.6 ----

  void Adst4() {
    int64_t s[7] = {int64_t{kSinpi1} * T[0], int64_t{kSinpi2} * T[0],
                    int64_t{kSinpi3} * T[1], int64_t{kSinpi4} * T[2],
                    int64_t{kSinpi1} * T[2], int64_t{kSinpi2} * T[3],
                    int64_t{kSinpi4} * T[3]};
    const int64_t b7 = int64_t{T[0]} - T[2] + T[3];
    s[0] += s[3];
    s[1] -= s[4];
    s[3] = s[2];
    s[2] = kSinpi3 * b7;
    s[0] += s[5];
    s[1] -= s[6];
    T[0] = RoundFullSum(s[0] + s[3]);
    T[1] = RoundFullSum(s[1] + s[3]);
    T[2] = RoundFullSum(s[2]);
    T[3] = RoundFullSum(s[0] + s[1] - s[3]);
  }

  // ---- 7.13.2.11 to 7.13.2.15 ----

  // The factors 5793 and 11586 of 4096 are split, so that 32 bits are enough
  // for products with 20-bit input.
  void Identity(int n) {
    constexpr int kWhole[4] = {1, 2, 2, 4};
    constexpr int64_t kFraction[4] = {5793 - 4096, 0, 11586 - 8192, 0};
    for (int i = 0; i < 1 << n; ++i) {
      const int64_t fraction = T[i] * kFraction[n - 2];
      T[i] = T[i] * kWhole[n - 2] +
             (static_cast<int32_t>(fraction + (1 << 11)) >> 12);
    }
  }

  const Limits limits_;
  const bool clamps_;  // all results, not those of H alone
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_1D_H_
