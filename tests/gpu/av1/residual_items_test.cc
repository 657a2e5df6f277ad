// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/residual_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "kernels/av1/transform/transform_block.h"
#include "kernels/gpu/av1/residual.h"
#include "tests/frame/av1/random_transforms.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kValues = 64;  // words of others

class ResidualItemsTest : public testing::Test {
 protected:
  // A frame with random blocks, all of them in one tile.
  void Set(uint32_t seed, uint32_t bit_depth, ResidualOf which,
           const TransformChoice& choice = {}) {
    TestRandom random(seed);
    input_ = TransformInput(random, 90, 70, bit_depth, Content::kRandom);
    const auto list =
        which == ResidualOf::kInter ? kInterTransforms : kIntraTransforms;
    AddTransforms(random, choice, list, &input_);
    const WorkLists view = input_.View();
    gpu::FrameInput frame;
    frame.params = &input_.params;
    frame.codec = &input_.codec_params;
    frame.tiles = {&view, 1};
    gpu::PlaceTiles(frame.tiles, &tiles_);
    items_.Set(frame, tiles_, which, kValues);
    records_ = view.Of(list);
  }

  static bool IsDc(const TransformBlock& block) {
    return TransformType(block.shape) == 0 && block.eob == 1;
  }

  // Columns and rows of the block that lie inside of the frame.
  std::pair<uint32_t, uint32_t> Inside(const TransformBlock& block) const {
    const DecodedArea area = PlaneDecodedArea(
        input_.params, TransformComponent(block.shape) == 0 ? kLuma : kChroma);
    const Shape shape(block.shape);
    return {
        std::min(shape.width, area.width - int(PositionX4(block.position)) * 4),
        std::min(shape.height,
                 area.height - int(PositionY4(block.position)) * 4)};
  }

  // How often each part of each block is in lists of the pass: [block][part].
  std::map<uint32_t, std::map<uint32_t, uint32_t>> PartsOf(
      ResidualPass pass) const {
    std::map<uint32_t, std::map<uint32_t, uint32_t>> parts;
    for (const ResidualItems::List& list : items_.lists()) {
      if (list.kind.pass != pass) continue;
      for (const uint32_t item : list.items) {
        ++parts[ResidualItemBlock(item)][ResidualItemPart(item)];
      }
    }
    return parts;
  }

  KernelInput input_;
  std::vector<gpu::TileInput> tiles_;
  ResidualItems items_;
  std::span<const TransformBlock> records_;
};

// Parts that a block must have, once each.
std::map<uint32_t, uint32_t> Parts(uint32_t count) {
  std::map<uint32_t, uint32_t> parts;
  for (uint32_t i = 0; i < count; ++i) parts[i] = 1;
  return parts;
}

TEST_F(ResidualItemsTest, HaveEachPartOfEachBlockOnce) {
  for (const ResidualOf which : {ResidualOf::kInter, ResidualOf::kIntra}) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Set(seed, 8 + 2 * (seed % 2), which);
      auto rows = PartsOf(ResidualPass::kRows);
      auto columns = PartsOf(ResidualPass::kColumns);
      auto dc = PartsOf(ResidualPass::kDc);
      ASSERT_EQ(items_.blocks().size(), records_.size() + 1);
      for (uint32_t i = 0; i < records_.size(); ++i) {
        const Shape shape(records_[i].shape);
        auto [width, height] = Inside(records_[i]);
        if (which == ResidualOf::kIntra) {
          width = static_cast<uint32_t>(shape.width);
          height = static_cast<uint32_t>(shape.height);
        }
        if (IsDc(records_[i])) {
          std::map<uint32_t, uint32_t> parts;
          for (uint32_t y = 0; y < height; y += 16) {
            for (uint32_t x = 0; x < width; x += 4) parts[x / 4 + y] = 1;
          }
          EXPECT_EQ(dc[i + 1], parts);
          EXPECT_TRUE(rows[i + 1].empty() && columns[i + 1].empty());
        } else {
          EXPECT_EQ(rows[i + 1],
                    Parts(static_cast<uint32_t>(shape.stored_height) / 4));
          EXPECT_EQ(columns[i + 1], Parts(width / 4));
          EXPECT_TRUE(dc[i + 1].empty());
        }
      }
    }
  }
}

TEST_F(ResidualItemsTest, ArePutWhereTheirProgramTakesThem) {
  for (const ResidualOf which : {ResidualOf::kInter, ResidualOf::kIntra}) {
    for (uint32_t seed = 0; seed < 20; ++seed) {
      Set(seed, 8 + 2 * (seed % 2), which);
      const std::vector<ResidualKind> kinds = ResidualKinds(which);
      for (const ResidualItems::List& list : items_.lists()) {
        if (list.items.empty()) continue;
        EXPECT_NE(std::ranges::find(kinds, list.kind), kinds.end());
        for (const uint32_t item : list.items) {
          const uint32_t shape = items_.blocks()[ResidualItemBlock(item)].shape;
          const uint32_t component = TransformComponent(shape);
          if (list.kind.pass == ResidualPass::kRows) {
            EXPECT_EQ(list.kind.length_log2, TransformWidthLog2(shape));
            EXPECT_EQ(list.step, 0u);
            continue;
          }
          if (list.kind.pass == ResidualPass::kColumns) {
            EXPECT_EQ(list.kind.length_log2, TransformHeightLog2(shape));
          }
          if (which == ResidualOf::kIntra) {
            EXPECT_EQ(list.kind.output, PERDIX_RESIDUAL_TO_PLANES);
            EXPECT_EQ(list.step, 1u);
          } else {
            EXPECT_EQ(list.kind.output, component == 0
                                            ? PERDIX_RESIDUAL_TO_LUMA
                                            : PERDIX_RESIDUAL_TO_CHROMA);
            EXPECT_EQ(list.step, component == 2 ? 2u : 1u);
          }
        }
      }
    }
  }
}

TEST_F(ResidualItemsTest, LeaveEachBlockMemoryOfItsOwn) {
  for (uint32_t seed = 0; seed < 20; ++seed) {
    Set(seed, 8, ResidualOf::kInter);
    uint32_t end = kValues + 1;  // block 0 has some, too
    for (size_t i = 0; i < records_.size(); ++i) {
      if (IsDc(records_[i])) continue;
      const ResidualBlock& block = items_.blocks()[i + 1];
      EXPECT_GE(block.values, end);
      EXPECT_EQ(block.values % 4, 0u);
      const Shape shape(block.shape);
      const auto width = static_cast<uint32_t>(shape.width);
      const auto height = static_cast<uint32_t>(shape.height);
      end =
          block.values +
          ResidualValueWords(width, static_cast<uint32_t>(shape.stored_height));
      if (width == 64 || height >= 32) end += width * height / 2;
    }
    EXPECT_LE(end, items_.scratch_words());
  }
}

// A block of 8x8 whose coefficients' magnitudes add up to <sum>.
TEST_F(ResidualItemsTest, AreClampedFromTheSumOnFromWhichValuesMayNotFit) {
  constexpr uint32_t kIdentityRows = 10;  // V_DCT
  for (const uint32_t bit_depth : {8u, 10u}) {
    for (const auto& [type, sum, rows, columns] :
         {std::tuple{0u, 28672, false, false},
          {0u, 28673, true, true},
          {kIdentityRows, 7168, true, false},
          {kIdentityRows, 7169, true, true}}) {
      KernelInput input;
      input.params = TestFrameParams(64, 64, bit_depth, 1, 1);
      const uint32_t shape = PackTransformShape(0, 3, 3, type, 1, 1);
      input.Of(kInterTransforms).push_back({PackPosition(0, 0), shape, 0, 2});
      input.coefficients.assign(bit_depth == 8 ? 64 : 128, 0);
      const size_t second = bit_depth == 8 ? 9 : 18;
      input.coefficients[0] = static_cast<int16_t>(sum - 9);
      input.coefficients[second] = -9;
      if (bit_depth > 8) input.coefficients[second + 1] = -1;
      const WorkLists view = input.View();
      gpu::FrameInput frame;
      frame.params = &input.params;
      frame.tiles = {&view, 1};
      gpu::PlaceTiles(frame.tiles, &tiles_);
      items_.Set(frame, tiles_, ResidualOf::kInter, 0);
      for (const ResidualItems::List& list : items_.lists()) {
        if (list.items.empty()) continue;
        EXPECT_EQ((list.kind.kind & PERDIX_RESIDUAL_CLAMPS) != 0,
                  list.kind.pass == ResidualPass::kRows ? rows : columns)
            << bit_depth << " bits, type " << type << ", sum " << sum;
      }
    }
  }
}

TEST_F(ResidualItemsTest, AreNoneOfAFrameWithoutBlocks) {
  input_.params = TestFrameParams(64, 64, 8, 1, 1);
  gpu::FrameInput frame;
  frame.params = &input_.params;
  items_.Set(frame, {}, ResidualOf::kInter, 0);
  EXPECT_TRUE(items_.empty());
}

TEST(ResidualLayoutTest, HasPlanesOfWholeSuperblocksOneBehindTheOther) {
  const FrameParams params = TestFrameParams(65, 64, 8, 1, 1);
  const ResidualLayout layout = ResidualLayoutOf(params);
  EXPECT_EQ(layout.luma_stride, 128u);
  EXPECT_EQ(layout.chroma_stride, 64u);
  EXPECT_EQ(layout.u_offset, 128u * 64);
  EXPECT_EQ(layout.v_offset, 128u * 64 + 64 * 32);
  EXPECT_EQ(ResidualBytes(params), 2u * (128 * 64 + 2 * 64 * 32));
}

}  // namespace
}  // namespace perdix::av1
