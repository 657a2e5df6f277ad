// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>

#include "tests/frame/vp9/random_lists.h"
#include "tests/kernel_test.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20240601;
enum Filter : uint32_t { kRegular, kSmooth, kSharp, kBilinear };

// A frame whose three references have this size and content.
KernelInput MakeInput(const FrameParams& params, uint32_t ref_width,
                      uint32_t ref_height, Content content,
                      TestRandom& random) {
  KernelInput input = NewInput(params);
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    GuardedPicture picture =
        GuardedPicture::ForReference(params, ref_width, ref_height);
    picture.Fill(content, random);
    SetReference(input, i, picture);
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
      for (const uint32_t mv_range : {2u, 120u, 1200u, 32766u}) {
        const bool scaled = random.OneIn(3);
        KernelInput input =
            NewInput(Params(1 + random.Below(160), 1 + random.Below(120),
                            subsampling & 1, subsampling >> 1));
        const InterChoice choice = {mv_range, scaled, content};
        AddReferences(random, choice, &input);
        AddInterBlocks(random, input.params, choice, &input);
        ExpectSameAsReference(input, true);
      }
    }
  }
}

// Sums beyond what samples can be, up and down, at all positions of all
// filters.
TEST_P(Vp9InterPredTest, MatchesTheReferenceOnNothingButExtremes) {
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  TestRandom random(kSeed);
  KernelInput input =
      MakeInput(Params(256, 256, 1, 1), 256, 256, Content::kExtremes, random);
  for (uint32_t i = 0; i < 256; ++i) {
    AddBlock(input, i % 16 * 4, i / 16 * 4,
             WholeShape(4, static_cast<Filter>(i % 4),
                        random.OneIn(4) ? 1 : PERDIX_REF_NONE),
             PackMv(random.Uniform(-16, 16), static_cast<int>(i / 4 % 16)),
             PackMv(random.Uniform(-600, 600), random.Uniform(-600, 600)));
  }
  ExpectSameAsReference(input, true);
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
    AddInterBlocks(random, low.params, {1200}, &low);
    KernelInput upper = low;
    for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
      upper.references[i].UseUpperBits();
    }
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
