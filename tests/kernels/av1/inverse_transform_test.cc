// SPDX-License-Identifier: BSD-2-Clause
// The inverse transform on vectors against the scalar one, and that against
// known numbers and a floating point DCT.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/av1/kernels.h"
#include "kernels/av1/transform/transform_1d.h"
#include "tests/frame/random.h"
#include "tests/kernels/av1/guarded_frame.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSeed = 20251124;

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
// The types that a size may have: ADST up to 16, identity up to 32.
bool SizeHasType(int width_log2, int height_log2, uint32_t type) {
  if (type == PERDIX_TRANSFORM_WHT) return width_log2 + height_log2 == 4;
  const TransformTypeParts& parts = kTransformTypes[type];
  return KindOfLength(parts.rows, width_log2) == parts.rows &&
         KindOfLength(parts.columns, height_log2) == parts.columns;
}

// ---- the tests ----

// Calls run(name, kernel) for each target of Highway that this CPU has.
template <typename Sample, typename Run>
void ForEachVariant(const Run& run) {
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

  int Uniform(int low, int high) { return random_.Uniform(low, high); }

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

  // Every variant adds the same residual as the scalar kernel.
  void CheckBlock(const Case& c, uint32_t component,
                  const std::vector<int>& coefficients,
                  uint32_t stored_width_log2, uint32_t stored_height_log2,
                  uint32_t eob) {
    GuardedFrame<Sample> before(72, 80, 1, 1,
                                static_cast<uint32_t>(c.bit_depth));
    before.Fill([&] { return Uniform(0, (1 << c.bit_depth) - 1); });
    const uint32_t plane = component == 0 ? kLuma : kChroma;
    const int x = 4 * Uniform(0, (before.Width(plane) - 4) / 4);
    const int y = 4 * Uniform(0, (before.Height(plane) - 4) / 4);
    AddBlock(before, c, component, x, y, stored_width_log2, stored_height_log2,
             coefficients, eob);
    GuardedFrame<Sample> expected = before;
    InverseTransform<Sample>(expected.Args(), {0, 1});
    ForEachVariant<Sample>([&](const char* variant, auto* kernel) {
      GuardedFrame<Sample> frame = before;
      kernel(frame.Args(), {0, 1});
      ASSERT_TRUE(frame == expected)
          << variant << " " << (1 << c.width_log2) << "x"
          << (1 << c.height_log2) << " type " << c.type << " depth "
          << c.bit_depth << " component " << component << " stored "
          << (4 << stored_width_log2) << "x" << (4 << stored_height_log2)
          << " eob " << eob << " seed " << kSeed;
    });
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
    for (int i = 0; i < 20000; ++i) {
      const Case c = {2, Uniform(2, 4), kTypes[Uniform(0, 7)], 12};
      const int height = 1 << c.height_log2;
      std::vector<int> coefficients;
      for (int row = 0; row < height; ++row) {
        std::array<int, 4> values = {};
        if (Uniform(0, 1)) values = ExtremeAdst4Row(c.bit_depth + 8);
        coefficients.insert(coefficients.end(), values.begin(), values.end());
      }
      CheckBlock(c, 0, coefficients, 0,
                 static_cast<uint32_t>(c.height_log2 - 2), 2);
      if (::testing::Test::HasFatalFailure()) return;
    }
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
      SCOPED_TRACE("kind " + std::to_string(kind));
      CheckBlock(c, 0, coefficients, static_cast<uint32_t>(stored_width),
                 static_cast<uint32_t>(stored_height),
                 kind == 4 && Uniform(0, 1) ? 1 : 2);
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
  TestRandom random_;
};

TEST(Av1InverseTransformTest, VariantsAgree8) {
  Tester<uint8_t>(kSeed).CheckAll(8);
}
TEST(Av1InverseTransformTest, VariantsAgree10) {
  Tester<uint16_t>(kSeed).CheckAll(10);
}
TEST(Av1InverseTransformTest, VariantsAgree12) {
  Tester<uint16_t>(kSeed).CheckAll(12);
}

TEST(Av1InverseTransformTest, AnglesAreThoseOfTheCosine) {
  for (int angle = 0; angle < 256; ++angle) {
    EXPECT_EQ(Cos128(angle), std::lround(4096 * std::cos(angle * M_PI / 128)));
    EXPECT_EQ(Sin128(angle), std::lround(4096 * std::sin(angle * M_PI / 128)));
  }
}

TEST(Av1InverseTransformTest, Adst4RoundsSumsThatFillTheirBits) {
  const std::vector<int> row = {0, 301009, 300002, 0};
  Transform1d t(20);
  std::ranges::copy(row, t.T);
  t.Run(TransformKind::kAdst, 2);
  EXPECT_EQ(std::vector<int>(t.T, t.T + 4),
            (std::vector<int>{524288, 148992, -244924, -63957}));
  Tester<uint16_t>(kSeed).CheckExtremeAdst4();
}

// By hand: 7.13.2.10 of 4, 8, 12, 16, without a shift.
TEST(Av1InverseTransformTest, WalshHadamardIsAsByHand) {
  Transform1d t(16);
  std::ranges::copy(std::vector<int>{4, 8, 12, 16}, t.T);
  t.Wht(0);
  EXPECT_EQ(std::vector<int>(t.T, t.T + 4), (std::vector<int>{20, -8, 0, -4}));
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
