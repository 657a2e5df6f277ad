// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/deblock_edges.h"

#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "kernels/av1/deblock/deblock_walk.h"
#include "tests/frame/av1/random_sizes.h"

namespace perdix::av1 {
namespace {

// An edge of a 4x4 block: plane, whether it is horizontal, x4, y4.
using Place = std::tuple<uint32_t, bool, uint32_t, uint32_t>;
// How it is filtered: the size in its list, and the two levels.
struct Filtered {
  uint32_t size;
  uint32_t levels[2];

  bool operator==(const Filtered&) const = default;
};
using Edges = std::map<Place, Filtered>;

class DeblockEdgesTest : public testing::Test {
 protected:
  // A frame with random edges; some have no luma or no chroma to filter.
  void Set(uint32_t width, uint32_t height, uint32_t seed) {
    TestRandom random(seed);
    input_ = {};
    input_.params = TestFrameParams(width, height, 8, 1, 1);
    Params& av1 = input_.codec_params.As<Params>();
    av1.mi_cols = DecodedSize(width) / 4;
    av1.mi_rows = DecodedSize(height) / 4;
    av1.monochrome = random.OneIn(5) ? 1 : 0;
    for (uint32_t& level : av1.loop_filter_level) {
      level = random.OneIn(3) ? 0 : 1 + random.Below(63);
    }
    av1.loop_filter_sharpness = random.Below(8);
    SetRandomEdges(random, &input_);
    const FrameTables tables = input_.tables.View();
    edges_.Set(input_.params, av1, tables.Of(kLumaEdges),
               tables.Of(kChromaEdges));
  }

  const Params& av1() { return input_.codec_params.As<Params>(); }

  // 7.14.1 and 7.14.2.
  Edges Expected() {
    Edges edges;
    const uint32_t* const level = av1().loop_filter_level;
    if (level[0] == 0 && level[1] == 0) return edges;
    const auto luma = input_.tables.View().Of(kLumaEdges);
    ForEachCell(4, [&](uint32_t x4, uint32_t y4) {
      const uint32_t word = luma[size_t{y4} * av1().mi_cols + x4];
      const uint32_t left = LumaLeftLevel(word);
      const uint32_t above = LumaAboveLevel(word);
      Add(&edges, {kLuma, false, x4, y4}, {LeftEdge(word), {left, left}});
      Add(&edges, {kLuma, true, x4, y4}, {AboveEdge(word), {above, above}});
    });
    if (av1().monochrome) return edges;
    const auto chroma = input_.tables.View().Of(kChromaEdges);
    const auto level_of = [&](uint32_t coded, uint32_t component) {
      return level[2 + component] == 0 ? 0 : coded;
    };
    ForEachCell(8, [&](uint32_t x4, uint32_t y4) {
      const uint32_t word = chroma[size_t{y4} * (av1().mi_cols / 2) + x4];
      Add(&edges, {kChroma, false, x4, y4},
          {LeftEdge(word),
           {level_of(ChromaLeftLevel(word, 0), 0),
            level_of(ChromaLeftLevel(word, 1), 1)}});
      Add(&edges, {kChroma, true, x4, y4},
          {AboveEdge(word),
           {level_of(ChromaAboveLevel(word, 0), 0),
            level_of(ChromaAboveLevel(word, 1), 1)}});
    });
    return edges;
  }

  DeblockEdges edges_;
  KernelInput input_;

 private:
  // visit(x4, y4) for each 4x4 of a plane that begins in the frame; luma: luma
  // samples of one.
  template <typename Visit>
  void ForEachCell(uint32_t luma, const Visit& visit) const {
    for (uint32_t y = 0; y < input_.params.height; y += luma) {
      for (uint32_t x = 0; x < input_.params.width; x += luma) {
        visit(x / luma, y / luma);
      }
    }
  }

  static void Add(Edges* edges, const Place& place, const Filtered& filtered) {
    if (filtered.size == 0) return;
    if (filtered.levels[0] == 0 && filtered.levels[1] == 0) return;
    edges->emplace(place, filtered);
  }
};

constexpr struct {
  uint32_t width;
  uint32_t height;
} kSizes[] = {{1, 1},    {8, 8},   {9, 17},   {64, 64},
              {65, 127}, {200, 3}, {226, 196}};

TEST_F(DeblockEdgesTest, HaveEachEdgeOnceAndNoOther) {
  uint32_t seed = 0;
  for (const auto& [width, height] : kSizes) {
    for (int i = 0; i < 20; ++i) {
      Set(width, height, ++seed);
      Edges found;
      for (size_t kind = 0; kind < kEdgeKindCount; ++kind) {
        const EdgeKind& of = kEdgeKinds[kind];
        for (const DeblockEdge& edge : edges_.Of(kind)) {
          const Place place = {of.plane, of.horizontal, EdgeX4(edge.position),
                               EdgeY4(edge.position)};
          const Filtered filtered = {
              of.size, {edge.strengths & 63, edge.strengths >> 16 & 63}};
          EXPECT_TRUE(found.emplace(place, filtered).second) << "twice";
        }
      }
      EXPECT_TRUE(found == Expected())
          << width << "x" << height << ", seed " << seed;
    }
  }
}

TEST_F(DeblockEdgesTest, HaveNoEdgesInOneListThatShareWords) {
  Set(226, 196, 2);
  ASSERT_EQ(input_.params.bit_depth, 8u);
  for (size_t kind = 0; kind < kEdgeKindCount; ++kind) {
    const EdgeKind& of = kEdgeKinds[kind];
    if (of.plane != kLuma || of.horizontal || of.size != 1) continue;
    EXPECT_FALSE(edges_.Of(kind).empty());
    for (const DeblockEdge& edge : edges_.Of(kind)) {
      EXPECT_EQ(EdgeX4(edge.position) & 1, of.odd ? 1u : 0u);
    }
  }
}

TEST_F(DeblockEdgesTest, HaveTheLimitsOfTheirLevels) {
  for (uint32_t seed = 1; seed < 40; ++seed) {
    Set(226, 196, seed);
    const auto limit_of = [this](uint32_t level) {
      const int sharpness = static_cast<int>(av1().loop_filter_sharpness);
      return level == 0
                 ? 0
                 : static_cast<uint32_t>(
                       LimitsOf(static_cast<int>(level), sharpness, 8).limit);
    };
    for (size_t kind = 0; kind < kEdgeKindCount; ++kind) {
      for (const DeblockEdge& edge : edges_.Of(kind)) {
        const uint32_t low = edge.strengths & 0xffff;
        const uint32_t high = edge.strengths >> 16;
        ASSERT_EQ(low >> 8, limit_of(low & 63));
        ASSERT_EQ(high >> 8, limit_of(high & 63));
      }
    }
  }
}

}  // namespace
}  // namespace perdix::av1
