// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/inter_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/prediction.h"
#include "tests/frame/av1/random_inter.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kBoth = PERDIX_PLANES_LUMA | PERDIX_PLANES_CHROMA;

class InterUnitsTest : public testing::Test {
 protected:
  // 256x128, all references as large.
  void SetUp() override { Make(8); }

  void Make(uint32_t bit_depth) {
    TestRandom random(1);
    input_ = RandomInterFrame(random, 256, 128, bit_depth, false, {});
    input_.lists[kInterBlocks.index].clear();
  }

  Params& av1() { return input_.codec_params.As<Params>(); }

  void Add(uint32_t x, uint32_t y, uint32_t width_log2, uint32_t height_log2,
           uint32_t kind, uint32_t planes, int row, int col,
           uint32_t flags = 0) {
    InterBlock block;
    block.position = PackPosition(x / 4, y / 4);
    block.shape = PackInterShape(width_log2, height_log2, planes, kind, 2, 5, 1,
                                 2, 3, 1) |
                  flags;
    block.mv0 = PackMv(row, col);
    block.mv1 = PackMv(-row, -col);
    input_.Of(kInterBlocks).push_back(block);
  }

  Status Set() {
    units_ = std::make_unique<InterUnits>();
    pictures_.target = input_.target.layout();
    for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) {
      if (input_.references[i].bytes().empty()) {
        pictures_.references[i] = {};
        continue;
      }
      pictures_.references[i] = input_.references[i].View();
    }
    const WorkLists tile = input_.View();
    return units_->Set(input_.params, av1(), {&tile, 1}, pictures_);
  }

  std::span<const PredictUnit> Units(
      uint32_t source, uint32_t plane = kLuma,
      InterOutput output = InterOutput::kTarget) const {
    return units_->Predicted(output, plane, source);
  }
  // The word of the target with the pixel.
  uint32_t Word(uint32_t plane, uint32_t x, uint32_t y) const {
    const PlaneOffsets& at = pictures_.target;
    const uint32_t sample = SampleBytes(input_.params);
    return plane == kLuma
               ? (at.luma_offset + y * at.luma_stride + x * sample) / 4
               : (at.chroma_offset + y * at.chroma_stride + 2 * x * sample) / 4;
  }

  KernelInput input_;
  InterPictures pictures_;
  std::unique_ptr<InterUnits> units_;
};

TEST_F(InterUnitsTest, ChoosesAProgramByTheFractions) {
  struct {
    int row, col;
    uint32_t luma, chroma;
  } constexpr kCases[] = {
      {16, -32, PERDIX_PREDICT_COPY, PERDIX_PREDICT_COPY},
      {8, 8, PERDIX_PREDICT_COPY, PERDIX_PREDICT_BOTH},
      {16, 3, PERDIX_PREDICT_HORIZONTAL, PERDIX_PREDICT_HORIZONTAL},
      {3, 16, PERDIX_PREDICT_VERTICAL, PERDIX_PREDICT_VERTICAL},
      {-5, 7, PERDIX_PREDICT_BOTH, PERDIX_PREDICT_BOTH},
  };
  for (const auto& one : kCases) {
    input_.lists[kInterBlocks.index].clear();
    Add(64, 32, 5, 4, PERDIX_INTER_SINGLE, kBoth, one.row, one.col);
    ASSERT_TRUE(Set().ok());
    ASSERT_EQ(Units(one.luma).size(), 4u) << one.row << ", " << one.col;
    ASSERT_EQ(Units(one.chroma, kChroma).size(), 4u);
    const PredictUnit& second = Units(one.luma)[1];
    EXPECT_EQ(second.target, Word(kLuma, 72, 32));
    EXPECT_EQ(second.x, 72 * 16 + 2 * one.col);
    EXPECT_EQ(second.y, 32 * 16 + 2 * one.row);
    EXPECT_EQ(second.shape, PackUnitShape(2, 16, 0, 2, 1, 2, 0));
    const PredictUnit& chroma = Units(one.chroma, kChroma)[3];
    EXPECT_EQ(chroma.target, Word(kChroma, 44, 16));
    EXPECT_EQ(chroma.x, 44 * 16 + one.col);
    EXPECT_EQ(chroma.shape, PackUnitShape(2, 8, 0, 2, 1, 2, 0));
  }
}

TEST_F(InterUnitsTest, HasSmallUnitsForSmallBlocks) {
  Add(64, 32, 2, 2, PERDIX_INTER_SINGLE, kBoth, 0, 0);
  ASSERT_TRUE(Set().ok());
  // Sets for four samples and fewer.
  EXPECT_EQ(Units(PERDIX_PREDICT_COPY)[0].shape,
            PackUnitShape(1, 4, 0, 2, 5, 4, 0));
  EXPECT_EQ(Units(PERDIX_PREDICT_COPY, kChroma)[0].shape,
            PackUnitShape(1, 2, 0, 2, 5, 4, 0));
}

TEST_F(InterUnitsTest, ClampsOnlyWhereAUnitReadsOutside) {
  Add(224, 32, 5, 4, PERDIX_INTER_SINGLE, PERDIX_PLANES_LUMA, 0, 3);
  ASSERT_TRUE(Set().ok());
  // The last 8 of 32 pixels read four beyond the last one.
  EXPECT_EQ(Units(PERDIX_PREDICT_EDGE).size(), 1u);
  EXPECT_EQ(Units(PERDIX_PREDICT_HORIZONTAL).size(), 3u);
  for (const PredictUnit& unit : Units(PERDIX_PREDICT_EDGE)) {
    EXPECT_EQ(unit.x, 248 * 16 + 6);
  }
}

TEST_F(InterUnitsTest, BlendsPredictionsOfCompoundBlocks) {
  struct {
    uint32_t kind, by;
  } constexpr kCases[] = {{PERDIX_INTER_AVERAGE, PERDIX_BLEND_ALIKE},
                          {PERDIX_INTER_DISTANCE, PERDIX_BLEND_ALIKE},
                          {PERDIX_INTER_WEDGE, PERDIX_BLEND_WEDGE},
                          {PERDIX_INTER_DIFFWTD, PERDIX_BLEND_DIFFERENCE}};
  for (const auto& one : kCases) {
    input_.lists[kInterBlocks.index].clear();
    Add(64, 32, 4, 5, one.kind, kBoth, 16, 16);
    ASSERT_TRUE(Set().ok());
    const auto predicted =
        Units(PERDIX_PREDICT_COPY, kLuma, InterOutput::kScratch);
    ASSERT_EQ(predicted.size(), 8u);
    EXPECT_EQ(UnitRef(predicted[0].shape), 2u);
    EXPECT_EQ(UnitRef(predicted[4].shape), 5u);
    // 16 samples of two bytes a line, 32 lines.
    EXPECT_EQ(UnitStrideLog2(predicted[0].shape), 3u);
    EXPECT_EQ(predicted[1].target, 4u);
    EXPECT_EQ(predicted[2].target, 16u * 8);
    EXPECT_EQ(predicted[4].target, 32u * 8);
    const auto luma = units_->Blended(kLuma, one.by);
    const auto chroma = units_->Blended(kChroma, one.by);
    ASSERT_EQ(luma.size(), 4u);
    ASSERT_EQ(chroma.size(), 2u);
    EXPECT_EQ(luma[3].target, Word(kLuma, 72, 48));
    EXPECT_EQ(luma[3].first, 16u * 8 + 4);
    EXPECT_EQ(luma[3].second, 32u * 8 + 16 * 8 + 4);
    EXPECT_EQ(chroma[1].first, 2u * 32 * 8 + 4);
    EXPECT_EQ(chroma[1].second, 2u * 32 * 8 + 16 * 8 + 4);
    EXPECT_EQ(chroma[1].luma_first, 4u);
    EXPECT_EQ(chroma[1].luma_second, 32u * 8 + 4);
    EXPECT_EQ(units_->scratch_words(), 2u * 32 * 8 + 2 * 16 * 8);
  }
}

TEST_F(InterUnitsTest, KnowsTheWeightsOfBlends) {
  av1().references[2].distance = 1;
  av1().references[5].distance = 4;
  Add(0, 0, 4, 4, PERDIX_INTER_AVERAGE, PERDIX_PLANES_LUMA, 0, 0);
  Add(16, 0, 4, 4, PERDIX_INTER_DISTANCE, PERDIX_PLANES_LUMA, 0, 0);
  Add(32, 0, 4, 4, PERDIX_INTER_WEDGE, kBoth, 0, 0);
  Add(48, 0, 4, 4, PERDIX_INTER_DIFFWTD, kBoth, 0, 0);
  ASSERT_TRUE(Set().ok());
  const auto alike = units_->Blended(kLuma, PERDIX_BLEND_ALIKE);
  EXPECT_EQ(alike[0].weights, 32u);
  EXPECT_EQ(alike[2].weights, 4u * uint32_t(DistanceWeight(1, 4)));
  const auto wedge =
      static_cast<uint32_t>(WedgeMask(4, 4, 1, 3) - WedgeMasters().data());
  EXPECT_EQ(units_->Blended(kLuma, PERDIX_BLEND_WEDGE)[1].weights, wedge + 8);
  EXPECT_EQ(units_->Blended(kChroma, PERDIX_BLEND_WEDGE)[1].weights, wedge + 8);
  EXPECT_EQ(units_->Blended(kLuma, PERDIX_BLEND_DIFFERENCE)[0].weights, 1u);
}

TEST_F(InterUnitsTest, OverlapsThreeQuartersOfANeighboursRegion) {
  Add(64, 32, 4, 5, PERDIX_INTER_OBMC_ABOVE, PERDIX_PLANES_LUMA, 0, 0);
  Add(64, 32, 4, 5, PERDIX_INTER_OBMC_LEFT, PERDIX_PLANES_LUMA, 0, 0);
  ASSERT_TRUE(Set().ok());
  const auto above = Units(PERDIX_PREDICT_COPY, kLuma, InterOutput::kAbove);
  ASSERT_EQ(above.size(), 4u);
  EXPECT_EQ(UnitLines(above[3].shape), 8u);
  EXPECT_EQ(UnitMask(above[0].shape), 30u);
  EXPECT_EQ(UnitMask(above[3].shape), 30u + 16);
  const auto left = Units(PERDIX_PREDICT_COPY, kLuma, InterOutput::kLeft);
  ASSERT_EQ(left.size(), 4u);
  EXPECT_EQ(UnitWords(left[1].shape), 1u);
  EXPECT_EQ(UnitMask(left[1].shape), 14u + 8);
}

TEST_F(InterUnitsTest, ProjectsWarpsOf8x8) {
  WarpMatrix& warp = av1().references[2].global;
  warp = {{3 << 16, -(5 << 16), 1 << 16, 0, 0, 1 << 16}, 0, 0};
  av1().references[2].warps = 1;
  Add(64, 32, 4, 3, PERDIX_INTER_WARP_GLOBAL, kBoth, 0, 0);
  ASSERT_TRUE(Set().ok());
  const auto luma = units_->Warped(InterOutput::kTarget, kLuma);
  ASSERT_EQ(luma.size(), 2u);
  EXPECT_EQ(luma[1].x, 72 + 4 + 3 - 7);
  EXPECT_EQ(luma[1].y, 32 + 4 - 5 - 7);
  EXPECT_EQ(luma[1].fractions, 0u);
  // Chroma is too small to be warped.
  EXPECT_EQ(Units(PERDIX_PREDICT_COPY, kChroma).size(), 2u);

  warp.alpha_beta = static_cast<int>(PackMv(32767, 0));  // no valid shear
  ASSERT_TRUE(Set().ok());
  EXPECT_TRUE(units_->Warped(InterOutput::kTarget, kLuma).empty());
  EXPECT_EQ(Units(PERDIX_PREDICT_COPY).size(), 2u);
}

TEST_F(InterUnitsTest, KeepsWarpPositionsNearThePlane) {
  WarpMatrix& warp = av1().references[2].global;
  warp = {
      {INT32_MAX, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN, INT32_MIN}, 0, 0};
  av1().references[2].warps = 1;
  Add(64, 32, 3, 3, PERDIX_INTER_WARP_GLOBAL, PERDIX_PLANES_LUMA, 0, 0);
  ASSERT_TRUE(Set().ok());
  const WarpUnit& unit = units_->Warped(InterOutput::kTarget, kLuma)[0];
  EXPECT_LE(unit.x, kFarOutside);
  EXPECT_GE(unit.y, -kFarOutside - 7);
}

TEST_F(InterUnitsTest, ScalesPositionsFromTheBlocksOwn) {
  ReferenceScale& scale = av1().references[2];
  scale.x_scale = 2 << 14;
  scale.x_step = 2048;
  Add(64, 32, 4, 3, PERDIX_INTER_SINGLE, PERDIX_PLANES_LUMA, 4, 12);
  ASSERT_TRUE(Set().ok());
  const auto units = Units(PERDIX_PREDICT_SCALED);
  ASSERT_EQ(units.size(), 2u);
  EXPECT_EQ(units[1].x, StartPosition(64, 12, 0, 2 << 14) + 8 * 2048);
  EXPECT_EQ(units[1].y, StartPosition(32, 4, 0, 1 << 14));
}

TEST_F(InterUnitsTest, RefusesBlocksWithoutTheirReference) {
  Add(64, 32, 4, 3, PERDIX_INTER_AVERAGE, kBoth, 0, 0);
  input_.references[5] = {};
  EXPECT_EQ(Set().code(), StatusCode::kMissingReference);
  input_.lists[kInterBlocks.index].clear();
  Add(64, 32, 4, 3, PERDIX_INTER_SINGLE, kBoth, 0, 0);
  EXPECT_TRUE(Set().ok());
}

// ---- random frames ----

class RandomInterUnitsTest : public InterUnitsTest {
 protected:
  // How often each word of the target is written, but for overlaps.
  std::map<uint32_t, int> Written() const {
    std::map<uint32_t, int> written;
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      const uint32_t stride =
          (plane == kLuma ? pictures_.target.luma_stride
                          : pictures_.target.chroma_stride) /
          4;
      const auto count = [&](uint32_t target, uint32_t shape) {
        for (uint32_t y = 0; y < UnitLines(shape); ++y) {
          for (uint32_t x = 0; x < UnitWords(shape); ++x) {
            ++written[target + y * stride + x];
          }
        }
      };
      for (uint32_t source = 0; source < kVectorSources; ++source) {
        for (const PredictUnit& unit : Units(source, plane)) {
          count(unit.target, unit.shape);
        }
      }
      for (const WarpUnit& unit : units_->Warped(InterOutput::kTarget, plane)) {
        count(unit.target, unit.shape);
      }
      for (uint32_t weights = 0; weights < PERDIX_BLENDS; ++weights) {
        for (const BlendUnit& unit : units_->Blended(plane, weights)) {
          count(unit.target, unit.shape);
        }
      }
    }
    return written;
  }

  // That units read inside of their references, if they are not clamped, and
  // write inside of the scratch memory.
  void CheckPlaces(InterOutput output, uint32_t plane) const {
    const int pixel_bytes = static_cast<int>(SampleBytes(input_.params))
                            << plane;
    for (uint32_t source = 0; source < PERDIX_PREDICT_EDGE; ++source) {
      const int across =
          source == PERDIX_PREDICT_BOTH || source == PERDIX_PREDICT_HORIZONTAL;
      const int down =
          source == PERDIX_PREDICT_BOTH || source == PERDIX_PREDICT_VERTICAL;
      for (const PredictUnit& unit : Units(source, plane, output)) {
        const Plane& from =
            pictures_.references[UnitRef(unit.shape)].planes[plane];
        const int width = static_cast<int>(UnitWords(unit.shape)) * 4;
        const int left = ((unit.x >> 4) - 3 * across) * pixel_bytes;
        const int end = left + width + 7 * across * pixel_bytes;
        EXPECT_GE(left, 0);
        EXPECT_LE(end, static_cast<int>(from.width) * pixel_bytes);
        EXPECT_LE((end + 3) / 4 * 4, static_cast<int>(from.stride_bytes));
        EXPECT_GE((unit.y >> 4) - 3 * down, 0);
        EXPECT_LE(
            (unit.y >> 4) + static_cast<int>(UnitLines(unit.shape)) + 4 * down,
            static_cast<int>(from.height));
        if (output != InterOutput::kScratch) continue;
        const uint32_t stride_log2 = UnitStrideLog2(unit.shape);
        EXPECT_LE(unit.target + ((UnitLines(unit.shape) - 1) << stride_log2) +
                      UnitWords(unit.shape),
                  units_->scratch_words());
      }
    }
  }
};

TEST_F(RandomInterUnitsTest, WriteEachWordOfTheTargetOnce) {
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    TestRandom random(seed);
    InterChoice choice;
    choice.scaled = seed % 3 == 0;
    const bool gray = seed % 4 == 0;
    input_ =
        RandomInterFrame(random, 1 + random.Below(300), 1 + random.Below(300),
                         seed % 2 == 0 ? 8 : 10, gray, choice);
    // All records are of both planes here.
    auto blocks = input_.Of(kInterBlocks);
    for (size_t i = 0; i < blocks.size(); ++i) blocks[i].shape |= kBoth << 6;
    ASSERT_TRUE(Set().ok());
    const std::map<uint32_t, int> written = Written();
    const size_t words = size_t{DecodedSize(input_.params.width)} *
                         DecodedSize(input_.params.height) *
                         SampleBytes(input_.params) / 4;
    EXPECT_EQ(written.size(), gray ? words : words / 2 * 3) << seed;
    for (const auto& [word, times] : written) ASSERT_EQ(times, 1) << word;
    for (uint32_t output = 0; output < kInterOutputs; ++output) {
      CheckPlaces(static_cast<InterOutput>(output), kLuma);
      CheckPlaces(static_cast<InterOutput>(output), kChroma);
    }
  }
}

}  // namespace
}  // namespace perdix::av1
