// SPDX-License-Identifier: BSD-2-Clause
// The inverse transform against 7.13 as the text has it, one element after the
// other in 64-bit arithmetic, and against a floating point DCT. All variants.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/av1/kernels.h"
#include "tests/kernels/av1/guarded_frame.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSeed = 20251124;

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
  // Round2( sum, 12 ). What breaks the requirement is clamped at 8 bits and
  // wraps at 32 bits otherwise.
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

  void Adst4() {
    const int64_t kSinpi[5] = {0, 1321, 2482, 3344, 3803};
    const int64_t s0 = kSinpi[1] * T[0] + kSinpi[4] * T[2] + kSinpi[2] * T[3];
    const int64_t s1 = kSinpi[2] * T[0] - kSinpi[1] * T[2] - kSinpi[4] * T[3];
    const int64_t s2 = kSinpi[3] * (T[0] - T[2] + T[3]);
    const int64_t s3 = kSinpi[3] * T[1];
    T[0] = Fit(s0 + s3);
    T[1] = Fit(s1 + s3);
    T[2] = Fit(s2);
    T[3] = Fit(s0 + s1 - s3);
  }

 public:
  bool clamps_ = false;

 private:
  int r_ = 16;
  bool broken_ = false;
};

// ---- 7.13.3 ----

struct Case {
  int width_log2;
  int height_log2;
  uint32_t type;
  int bit_depth;
};

constexpr int kSizes[19][2] = {{2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6},
                               {2, 3}, {3, 2}, {3, 4}, {4, 3}, {4, 5},
                               {5, 4}, {5, 6}, {6, 5}, {2, 4}, {4, 2},
                               {3, 5}, {5, 3}, {4, 6}, {6, 4}};
constexpr int kRowShift[19] = {0, 1, 2, 2, 2, 0, 0, 1, 1, 1,
                               1, 1, 1, 1, 1, 2, 2, 2, 2};

int RowShift(int width_log2, int height_log2) {
  for (int i = 0; i < 19; ++i) {
    if (kSizes[i][0] == width_log2 && kSizes[i][1] == height_log2) {
      return kRowShift[i];
    }
  }
  ADD_FAILURE();
  return 0;
}

enum Kind { kDct, kAdst, kIdentity };
Kind RowKind(uint32_t type) {
  for (uint32_t t : {0, 1, 4, 11}) {
    if (type == t) return kDct;
  }
  for (uint32_t t : {2, 3, 5, 6, 7, 8, 13, 15}) {
    if (type == t) return kAdst;
  }
  return kIdentity;
}
Kind ColumnKind(uint32_t type) {
  for (uint32_t t : {0, 2, 5, 10}) {
    if (type == t) return kDct;
  }
  for (uint32_t t : {1, 3, 4, 6, 7, 8, 12, 14}) {
    if (type == t) return kAdst;
  }
  return kIdentity;
}

// The residual as it is added: flips are done. False if a requirement of
// conformance was broken.
bool SpecResidual(const Case& c, const std::vector<int>& coefficients,
                  int stored_width, int stored_height, int64_t (&out)[64][64]) {
  const int w = 1 << c.width_log2;
  const int h = 1 << c.height_log2;
  const bool lossless = c.type == PERDIX_TRANSFORM_WHT;
  const int row_range = c.bit_depth + 8;
  const int column_range = std::max(c.bit_depth + 6, 16);
  const int64_t max = (int64_t{1} << (column_range - 1)) - 1;
  bool valid = true;
  int64_t residual[64][64] = {};
  const auto run = [&](SpecTransform& t, Kind kind, int n, int r, int shift) {
    t.clamps_ = c.bit_depth == 8;
    if (lossless) {
      t.Wht(shift);
    } else if (kind == kDct) {
      t.Dct(n, r);
    } else if (kind == kAdst) {
      t.Adst(n, r);
    } else {
      t.Identity(n);
    }
    valid = valid && !t.broken();
  };
  for (int i = 0; i < h; ++i) {
    SpecTransform t;
    for (int j = 0; j < w; ++j) {
      if (i < stored_height && j < stored_width) {
        t.T[j] = coefficients[static_cast<size_t>(i * stored_width + j)];
      }
      if (std::abs(c.width_log2 - c.height_log2) == 1) {
        t.T[j] = SpecTransform::Round2(t.T[j] * 2896, 12);
      }
    }
    run(t, RowKind(c.type), c.width_log2, row_range, 2);
    for (int j = 0; j < w; ++j) {
      residual[i][j] = std::clamp(
          SpecTransform::Round2(
              t.T[j], lossless ? 0 : RowShift(c.width_log2, c.height_log2)),
          -max - 1, max);
    }
  }
  const uint32_t type = c.type;
  const bool up_down = type == 4 || type == 8 || type == 14 || type == 6;
  const bool left_right = type == 5 || type == 7 || type == 15 || type == 6;
  for (int j = 0; j < w; ++j) {
    SpecTransform t;
    for (int i = 0; i < h; ++i) t.T[i] = residual[i][j];
    run(t, ColumnKind(c.type), c.height_log2, column_range, 0);
    for (int i = 0; i < h; ++i) {
      out[up_down ? h - 1 - i : i][left_right ? w - 1 - j : j] =
          SpecTransform::Round2(t.T[i], lossless ? 0 : 4);
    }
  }
  return valid;
}

// The types that a size may have: ADST up to 16, identity up to 32.
bool SizeHasType(int width_log2, int height_log2, uint32_t type) {
  if (type == PERDIX_TRANSFORM_WHT) return width_log2 + height_log2 == 4;
  for (const auto& [n, kind] : {std::pair{width_log2, RowKind(type)},
                                std::pair{height_log2, ColumnKind(type)}}) {
    if (kind == kAdst && n > 4) return false;
    if (kind == kIdentity && n > 5) return false;
  }
  return true;
}

// ---- the tests ----

// Calls run(name, kernel) for the scalar kernel and for each target of Highway
// that this CPU has.
template <typename Sample, typename Run>
void ForEachVariant(const Run& run) {
  run("scalar", InverseTransform<Sample>);
  for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
       targets &= targets - 1) {
    const int64_t target = targets & -targets;
    hwy::SetSupportedTargetsForTest(target);
    run(hwy::TargetName(target), InverseTransformSimd<Sample>);
    hwy::SetSupportedTargetsForTest(0);
  }
}

template <typename Sample>
class Tester {
 public:
  explicit Tester(uint32_t seed) : random_(seed) {}

  int Uniform(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random_);
  }

  // Blocks of all three components at some position, possibly sticking out.
  void Check(const Case& c, uint32_t component, int magnitude,
             uint32_t stored_width_log2, uint32_t stored_height_log2) {
    const int w = 1 << c.width_log2;
    const int h = 1 << c.height_log2;
    const int stored_width = 4 << stored_width_log2;
    const int stored_height = 4 << stored_height_log2;
    GuardedFrame<Sample> frame(72, 80, 1, 1,
                               static_cast<uint32_t>(c.bit_depth));
    const int max = (1 << c.bit_depth) - 1;
    frame.Fill([&] { return Uniform(0, max); });
    const uint32_t plane = component == 0 ? kLuma : kChroma;
    const int x = 4 * Uniform(0, (frame.Width(plane) - 4) / 4);
    const int y = 4 * Uniform(0, (frame.Height(plane) - 4) / 4);

    std::vector<int> coefficients(
        static_cast<size_t>(stored_width * stored_height));
    const int bound = std::min(magnitude, (1 << (c.bit_depth + 7)) - 1);
    const int one_in = Uniform(0, 1) ? 1 : Uniform(1, 30);
    for (int& v : coefficients) {
      if (Uniform(1, one_in) != 1) continue;
      v = Uniform(0, 3) == 0 ? (Uniform(0, 1) ? bound : -bound - 1)
                             : Uniform(-bound - 1, bound);
    }
    const bool dc_only = Uniform(0, 9) == 0;
    if (dc_only) std::fill(coefficients.begin() + 1, coefficients.end(), 0);
    AddBlock(frame, c, component, x, y, stored_width_log2, stored_height_log2,
             coefficients, dc_only ? 1 : 2);

    GuardedFrame<Sample> expected = frame;
    int64_t residual[64][64];
    SpecResidual(c, coefficients, stored_width, stored_height, residual);
    for (int i = 0; i < h && y + i < frame.Height(plane); ++i) {
      for (int j = 0; j < w && x + j < frame.Width(plane); ++j) {
        Sample& sample = expected.At(component, x + j, y + i);
        sample = static_cast<Sample>(
            std::clamp<int64_t>(sample + residual[i][j], 0, max));
      }
    }
    const GuardedFrame<Sample> before = frame;
    ForEachVariant<Sample>([&](const char* variant, auto* kernel) {
      frame = before;
      kernel(frame.Args(), {0, 1});
      ASSERT_TRUE(frame == expected)
          << variant << " " << w << "x" << h << " type " << c.type << " depth "
          << c.bit_depth << " component " << component << " magnitude "
          << magnitude << " stored " << stored_width << "x" << stored_height
          << " seed " << kSeed;
    });
  }

  // That variants do the same to coefficients beyond those that parsing, which
  // clamps them (7.12.3), writes.
  void CheckExtremes(const Case& c) {
    const int most = sizeof(Sample) == 1 ? INT16_MAX : (1 << 23) - 1;
    const int least = -most - 1;
    const int stored_width = std::min(c.width_log2, 5) - 2;
    const int stored_height = std::min(c.height_log2, 5) - 2;
    std::vector<int> coefficients(size_t{16} << (stored_width + stored_height));
    for (const int kind : {0, 1, 2, 3, 4}) {
      for (int& v : coefficients) {
        v = kind == 0   ? least
            : kind == 1 ? most
            : kind == 2 ? (Uniform(0, 1) ? least : most)
                        : Uniform(least, most);
        if (kind == 4 && Uniform(0, 7)) v = 0;
      }
      GuardedFrame<Sample> frame(64, 64, 1, 1,
                                 static_cast<uint32_t>(c.bit_depth));
      frame.Fill([&] { return Uniform(0, (1 << c.bit_depth) - 1); });
      AddBlock(frame, c, 0, 0, 0, static_cast<uint32_t>(stored_width),
               static_cast<uint32_t>(stored_height), coefficients,
               kind == 4 && Uniform(0, 1) ? 1 : 2);
      const GuardedFrame<Sample> before = frame;
      GuardedFrame<Sample> expected = frame;
      InverseTransform<Sample>(expected.Args(), {0, 1});
      ForEachVariant<Sample>([&](const char* variant, auto* kernel) {
        frame = before;
        kernel(frame.Args(), {0, 1});
        ASSERT_TRUE(frame == expected)
            << variant << " " << (1 << c.width_log2) << "x"
            << (1 << c.height_log2) << " type " << c.type << " depth "
            << c.bit_depth << " kind " << kind << " seed " << kSeed;
      });
    }
  }

  static void AddBlock(GuardedFrame<Sample>& frame, const Case& c,
                       uint32_t component, int x, int y, uint32_t stored_width,
                       uint32_t stored_height,
                       const std::vector<int>& coefficients, uint32_t eob) {
    uint32_t offset;
    if (sizeof(Sample) == 1) {
      const std::vector<int16_t> narrow(coefficients.begin(),
                                        coefficients.end());
      offset = frame.AddToArena(narrow.data(), 2 * narrow.size());
    } else {
      offset = frame.AddToArena(coefficients.data(), 4 * coefficients.size());
    }
    frame.Add(
        kInterTransforms,
        {PackPosition(static_cast<uint32_t>(x / 4),
                      static_cast<uint32_t>(y / 4)),
         PackTransformShape(component, static_cast<uint32_t>(c.width_log2),
                            static_cast<uint32_t>(c.height_log2), c.type,
                            stored_width, stored_height),
         offset, eob});
  }

  void CheckAllExtremes(int bit_depth) {
    for (const auto& size : kSizes) {
      for (uint32_t type = 0; type <= PERDIX_TRANSFORM_WHT; ++type) {
        if (!SizeHasType(size[0], size[1], type)) continue;
        CheckExtremes({size[0], size[1], type, bit_depth});
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }

  void CheckAll(int bit_depth) {
    for (const auto& size : kSizes) {
      for (uint32_t type = 0; type <= PERDIX_TRANSFORM_WHT; ++type) {
        if (!SizeHasType(size[0], size[1], type)) continue;
        const Case c = {size[0], size[1], type, bit_depth};
        const int most_width = std::min(size[0], 5) - 2;
        const int most_height = std::min(size[1], 5) - 2;
        for (int stored = 0; stored < 16; ++stored) {
          if (stored % 4 > most_width || stored / 4 > most_height) continue;
          for (int magnitude : {3, 300, 5000, 1 << 20}) {
            Check(c, static_cast<uint32_t>(Uniform(0, 2)), magnitude,
                  static_cast<uint32_t>(stored % 4),
                  static_cast<uint32_t>(stored / 4));
            if (::testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }

 private:
  std::mt19937 random_;
};

TEST(Av1InverseTransformTest, IsAsSpecified8) {
  Tester<uint8_t>(kSeed).CheckAll(8);
}
TEST(Av1InverseTransformTest, IsAsSpecified10) {
  Tester<uint16_t>(kSeed).CheckAll(10);
}
TEST(Av1InverseTransformTest, IsAsSpecified12) {
  Tester<uint16_t>(kSeed).CheckAll(12);
}

TEST(Av1InverseTransformTest, VariantsAgreeOnAnyCoefficients) {
  Tester<uint8_t>(kSeed).CheckAllExtremes(8);
  Tester<uint16_t>(kSeed).CheckAllExtremes(10);
  Tester<uint16_t>(kSeed).CheckAllExtremes(12);
}

// Sum over all k of c(k) X[k] cos((2i + 1) k pi / 2n), orthonormal.
double FloatDct(const double* in, int n, int i) {
  double sum = in[0] / std::sqrt(2.0);
  for (int k = 1; k < n; ++k) {
    sum += in[k] * std::cos((2 * i + 1) * k * M_PI / (2 * n));
  }
  return sum * std::sqrt(2.0 / n);
}

// A transform of w x h is the orthonormal one times a power of two, by which
// the encoder's coefficients are larger: 8, or less for the big ones.
TEST(Av1InverseTransformTest, DctIsNearTheRealOne) {
  Tester<uint16_t> tester(kSeed);
  for (const auto& size : kSizes) {
    const int w = 1 << size[0];
    const int h = 1 << size[1];
    const int stored_width = std::min(w, 32);
    const int stored_height = std::min(h, 32);
    std::vector<int> coefficients(
        static_cast<size_t>(stored_width * stored_height));
    for (int& v : coefficients) v = tester.Uniform(-200, 200);
    GuardedFrame<uint16_t> frame(64, 64, 1, 1, 12);
    frame.Fill([] { return 2048; });
    Tester<uint16_t>::AddBlock(frame, {size[0], size[1], 0, 12}, 0, 0, 0,
                               static_cast<uint32_t>(std::min(size[0], 5) - 2),
                               static_cast<uint32_t>(std::min(size[1], 5) - 2),
                               coefficients, 2);
    InverseTransform<uint16_t>(frame.Args(), {0, 1});
    std::vector<double> rows(static_cast<size_t>(w * h));
    for (int i = 0; i < stored_height; ++i) {
      double in[64] = {};
      for (int j = 0; j < stored_width; ++j) {
        in[j] = coefficients[static_cast<size_t>(i * stored_width + j)];
      }
      for (int j = 0; j < w; ++j) {
        rows[static_cast<size_t>(i * w + j)] = FloatDct(in, w, j);
      }
    }
    const int area_log2 = size[0] + size[1];
    const double scale = area_log2 <= 8 ? 8 : area_log2 <= 10 ? 4 : 2;
    for (int j = 0; j < w; ++j) {
      double in[64];
      for (int i = 0; i < h; ++i) in[i] = rows[static_cast<size_t>(i * w + j)];
      for (int i = 0; i < h; ++i) {
        EXPECT_NEAR(frame.At(0, j, i) - 2048.0, FloatDct(in, h, i) / scale, 2)
            << w << "x" << h << " at " << j << ", " << i;
      }
    }
  }
}

}  // namespace
}  // namespace perdix::av1
