// SPDX-License-Identifier: BSD-2-Clause
#include <array>

#include "tests/frame/vp9/random_lists.h"
#include "tests/kernel_test.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20240604;
enum Width : uint32_t { kNone, kFour, kEight, kSixteen };

KernelInput MakeInput(const FrameParams& params) {
  KernelInput input = NewInput(params);
  ParamsOf(input).loop_filter_level = 32;
  return input;
}

using Line = std::array<int, 16>;  // p7..p0, q0..q7

class Vp9LoopFilterTest : public KernelTest {
 protected:
  int Scaled(int value) const { return value << (bit_depth() - 8); }

  // Filters one luma edge in the middle of every line (or column) of 16x16 and
  // returns the samples across it. All values are given at bit depth 8.
  Line FilterLine(const Line& samples, Width width, uint32_t level,
                  bool vertical_edge) const {
    KernelInput input = MakeInput(Params(16, 16, 1, 1));
    for (int i = 0; i < 16; ++i) {
      for (int along = 0; along < 16; ++along) {
        input.target.Set(kLuma, vertical_edge ? i : along,
                         vertical_edge ? along : i, 0, Scaled(samples[i]));
      }
    }
    const uint32_t edges =
        vertical_edge ? PackEdges(width, 0, 0, 0) : PackEdges(0, width, 0, 0);
    // The cell at column (row) 1, row (column) 0.
    EdgesOf(input)[vertical_edge ? 1 : 2] =
        level | (edges << PERDIX_EDGE_LUMA_SHIFT);
    Run(input);
    Line filtered;
    for (int i = 0; i < 16; ++i) {
      filtered[i] = input.target.Get(kLuma, vertical_edge ? i : 5,
                                     vertical_edge ? 5 : i, 0);
    }
    return filtered;
  }

  void ExpectFiltered(const Line& samples, Width width, uint32_t level,
                      const Line& expected) const {
    for (const bool vertical_edge : {false, true}) {
      const Line filtered = FilterLine(samples, width, level, vertical_edge);
      for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(filtered[i], Scaled(expected[i])) << "sample " << i;
      }
    }
  }
};

TEST_P(Vp9LoopFilterTest, MatchesTheReference) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  for (const Content content : kAllContents) {
    for (uint32_t subsampling = 0; subsampling < 4; ++subsampling) {
      for (uint32_t sharpness = 0; sharpness < 8; sharpness += 3) {
        KernelInput input =
            MakeInput(Params(1 + random.Below(200), 1 + random.Below(150),
                             subsampling & 1, subsampling >> 1));
        ParamsOf(input).loop_filter_sharpness = sharpness;
        input.target.Fill(content, random);
        SetRandomEdges(random, &input);
        ExpectSameAsReference(input, true);
      }
    }
  }
}

TEST_P(Vp9LoopFilterTest, MatchesTheReferenceWithAllFiltersSideBySide) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  // Vectors end at any multiple of 8 luma samples in a superblock.
  for (uint32_t size = 8; size <= 128; size += 8) {
    const uint32_t subsampling = size / 8 % 4;
    KernelInput input = MakeInput(
        Params(64 + size, 200 - size, subsampling & 1, subsampling >> 1));
    ParamsOf(input).loop_filter_sharpness = size / 32;
    input.target.Fill(Content::kSteps, random);
    SetRandomEdges(random, &input);
    ExpectSameAsReference(input, true);
  }
}

TEST_P(Vp9LoopFilterTest, GivesTheSameInWavefrontOrder) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  KernelInput raster = MakeInput(Params(300, 250, 1, 1));
  raster.target.Fill(Content::kNatural, random);
  SetRandomEdges(random, &raster);
  KernelInput wavefront = raster;
  Run(raster);

  const uint32_t cols = wavefront.params.sb_cols;
  const uint32_t rows = wavefront.params.sb_rows;
  const KernelArgs args = wavefront.Args();
  for (uint32_t step = 0; step < cols + 2 * (rows - 1); ++step) {
    for (uint32_t row = rows; row-- > 0;) {
      if (2 * row > step || step - 2 * row >= cols) continue;
      const uint32_t superblock = row * cols + step - 2 * row;
      GetParam().function()(args, {superblock, superblock + 1});
    }
  }
  GuardedPicture::ExpectEqual(raster.target, wavefront.target);
}

TEST_P(Vp9LoopFilterTest, LeavesLevelZeroUntouched) {
  TestRandom random(kSeed);
  KernelInput input = MakeInput(Params(100, 100, 1, 1));
  input.target.Fill(Content::kNatural, random);
  SetRandomEdges(random, &input);
  for (uint32_t& cell : EdgesOf(input)) cell &= ~63u;
  const GuardedPicture before = input.target;
  Run(input);
  GuardedPicture::ExpectEqual(before, input.target);
}

TEST_P(Vp9LoopFilterTest, LeavesFlatAreasUntouched) {
  TestRandom random(kSeed);
  for (const Content content : {Content::kMinimum, Content::kMaximum}) {
    KernelInput input = MakeInput(Params(100, 100, 1, 0));
    input.target.Fill(content, random);
    SetRandomEdges(random, &input);
    const GuardedPicture before = input.target;
    Run(input);
    GuardedPicture::ExpectEqual(before, input.target);
  }
}

TEST_P(Vp9LoopFilterTest, LeavesStrongEdgesUntouched) {
  // At level 20 blimit is 64: a step of 33 counts 66 and 16 more.
  const Line step = {50, 50, 50, 50, 50, 50, 50, 50,
                     83, 83, 83, 83, 83, 83, 83, 83};
  ExpectFiltered(step, kSixteen, 20, step);
}

TEST_P(Vp9LoopFilterTest, NarrowFilterChangesTwoSamplesOnEachSide) {
  // Three times the step, in eighths: 6 at the edge, half of it beside.
  ExpectFiltered(
      {64, 64, 64, 64, 64, 64, 64, 64, 80, 80, 80, 80, 80, 80, 80, 80}, kFour,
      20, {64, 64, 64, 64, 64, 64, 67, 70, 74, 77, 80, 80, 80, 80, 80, 80});
}

TEST_P(Vp9LoopFilterTest, HighVarianceChangesOneSampleOnEachSide) {
  // Three times the step less the outer difference: 24 eighths. Beyond the
  // flatness that wide filters ask for, so it is the same for all widths.
  for (const Width width : {kFour, kEight, kSixteen}) {
    ExpectFiltered(
        {60, 60, 60, 60, 60, 60, 60, 64, 80, 84, 84, 84, 84, 84, 84, 84}, width,
        20, {60, 60, 60, 60, 60, 60, 60, 67, 77, 84, 84, 84, 84, 84, 84, 84});
  }
}

TEST_P(Vp9LoopFilterTest, UsesTheWideFiltersWhereBothSidesAreFlat) {
  // The masks compare each side with its own first sample, so a step across the
  // edge is still flat; 16 makes every weight whole.
  const Line step = {64, 64, 64, 64, 64, 64, 64, 64,
                     80, 80, 80, 80, 80, 80, 80, 80};
  ExpectFiltered(
      step, kEight, 20,
      {64, 64, 64, 64, 64, 66, 68, 70, 74, 76, 78, 80, 80, 80, 80, 80});
  ExpectFiltered(
      step, kSixteen, 20,
      {64, 65, 66, 67, 68, 69, 70, 71, 73, 74, 75, 76, 77, 78, 79, 80});
}

TEST_P(Vp9LoopFilterTest, FiltersChromaComponentsIndependently) {
  KernelInput input = MakeInput(Params(32, 32, 1, 1));
  input.target.FillWith(0);
  for (int y = 0; y < 16; ++y) {
    for (int x = 0; x < 16; ++x) {
      input.target.Set(kChroma, x, y, 1, Scaled(x < 8 ? 64 : 80));
    }
  }
  // Cell of chroma pixels (8..15, 0..7).
  EdgesOf(input)[2] =
      20 | (PackEdges(kEight, 0, 0, 0) << PERDIX_EDGE_CHROMA_SHIFT);
  Run(input);
  for (int x = 0; x < 16; ++x) {
    EXPECT_EQ(input.target.Get(kChroma, x, 3, 0), 0);
  }
  EXPECT_EQ(input.target.Get(kChroma, 7, 7, 1), Scaled(70));
  EXPECT_EQ(input.target.Get(kChroma, 8, 7, 1), Scaled(74));
  EXPECT_EQ(input.target.Get(kChroma, 7, 8, 1), Scaled(64));
}

INSTANTIATE_TEST_SUITE_P(
    Variants, Vp9LoopFilterTest,
    testing::ValuesIn(VariantsOf(KernelId::kVp9LoopFilter)), VariantName);

}  // namespace
}  // namespace perdix::vp9
