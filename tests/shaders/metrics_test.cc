// SPDX-License-Identifier: BSD-2-Clause
#include <algorithm>
#include <cstring>

#include "kernels/metrics/checksum.h"
#include "kernels/metrics/motion.h"
#include "kernels/vulkan/metrics_order.h"
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

class MetricsShaderTest : public ShaderTest {
 protected:
  // Both metrics, the checksum as that of <stage>, in one submit.
  MetricsResults Run(const FrameParams& params, const GuardedPicture& target,
                     const GuardedPicture& previous, uint32_t stage,
                     uint32_t subgroup_size) {
    GpuBuffers buffers;
    buffers.by_binding[PERDIX_BINDING_TARGET] = target.bytes();
    buffers.references[0] = previous.bytes();
    buffers.by_binding[PERDIX_BINDING_PARTIALS].assign(
        vulkan::MetricsPartials(params) * sizeof(MetricsSum), kPoison);
    Bytes& results = buffers.by_binding[PERDIX_BINDING_RESULTS];
    results.assign(sizeof(MetricsResults), kPoison);

    const vulkan::MetricsDispatch metrics[] = {
        vulkan::ChecksumDispatch(params, target.layout(), stage),
        vulkan::MotionDispatch(params, target.layout(), previous.layout())};
    std::vector<GpuDispatch> dispatches;
    for (const vulkan::MetricsDispatch& metric : metrics) {
      dispatches.push_back(Tiles(metric, params));
    }
    for (const vulkan::MetricsDispatch& metric : metrics) {
      dispatches.push_back(Reduction(metric));
    }
    dispatches[2].barrier = true;
    gpu_->Run(dispatches, subgroup_size, &buffers);
    EXPECT_EQ(buffers.by_binding[PERDIX_BINDING_TARGET], target.bytes());
    MetricsResults out;
    std::memcpy(&out, results.data(), sizeof(out));
    return out;
  }

  void Check(const FrameParams& params, GuardedPicture& target,
             GuardedPicture& previous, const std::string& what) {
    const uint64_t checksum = PictureChecksum(target.View());
    const uint64_t motion = PictureMotion(target.View(), previous.View());
    for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
      const MetricsResults results =
          Run(params, target, previous, 0, subgroup_size);
      EXPECT_EQ(vulkan::ChecksumOf(results, 0), checksum)
          << what << ", subgroups of " << subgroup_size;
      EXPECT_EQ(vulkan::MotionOf(results), motion)
          << what << ", subgroups of " << subgroup_size;
    }
  }

 private:
  static GpuDispatch Tiles(const vulkan::MetricsDispatch& metric,
                           const FrameParams& params) {
    GpuDispatch dispatch;
    dispatch.shader = metric.shader;
    dispatch.constants = {params.bit_depth > 8 ? 2u : 1u};
    dispatch.push = BytesOfOne(metric.constants);
    dispatch.groups_x = metric.groups_x;
    dispatch.groups_y = metric.groups_y;
    return dispatch;
  }

  static GpuDispatch Reduction(const vulkan::MetricsDispatch& metric) {
    GpuDispatch dispatch;
    dispatch.shader = "reduce";
    dispatch.lanes = 256;
    dispatch.push = BytesOfOne(metric.reduce);
    return dispatch;
  }
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
          Check(params, target, previous,
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
  Check(params, target, previous, "1920x1080");
}

TEST_F(MetricsShaderTest, SumsTheLargestDifferences) {
  TestRandom random(3);
  const FrameParams params = ParamsOf({1920, 1080});
  const GuardedPicture target = Picture(params, Content::kMaximum, random);
  const GuardedPicture previous = Picture(params, Content::kMinimum, random);
  for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
    EXPECT_EQ(vulkan::MotionOf(Run(params, target, previous, 0, subgroup_size)),
              uint64_t{255} * 1920 * 1080);
    EXPECT_EQ(vulkan::MotionOf(Run(params, previous, target, 0, subgroup_size)),
              uint64_t{255} * 1920 * 1080);
    EXPECT_EQ(vulkan::MotionOf(Run(params, target, target, 0, subgroup_size)),
              0u);
  }
}

TEST_F(MetricsShaderTest, LeavesOtherResultsAlone) {
  TestRandom random(4);
  const FrameParams params = ParamsOf({40, 40});
  GuardedPicture target = Picture(params, Content::kRandom, random);
  const uint64_t expected = PictureChecksum(target.View());
  for (uint32_t stage = 0; stage < PERDIX_MAX_STAGES; ++stage) {
    const MetricsResults results =
        Run(params, target, target, stage, gpu_->subgroup_size());
    for (uint32_t i = 0; i < PERDIX_MAX_STAGES; ++i) {
      EXPECT_EQ(vulkan::ChecksumOf(results, i),
                i == stage ? expected : kPoison * 0x0101010101010101u)
          << i << " after stage " << stage;
    }
  }
}

// Differences is branch-free arithmetic: every pair of bytes, side by side.
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
    FrameParams rows = params;
    rows.height = y + 1;
    EXPECT_EQ(vulkan::MotionOf(Run(rows, target, previous, 0, 0)), expected)
        << "previous sample " << y;
  }
}

TEST(MetricsOrderTest, SplitsA1080pFrameIntoTiles) {
  FrameParams params = {};
  params.width = 1920;
  params.height = 1080;
  params.bit_depth = 8;
  params.subsampling_x = params.subsampling_y = 1;
  const PlaneOffsets layout = {64, 4096, 1920, 1920};
  const vulkan::MetricsDispatch checksum =
      vulkan::ChecksumDispatch(params, layout, 3);
  EXPECT_EQ(checksum.groups_x, 8u);
  EXPECT_EQ(checksum.groups_y, 34u + 17u);
  EXPECT_EQ(checksum.constants.planes[0].rows, 1080u);
  EXPECT_EQ(checksum.constants.planes[1].rows, 540u);
  EXPECT_EQ(checksum.constants.planes[1].offset, 4096u);
  EXPECT_EQ(checksum.reduce.result, 3u);
  const vulkan::MetricsDispatch motion =
      vulkan::MotionDispatch(params, layout, layout);
  EXPECT_EQ(motion.constants.first_partial, checksum.reduce.partials);
  EXPECT_EQ(motion.reduce.first_partial + motion.reduce.partials,
            vulkan::MetricsPartials(params));
}

// The largest sum that a frame can have, as partials.
TEST(MetricsOrderTest, MotionOfTheLargestFrameFits) {
  constexpr uint64_t kTileSum =
      uint64_t{4095} * PERDIX_METRICS_TILE_BYTES / 2 * PERDIX_METRICS_TILE_ROWS;
  constexpr uint64_t kTiles = uint64_t{65536} * 2 / PERDIX_METRICS_TILE_BYTES *
                              (65536 / PERDIX_METRICS_TILE_ROWS);
  constexpr uint64_t kLow = (1 << PERDIX_MOTION_LOW_BITS) - 1;
  EXPECT_LE(kLow * kTiles, 0xffffffffu);
  EXPECT_LE((kTileSum >> PERDIX_MOTION_LOW_BITS) * kTiles, 0xffffffffu);
}

}  // namespace
}  // namespace perdix
