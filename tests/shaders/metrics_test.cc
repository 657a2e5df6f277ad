// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/metrics.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/metrics/checksum.h"
#include "kernels/metrics/luma.h"
#include "tests/shaders/frame.h"

namespace perdix {
namespace {

struct Size {
  uint32_t width;
  uint32_t height;
};
// Odd, smaller than a lane, around a tile's 256 bytes and 32 rows.
constexpr Size kSizes[] = {{1, 1},    {2, 9},    {7, 3},    {9, 8},
                           {16, 33},  {17, 31},  {24, 32},  {99, 57},
                           {255, 64}, {256, 40}, {257, 65}, {328, 200}};
// What the partials and the results hold before.
constexpr uint8_t kPoison = 0xa5;
constexpr uint32_t kDarkLevel = 32;  // of 8-bit luma

FrameParams ParamsOf(const Size& size, uint32_t bit_depth = 8,
                     uint32_t subsampling = 1) {
  return TestFrameParams(size.width, size.height, bit_depth, subsampling,
                         subsampling);
}

GuardedPicture Picture(const FrameParams& params, Content content,
                       TestRandom& random) {
  GuardedPicture picture = GuardedPicture::ForTarget(params);
  picture.Fill(content, random);
  picture.SetGuard(static_cast<uint8_t>(random.Below(256)));
  return picture;
}

gpu::FrameInput InputOf(GuardedPicture& target, GuardedPicture& previous) {
  gpu::FrameInput input;
  input.target = {target.View(), target.layout(), nullptr};
  input.previous = {previous.View(), previous.layout(),
                    std::make_shared<NoMemory>()};
  input.sums_luma = true;
  input.dark_level = kDarkLevel << (input.target.view.bit_depth - 8);
  return input;
}

class MetricsShaderTest : public ShaderTest {
 protected:
  // Both metrics, the checksum as that of <stage>, in one submit.
  MetricsResults Run(const gpu::FrameInput& input, const GuardedPicture& target,
                     const GuardedPicture& previous, uint32_t stage,
                     uint32_t subgroup_size) {
    gpu::Work work;
    work.Clear();
    gpu::AddChecksum(traits_, input, gpu::PictureId::kTarget, stage, &work);
    gpu::AddLuma(traits_, input, &work);
    GpuBuffers buffers;
    buffers.by_binding[PERDIX_BINDING_TARGET] = target.bytes();
    buffers.references[0] = previous.bytes();
    buffers.by_binding[PERDIX_BINDING_PARTIALS].assign(
        work.partials() * sizeof(MetricsSum), kPoison);
    Bytes& results = buffers.by_binding[PERDIX_BINDING_RESULTS];
    results.assign(sizeof(MetricsResults), kPoison);
    gpu_->Run(work, subgroup_size, &buffers);
    EXPECT_EQ(buffers.by_binding[PERDIX_BINDING_TARGET], target.bytes());
    MetricsResults out;
    std::memcpy(&out, results.data(), sizeof(out));
    return out;
  }

  uint64_t Difference(GuardedPicture& target, GuardedPicture& previous,
                      uint32_t subgroup_size) {
    return gpu::LumaOf(Run(InputOf(target, previous), target, previous, 0,
                           subgroup_size))
        .difference;
  }

  // shift: as if the samples were shifted (PictureView::shift).
  void Check(GuardedPicture& target, GuardedPicture& previous,
             const std::string& what, uint32_t shift = 0) {
    gpu::FrameInput input = InputOf(target, previous);
    input.target.view.shift = input.previous.view.shift = shift;
    const uint64_t checksum = PictureChecksum(target.View());
    const LumaSums luma =
        SumLuma(input.target.view, &input.previous.view, input.dark_level,
                {0, input.target.view.height});
    for (const uint32_t made_for : SubgroupsOfPrograms()) {
      traits_ = {made_for, false};
      for (const uint32_t subgroup_size : SubgroupsToRun()) {
        const MetricsResults results =
            Run(input, target, previous, 0, subgroup_size);
        const std::string where = what + ", programs for subgroups of " +
                                  std::to_string(made_for) + ", subgroups of " +
                                  std::to_string(subgroup_size);
        EXPECT_EQ(gpu::ChecksumOf(results, 0), checksum) << where;
        EXPECT_EQ(gpu::LumaOf(results), luma) << where;
      }
    }
  }

  gpu::DeviceTraits traits_;  // that the programs are made for
};

TEST_F(MetricsShaderTest, AgreesWithTheCpuOnOddSizes) {
  TestRandom random(1);
  for (const Size& size : kSizes) {
    for (const uint32_t bit_depth : {8u, 12u}) {
      for (const uint32_t subsampling : {0u, 1u}) {
        for (const Content content :
             {Content::kRandom, Content::kNatural, Content::kExtremes}) {
          const FrameParams params = ParamsOf(size, bit_depth, subsampling);
          GuardedPicture target = Picture(params, content, random);
          GuardedPicture previous = Picture(params, content, random);
          Check(target, previous,
                std::to_string(size.width) + "x" + std::to_string(size.height) +
                    ", bit depth " + std::to_string(bit_depth) +
                    ", subsampling " + std::to_string(subsampling) +
                    ", content " + std::to_string(static_cast<int>(content)));
        }
      }
    }
  }
}

TEST_F(MetricsShaderTest, AgreesWithTheCpuOnLargeFrames) {
  TestRandom random(3);
  const FrameParams params = ParamsOf({1920, 1080});
  GuardedPicture target = Picture(params, Content::kRandom, random);
  GuardedPicture previous = Picture(params, Content::kNatural, random);
  Check(target, previous, "1920x1080");
}

TEST_F(MetricsShaderTest, SumsTheLargestDifferences) {
  TestRandom random(3);
  const FrameParams params = ParamsOf({1920, 1080});
  GuardedPicture target = Picture(params, Content::kMaximum, random);
  GuardedPicture previous = Picture(params, Content::kMinimum, random);
  constexpr uint64_t kLargest = uint64_t{255} * 1920 * 1080;
  for (const uint32_t subgroup_size : SubgroupsToRun()) {
    EXPECT_EQ(Difference(target, previous, subgroup_size), kLargest);
    EXPECT_EQ(Difference(previous, target, subgroup_size), kLargest);
    EXPECT_EQ(Difference(target, target, subgroup_size), 0u);
  }
}

TEST_F(MetricsShaderTest, LeavesOtherResultsAlone) {
  TestRandom random(4);
  const FrameParams params = ParamsOf({40, 40});
  GuardedPicture target = Picture(params, Content::kRandom, random);
  const uint64_t expected = PictureChecksum(target.View());
  for (uint32_t stage = 0; stage < PERDIX_MAX_STAGES; ++stage) {
    const MetricsResults results = Run(InputOf(target, target), target, target,
                                       stage, gpu_->traits().subgroup_size);
    for (uint32_t i = 0; i < PERDIX_MAX_STAGES; ++i) {
      EXPECT_EQ(gpu::ChecksumOf(results, i),
                i == stage ? expected : kPoison * 0x0101010101010101u)
          << i << " after stage " << stage;
    }
  }
}

// P010's samples, with anything in the bits below.
TEST_F(MetricsShaderTest, LooksAtShiftedSamples) {
  TestRandom random(5);
  const FrameParams params = ParamsOf({301, 45}, 16);
  GuardedPicture target = Picture(params, Content::kRandom, random);
  GuardedPicture previous = Picture(params, Content::kExtremes, random);
  gpu::FrameInput input = InputOf(target, previous);
  for (const uint32_t shift : {4u, 6u}) {
    for (gpu::Picture* picture : {&input.target, &input.previous}) {
      picture->view.bit_depth = 16 - shift;
      picture->view.shift = shift;
    }
    input.dark_level = 300;
    const LumaSums luma = SumLuma(input.target.view, &input.previous.view,
                                  input.dark_level, {0, 45});
    EXPECT_GT(luma.dark, 0u);
    EXPECT_EQ(gpu::LumaOf(Run(input, target, previous, 0, 0)), luma) << shift;
  }
}

TEST_F(MetricsShaderTest, ComparesWithNothing) {
  TestRandom random(6);
  GuardedPicture target = Picture(ParamsOf({99, 57}), Content::kRandom, random);
  gpu::FrameInput input = InputOf(target, target);
  input.previous = {};
  EXPECT_EQ(gpu::LumaOf(Run(input, target, target, 0, 0)),
            SumLuma(input.target.view, nullptr, kDarkLevel, {0, 57}));
}

// Branch-free arithmetic: every pair of bytes, side by side.
TEST_F(MetricsShaderTest, SubtractsEveryPairOfBytes) {
  const FrameParams params = ParamsOf({256, 256});
  GuardedPicture target = GuardedPicture::ForTarget(params);
  GuardedPicture previous = GuardedPicture::ForTarget(params);
  uint64_t expected = 0;
  for (uint32_t y = 0; y < 256; ++y) {
    for (uint32_t x = 0; x < 256; ++x) {
      target.Set(kLuma, static_cast<int>(x), static_cast<int>(y), 0,
                 static_cast<int>(x));
      previous.Set(kLuma, static_cast<int>(x), static_cast<int>(y), 0,
                   static_cast<int>(y));
      expected += x > y ? x - y : y - x;
    }
    // Row by row, so that no error is made up for by another.
    gpu::FrameInput rows = InputOf(target, previous);
    rows.target.view.height = rows.previous.view.height = y + 1;
    rows.dark_level = y;
    const LumaSums luma = gpu::LumaOf(Run(rows, target, previous, 0, 0));
    EXPECT_EQ(luma.difference, expected) << "previous sample " << y;
    EXPECT_EQ(luma.dark, (y + 1) * (y + 1)) << "level " << y;
  }
}

// Sizes are those of the picture, whatever the frame's params say: with
// super-resolution it is coded narrower.
TEST(MetricsWorkTest, SplitsA1080pFrameIntoTiles) {
  const FrameParams params = ParamsOf({1920, 1080});
  GuardedPicture picture = GuardedPicture::ForTarget(params);
  gpu::FrameInput input = InputOf(picture, picture);
  gpu::Work work;
  work.Clear();
  gpu::AddChecksum({}, input, gpu::PictureId::kTarget, 3, &work);
  gpu::AddLuma({}, input, &work);
  std::vector<gpu::Dispatch> dispatches;
  for (const gpu::Command& command : work.commands()) {
    if (const auto* const one = std::get_if<gpu::Dispatch>(&command)) {
      dispatches.push_back(*one);
    }
  }
  ASSERT_EQ(dispatches.size(), 4u);
  EXPECT_EQ(dispatches[0].groups_x, 8u);
  EXPECT_EQ(dispatches[0].groups_y, 34u + 17u);
  const auto words = work.ConstantsOf(dispatches[0]);
  EXPECT_EQ(words[0], 0u);  // the first partial
  EXPECT_EQ(words[1 + 3], 1080u);
  EXPECT_EQ(words[1 + 4], picture.layout().chroma_offset);
  EXPECT_EQ(words[1 + 7], 540u);
  const uint32_t tiles = 8 * (34 + 17);
  EXPECT_EQ(work.ConstantsOf(dispatches[1])[1], tiles);
  EXPECT_EQ(work.ConstantsOf(dispatches[1])[2], 3u);  // the result
  EXPECT_EQ(work.ConstantsOf(dispatches[2])[0], tiles);
  EXPECT_EQ(dispatches[3].groups_x, 3u);  // luma's results
  EXPECT_EQ(work.partials(), tiles + 3 * 8 * 34);
}

// The largest sum that a frame can have, as partials.
TEST(MetricsWorkTest, LumaOfTheLargestFrameFits) {
  constexpr uint64_t kTileSum =
      uint64_t{4095} * PERDIX_METRICS_TILE_BYTES / 2 * PERDIX_METRICS_TILE_ROWS;
  constexpr uint64_t kTiles = uint64_t{65536} * 2 / PERDIX_METRICS_TILE_BYTES *
                              (65536 / PERDIX_METRICS_TILE_ROWS);
  constexpr uint64_t kLow = (1 << PERDIX_LUMA_LOW_BITS) - 1;
  EXPECT_LE(kLow * kTiles, 0xffffffffu);
  EXPECT_LE((kTileSum >> PERDIX_LUMA_LOW_BITS) * kTiles, 0xffffffffu);
}

}  // namespace
}  // namespace perdix
