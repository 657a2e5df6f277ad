// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "tests/kernels/vp9/vp9_input.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20240601;
enum Filter : uint32_t { kRegular, kSmooth, kSharp, kBilinear };

// A frame whose three references have this size and content.
KernelInput MakeInput(const FrameParams& params, uint32_t ref_width,
                      uint32_t ref_height, Content content,
                      TestRandom& random) {
  KernelInput input = NewInput(params);
  input.target = GuardedPicture::ForTarget(params);
  for (int i = 0; i < PERDIX_VP9_REFS; ++i) {
    input.params.references[i] = {ref_width, ref_height, 1, 0};
    ReferenceScale& reference = ParamsOf(input).references[i];
    reference.x_scale = (ref_width << 14) / params.width;
    reference.y_scale = (ref_height << 14) / params.height;
    reference.x_step = reference.x_scale * 16 >> 14;
    reference.y_step = reference.y_scale * 16 >> 14;
    input.references[i] =
        GuardedPicture::ForReference(params, ref_width, ref_height);
    input.references[i].Fill(content, random);
  }
  return input;
}

uint32_t WholeShape(uint32_t size4, Filter filter, uint32_t ref1) {
  return PackInterShape(size4, size4, PERDIX_PLANES_LUMA | PERDIX_PLANES_CHROMA,
                        filter, 0, ref1, 0);
}

void AddBlock(KernelInput& input, uint32_t x4, uint32_t y4, uint32_t shape,
              uint32_t mv0, uint32_t mv1) {
  input.Of(kInterBlocks).push_back({PackPosition(x4, y4), shape, mv0, mv1});
  input.item_count = static_cast<uint32_t>(input.Of(kInterBlocks).size());
}

uint32_t RandomMv(TestRandom& random) {
  static constexpr int kReach[] = {1, 60, 600, 16383};
  const int reach = kReach[random.Uniform(0, 3)];
  return PackMv(random.Uniform(-reach, reach), random.Uniform(-reach, reach));
}

// An 8x8 luma block in four parts, its chroma in parts of 4x4.
void AddSub8x8(KernelInput& input, uint32_t x4, uint32_t y4,
               TestRandom& random) {
  const uint32_t filter = static_cast<uint32_t>(random.Uniform(0, 3));
  for (const uint32_t planes : {PERDIX_PLANES_LUMA, PERDIX_PLANES_CHROMA}) {
    const bool chroma = planes == PERDIX_PLANES_CHROMA;
    const uint32_t width4 = chroma ? 1 + input.params.subsampling_x : 1;
    const uint32_t height4 = chroma ? 1 + input.params.subsampling_y : 1;
    for (uint32_t y = 0; y < 2; y += height4) {
      for (uint32_t x = 0; x < 2; x += width4) {
        AddBlock(input, x4 + x, y4 + y,
                 PackInterShape(width4, height4, planes, filter, 1,
                                random.OneIn(2) ? 2 : PERDIX_REF_NONE, 1),
                 RandomMv(random), RandomMv(random));
      }
    }
  }
}

// Covers the frame with blocks of one random size each 64x64.
void AddRandomBlocks(KernelInput& input, TestRandom& random) {
  const FrameParams& params = input.params;
  for (uint32_t sb = 0; sb < params.sb_cols * params.sb_rows; ++sb) {
    const uint32_t size4 = 2u << random.Uniform(0, 3);
    for (uint32_t y = 0; y < 16; y += size4) {
      for (uint32_t x = 0; x < 16; x += size4) {
        const uint32_t x4 = sb % params.sb_cols * 16 + x;
        const uint32_t y4 = sb / params.sb_cols * 16 + y;
        if (x4 >= ParamsOf(input).mi_cols * 2 ||
            y4 >= ParamsOf(input).mi_rows * 2)
          continue;
        if (size4 == 2 && random.OneIn(2)) {
          AddSub8x8(input, x4, y4, random);
          continue;
        }
        AddBlock(input, x4, y4,
                 WholeShape(size4, static_cast<Filter>(random.Uniform(0, 3)),
                            random.OneIn(2) ? 1 : PERDIX_REF_NONE),
                 RandomMv(random), RandomMv(random));
      }
    }
  }
}

class Vp9InterPredTest : public KernelTest {
 protected:
  // A 64x64 frame, references alike, one 64x64 block.
  KernelInput OneBlock(Content content, uint32_t shape, uint32_t mv0,
                       uint32_t mv1) const {
    TestRandom random(kSeed);
    KernelInput input =
        MakeInput(Params(64, 64, 1, 1), 64, 64, content, random);
    AddBlock(input, 0, 0, shape, mv0, mv1);
    return input;
  }

  void ExpectTargetIs(const KernelInput& input, int value) const {
    GuardedPicture expected = input.target;
    expected.FillWith(value);
    GuardedPicture::ExpectEqual(expected, input.target);
  }
};

TEST_P(Vp9InterPredTest, MatchesTheReference) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  for (const Content content : kAllContents) {
    for (uint32_t subsampling = 0; subsampling < 4; ++subsampling) {
      const FrameParams params =
          Params(static_cast<uint32_t>(random.Uniform(1, 200)),
                 static_cast<uint32_t>(random.Uniform(1, 150)), subsampling & 1,
                 subsampling >> 1);
      KernelInput input =
          MakeInput(params, params.width, params.height, content, random);
      AddRandomBlocks(input, random);
      ExpectSameAsReference(input, true);
    }
  }
}

// Sums beyond what samples can be, up and down, at all positions of all
// filters.
TEST_P(Vp9InterPredTest, MatchesTheReferenceOnNothingButExtremes) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  KernelInput input =
      MakeInput(Params(256, 256, 1, 1), 256, 256, Content::kMinimum, random);
  for (GuardedPicture& reference : input.references) {
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      for (int y = 0; y < reference.Height(plane); ++y) {
        for (int x = 0; x < reference.Width(plane); ++x) {
          for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
            if (random.OneIn(2)) reference.Set(plane, x, y, c, max_sample());
          }
        }
      }
    }
  }
  for (uint32_t i = 0; i < 256; ++i) {
    AddBlock(input, i % 16 * 4, i / 16 * 4,
             WholeShape(4, static_cast<Filter>(i % 4),
                        random.OneIn(4) ? 1 : PERDIX_REF_NONE),
             PackMv(random.Uniform(-16, 16), static_cast<int>(i / 4 % 16)),
             RandomMv(random));
  }
  ExpectSameAsReference(input, true);
}

TEST_P(Vp9InterPredTest, MatchesTheReferenceWhenScaled) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  for (const Content content : kAllContents) {
    for (const int sixteenths : {2, 9, 15, 17, 27, 32}) {
      const FrameParams params =
          Params(static_cast<uint32_t>(random.Uniform(16, 150)),
                 static_cast<uint32_t>(random.Uniform(16, 150)), 1, 1);
      const uint32_t scale = static_cast<uint32_t>(sixteenths);
      KernelInput input = MakeInput(params, params.width * scale / 16,
                                    params.height * 18 / 16, content, random);
      AddRandomBlocks(input, random);
      ExpectSameAsReference(input, true);
    }
  }
}

// VP9 8.5.2.4 for one sample, with nothing but its own words.
int InterpolatedSample(const GuardedPicture& reference, uint32_t plane, int c,
                       int start_x, int start_y, int max_sample) {
  static constexpr int kHalf[8] = {-1, 6, -19, 78, 78, -19, 6, -1};
  static constexpr int kWhole[8] = {0, 0, 0, 128, 0, 0, 0, 0};
  const int* const filter_x = (start_x & 15) == 8 ? kHalf : kWhole;
  const int* const filter_y = (start_y & 15) == 8 ? kHalf : kWhole;
  int sum = 0;
  for (int r = 0; r < 8; ++r) {
    int row_sum = 0;
    for (int t = 0; t < 8; ++t) {
      const int x =
          std::clamp((start_x >> 4) + t - 3, 0, reference.Width(plane) - 1);
      const int y =
          std::clamp((start_y >> 4) + r - 3, 0, reference.Height(plane) - 1);
      row_sum += filter_x[t] * reference.Get(plane, x, y, c);
    }
    sum += filter_y[r] * std::clamp((row_sum + 64) >> 7, 0, max_sample);
  }
  return std::clamp((sum + 64) >> 7, 0, max_sample);
}

TEST_P(Vp9InterPredTest, InterpolatesHalfSamples) {
  // Half a luma sample right, one and a half down: in 4:4:4 also of chroma.
  TestRandom random(kSeed);
  KernelInput input =
      MakeInput(Params(29, 43, 0, 0), 29, 43, Content::kRandom, random);
  AddBlock(input, 0, 0, WholeShape(16, kRegular, PERDIX_REF_NONE),
           PackMv(12, 4), 0);
  Run(input);
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (int y = 0; y < input.target.Height(plane); ++y) {
      for (int x = 0; x < input.target.Width(plane); ++x) {
        for (int c = 0; c < (plane == kLuma ? 1 : 2); ++c) {
          ASSERT_EQ(input.target.Get(plane, x, y, c),
                    InterpolatedSample(input.references[0], plane, c,
                                       x * 16 + 8, y * 16 + 24, max_sample()))
              << "plane " << plane << " x " << x << " y " << y;
        }
      }
    }
  }
}

TEST_P(Vp9InterPredTest, CopiesWholeSampleVectors) {
  KernelInput input =
      OneBlock(Content::kRandom, WholeShape(16, kSharp, PERDIX_REF_NONE),
               PackMv(-3 * 16, 5 * 16), 0);
  Run(input);
  const GuardedPicture& reference = input.references[0];
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      ASSERT_EQ(
          input.target.Get(kLuma, x, y, 0),
          reference.Get(kLuma, std::min(x + 10, 63), std::max(y - 6, 0), 0));
      ASSERT_EQ(input.target.Get(kChroma, x / 2, y / 2, 1),
                reference.Get(kChroma, std::min(x / 2 + 5, 31),
                              std::max(y / 2 - 3, 0), 1));
    }
  }
}

TEST_P(Vp9InterPredTest, RepeatsTheCornerForVectorsFarOutside) {
  for (const int far : {-16383, 16383}) {
    KernelInput input =
        OneBlock(Content::kRandom, WholeShape(16, kSmooth, PERDIX_REF_NONE),
                 PackMv(far, far), 0);
    Run(input);
    const int corner = far < 0 ? 0 : 63;
    for (int i = 0; i < 64; ++i) {
      ASSERT_EQ(input.target.Get(kLuma, i, 63 - i, 0),
                input.references[0].Get(kLuma, corner, corner, 0));
      ASSERT_EQ(input.target.Get(kChroma, i / 2, i / 2, 1),
                input.references[0].Get(kChroma, corner / 2, corner / 2, 1));
    }
  }
}

TEST_P(Vp9InterPredTest, KeepsFlatPictures) {
  for (const Filter filter : {kRegular, kSmooth, kSharp, kBilinear}) {
    KernelInput input =
        OneBlock(Content::kMaximum, WholeShape(16, filter, PERDIX_REF_NONE),
                 PackMv(-77, 13), 0);
    Run(input);
    ExpectTargetIs(input, max_sample());
  }
}

TEST_P(Vp9InterPredTest, AveragesCompoundPredictionsUpwards) {
  KernelInput input = OneBlock(Content::kMinimum, WholeShape(16, kSharp, 2),
                               PackMv(5, 6), PackMv(-7, 8));
  input.references[0].FillWith(10);
  input.references[2].FillWith(13);
  Run(input);
  ExpectTargetIs(input, 12);
}

TEST_P(Vp9InterPredTest, TakesEverySecondSampleOfAReferenceTwiceAsLarge) {
  TestRandom random(kSeed);
  KernelInput input =
      MakeInput(Params(70, 50, 1, 1), 140, 100, Content::kRandom, random);
  for (uint32_t x4 : {0u, 16u}) {
    AddBlock(input, x4, 0, WholeShape(16, kRegular, PERDIX_REF_NONE), 0, 0);
  }
  Run(input);
  for (int y = 0; y < 50; ++y) {
    for (int x = 0; x < 70; ++x) {
      ASSERT_EQ(input.target.Get(kLuma, x, y, 0),
                input.references[0].Get(kLuma, 2 * x, 2 * y, 0));
      ASSERT_EQ(input.target.Get(kChroma, x / 2, y / 2, 0),
                input.references[0].Get(kChroma, x / 2 * 2, y / 2 * 2, 0));
    }
  }
}

TEST_P(Vp9InterPredTest, ReadsTheUpperBits) {
  if (bit_depth() == 8) return;  // has no others
  TestRandom random(kSeed);
  for (const uint32_t sixteenths : {16u, 27u}) {
    KernelInput low =
        MakeInput(Params(150, 140, 1, 1), 150 * sixteenths / 16,
                  140 * sixteenths / 16, Content::kRandom, random);
    AddRandomBlocks(low, random);
    KernelInput upper = low;
    upper.references[0].UseUpperBits();
    upper.references[2].UseUpperBits();
    Run(low);
    Run(upper);
    GuardedPicture::ExpectEqual(low.target, upper.target);
  }
}

TEST_P(Vp9InterPredTest, PredictsOnlyThePlanesNamed) {
  const uint32_t shape = PackInterShape(16, 16, PERDIX_PLANES_CHROMA, kRegular,
                                        0, PERDIX_REF_NONE, 0);
  KernelInput input = OneBlock(Content::kMaximum, shape, 0, 0);
  input.target.FillWith(1);
  Run(input);
  EXPECT_EQ(input.target.Get(kLuma, 20, 20, 0), 1);
  EXPECT_EQ(input.target.Get(kChroma, 20, 20, 0), max_sample());
  EXPECT_EQ(input.target.Get(kChroma, 20, 20, 1), max_sample());
}

INSTANTIATE_TEST_SUITE_P(Variants, Vp9InterPredTest,
                         testing::ValuesIn(VariantsOf(KernelId::kVp9InterPred)),
                         VariantName);

}  // namespace
}  // namespace perdix::vp9
