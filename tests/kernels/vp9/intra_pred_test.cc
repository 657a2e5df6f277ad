// SPDX-License-Identifier: BSD-2-Clause
#include "tests/frame/vp9/random_lists.h"
#include "tests/kernel_test.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20240603;
enum Mode : uint32_t {
  kDc,
  kV,
  kH,
  kD45,
  kD135,
  kD117,
  kD153,
  kD207,
  kD63,
  kTm,
  kModeCount
};
constexpr uint32_t kLeft = PERDIX_INTRA_HAVE_LEFT;
constexpr uint32_t kAbove = PERDIX_INTRA_HAVE_ABOVE;
constexpr uint32_t kAboveRight = PERDIX_INTRA_HAVE_ABOVE_RIGHT;

void AddBlock(KernelInput& input, uint32_t x4, uint32_t y4, uint32_t shape) {
  input.Of(kIntraBlocks)
      .push_back({PackPosition(x4, y4), shape, PERDIX_NONE, PERDIX_NONE});
}

// A transform block of just a DC, for the last intra block: the index of it.
uint32_t AddDc(KernelInput& input, uint32_t component, uint32_t tx_size,
               int dc) {
  const auto offset = static_cast<uint32_t>(input.coefficients.size());
  for (int i = 0; i < 16; ++i) {
    AddCoefficient(input.params.bit_depth, i == 0 ? dc : 0, &input);
  }
  const auto transforms = input.Of(kIntraTransforms);
  transforms.push_back({input.Of(kIntraBlocks).back().position,
                        PackTransformShape(component, tx_size, 0, 0), offset,
                        1});
  return static_cast<uint32_t>(transforms.size() - 1);
}

// Covers one plane with transform blocks that all have the same edges; modes
// take turns, beginning with first_mode.
void AddBlocksOfAllModes(KernelInput& input, uint32_t plane, uint32_t tx_size,
                         uint32_t have, uint32_t first_mode) {
  const int size = 4 << tx_size;
  uint32_t mode = first_mode;
  for (int y = size; y < input.target.Height(plane); y += size) {
    for (int x = size; x < input.target.Width(plane); x += size) {
      AddBlock(input, static_cast<uint32_t>(x / 4),
               static_cast<uint32_t>(y / 4),
               PackIntraShape(plane, tx_size, mode++ % kModeCount, have));
    }
  }
}

class Vp9IntraPredTest : public KernelTest {
 protected:
  // A 32x32 frame, 4x4 luma block at pixel (4, 4) over random samples.
  KernelInput OneBlock(Mode mode, uint32_t have) const {
    TestRandom random(kSeed);
    KernelInput input = NewInput(Params(32, 32, 1, 1));
    input.target.Fill(Content::kRandom, random);
    AddBlock(input, 1, 1, PackIntraShape(kLuma, 0, mode, have));
    return input;
  }

  // Sets the row above OneBlock's block, from its first column on.
  static void SetAbove(KernelInput& input, std::initializer_list<int> samples) {
    int x = 4;
    for (const int sample : samples) input.target.Set(kLuma, x++, 3, 0, sample);
  }
  // Sets the column left of it, from its first row on.
  static void SetLeft(KernelInput& input, std::initializer_list<int> samples) {
    int y = 4;
    for (const int sample : samples) input.target.Set(kLuma, 3, y++, 0, sample);
  }

  static void ExpectBlock(const KernelInput& input,
                          const int (&expected)[4][4]) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        EXPECT_EQ(input.target.Get(kLuma, 4 + j, 4 + i, 0), expected[i][j])
            << "row " << i << " column " << j;
      }
    }
  }

  void ExpectFlatBlock(const KernelInput& input, int value) const {
    const int v = value;
    ExpectBlock(input,
                {{v, v, v, v}, {v, v, v, v}, {v, v, v, v}, {v, v, v, v}});
  }
};

TEST_P(Vp9IntraPredTest, MatchesTheReference) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  for (const Content content : kAllContents) {
    for (uint32_t subsampling = 0; subsampling < 4; ++subsampling) {
      for (const uint32_t magnitude : {0u, 1u << 9, 1u << 15}) {
        KernelInput input =
            NewInput(Params(1 + random.Below(130), 1 + random.Below(130),
                            subsampling & 1, subsampling >> 1));
        input.target.Fill(content, random);
        AddIntraBlocks(random, input.params, {0, 4, magnitude}, &input);
        ExpectSameAsReference(input, true);
      }
    }
  }
}

TEST_P(Vp9IntraPredTest, MatchesTheReferenceInEveryShapeInsideAndAtTheEnd) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  for (uint32_t shape = 0; shape < PackIntraShape(0, 0, 0, 8); ++shape) {
    const uint32_t tx_size = IntraSize(shape);
    const uint32_t have = IntraHave(shape);
    if (IntraMode(shape) >= kModeCount) continue;
    if ((have & kAboveRight) != 0 && (tx_size != 0 || (have & kAbove) == 0)) {
      continue;
    }
    // Three blocks and a part of one in each direction, the first an edge.
    const uint32_t frame_size = (4u << tx_size) * 3 + 8;
    KernelInput input = NewInput(Params(frame_size, frame_size, 0, 0));
    input.target.Fill(random.OneIn(2) ? Content::kExtremes : Content::kRandom,
                      random);
    AddBlocksOfAllModes(input, IntraPlane(shape), tx_size, have,
                        IntraMode(shape));
    SCOPED_TRACE(testing::Message() << "shape " << shape);
    ExpectSameAsReference(input, false);
    if (HasFailure()) return;
  }
}

TEST_P(Vp9IntraPredTest, DcIsTheMeanOfTheEdgesThereAre) {
  const int base = 1 << (bit_depth() - 1);
  const struct {
    uint32_t have;
    int expected;
  } cases[] = {{0, base}, {kLeft, 25}, {kAbove, 4}, {kLeft | kAbove, 14}};
  for (const auto& [have, expected] : cases) {
    KernelInput input = OneBlock(kDc, have);
    SetAbove(input, {1, 2, 4, 7});     // 14 / 4 = 3.5
    SetLeft(input, {10, 20, 30, 40});  // 100 / 4, 114 / 8 = 14.25
    Run(input);
    ExpectFlatBlock(input, expected);
  }
}

TEST_P(Vp9IntraPredTest, MissingEdgesAreJustBesideTheMiddle) {
  const int base = 1 << (bit_depth() - 1);
  KernelInput above = OneBlock(kV, kLeft);
  Run(above);
  ExpectFlatBlock(above, base - 1);
  KernelInput left = OneBlock(kH, kAbove);
  Run(left);
  ExpectFlatBlock(left, base + 1);
  // Above left: base - 1 if there is nothing above, else base + 1.
  KernelInput neither = OneBlock(kTm, 0);
  Run(neither);
  ExpectFlatBlock(neither, base + 1);
  KernelInput no_left = OneBlock(kTm, kAbove);
  SetAbove(no_left, {9, 9, 9, 9});
  Run(no_left);
  ExpectFlatBlock(no_left, 9);
  KernelInput no_above = OneBlock(kTm, kLeft);
  SetLeft(no_above, {9, 9, 9, 9});
  Run(no_above);
  ExpectFlatBlock(no_above, 9);
}

TEST_P(Vp9IntraPredTest, VerticalAndHorizontalRepeatTheEdge) {
  KernelInput vertical = OneBlock(kV, kLeft | kAbove);
  SetAbove(vertical, {1, 2, 3, 4});
  Run(vertical);
  ExpectBlock(vertical,
              {{1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}, {1, 2, 3, 4}});
  KernelInput horizontal = OneBlock(kH, kLeft | kAbove);
  SetLeft(horizontal, {1, 2, 3, 4});
  Run(horizontal);
  ExpectBlock(horizontal,
              {{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}, {4, 4, 4, 4}});
}

TEST_P(Vp9IntraPredTest, DirectionsFollowTheEdge) {
  // Slopes of 8 a sample, so that averages are whole.
  KernelInput d45 = OneBlock(kD45, kLeft | kAbove | kAboveRight);
  SetAbove(d45, {8, 16, 24, 32, 40, 48, 56, 64});
  Run(d45);
  ExpectBlock(
      d45,
      {{16, 24, 32, 40}, {24, 32, 40, 48}, {32, 40, 48, 56}, {40, 48, 56, 64}});
  KernelInput d63 = OneBlock(kD63, kLeft | kAbove | kAboveRight);
  SetAbove(d63, {8, 16, 24, 32, 40, 48, 56, 64});
  Run(d63);
  ExpectBlock(
      d63,
      {{12, 20, 28, 36}, {16, 24, 32, 40}, {20, 28, 36, 44}, {24, 32, 40, 48}});
  KernelInput d207 = OneBlock(kD207, kLeft | kAbove);
  SetLeft(d207, {8, 16, 24, 32});
  Run(d207);
  ExpectBlock(
      d207,
      {{12, 16, 20, 24}, {20, 24, 28, 30}, {28, 30, 32, 32}, {32, 32, 32, 32}});
  // The corner's value is 40, going up to the right, down to the left.
  for (const Mode mode : {kD117, kD135, kD153}) {
    KernelInput input = OneBlock(mode, kLeft | kAbove);
    input.target.Set(kLuma, 3, 3, 0, 40);
    SetAbove(input, {48, 56, 64, 72});
    SetLeft(input, {32, 24, 16, 8});
    Run(input);
    SCOPED_TRACE(mode);
    if (mode == kD117) {
      ExpectBlock(input, {{44, 52, 60, 68},
                          {40, 48, 56, 64},
                          {32, 44, 52, 60},
                          {24, 40, 48, 56}});
    } else if (mode == kD135) {
      ExpectBlock(input, {{40, 48, 56, 64},
                          {32, 40, 48, 56},
                          {24, 32, 40, 48},
                          {16, 24, 32, 40}});
    } else {
      ExpectBlock(input, {{36, 40, 48, 56},
                          {28, 32, 36, 40},
                          {20, 24, 28, 32},
                          {12, 16, 20, 24}});
    }
  }
}

TEST_P(Vp9IntraPredTest, RepeatsTheLastSampleAboveWithoutAboveRight) {
  KernelInput input = OneBlock(kD45, kLeft | kAbove);
  SetAbove(input, {8, 16, 24, 32, 200, 200, 200, 200});
  Run(input);
  ExpectBlock(
      input,
      {{16, 24, 30, 32}, {24, 30, 32, 32}, {30, 32, 32, 32}, {32, 32, 32, 32}});
}

TEST_P(Vp9IntraPredTest, KeepsFlatSurroundings) {
  for (uint32_t mode = 0; mode < kModeCount; ++mode) {
    for (uint32_t tx_size = 0; tx_size < 4; ++tx_size) {
      KernelInput input = NewInput(Params(64, 64, 0, 0));
      input.target.FillWith(77);
      GuardedPicture expected = input.target;
      AddBlock(input, 8, 8,
               PackIntraShape(kLuma, tx_size, mode, kLeft | kAbove));
      AddBlock(input, 8, 8,
               PackIntraShape(kChroma, tx_size, mode, kLeft | kAbove));
      Run(input);
      GuardedPicture::ExpectEqual(expected, input.target);
    }
  }
}

TEST_P(Vp9IntraPredTest, RepeatsTheEdgesAtTheEndOfTheDecodedArea) {
  // A 32x32 block of which 8x8 are inside.
  KernelInput input = NewInput(Params(37, 40, 1, 1));
  input.target.FillWith(0);
  for (int i = 0; i < 8; ++i) {
    input.target.Set(kLuma, 32 + i, 31, 0, 8);
    input.target.Set(kLuma, 31, 32 + i, 0, 8);
  }
  input.target.Set(kLuma, 39, 31, 0, 72);
  input.target.Set(kLuma, 31, 39, 0, 72);
  AddBlock(input, 8, 8, PackIntraShape(kLuma, 3, kDc, kLeft | kAbove));
  Run(input);
  // 2 * (7 * 8 + 25 * 72) / 64, rounded.
  EXPECT_EQ(input.target.Get(kLuma, 32, 32, 0), 58);
  EXPECT_EQ(input.target.Get(kLuma, 39, 39, 0), 58);
}

TEST_P(Vp9IntraPredTest, PredictsBothChromaComponentsAndAddsTheirResiduals) {
  KernelInput input = NewInput(Params(32, 32, 1, 1));
  input.target.FillWith(0);
  for (int x = 4; x < 8; ++x) {
    input.target.Set(kChroma, x, 3, 0, 50);
    input.target.Set(kChroma, x, 3, 1, 90);
  }
  AddBlock(input, 1, 1, PackIntraShape(kChroma, 0, kV, kLeft | kAbove));
  input.Of(kIntraBlocks)[0].residual0 = AddDc(input, 1, 0, 320);
  input.Of(kIntraBlocks)[0].residual1 = AddDc(input, 2, 0, -320);
  Run(input);
  for (int i = 4; i < 8; ++i) {
    EXPECT_EQ(input.target.Get(kChroma, i, i, 0), 60);
    EXPECT_EQ(input.target.Get(kChroma, i, i, 1), 80);
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, Vp9IntraPredTest,
                         testing::ValuesIn(VariantsOf(KernelId::kVp9IntraPred)),
                         VariantName);

}  // namespace
}  // namespace perdix::vp9
