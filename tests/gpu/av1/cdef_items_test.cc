// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/cdef_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

class CdefItemsTest : public testing::Test {
 protected:
  // A frame with random blocks and strengths.
  void Set(uint32_t width, uint32_t height, uint32_t seed) {
    TestRandom random(seed);
    params_ = TestFrameParams(width, height, 8, 1, 1);
    av1_ = {};
    av1_.monochrome = random.OneIn(4) ? 1 : 0;
    for (auto* strengths : {av1_.cdef_y_strength, av1_.cdef_uv_strength}) {
      for (uint32_t i = 0; i < PERDIX_CDEF_INDICES; ++i) {
        strengths[i] = PackCdefStrength(random.OneIn(2) ? 0 : random.Below(16),
                                        random.OneIn(2) ? 0 : random.Below(5));
      }
    }
    blocks_.assign(size_t{params_.sb_cols} * params_.sb_rows, {});
    for (CdefBlock& block : blocks_) {
      block.index = random.OneIn(5) ? PERDIX_NO_CDEF : random.Below(8);
      block.filtered0 =
          static_cast<uint32_t>(random.Uniform(INT32_MIN, INT32_MAX));
      block.filtered1 =
          static_cast<uint32_t>(random.Uniform(INT32_MIN, INT32_MAX));
    }
    items_.Set(params_, av1_, blocks_);
  }

  // The block's strength in the plane as 7.15 has it; 0: not filtered.
  uint32_t StrengthOf(uint32_t x8, uint32_t y8, uint32_t plane) const {
    if (plane != kLuma && av1_.monochrome) return 0;
    const CdefBlock& block = BlockOf(x8, y8);
    const uint32_t bit = y8 % 8 * 8 + x8 % 8;
    const uint32_t word = bit < 32 ? block.filtered0 : block.filtered1;
    if (block.index == PERDIX_NO_CDEF || (word >> (bit % 32) & 1) == 0)
      return 0;
    return (plane == kLuma ? av1_.cdef_y_strength
                           : av1_.cdef_uv_strength)[block.index];
  }
  const CdefBlock& BlockOf(uint32_t x8, uint32_t y8) const {
    return blocks_[size_t{y8 / 8} * params_.sb_cols + x8 / 8];
  }

  uint32_t TapsFor(uint32_t x8, uint32_t y8, uint32_t strength) const {
    const CdefGrid grid = CdefGridOf(params_);
    if (x8 == 0 || y8 == 0 || x8 == grid.columns - 1 || y8 == grid.rows - 1) {
      return PERDIX_CDEF_EDGE;
    }
    if (CdefSecondary(strength) == 0) return PERDIX_CDEF_PRIMARY;
    return CdefPrimary(strength) == 0 ? PERDIX_CDEF_SECONDARY
                                      : PERDIX_CDEF_BOTH;
  }

  // visit(x8, y8) for each 8x8 of the frame.
  template <typename Visit>
  void ForEachCell(const Visit& visit) const {
    const CdefGrid grid = CdefGridOf(params_);
    for (uint32_t y8 = 0; y8 < grid.rows; ++y8) {
      for (uint32_t x8 = 0; x8 < grid.columns; ++x8) visit(x8, y8);
    }
  }

  FrameParams params_;
  Params av1_;
  std::vector<CdefBlock> blocks_;
  CdefItems items_;
};

struct Size {
  uint32_t width;
  uint32_t height;
};
constexpr Size kSizes[] = {{1, 1},    {8, 8},   {9, 17},   {64, 64},
                           {65, 127}, {200, 3}, {226, 196}};

TEST_F(CdefItemsTest, HaveEachFilteredBlockOnceAndNoOther) {
  uint32_t seed = 0;
  for (const auto& [width, height] : kSizes) {
    for (int i = 0; i < 20; ++i) {
      Set(width, height, ++seed);
      for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
        std::map<uint32_t, uint32_t> taps_of;  // by item
        for (uint32_t taps = 0; taps < PERDIX_CDEF_KINDS; ++taps) {
          for (const uint32_t item : items_.Of(plane, taps)) {
            EXPECT_TRUE(taps_of.emplace(item, taps).second) << "twice";
          }
        }
        EXPECT_EQ(taps_of.size(), items_.Count(plane));
        ForEachCell([&](uint32_t x8, uint32_t y8) {
          const uint32_t strength = StrengthOf(x8, y8, plane);
          if (strength == 0) return;
          const auto found =
              taps_of.extract(PackCdefItem(x8, y8, BlockOf(x8, y8).index));
          ASSERT_FALSE(found.empty()) << x8 << "," << y8 << " seed " << seed;
          EXPECT_EQ(found.mapped(), TapsFor(x8, y8, strength));
        });
        EXPECT_TRUE(taps_of.empty()) << "blocks that are not filtered";
      }
    }
  }
}

TEST_F(CdefItemsTest, HaveDirectionsOfWhatHasAPrimaryStrength) {
  uint32_t seed = 0;
  for (const auto& [width, height] : kSizes) {
    Set(width, height, ++seed);
    std::vector<uint32_t> expected;
    ForEachCell([&](uint32_t x8, uint32_t y8) {
      if (CdefPrimary(StrengthOf(x8, y8, kLuma)) != 0 ||
          CdefPrimary(StrengthOf(x8, y8, kChroma)) != 0) {
        expected.push_back(PackCdefItem(x8, y8, BlockOf(x8, y8).index));
      }
    });
    EXPECT_TRUE(std::ranges::equal(items_.directed(), expected));
  }
}

}  // namespace
}  // namespace perdix::av1
