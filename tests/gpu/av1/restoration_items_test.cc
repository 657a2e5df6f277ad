// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/av1/restoration_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/restoration/self_guided.h"
#include "tests/frame/kernel_input.h"

namespace perdix::av1 {
namespace {

struct Size {
  uint32_t width;
  uint32_t height;
};
constexpr Size kSizes[] = {{1, 1},    {8, 8},   {9, 57},   {64, 64},
                           {65, 127}, {200, 3}, {226, 196}};

class RestorationItemsTest : public testing::TestWithParam<uint32_t> {
 protected:
  // A frame with random units.
  void Set(Size size, uint32_t seed) {
    TestRandom random(seed);
    params_ = TestFrameParams(size.width, size.height, 8, 1, 1);
    av1_ = {};
    av1_.upscaled_width = size.width;
    av1_.monochrome = random.OneIn(4) ? 1 : 0;
    const uint32_t unit_size = 64u << random.Below(3);
    uint32_t count = 0;
    for (uint32_t i = 0; i < 3; ++i) {
      const uint32_t shift = i == 0 ? 0 : 1;
      RestorationPlane& plane = av1_.restoration[i];
      plane.type = random.OneIn(4) ? 0 : 1;
      plane.unit_size = unit_size >> shift;
      plane.unit_cols = UnitsIn((size.width + shift) >> shift, plane.unit_size);
      plane.unit_rows =
          UnitsIn((size.height + shift) >> shift, plane.unit_size);
      plane.first = count;
      count += plane.unit_cols * plane.unit_rows;
    }
    units_.assign(count, {});
    for (uint32_t i = 0; i < count; ++i) {
      // Each has a set and taps of its own.
      units_[i] = {random.Below(3), i, i + 1, 0};
    }
    items_.Set(params_, av1_, units_);
  }

  static uint32_t UnitsIn(uint32_t pixels, uint32_t unit_size) {
    return std::max((pixels + unit_size / 2) / unit_size, 1u);
  }

  // By plane 0..2, x, y: the unit that filters a pixel (7.17); null: none.
  const RestorationUnit* UnitOf(uint32_t plane, uint32_t x, uint32_t y) const {
    const RestorationPlane& of = av1_.restoration[plane];
    if (of.type == 0) return nullptr;
    const uint32_t shift = plane == 0 ? 0 : 1;
    const uint32_t row =
        std::min((y + (8 >> shift)) / of.unit_size, of.unit_rows - 1);
    const uint32_t column = std::min(x / of.unit_size, of.unit_cols - 1);
    const RestorationUnit& unit =
        units_[of.first + row * of.unit_cols + column];
    return unit.type == 0 ? nullptr : &unit;
  }

  static uint32_t KindOf(const RestorationUnit& unit) {
    if (unit.type == 1) return PERDIX_RESTORATION_WIENER;
    const SelfGuidedPass* const passes = kSelfGuidedSets[unit.vertical % 16];
    if (passes[0].radius == 0) return PERDIX_SELF_GUIDED_SECOND;
    if (passes[1].radius == 0) return PERDIX_SELF_GUIDED_FIRST;
    return PERDIX_SELF_GUIDED_BOTH;
  }

  // visit(x, y) for each pixel of a cell.
  template <typename Visit>
  void ForEachPixel(uint32_t plane, uint32_t place, uint32_t lines,
                    const Visit& visit) const {
    const uint32_t shift = plane == 0 ? 0 : 1;
    const uint32_t stripe = RestorationStripe(place);
    const uint32_t y = (stripe == 0 ? 0 : (stripe * 64 - 8) >> shift) +
                       RestorationFirstLine(lines);
    const uint32_t x = RestorationColumn(place) * (64 >> shift);
    const uint32_t end = std::min(x + (64 >> shift), Width(plane));
    for (uint32_t i = 0; i < RestorationLineCount(lines); ++i) {
      for (uint32_t j = x; j < end; ++j) visit(j, y + i);
    }
  }
  uint32_t Width(uint32_t plane) const {
    return plane == 0 ? params_.width : (params_.width + 1) / 2;
  }
  uint32_t Height(uint32_t plane) const {
    return plane == 0 ? params_.height : (params_.height + 1) / 2;
  }

  FrameParams params_;
  Params av1_;
  std::vector<RestorationUnit> units_;
  RestorationItems items_{GetParam()};
};

TEST_P(RestorationItemsTest, HaveEachFilteredPixelOnceByItsUnit) {
  uint32_t seed = 0;
  for (const Size& size : kSizes) {
    for (int i = 0; i < 10; ++i) {
      Set(size, ++seed);
      SCOPED_TRACE(seed);
      // Units by plane 0..2, then pixel.
      std::map<std::pair<uint32_t, uint32_t>, uint32_t> found[3];
      for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
        for (uint32_t kind = 0; kind < PERDIX_RESTORATION_KINDS; ++kind) {
          for (const RestorationItem& item : items_.Of(plane, kind)) {
            const uint32_t in = plane + RestorationComponent(item.place);
            ForEachPixel(
                in, item.place, item.lines, [&](uint32_t x, uint32_t y) {
                  EXPECT_TRUE(found[in].emplace(std::pair(x, y), kind).second)
                      << "twice";
                });
          }
        }
      }
      for (uint32_t plane = 0; plane < (av1_.monochrome ? 1 : 3); ++plane) {
        for (uint32_t y = 0; y < Height(plane); ++y) {
          for (uint32_t x = 0; x < Width(plane); ++x) {
            const RestorationUnit* const unit = UnitOf(plane, x, y);
            const auto pixel = found[plane].extract({x, y});
            ASSERT_EQ(unit != nullptr, !pixel.empty()) << x << "," << y;
            if (unit == nullptr) continue;
            ASSERT_EQ(pixel.mapped(), KindOf(*unit));
          }
        }
      }
      for (const auto& rest : found) EXPECT_TRUE(rest.empty());
    }
  }
}

TEST_P(RestorationItemsTest, CopyEachResultOnce) {
  uint32_t seed = 100;
  for (const Size& size : kSizes) {
    Set(size, ++seed);
    for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
      std::map<uint32_t, const RestorationItem*> results;
      for (uint32_t kind = 0; kind < PERDIX_RESTORATION_KINDS; ++kind) {
        for (const RestorationItem& item : items_.Of(plane, kind)) {
          EXPECT_TRUE(results.emplace(item.results, &item).second);
        }
      }
      const auto take = [&](const RestorationCopy& copy, uint32_t from,
                            uint32_t component) {
        if (from == PERDIX_NO_RESULTS) return;
        const auto result = results.extract(from);
        ASSERT_FALSE(result.empty());
        EXPECT_EQ(result.mapped()->lines, copy.lines);
        EXPECT_EQ(result.mapped()->place,
                  copy.place | PackRestorationPlace(0, 0, component));
      };
      for (const RestorationCopy& copy : items_.copies(plane)) {
        take(copy, copy.results0, 0);
        take(copy, copy.results1, 1);
      }
      EXPECT_TRUE(results.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CellLines, RestorationItemsTest,
                         testing::Values(16u, 64u));

}  // namespace
}  // namespace perdix::av1
