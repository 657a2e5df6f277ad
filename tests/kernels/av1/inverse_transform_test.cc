// SPDX-License-Identifier: BSD-2-Clause
// The inverse transform against 7.13 as the text has it, one element after the
// other in 64-bit arithmetic, and against a floating point DCT. All variants.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/av1/kernels.h"
#include "tests/kernels/av1/guarded_frame.h"
#include "tests/kernels/av1/spec_transform.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSeed = 20251124;

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
    t.clamps_ = r == 16;
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
    const int stored_width = 4 << stored_width_log2;
    const int stored_height = 4 << stored_height_log2;
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
    // no fill from the second on: GCC 14 takes the vector for empty
    for (size_t i = 1; dc_only && i < coefficients.size(); ++i)
      coefficients[i] = 0;
    SCOPED_TRACE("magnitude " + std::to_string(magnitude));
    CheckBlock(c, component, coefficients, stored_width_log2,
               stored_height_log2, dc_only ? 1 : 2);
  }

  // Every variant adds the residual of 7.13.3. False: the coefficients break a
  // requirement of conformance.
  bool CheckBlock(const Case& c, uint32_t component,
                  const std::vector<int>& coefficients,
                  uint32_t stored_width_log2, uint32_t stored_height_log2,
                  uint32_t eob) {
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
    AddBlock(frame, c, component, x, y, stored_width_log2, stored_height_log2,
             coefficients, eob);

    GuardedFrame<Sample> expected = frame;
    int64_t residual[64][64];
    const bool valid =
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
          << c.bit_depth << " component " << component << " stored "
          << stored_width << "x" << stored_height << " seed " << kSeed;
    });
    return valid;
  }

  // A row whose ADST4 has a sum within 3344 of the ends of r + 12 bits.
  std::array<int, 4> ExtremeAdst4Row(int r) {
    constexpr int kSinpi[3][4] = {{1321, 3344, 3803, 2482},
                                  {2482, 3344, -1321, -3803},
                                  {3803, -3344, 2482, -1321}};
    const int(&factors)[4] = kSinpi[Uniform(0, 2)];
    const int most = (1 << (r - 1)) - 1;
    const int64_t end = int64_t{Uniform(0, 1) ? 1 : -1} << (r + 11);
    for (;;) {
      std::array<int, 4> row;
      int64_t rest = end;
      for (const size_t i : {0, 2, 3}) {
        row[i] = Uniform(-most - 1, most);
        rest -= int64_t{factors[i]} * row[i];
      }
      const int64_t last = rest / factors[1];
      if (last < -most - 1 || last > most) continue;
      row[1] = static_cast<int>(last);
      return row;
    }
  }

  // Rows whose sums fill the bits that 7.13.2.6 gives them.
  void CheckExtremeAdst4() {
    constexpr uint32_t kTypes[] = {2, 3, 5, 6, 7, 8, 13, 15};  // ADST in rows
    int valid = 0;
    for (int i = 0; i < 20000; ++i) {
      const Case c = {2, Uniform(2, 4), kTypes[Uniform(0, 7)], 12};
      const int height = 1 << c.height_log2;
      std::vector<int> coefficients;
      for (int row = 0; row < height; ++row) {
        std::array<int, 4> values = {};
        if (Uniform(0, 1)) values = ExtremeAdst4Row(c.bit_depth + 8);
        coefficients.insert(coefficients.end(), values.begin(), values.end());
      }
      valid += CheckBlock(c, 0, coefficients, 0,
                          static_cast<uint32_t>(c.height_log2 - 2), 2);
      if (::testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(valid, 1000);
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

TEST(Av1InverseTransformTest, Adst4RoundsSumsThatFillTheirBits) {
  const std::vector<int> row = {0, 301009, 300002, 0};
  SpecTransform t;
  std::ranges::copy(row, t.T);
  t.Adst(2, 20);
  EXPECT_FALSE(t.broken());
  EXPECT_EQ(std::vector<int64_t>(t.T, t.T + 4),
            (std::vector<int64_t>{524288, 148992, -244924, -63957}));
  std::vector<int> coefficients = row;
  coefficients.resize(16);
  Tester<uint16_t> tester(kSeed);
  EXPECT_TRUE(tester.CheckBlock({2, 2, 3, 12}, 0, coefficients, 0, 0, 2));
  tester.CheckExtremeAdst4();
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
