// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "codec/av1/tables.h"

namespace perdix::av1 {
namespace {

TEST(MergePalettesTest, IsTheSortedUnionOfBoth) {
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::vector<uint16_t> sides[2];
    std::set<uint16_t> all;
    for (auto& side : sides) {
      side.resize(random() % 9);
      for (uint16_t& colour : side) colour = uint16_t(random() % 20);
      std::sort(side.begin(), side.end());
      all.insert(side.begin(), side.end());
    }
    uint16_t cache[16];
    const int count = MergePalettes(sides[0], sides[1], cache);
    EXPECT_EQ(std::vector<uint16_t>(cache, cache + count),
              std::vector<uint16_t>(all.begin(), all.end()));
  }
}

// Palette_Color_Hash_Multipliers (5.11.50).
constexpr int kHashMultipliers[3] = {1, 2, 2};

// 5.11.50 in its own words: neighbours weigh 2 or 1; the three heaviest indices
// come first, of equal ones the smaller.
struct Expected {
  int context;
  std::array<uint8_t, 8> order;
};

Expected Weigh(int left, int above_left, int above) {
  std::array<int, 8> weights = {};
  if (left >= 0) weights[size_t(left)] += 2;
  if (above_left >= 0) weights[size_t(above_left)] += 1;
  if (above >= 0) weights[size_t(above)] += 2;
  Expected expected;
  std::iota(expected.order.begin(), expected.order.end(), uint8_t{0});
  std::stable_sort(
      expected.order.begin(), expected.order.end(),
      [&](uint8_t a, uint8_t b) { return weights[a] > weights[b]; });
  int hash = 0;
  for (size_t i = 0; i < 3; ++i) {
    hash += weights[expected.order[i]] * kHashMultipliers[i];
  }
  expected.context = kPaletteColorContext[hash];
  return expected;
}

void Compare(const ColourContext& context, const Expected& expected) {
  EXPECT_EQ(context.context, expected.context);
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(ColourAt(context, i), expected.order[i]) << i;
  }
}

TEST(ColourContextTest, OfAllNeighbours) {
  for (uint8_t left = 0; left < 8; ++left) {
    for (uint8_t above_left = 0; above_left < 8; ++above_left) {
      for (uint8_t above = 0; above < 8; ++above) {
        Compare(ColourContextOf(left, above_left, above),
                Weigh(left, above_left, above));
      }
    }
  }
}

TEST(ColourContextTest, OfTheOneNeighbourAtAnEdge) {
  for (uint8_t neighbour = 0; neighbour < 8; ++neighbour) {
    Compare(ColourContextOf(neighbour), Weigh(neighbour, -1, -1));
    Compare(ColourContextOf(neighbour), Weigh(-1, -1, neighbour));
  }
}

}  // namespace
}  // namespace perdix::av1
