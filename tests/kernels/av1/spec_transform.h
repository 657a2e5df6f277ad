// SPDX-License-Identifier: BSD-2-Clause
// The one-dimensional inverse transforms, as the specification writes them.
#ifndef PERDIX_TESTS_KERNELS_AV1_SPEC_TRANSFORM_H_
#define PERDIX_TESTS_KERNELS_AV1_SPEC_TRANSFORM_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/av1/lists.h"

namespace perdix::av1 {

// ---- 7.13.2 ----

class SpecTransform {
 public:
  int64_t T[64] = {};

  void Dct(int n, int r) {
    r_ = r;
    int64_t copy[64];
    std::copy_n(T, 64, copy);
    for (int i = 0; i < 1 << n; ++i) T[i] = copy[Brev(n, i)];
    if (n == 6) {
      for (int i = 0; i < 16; ++i) B(32 + i, 63 - i, 63 - 4 * Brev(4, i), 0);
    }
    if (n >= 5) {
      for (int i = 0; i < 8; ++i) {
        B(16 + i, 31 - i, 6 + (Brev(3, 7 - i) << 3), 0);
      }
    }
    if (n == 6) {
      for (int i = 0; i < 16; ++i) H(32 + i * 2, 33 + i * 2, i & 1);
    }
    if (n >= 4) {
      for (int i = 0; i < 4; ++i) {
        B(8 + i, 15 - i, 12 + (Brev(2, 3 - i) << 4), 0);
      }
    }
    if (n >= 5) {
      for (int i = 0; i < 8; ++i) H(16 + 2 * i, 17 + 2 * i, i & 1);
    }
    if (n == 6) {
      for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 2; ++j) {
          B(62 - i * 4 - j, 33 + i * 4 + j, 60 - 16 * Brev(2, i) + 64 * j, 1);
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

  void Adst(int n, int r) {
    r_ = r;
    if (n == 2) return Adst4();
    int64_t copy[64];
    const int n0 = 1 << n;
    std::copy_n(T, 64, copy);
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
    std::copy_n(T, 64, copy);
    for (int i = 0; i < n0; ++i) {
      const int a = (i >> 3) & 1;
      const int b = ((i >> 2) & 1) ^ ((i >> 3) & 1);
      const int c = ((i >> 1) & 1) ^ ((i >> 2) & 1);
      const int d = (i & 1) ^ ((i >> 1) & 1);
      const int index = ((d << 3) | (c << 2) | (b << 1) | a) >> (4 - n);
      T[i] = (i & 1) ? -copy[index] : copy[index];
    }
  }

  void Identity(int n) {
    for (int i = 0; i < 1 << n; ++i) {
      T[i] = n == 2   ? Round2(T[i] * 5793, 12)
             : n == 3 ? T[i] * 2
             : n == 4 ? Round2(T[i] * 11586, 12)
                      : T[i] * 4;
    }
  }

  void Wht(int shift) {
    int64_t a = T[0] >> shift;
    int64_t c = T[1] >> shift;
    int64_t d = T[2] >> shift;
    int64_t b = T[3] >> shift;
    a += c;
    d -= b;
    const int64_t e = (a - d) >> 1;
    b = e - b;
    c = e - c;
    a -= b;
    d += c;
    T[0] = a;
    T[1] = b;
    T[2] = c;
    T[3] = d;
  }

  static int64_t Round2(int64_t x, int n) {
    return n == 0 ? x : (x + (int64_t{1} << (n - 1))) >> n;
  }

  // Whether a requirement of conformance was broken.
  bool broken() const { return broken_; }

 private:
  static int Brev(int bits, int x) {
    int t = 0;
    for (int i = 0; i < bits; ++i) t += ((x >> i) & 1) << (bits - 1 - i);
    return t;
  }
  static int64_t Cos(int angle) {
    return std::lround(4096 * std::cos(angle * M_PI / 128));
  }
  static int64_t Sin(int angle) {
    return std::lround(4096 * std::sin(angle * M_PI / 128));
  }
  int64_t Max() const { return (int64_t{1} << (r_ - 1)) - 1; }
  int64_t Clip(int64_t x) const { return std::clamp(x, -Max() - 1, Max()); }
  // Round2( sum, 12 ). What breaks the requirement is clamped where r is 16
  // bits and wraps at 32 bits otherwise.
  int64_t Fit(int64_t sum) {
    const int64_t x = Round2(sum, 12);
    broken_ |= x != Clip(x);
    return clamps_ ? Clip(x) : static_cast<int32_t>(sum + 2048) >> 12;
  }

  void B(int a, int b, int angle, int flip) {
    const int64_t x = T[a] * Cos(angle) - T[b] * Sin(angle);
    const int64_t y = T[a] * Sin(angle) + T[b] * Cos(angle);
    T[a] = Fit(x);
    T[b] = Fit(y);
    if (flip) std::swap(T[a], T[b]);
  }
  void H(int a, int b, int flip) {
    if (flip) std::swap(a, b);
    const int64_t x = T[a];
    const int64_t y = T[b];
    T[a] = Clip(x + y);
    T[b] = Clip(x - y);
  }

  // Round2( x, 12 ) of 7.13.2.6, which asks for r + 12 bits of x: the result is
  // exact then, and may be 1 << (r - 1). Other x are clamped or wrap as in Fit.
  int64_t FitAdst4(int64_t x) {
    if (Needs(x, r_ + 12)) return Round2(x, 12);
    return clamps_ ? Clip(Round2(x, 12)) : Round2(static_cast<int32_t>(x), 12);
  }
  // It is a requirement that x has that many bits.
  bool Needs(int64_t x, int bits) {
    const int64_t limit = int64_t{1} << (bits - 1);
    const bool has = x >= -limit && x < limit;
    broken_ |= !has;
    return has;
  }

  void Adst4() {
    const int64_t kSinpi[5] = {0, 1321, 2482, 3344, 3803};
    int64_t s[7] = {kSinpi[1] * T[0], kSinpi[2] * T[0], kSinpi[3] * T[1],
                    kSinpi[4] * T[2], kSinpi[1] * T[2], kSinpi[2] * T[3],
                    kSinpi[4] * T[3]};
    const auto check_s = [&] {
      for (const int64_t value : s) Needs(value, r_ + 12);
    };
    const int64_t a7 = T[0] - T[2];
    const int64_t b7 = a7 + T[3];
    Needs(a7, r_ + 1);
    Needs(b7, r_);
    check_s();
    s[0] += s[3];
    s[1] -= s[4];
    s[3] = s[2];
    s[2] = kSinpi[3] * b7;
    check_s();
    s[0] += s[5];
    s[1] -= s[6];
    check_s();
    const int64_t x3 = s[0] + s[1];
    Needs(x3, r_ + 12);
    T[0] = FitAdst4(s[0] + s[3]);
    T[1] = FitAdst4(s[1] + s[3]);
    T[2] = FitAdst4(s[2]);
    T[3] = FitAdst4(x3 - s[3]);
  }

 public:
  bool clamps_ = false;

 private:
  int r_ = 16;
  bool broken_ = false;
};

}  // namespace perdix::av1

#endif  // PERDIX_TESTS_KERNELS_AV1_SPEC_TRANSFORM_H_
