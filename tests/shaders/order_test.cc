// SPDX-License-Identifier: BSD-2-Clause
// Where the orders of kernels/vulkan put things when samples have 16 bits,
// which no shader takes yet. Needs no GPU.
#include <gtest/gtest.h>

#include "kernels/vulkan/metrics_order.h"
#include "kernels/vulkan/vp9/work_order.h"
#include "tests/frame/vp9/random_lists.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kWidth = 200;
constexpr uint32_t kHeight = 136;

PlaneOffsets LayoutOf(uint32_t sample_bytes) {
  return {64, 65536, 256 * sample_bytes, 256 * sample_bytes};
}

PictureView ViewOf(uint32_t sample_bytes) {
  PictureView view;
  view.planes[kLuma] = {nullptr, 256 * sample_bytes, kWidth, kHeight};
  view.planes[kChroma] = {nullptr, 256 * sample_bytes, kWidth / 2, kHeight / 2};
  return view;
}

KernelInput InputWith(uint32_t bit_depth) {
  KernelInput input =
      NewInput(TestFrameParams(kWidth, kHeight, bit_depth, 1, 1));
  for (uint32_t i = 0; i < PERDIX_VP9_REFS; ++i) {
    SetReference(input, i, input.target);
  }
  return input;
}

// A block of 32x16 luma pixels at (32, 48), moved by (3, -2) whole ones.
std::vector<InterUnit> UnitsOf(uint32_t bit_depth, uint32_t planes) {
  KernelInput input = InputWith(bit_depth);
  const uint32_t bytes = SampleBytes(input.params);
  const InterBlock block = {
      PackPosition(8, 12),
      PackInterShape(8, 4, planes, 0, 0, PERDIX_REF_NONE, 0),
      PackMv(-2 * 8, 3 * 8), 0};
  TileInput tile;
  tile.lists.Set(kInterBlocks, {&block, 1});
  const std::vector<PictureView> references(PERDIX_VP9_REFS, ViewOf(bytes));
  InterOrder order;
  order.Set(input.params, ParamsOf(input), {&tile, 1}, LayoutOf(bytes),
            references);
  std::vector<InterUnit> units(order.size());
  order.Write(units.data());
  std::erase_if(units, [](const InterUnit& unit) {
    return InterUnitRows(unit.shape) == 0;  // padding
  });
  return units;
}

TEST(Order16BitTest, AnInterUnitHasHalfThePixels) {
  for (const uint32_t planes : {PERDIX_PLANES_LUMA, PERDIX_PLANES_CHROMA}) {
    const std::vector<InterUnit> narrow = UnitsOf(8, planes);
    const std::vector<InterUnit> wide = UnitsOf(10, planes);
    const bool luma = planes == PERDIX_PLANES_LUMA;
    const uint32_t start = luma ? 64 : 65536;
    const int pixels = luma ? 8 : 4;  // of a unit of 8-bit samples
    ASSERT_EQ(wide.size(), 2 * narrow.size());
    for (size_t i = 0; i < narrow.size(); ++i) {
      EXPECT_EQ(wide[2 * i].target - start, 2 * (narrow[i].target - start));
      EXPECT_EQ(wide[2 * i + 1].target, wide[2 * i].target + 8);
      EXPECT_EQ(wide[2 * i].x, narrow[i].x);
      EXPECT_EQ(wide[2 * i + 1].x, narrow[i].x + 16 * pixels / 2);
      EXPECT_EQ(wide[2 * i].y, narrow[i].y);
    }
  }
}

TEST(Order16BitTest, TheLoopFilterStepsOverTwiceTheBytes) {
  KernelInput narrow = InputWith(8);
  KernelInput wide = InputWith(12);
  const LoopFilterConstants of8 =
      LoopFilterStepAt(narrow.params, ParamsOf(narrow), LayoutOf(1), 1)
          .constants;
  const LoopFilterConstants of16 =
      LoopFilterStepAt(wide.params, ParamsOf(wide), LayoutOf(2), 1).constants;
  EXPECT_EQ(of16.luma.cell_pairs, 2 * of8.luma.cell_pairs);
  EXPECT_EQ(of16.chroma.cell_pairs, 2 * of8.chroma.cell_pairs);
  EXPECT_EQ(of16.luma.row, 2 * of8.luma.row);
  EXPECT_EQ(of16.luma.edges_below, of8.luma.edges_below);
}

TEST(Order16BitTest, MetricsReadTwiceTheBytes) {
  const vulkan::MetricsDispatch of8 =
      vulkan::ChecksumDispatch(InputWith(8).params, LayoutOf(1), 0);
  const vulkan::MetricsDispatch of16 =
      vulkan::ChecksumDispatch(InputWith(10).params, LayoutOf(2), 0);
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    EXPECT_EQ(of16.constants.planes[plane].row_bytes,
              2 * of8.constants.planes[plane].row_bytes);
    EXPECT_EQ(of16.constants.planes[plane].rows,
              of8.constants.planes[plane].rows);
  }
}

}  // namespace
}  // namespace perdix::vp9
