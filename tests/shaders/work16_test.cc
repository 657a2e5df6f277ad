// SPDX-License-Identifier: BSD-2-Clause
// What is dispatched when samples have 16 bits. Needs no GPU.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string_view>

#include "kernels/gpu/kernel_work.h"
#include "kernels/gpu/metrics.h"
#include "kernels/gpu/vp9/inter_units.h"
#include "kernels/vp9/transform_block.h"
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
  InterUnits units_of_block(64);
  units_of_block.Set(input.params, ParamsOf(input), {&tile, 1}, LayoutOf(bytes),
                     references);
  std::vector<InterUnit> units(units_of_block.size());
  units_of_block.Write(units.data());
  std::erase_if(units, [](const InterUnit& unit) {
    return InterUnitRows(unit.shape) == 0;  // padding
  });
  return units;
}

TEST(Work16BitTest, AnInterUnitHasHalfThePixels) {
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

// Push constants of the first dispatch.
template <typename Constants>
Constants FirstDispatch(const gpu::Work& work) {
  for (const gpu::Command& command : work.commands()) {
    const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
    if (dispatch == nullptr) continue;
    Constants constants;
    std::memcpy(&constants, work.ConstantsOf(*dispatch).data(),
                sizeof(constants));
    return constants;
  }
  return {};
}

gpu::FrameInput FrameOf(KernelInput& input) {
  const uint32_t bytes = SampleBytes(input.params);
  gpu::FrameInput frame;
  frame.params = &input.params;
  frame.codec = &input.codec_params;
  frame.tables = input.tables.View();
  frame.target.view = input.target.View();
  frame.target.offsets = LayoutOf(bytes);
  return frame;
}

LoopFilterConstants LoopFilterOf(uint32_t bit_depth) {
  KernelInput input = InputWith(bit_depth);
  TestRandom random(1);
  ParamsOf(input).loop_filter_level = 1;
  SetRandomEdges(random, &input);
  gpu::Work work;
  work.Clear();
  const Status status = gpu::FindGpuKernel(KernelId::kVp9LoopFilter)
                            ->make({})
                            ->Build(FrameOf(input), &work);
  EXPECT_TRUE(status.ok()) << status.message();
  return FirstDispatch<LoopFilterConstants>(work);
}

TEST(Work16BitTest, TheLoopFilterStepsOverTwiceTheBytes) {
  const LoopFilterConstants of8 = LoopFilterOf(8);
  const LoopFilterConstants of16 = LoopFilterOf(12);
  EXPECT_EQ(of16.luma.cell_pairs, 2 * of8.luma.cell_pairs);
  EXPECT_EQ(of16.chroma.cell_pairs, 2 * of8.chroma.cell_pairs);
  EXPECT_EQ(of16.luma.row, 2 * of8.luma.row);
  EXPECT_EQ(of16.luma.edges_below, of8.luma.edges_below);
}

// The shader for a block of 4x4 with such first coefficients; all others are 0.
std::string_view ShaderFor(uint32_t bit_depth, uint32_t lossless, uint32_t eob,
                           const std::vector<int32_t>& coefficients) {
  KernelInput input = InputWith(bit_depth);
  ParamsOf(input).lossless = lossless;
  for (size_t i = 0; i < 16; ++i) {
    AddCoefficient(bit_depth, i < coefficients.size() ? coefficients[i] : 0,
                   &input);
  }
  input.Of(kInterTransforms)
      .push_back({PackPosition(0, 0), PackTransformShape(0, 0, 0, 0), 0, eob});
  const WorkLists tile = input.View();
  gpu::FrameInput frame = FrameOf(input);
  frame.tiles = {&tile, 1};
  gpu::Work work;
  work.Clear();
  const auto kernel_work =
      gpu::FindGpuKernel(KernelId::kVp9InverseTransform)->make({});
  const Status status = kernel_work->Build(frame, &work);
  EXPECT_TRUE(status.ok()) << status.message();
  for (const gpu::Command& command : work.commands()) {
    const auto* const dispatch = std::get_if<gpu::Dispatch>(&command);
    if (dispatch != nullptr) return dispatch->program.shader;
  }
  return "";
}

TEST(Work16BitTest, TransformsAreExactWhereSumsDoNotFit32Bits) {
  constexpr int32_t kMost = kMostSum32;
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(ShaderFor(10, 0, 9, {kMost}), "vp9/inverse_transform_4_10");
  EXPECT_EQ(ShaderFor(10, 0, 9, {1 - kMost, 0, -1}),
            "vp9/inverse_transform_4_10");
  EXPECT_EQ(ShaderFor(10, 0, 9, {1 - kMost, 0, 2}),
            "vp9/inverse_transform_4_10_exact");
  EXPECT_EQ(ShaderFor(10, 0, 9, {kLowest, kLowest}),
            "vp9/inverse_transform_4_10_exact");
  EXPECT_EQ(ShaderFor(8, 0, 9, {32767, 32767, 32767, 32767, 32767}),
            "vp9/inverse_transform_4");
}

TEST(Work16BitTest, LosslessBlocksAndThoseOfADcAloneAreAlwaysExact) {
  EXPECT_EQ(ShaderFor(10, 1, 9, {1 << 28}), "vp9/inverse_transform_4_10");
  EXPECT_EQ(ShaderFor(10, 0, 1, {1 << 30}), "vp9/inverse_transform_4_10");
}

MetricsConstants ChecksumOf(uint32_t bit_depth) {
  KernelInput input = InputWith(bit_depth);
  gpu::Work work;
  work.Clear();
  gpu::AddChecksum({}, FrameOf(input), gpu::PictureId::kTarget, 0, &work);
  return FirstDispatch<MetricsConstants>(work);
}

TEST(Work16BitTest, MetricsReadTwiceTheBytes) {
  const MetricsConstants of8 = ChecksumOf(8);
  const MetricsConstants of16 = ChecksumOf(10);
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    EXPECT_EQ(of16.planes[plane].row_bytes, 2 * of8.planes[plane].row_bytes);
    EXPECT_EQ(of16.planes[plane].rows, of8.planes[plane].rows);
  }
}

}  // namespace
}  // namespace perdix::vp9
