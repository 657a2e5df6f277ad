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
constexpr Content kContents[] = {Content::kNoise, Content::kSmooth,
                                 Content::kExtremes};

// What the partials and the results hold before.
constexpr uint8_t kPoison = 0xa5;

// The view of a picture in the same memory, whatever its size and bit depth.
PictureView ViewOf(TestPicture& picture, const FrameParams& params) {
  PictureView view = picture.View();
  view.width = params.width;
  view.height = params.height;
  view.bit_depth = params.bit_depth;
  view.planes[kLuma].width = params.width;
  view.planes[kLuma].height = params.height;
  return view;
}

// The parameters of a 12-bit picture in the memory of an 8-bit one: half as
// wide.
FrameParams HighParamsOf(const TestPicture& picture) {
  FrameParams params = ParamsOf(
      TestPicture(picture.width / 2, picture.height, picture.subsampling));
  params.bit_depth = 12;
  return params;
}

void Keep12Bits(TestPicture* picture) {
  for (size_t i = 1; i < picture->bytes.size(); i += 2) {
    picture->bytes[i] &= 0x0f;
  }
}

class MetricsShaderTest : public ShaderTest {
 protected:
  // Both metrics, the checksum as that of <stage>, in one submit.
  MetricsResults Run(const FrameParams& params, const TestPicture& target,
                     const TestPicture& previous, uint32_t stage,
                     uint32_t subgroup_size) {
    GpuBuffers buffers;
    buffers.by_binding[PERDIX_BINDING_TARGET] = target.bytes;
    buffers.references[0] = previous.bytes;
    buffers.by_binding[PERDIX_BINDING_PARTIALS].assign(
        vulkan::MetricsPartials(params) * sizeof(MetricsSum), kPoison);
    Bytes& results = buffers.by_binding[PERDIX_BINDING_RESULTS];
    results.assign(sizeof(MetricsResults), kPoison);

    const vulkan::MetricsDispatch metrics[] = {
        vulkan::ChecksumDispatch(params, target.layout, stage),
        vulkan::MotionDispatch(params, target.layout, previous.layout)};
    std::vector<GpuDispatch> dispatches;
    for (const vulkan::MetricsDispatch& metric : metrics) {
      dispatches.push_back(Tiles(metric, params));
    }
    for (const vulkan::MetricsDispatch& metric : metrics) {
      dispatches.push_back(Reduction(metric));
    }
    dispatches[2].barrier = true;
    gpu_->Run(dispatches, subgroup_size, &buffers);
    EXPECT_EQ(buffers.by_binding[PERDIX_BINDING_TARGET], target.bytes);
    MetricsResults out;
    std::memcpy(&out, results.data(), sizeof(out));
    return out;
  }

  void Check(const FrameParams& params, TestPicture& target,
             TestPicture& previous, const std::string& what) {
    const PictureView view = ViewOf(target, params);
    const uint64_t checksum = PictureChecksum(view);
    const uint64_t motion = PictureMotion(view, ViewOf(previous, params));
    for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
      const MetricsResults results =
          Run(params, target, previous, 0, subgroup_size);
      EXPECT_EQ(vulkan::ChecksumOf(results, 0), checksum)
          << what << ", subgroups of " << subgroup_size;
      EXPECT_EQ(vulkan::MotionOf(results), motion)
          << what << ", subgroups of " << subgroup_size;
    }
  }

  uint64_t Checksum(const TestPicture& target, uint32_t subgroup_size) {
    return vulkan::ChecksumOf(
        Run(ParamsOf(target), target, target, 0, subgroup_size), 0);
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
  Random random(1);
  for (const Size& size : kSizes) {
    for (const uint32_t subsampling : {0u, 1u}) {
      for (const Content content : kContents) {
        TestPicture target(size.width, size.height, subsampling);
        TestPicture previous(size.width, size.height, subsampling);
        Fill(random, content, &target);
        Fill(random, content, &previous);
        Check(ParamsOf(target), target, previous,
              std::to_string(size.width) + "x" + std::to_string(size.height) +
                  ", subsampling " + std::to_string(subsampling) +
                  ", content " + std::to_string(static_cast<int>(content)));
      }
    }
  }
}

TEST_F(MetricsShaderTest, AgreesWithTheCpuOnSamplesOf16Bits) {
  Random random(2);
  for (const Size& size : kSizes) {
    TestPicture target(size.width + 16, size.height, 1);
    TestPicture previous(size.width + 16, size.height, 1);
    for (TestPicture* picture : {&target, &previous}) {
      Fill(random, Content::kNoise, picture);
      Keep12Bits(picture);
    }
    Check(HighParamsOf(target), target, previous,
          std::to_string(size.width) + "x" + std::to_string(size.height));
  }
}

TEST_F(MetricsShaderTest, AgreesWithTheCpuOnLargeFrames) {
  Random random(3);
  TestPicture target(1920, 1080, 1);
  TestPicture previous(1920, 1080, 1);
  Fill(random, Content::kNoise, &target);
  Fill(random, Content::kSmooth, &previous);
  Check(ParamsOf(target), target, previous, "1920x1080");
}

TEST_F(MetricsShaderTest, SumsTheLargestDifferences) {
  TestPicture target(1920, 1080, 1);
  TestPicture previous(1920, 1080, 1);
  std::fill(target.bytes.begin(), target.bytes.end(), uint8_t{255});
  for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
    const FrameParams params = ParamsOf(target);
    EXPECT_EQ(vulkan::MotionOf(Run(params, target, previous, 0, subgroup_size)),
              uint64_t{255} * 1920 * 1080);
    EXPECT_EQ(vulkan::MotionOf(Run(params, previous, target, 0, subgroup_size)),
              uint64_t{255} * 1920 * 1080);
    EXPECT_EQ(vulkan::MotionOf(Run(params, target, target, 0, subgroup_size)),
              0u);
  }
}

TEST_F(MetricsShaderTest, LeavesOtherResultsAlone) {
  Random random(4);
  TestPicture target(40, 40, 1);
  Fill(random, Content::kNoise, &target);
  const uint64_t expected = PictureChecksum(target.View());
  for (uint32_t stage = 0; stage < PERDIX_MAX_STAGES; ++stage) {
    const MetricsResults results =
        Run(ParamsOf(target), target, target, stage, gpu_->subgroup_size());
    for (uint32_t i = 0; i < PERDIX_MAX_STAGES; ++i) {
      EXPECT_EQ(vulkan::ChecksumOf(results, i),
                i == stage ? expected : kPoison * 0x0101010101010101u)
          << i << " after stage " << stage;
    }
  }
}

// Differences is branch-free arithmetic: every pair of bytes, side by side.
TEST_F(MetricsShaderTest, SubtractsEveryPairOfBytes) {
  TestPicture target(256, 256, 1);
  TestPicture previous(256, 256, 1);
  const FrameParams params = ParamsOf(target);
  uint64_t expected = 0;
  for (uint32_t y = 0; y < 256; ++y) {
    for (uint32_t x = 0; x < 256; ++x) {
      const uint32_t at =
          target.layout.luma_offset + y * target.layout.luma_stride + x;
      target.bytes[at] = static_cast<uint8_t>(x);
      previous.bytes[at] = static_cast<uint8_t>(y);
      expected += x > y ? x - y : y - x;
    }
    // Row by row, so that no error is made up for by another.
    FrameParams rows = params;
    rows.height = y + 1;
    EXPECT_EQ(vulkan::MotionOf(Run(rows, target, previous, 0, 0)), expected)
        << "previous sample " << y;
  }
}

TEST_F(MetricsShaderTest, ChecksumIgnoresBytesOutsideOfTheDecodedArea) {
  Random random(5);
  TestPicture target(17, 9, 1);
  Fill(random, Content::kNoise, &target);
  TestPicture other = target;
  Fill(random, Content::kNoise, &other);
  for (uint32_t plane = 0; plane < 2; ++plane) {
    const uint32_t offset =
        plane == 0 ? target.layout.luma_offset : target.layout.chroma_offset;
    const uint32_t stride =
        plane == 0 ? target.layout.luma_stride : target.layout.chroma_stride;
    for (uint32_t y = 0; y < (plane == 0 ? 16u : 8u); ++y) {
      std::memcpy(&other.bytes[offset + y * stride],
                  &target.bytes[offset + y * stride], 24);
    }
  }
  ASSERT_NE(target.bytes, other.bytes);
  for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
    EXPECT_EQ(Checksum(target, subgroup_size), Checksum(other, subgroup_size));
  }
}

TEST_F(MetricsShaderTest, MotionIgnoresSamplesThatAreNotShown) {
  Random random(6);
  TestPicture target(13, 6, 1);
  Fill(random, Content::kNoise, &target);
  TestPicture previous = target;
  Fill(random, Content::kNoise, &previous);
  for (uint32_t y = 0; y < 6; ++y) {
    const size_t row =
        target.layout.luma_offset + y * target.layout.luma_stride;
    std::memcpy(&previous.bytes[row], &target.bytes[row], 13);
  }
  for (const uint32_t subgroup_size : {0u, gpu_->subgroup_size()}) {
    EXPECT_EQ(vulkan::MotionOf(
                  Run(ParamsOf(target), target, previous, 0, subgroup_size)),
              0u);
  }
}

TEST_F(MetricsShaderTest, ChecksumSeesEveryByte) {
  Random random(7);
  TestPicture target(9, 7, 1);  // 16x8 and 8x4 pixels are decoded
  Fill(random, Content::kNoise, &target);
  const uint64_t before = Checksum(target, gpu_->subgroup_size());
  for (uint32_t i = 0; i < 16 * 12; ++i) {
    const uint32_t y = i / 16;
    const uint32_t at =
        (y < 8 ? target.layout.luma_offset + y * target.layout.luma_stride
               : target.layout.chroma_offset +
                     (y - 8) * target.layout.chroma_stride) +
        i % 16;
    const uint8_t kept = target.bytes[at];
    target.bytes[at] ^= static_cast<uint8_t>(1 + Below(random, 255));
    EXPECT_NE(Checksum(target, gpu_->subgroup_size()), before) << "byte " << i;
    target.bytes[at] = kept;
  }
}

TEST_F(MetricsShaderTest, ChecksumSeesSwappedBlocks) {
  Random random(8);
  TestPicture target(64, 64, 1);
  Fill(random, Content::kNoise, &target);
  const uint64_t before = Checksum(target, gpu_->subgroup_size());
  for (uint32_t block = 1; block < 64; ++block) {
    TestPicture swapped = target;
    for (uint32_t y = 0; y < 8; ++y) {
      uint8_t* const first = &swapped.bytes[swapped.layout.luma_offset +
                                            y * swapped.layout.luma_stride];
      std::swap_ranges(
          first, first + 8,
          first + block / 8 * 8 * swapped.layout.luma_stride + block % 8 * 8);
    }
    EXPECT_NE(Checksum(swapped, gpu_->subgroup_size()), before)
        << "block " << block;
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
