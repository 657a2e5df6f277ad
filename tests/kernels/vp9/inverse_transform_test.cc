// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tests/frame/vp9/random_lists.h"
#include "tests/kernel_test.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20240602;
constexpr uint32_t kEobMany = 100;  // more than the DC
enum TxType : uint32_t { kDctDct, kAdstDct, kDctAdst, kAdstAdst };

// Coefficients or residual of one block, rows of 32.
using Block = std::array<std::array<int, 32>, 32>;

// Stores the top left 4 << stored_log2 of block for a transform at x4, y4.
void AddTransform(KernelInput& input, uint32_t x4, uint32_t y4, uint32_t shape,
                  uint32_t eob, const Block& block) {
  const uint32_t stored = 4u << TransformStoredLog2(shape);
  const auto offset = static_cast<uint32_t>(input.coefficients.size());
  for (uint32_t i = 0; i < stored * stored; ++i) {
    AddCoefficient(input.params.bit_depth, block[i / stored][i % stored],
                   &input);
  }
  input.Of(kInterTransforms)
      .push_back({PackPosition(x4, y4), shape, offset, eob});
}

Block RandomBlock(TestRandom& random, uint32_t stored, int amplitude) {
  Block block = {};
  for (uint32_t i = 0; i < stored; ++i) {
    for (uint32_t j = 0; j < stored; ++j) {
      block[i][j] = random.OneIn(3) ? random.Uniform(-amplitude, amplitude) : 0;
    }
  }
  return block;
}

// Sample n of basis function k of VP9's transforms, orthonormal.
double Basis(bool adst, int size, int k, int n) {
  const double pi = std::numbers::pi;
  if (adst && size == 4) {
    return 2.0 / 3 * std::sin(pi * (n + 1) * (2 * k + 1) / 9);
  }
  if (adst) {
    return std::sqrt(2.0 / size) *
           std::sin(pi * (2 * n + 1) * (2 * k + 1) / (4 * size));
  }
  return std::sqrt((k == 0 ? 1.0 : 2.0) / size) *
         std::cos(pi * (2 * n + 1) * k / (2 * size));
}

// The exact residual: the inverse, scaled to 1/8 (32x32: 1/4).
double ExactResidual(const Block& block, uint32_t tx_type, int size, int row,
                     int column) {
  double sum = 0;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j) {
      if (block[i][j] == 0) continue;
      sum += block[i][j] * Basis((tx_type & kAdstDct) != 0, size, i, row) *
             Basis((tx_type & kDctAdst) != 0, size, j, column);
    }
  }
  return sum / (size == 32 ? 4 : 8);
}

class Vp9InverseTransformTest : public KernelTest {
 protected:
  // One block of the luma plane's corner.
  KernelInput OneBlock(uint32_t tx_size, uint32_t tx_type, uint32_t stored_log2,
                       uint32_t eob, const Block& block) const {
    KernelInput input = NewInput(Params(32, 32, 1, 1));
    input.target.FillWith(max_sample() / 2);
    AddTransform(input, 0, 0,
                 PackTransformShape(0, tx_size, tx_type, stored_log2), eob,
                 block);
    return input;
  }
};

TEST_P(Vp9InverseTransformTest, MatchesTheReference) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  // From quiet to beyond what a valid stream can hold.
  for (const uint32_t amplitude :
       {8u, 300u, 1u << (bit_depth() + 3), (1u << (bit_depth() + 7)) - 1}) {
    for (const Content content : kAllContents) {
      for (uint32_t subsampling = 0; subsampling < 4; ++subsampling) {
        for (const uint32_t lossless : {0u, 1u}) {
          KernelInput input =
              NewInput(Params(1 + random.Below(90), 1 + random.Below(90),
                              subsampling & 1, subsampling >> 1));
          ParamsOf(input).lossless = lossless;
          input.target.Fill(content, random);
          AddTransforms(random, input.params, {lossless, 4, amplitude}, &input);
          ExpectSameAsReference(input, true);
        }
      }
    }
  }
}

TEST_P(Vp9InverseTransformTest, MatchesTheReferenceForExtremeCoefficients) {
  const int lowest = bit_depth() == 8 ? INT16_MIN : INT32_MIN;
  const int highest = bit_depth() == 8 ? INT16_MAX : INT32_MAX;
  for (const int first : {lowest, highest}) {
    for (const int second : {lowest, highest}) {
      Block block;
      for (auto& row : block) {
        for (int j = 0; j < 32; ++j) row[j] = (j & 1) ? second : first;
      }
      for (uint32_t tx_size = 0; tx_size < 4; ++tx_size) {
        for (uint32_t type = 0; type < (tx_size == 3 ? 1 : 4); ++type) {
          KernelInput input = OneBlock(tx_size, type, tx_size, kEobMany, block);
          ExpectSameAsReference(input, true);
          ParamsOf(input).lossless = tx_size == 0;
          ExpectSameAsReference(input, true);
        }
      }
    }
  }
}

// Blocks side by side in the luma plane, until they fill it.
class BlockGrid {
 public:
  BlockGrid(const FrameParams& params, uint32_t tx_size)
      : input_(NewInput(params)), tx_size_(tx_size) {}

  void Add(uint32_t tx_type, uint32_t stored_log2, const Block& block) {
    const uint32_t columns4 = input_.params.width / 4 >> tx_size_;
    const uint32_t at = count();
    AddTransform(
        input_, (at % columns4) << tx_size_, (at / columns4) << tx_size_,
        PackTransformShape(0, tx_size_, tx_type, stored_log2), kEobMany, block);
  }
  bool IsFull() {
    const uint32_t side = 4u << tx_size_;
    return count() * side * side == input_.params.width * input_.params.height;
  }
  KernelInput& input() { return input_; }

 private:
  uint32_t count() {
    return static_cast<uint32_t>(input_.Of(kInterTransforms).size());
  }

  KernelInput input_;
  uint32_t tx_size_;
};

TEST_P(Vp9InverseTransformTest, MatchesTheReferenceForEveryCoefficientAlone) {
  const int scale = 1 << (bit_depth() - 8);
  for (uint32_t tx_size = 0; tx_size < 4; ++tx_size) {
    const uint32_t size = 4u << tx_size;
    for (const int value : {-22000 * scale, 1500 * scale, 32000 * scale}) {
      for (uint32_t type = 0; type < (tx_size == 3 ? 1 : 4); ++type) {
        BlockGrid grid(Params(size * size, size * size, 1, 1), tx_size);
        for (uint32_t i = 0; i < size * size; ++i) {
          Block block = {};
          const uint32_t row = i / size, column = i % size;
          block[row][column] = value;
          uint32_t stored_log2 = 0;
          while (std::max(row, column) >= 4u << stored_log2) ++stored_log2;
          grid.Add(type, stored_log2, block);
        }
        ASSERT_TRUE(grid.IsFull());
        grid.input().target.FillWith(max_sample() / 2);
        ExpectSameAsReference(grid.input(), false);
      }
    }
  }
}

// Coefficients whose absolute values add up to sum, with signs that pile them
// up in one sample of the residual or at random.
Block BlockOfSum(TestRandom& random, int stored, int size, uint32_t tx_type,
                 int sum) {
  Block block = {};
  const int row = random.Uniform(0, size - 1);
  const int column = random.Uniform(0, size - 1);
  const bool pile = !random.OneIn(3);
  const int count = 1 << random.Uniform(0, 10);
  for (int left = sum, k = 1; left > 0; ++k) {
    const int part = k < count ? random.Uniform(1, 1 + 2 * sum / count) : left;
    const int i = random.Uniform(0, stored - 1);
    const int j = random.Uniform(0, stored - 1);
    const double there = Basis((tx_type & kAdstDct) != 0, size, i, row) *
                         Basis((tx_type & kDctAdst) != 0, size, j, column);
    const bool negative = pile ? there < 0 : random.OneIn(2);
    // one sign for each coefficient, so that the sum is what it should be
    const bool as_before = block[i][j] != 0;
    const int sign = (as_before ? block[i][j] < 0 : negative) ? -1 : 1;
    block[i][j] += sign * std::min(part, left);
    left -= std::min(part, left);
  }
  return block;
}

// About the sums up to which SIMD variants compute in fewer bits.
TEST_P(Vp9InverseTransformTest, MatchesTheReferenceAroundTheLargestSums) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  const bool wide = bit_depth() > 8;
  const int largest = wide ? 127 << 10 : 22000;
  for (const int sum :
       {largest - 1, largest, largest + 1, largest * 5 / 4, largest * 2,
        largest * 5 / 2, largest * 3, largest * 4}) {
    for (uint32_t tx_size = 0; tx_size < 4; ++tx_size) {
      const uint32_t side = std::max(64u, 32u << tx_size);
      BlockGrid grid(Params(side, side, 1, 1), tx_size);
      while (!grid.IsFull()) {
        const uint32_t type =
            tx_size == 3 ? 0 : static_cast<uint32_t>(random.Uniform(0, 3));
        const uint32_t stored_log2 =
            static_cast<uint32_t>(random.Uniform(0, static_cast<int>(tx_size)));
        grid.Add(type, stored_log2,
                 BlockOfSum(random, 4 << stored_log2, 4 << tx_size, type, sum));
      }
      grid.input().target.FillWith(max_sample() / 2);
      ExpectSameAsReference(grid.input(), false);
    }
  }
}

TEST_P(Vp9InverseTransformTest, IsTheExactTransformRounded) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  for (uint32_t tx_size = 0; tx_size < 4; ++tx_size) {
    for (uint32_t type = 0; type < (tx_size == 3 ? 1 : 4); ++type) {
      const int size = 4 << tx_size;
      const Block block =
          RandomBlock(random, static_cast<uint32_t>(size), 400 / size);
      KernelInput input = OneBlock(tx_size, type, tx_size, kEobMany, block);
      Run(input);
      for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
          const int residual =
              input.target.Get(kLuma, j, i, 0) - max_sample() / 2;
          ASSERT_NEAR(residual, ExactResidual(block, type, size, i, j), 1.0)
              << "size " << size << " type " << type << " row " << i
              << " column " << j;
        }
      }
    }
  }
}

TEST_P(Vp9InverseTransformTest, TreatsALoneDcAsTheFullTransform) {
  for (uint32_t tx_size = 0; tx_size < 4; ++tx_size) {
    for (const int dc : {1, -1, 77, -1000, 16383, -16384}) {
      Block block = {};
      block[0][0] = dc;
      KernelInput lone = OneBlock(tx_size, kDctDct, 0, 1, block);
      KernelInput full = OneBlock(tx_size, kDctDct, tx_size, kEobMany, block);
      Run(lone);
      Run(full);
      GuardedPicture::ExpectEqual(full.target, lone.target);
    }
  }
}

TEST_P(Vp9InverseTransformTest, SpreadsALosslessDc) {
  // 36 / 4 becomes 5, 4, 4, 4 in the first row; each of them is halved down.
  Block block = {};
  block[0][0] = 36;
  KernelInput input = OneBlock(0, kDctDct, 0, 1, block);
  ParamsOf(input).lossless = 1;
  Run(input);
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(input.target.Get(kLuma, i % 4, i / 4, 0),
              max_sample() / 2 + (i == 0 ? 3 : 2))
        << i;
  }
}

TEST_P(Vp9InverseTransformTest, ClipsToTheSampleRange) {
  for (const int sign : {-1, 1}) {
    Block block = {};
    block[0][0] = sign * max_sample() * 100;  // residual: 1/128 of it
    KernelInput input = OneBlock(3, kDctDct, 0, 1, block);
    Run(input);
    EXPECT_EQ(input.target.Get(kLuma, 31, 31, 0), sign < 0 ? 0 : max_sample());
  }
}

TEST_P(Vp9InverseTransformTest, ChangesOnlyItsComponent) {
  Block block = {};
  block[0][0] = 320;
  for (int component = 1; component <= 2; ++component) {
    KernelInput input = NewInput(Params(16, 16, 1, 1));
    input.target.FillWith(100);
    AddTransform(
        input, 1, 0,
        PackTransformShape(static_cast<uint32_t>(component), 0, kDctDct, 0), 1,
        block);
    Run(input);
    EXPECT_EQ(input.target.Get(kLuma, 4, 0, 0), 100);
    EXPECT_EQ(input.target.Get(kChroma, 3, 0, component - 1), 100);
    EXPECT_EQ(input.target.Get(kChroma, 4, 0, component - 1), 110);
    EXPECT_EQ(input.target.Get(kChroma, 4, 0, 2 - component), 100);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Variants, Vp9InverseTransformTest,
    testing::ValuesIn(VariantsOf(KernelId::kVp9InverseTransform)), VariantName);

}  // namespace
}  // namespace perdix::vp9
