// SPDX-License-Identifier: BSD-2-Clause
// One-dimensional inverse transforms (7.13.2) of the scalar kernel, on several
// rows or columns at once: lane l of every element of T belongs to the same
// one.
//
// Input is in the order that InputOrder gives, so that whoever fills T does the
// permutations of 7.13.2.2 and 7.13.2.4 on the way.
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
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/av1/transform/residual_rows.h"
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

// What is clamped to r bits.
enum class Clamping : uint8_t {
  kNothing,   // the caller knows that nothing exceeds them: see SumLimit
  kHadamard,  // H
  kAll,       // B and the ADST4, too
};

// With no more than this as the sum of the magnitudes of a transform's input,
// none of its values exceeds r bits, be it an intermediate one. No butterfly of
// the DCTs and ADSTs has a gain above 1 from any input; an eighth is left for
// rounding. Identities have gains up to 4.
constexpr uint32_t SumLimit(TransformKind kind, Limits limits) {
  const auto limit = static_cast<uint32_t>(limits.max - limits.max / 8);
  return kind == TransformKind::kIdentity ? limit / 4 : limit;
}

// Lane: int32_t, or int16_t where nothing exceeds 16 bits.
template <typename Lane, int kLanes, Clamping kClamping>
class Transform1d {
 public:
  using Lanes = Lane[kLanes];

  // T is the caller's, of the transform's length.
  Transform1d(Lanes* t, Limits limits) : t_(t), limits_(limits) {}

  // n: log2 of the length. Kinds and lengths that no stream has (ADST and
  // identity of more than 16 and 32) are DCTs.
  void Run(TransformKind kind, int n) {
    if (kind == TransformKind::kAdst && n == 2) return InverseAdst4();
    if (kind == TransformKind::kAdst && n == 3) return InverseAdst8();
    if (kind == TransformKind::kAdst && n == 4) return InverseAdst16();
    if (kind == TransformKind::kIdentity && n <= 5) return InverseIdentity(n);
    switch (n) {
      case 2:
        return Dct4();
      case 3:
        return Dct8();
      case 4:
        return Dct16();
      case 5:
        return Dct32();
      default:
        return Dct64();
    }
  }

  // 7.13.2.10. 4 elements, in order.
  void InverseWht(int shift) {
    PERDIX_KEEP_LOOP
    for (int l = 0; l < kLanes; ++l) {
      int32_t a = t_[0][l] >> shift;
      int32_t c = t_[1][l] >> shift;
      int32_t d = t_[2][l] >> shift;
      int32_t b = t_[3][l] >> shift;
      a = WrapAdd(a, c);
      d = WrapSub(d, b);
      const int32_t e = WrapSub(a, d) >> 1;
      b = WrapSub(e, b);
      c = WrapSub(e, c);
      t_[0][l] = WrapSub(a, b);
      t_[1][l] = b;
      t_[2][l] = c;
      t_[3][l] = WrapAdd(d, c);
    }
  }

 private:
  static int32_t Multiply(Lane a, int16_t b) {
    if constexpr (sizeof(Lane) == 2) return a * b;
    return WrapMul(a, b);
  }
  // Round2(value, 12) of a sum of products.
  Lane RoundProduct(int32_t value) const {
    return ClampAll(WrapRound(value, 12));
  }
  // The same without a sum that could wrap: of any value of 32 bits.
  Lane RoundFullProduct(int32_t value) const {
    return ClampAll(((value >> 11) + 1) >> 1);
  }
  Lane ClampAll(int32_t value) const {
    if constexpr (kClamping == Clamping::kAll) value = limits_.Clamp(value);
    return static_cast<Lane>(value);
  }

  // 7.13.2.1: butterfly rotation; flip exchanges the results.
  void B(int a, int b, int angle, int flip) {
    const int16_t cos = Cos128(angle);
    const int16_t sin = Sin128(angle);
    Lanes x;
    Lanes y;
    PERDIX_KEEP_LOOP
    for (int l = 0; l < kLanes; ++l) {
      const Lane ta = t_[a][l];
      const Lane tb = t_[b][l];
      x[l] = RoundProduct(WrapSub(Multiply(ta, cos), Multiply(tb, sin)));
      y[l] = RoundProduct(WrapAdd(Multiply(ta, sin), Multiply(tb, cos)));
    }
    std::memcpy(t_[flip ? b : a], x, sizeof(x));
    std::memcpy(t_[flip ? a : b], y, sizeof(y));
  }

  Lane ClampSum(int32_t value) const {
    if constexpr (kClamping != Clamping::kNothing) {
      value = limits_.Clamp(value);
    }
    return static_cast<Lane>(value);
  }

  // 7.13.2.1: Hadamard rotation; flip exchanges the indices.
  void H(int a, int b, int flip) {
    Lanes& ta = t_[flip ? b : a];
    Lanes& tb = t_[flip ? a : b];
    Lanes x;
    Lanes y;
    PERDIX_KEEP_LOOP
    for (int l = 0; l < kLanes; ++l) {
      x[l] = ClampSum(WrapAdd(ta[l], tb[l]));
      y[l] = ClampSum(WrapSub(ta[l], tb[l]));
    }
    std::memcpy(ta, x, sizeof(x));
    std::memcpy(tb, y, sizeof(y));
  }

  // ---- 7.13.2.3 ----
  // The steps on the second half of T do not depend on those on the first, but
  // for the last: each length is the half length, then its own steps, in the
  // order of the list, whose numbers are given.

  void Dct4() {
    B(0, 1, 32, 1);  // 12
    B(2, 3, 48, 0);
    H(0, 3, 0);  // 17
    H(1, 2, 0);
  }

  void Dct8() {
    Dct4();
    for (int i = 0; i < 2; ++i) B(4 + i, 7 - i, 56 - 32 * i, 0);  // 8
    for (int i = 0; i < 2; ++i) H(4 + 2 * i, 5 + 2 * i, i);       // 13
    B(6, 5, 32, 1);                                               // 18
    for (int i = 0; i < 4; ++i) H(i, 7 - i, 0);                   // 22
  }

  void Dct16() {
    Dct8();
    for (int i = 0; i < 4; ++i) {  // 5
      B(8 + i, 15 - i, 12 + (BitReverse(2, 3 - i) << 4), 0);
    }
    for (int i = 0; i < 4; ++i) H(8 + 2 * i, 9 + 2 * i, i & 1);    // 9
    for (int i = 0; i < 2; ++i) B(14 - i, 9 + i, 48 + 64 * i, 1);  // 14
    for (int i = 0; i < 2; ++i) {                                  // 19
      for (int j = 0; j < 2; ++j) H(8 + 4 * i + j, 11 + 4 * i - j, i);
    }
    for (int i = 0; i < 2; ++i) B(13 - i, 10 + i, 32, 1);  // 23
    for (int i = 0; i < 8; ++i) H(i, 15 - i, 0);           // 26
  }

  void Dct32() {
    Dct16();
    for (int i = 0; i < 8; ++i) {  // 3
      B(16 + i, 31 - i, 6 + (BitReverse(3, 7 - i) << 3), 0);
    }
    for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);  // 6
    for (int i = 0; i < 2; ++i) {                                  // 10
      for (int j = 0; j < 2; ++j) {
        B(30 - 4 * i - j, 17 + 4 * i + j, 24 + (j << 6) + ((1 - i) << 5), 1);
      }
    }
    for (int i = 0; i < 4; ++i) {  // 15
      for (int j = 0; j < 2; ++j) H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
    }
    for (int i = 0; i < 4; ++i) {  // 20
      B(29 - i, 18 + i, 48 + (i >> 1) * 64, 1);
    }
    for (int i = 0; i < 2; ++i) {  // 24
      for (int j = 0; j < 4; ++j) H(16 + i * 8 + j, 23 + i * 8 - j, i);
    }
    for (int i = 0; i < 4; ++i) B(27 - i, 20 + i, 32, 1);  // 27
    for (int i = 0; i < 16; ++i) H(i, 31 - i, 0);          // 29
  }

  void Dct64() {
    Dct32();
    for (int i = 0; i < 16; ++i) {  // 2
      B(32 + i, 63 - i, 63 - 4 * BitReverse(4, i), 0);
    }
    for (int i = 0; i < 16; ++i) H(32 + i * 2, 33 + i * 2, i & 1);  // 4
    for (int i = 0; i < 4; ++i) {                                   // 7
      for (int j = 0; j < 2; ++j) {
        B(62 - i * 4 - j, 33 + i * 4 + j, 60 - 16 * BitReverse(2, i) + 64 * j,
          1);
      }
    }
    for (int i = 0; i < 8; ++i) {  // 11
      for (int j = 0; j < 2; ++j) H(32 + i * 4 + j, 35 + i * 4 - j, i & 1);
    }
    for (int i = 0; i < 2; ++i) {  // 16
      for (int j = 0; j < 4; ++j) {
        B(61 - i * 8 - j, 34 + i * 8 + j, 56 - i * 32 + (j >> 1) * 64, 1);
      }
    }
    for (int i = 0; i < 4; ++i) {  // 21
      for (int j = 0; j < 4; ++j) H(32 + 8 * i + j, 39 + 8 * i - j, i & 1);
    }
    for (int i = 0; i < 8; ++i) B(59 - i, 36 + i, i < 4 ? 48 : 112, 1);  // 25
    for (int i = 0; i < 8; ++i) {                                        // 28
      H(32 + i, 47 - i, 0);
      H(48 + i, 63 - i, 1);
    }
    for (int i = 0; i < 8; ++i) B(55 - i, 40 + i, 32, 1);  // 30
    for (int i = 0; i < 32; ++i) H(i, 63 - i, 0);          // 31
  }

  // ---- 7.13.2.5 to 7.13.2.9 ----

  void InverseAdst4() {
    PERDIX_KEEP_LOOP
    for (int l = 0; l < kLanes; ++l) {
      const Lane t0 = t_[0][l];
      const Lane t1 = t_[1][l];
      const Lane t2 = t_[2][l];
      const Lane t3 = t_[3][l];
      const int32_t s0 =
          WrapAdd(WrapAdd(Multiply(t0, kSinpi1), Multiply(t2, kSinpi4)),
                  Multiply(t3, kSinpi2));
      const int32_t s1 =
          WrapSub(WrapSub(Multiply(t0, kSinpi2), Multiply(t2, kSinpi1)),
                  Multiply(t3, kSinpi4));
      const int32_t s2 =
          WrapAdd(WrapSub(Multiply(t0, kSinpi3), Multiply(t2, kSinpi3)),
                  Multiply(t3, kSinpi3));
      const int32_t s3 = Multiply(t1, kSinpi3);
      t_[0][l] = RoundFullProduct(WrapAdd(s0, s3));
      t_[1][l] = RoundFullProduct(WrapAdd(s1, s3));
      t_[2][l] = RoundFullProduct(s2);
      t_[3][l] = RoundFullProduct(WrapSub(WrapAdd(s0, s1), s3));
    }
  }

  void InverseAdst8() {
    for (int i = 0; i < 4; ++i) B(2 * i, 2 * i + 1, 60 - 16 * i, 1);
    for (int i = 0; i < 4; ++i) H(i, 4 + i, 0);
    for (int i = 0; i < 2; ++i) B(4 + 3 * i, 5 + i, 48 - 32 * i, 1);
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) H(4 * j + i, 2 + 4 * j + i, 0);
    }
    for (int i = 0; i < 2; ++i) B(2 + 4 * i, 3 + 4 * i, 32, 1);
    PermuteAdstOutput<3>();
  }

  void InverseAdst16() {
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
    PermuteAdstOutput<4>();
  }

  // 7.13.2.5.
  template <int n>
  void PermuteAdstOutput() {
    Lanes copy[1 << n];
    std::memcpy(copy, t_, sizeof(copy));
    for (int i = 0; i < 1 << n; i += 2) {
      std::memcpy(t_[i], copy[AdstOutput(n, i)], sizeof(Lanes));
      PERDIX_KEEP_LOOP
      for (int l = 0; l < kLanes; ++l) {
        t_[i + 1][l] =
            static_cast<Lane>(WrapSub(0, copy[AdstOutput(n, i + 1)][l]));
      }
    }
  }

  // 7.13.2.11 to 7.13.2.15. The factors above 4096 are split so that 32 bits
  // are enough for 20-bit input.
  void InverseIdentity(int n) {
    switch (n) {
      case 2:
        return Scale<2, 0, 5793 - 4096>();
      case 3:
        return Scale<3, 1, 0>();
      case 4:
        return Scale<4, 1, 11586 - 8192>();
      default:
        return Scale<5, 2, 0>();
    }
  }

  // Times (1 << shift) + fraction / 4096.
  template <int n, int shift, int16_t fraction>
  void Scale() {
    for (int i = 0; i < 1 << n; ++i) {
      PERDIX_KEEP_LOOP
      for (int l = 0; l < kLanes; ++l) {
        const Lane value = t_[i][l];
        int32_t scaled = WrapMul(value, 1 << shift);
        if constexpr (fraction != 0) {
          scaled = WrapAdd(scaled, WrapRound(Multiply(value, fraction), 12));
        }
        t_[i][l] = static_cast<Lane>(scaled);
      }
    }
  }

  Lanes* t_;
  const Limits limits_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_1D_H_
