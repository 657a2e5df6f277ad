// SPDX-License-Identifier: BSD-2-Clause
// Pairs of pictures on the GPU beside the scalar kernels, under the validation
// layer.
#include "kernels/quality/quality.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/kernels/quality/quality_pictures.h"
#include "tests/vulkan/vulkan_test.h"

namespace perdix::vulkan {
namespace {

class QualityTest : public VulkanTest {
 protected:
  // The decoded picture lies in the GPU's memory, references are uploaded.
  Status Submit(GpuQuality& quality, PicturePair& pair) {
    gpu::QualityInput input;
    Status status = quality.Upload(pair.Input().reference, &input.reference);
    if (!status.ok()) return status;
    input.decoded = Upload(*gpu_, pair.decoded, Gpu::Placement::kShared);
    input.previous = previous_;
    status = quality.Submit(input);
    previous_ = input.reference;
    return status;
  }

  // A stream of so many pairs.
  static std::vector<PicturePair> Stream(uint32_t pairs) {
    std::vector<PicturePair> stream;
    for (uint32_t i = 0; i < pairs; ++i) {
      stream.emplace_back(70, 50, 8, PairContent::kNatural, i + 1);
    }
    return stream;
  }

  static QualitySums OnTheCpu(std::vector<PicturePair>& stream, size_t index) {
    QualityInput input = stream[index].Input();
    const PictureView previous =
        index == 0 ? PictureView() : stream[index - 1].reference.View();
    input.previous = index == 0 ? nullptr : &previous;
    QualityMeter meter(Variant::kScalar);
    return MeasureQuality(meter, input);
  }

  gpu::Picture previous_;  // without memory at first
};

TEST_F(QualityTest, AgreesWithTheCpuWithTwoPairsInFlight) {
  std::vector<PicturePair> stream = Stream(6);
  const std::unique_ptr<GpuQuality> quality = gpu_->NewQuality();
  size_t taken = 0;
  const auto take = [&] {
    GpuQualityResult result;
    const Status status = quality->Take(&result);
    ASSERT_TRUE(status.ok()) << status.message();
    SCOPED_TRACE("pair " + std::to_string(taken));
    ExpectEqualSums(OnTheCpu(stream, taken++), result.sums);
  };
  for (PicturePair& pair : stream) {
    if (quality->pending() == GpuQuality::kPairsInFlight) take();
    const Status status = Submit(*quality, pair);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(quality->pending(), 2u);
  while (quality->pending() > 0) take();
  // All that the host reads of a frame.
  EXPECT_EQ(quality->bytes_read(), 448 * stream.size());
}

// The device's time by step, of the last of some pairs.
TEST_F(QualityTest, AgreesWithTheCpuOn1080p) {
  if (std::getenv("PERDIX_TEST_QUALITY") == nullptr) {
    GTEST_SKIP() << "takes long: only with PERDIX_TEST_QUALITY=all";
  }
  PicturePair pair(1920, 1080, 8, PairContent::kNatural, 1);
  const std::unique_ptr<GpuQuality> quality = gpu_->NewQuality();
  gpu::QualityInput input;
  ASSERT_TRUE(quality->Upload(pair.Input().reference, &input.reference).ok());
  ASSERT_TRUE(quality->Upload(pair.Input().decoded, &input.decoded).ok());
  ASSERT_TRUE(quality->Upload(*pair.Input().previous, &input.previous).ok());
  GpuQualityResult result;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(quality->Submit(input).ok());
    ASSERT_TRUE(quality->Take(&result).ok());
  }
  QualityMeter meter(Variant::kScalar);
  ExpectEqualSums(MeasureQuality(meter, pair.Input()), result.sums);
  uint64_t whole = 0;
  for (const uint64_t nanoseconds : result.nanoseconds) {
    std::printf("%.1f us\n", double(nanoseconds) / 1e3);
    whole += nanoseconds;
  }
  std::printf("%.1f us in all\n", double(whole) / 1e3);
}

TEST_F(QualityTest, TakesPicturesOfAnotherSizeAndDepth) {
  const std::unique_ptr<GpuQuality> quality = gpu_->NewQuality();
  for (const uint32_t bit_depth : {8u, 10u}) {
    for (const uint32_t side : {40u, 90u, 50u}) {
      PicturePair pair(side, side, bit_depth, PairContent::kNoise, side);
      previous_ = {};
      const Status status = Submit(*quality, pair);
      ASSERT_TRUE(status.ok()) << status.message();
      GpuQualityResult result;
      ASSERT_TRUE(quality->Take(&result).ok());
      QualityInput input = pair.Input();
      input.previous = nullptr;
      QualityMeter meter(Variant::kScalar);
      ExpectEqualSums(MeasureQuality(meter, input), result.sums);
    }
  }
}

TEST_F(QualityTest, RefusesPicturesThatDoNotFitEachOther) {
  const std::unique_ptr<GpuQuality> quality = gpu_->NewQuality();
  PicturePair small(32, 40, 8, PairContent::kNoise, 1);
  EXPECT_EQ(Submit(*quality, small).code(), StatusCode::kUnsupported);
  PicturePair pair(40, 40, 8, PairContent::kNoise, 1);
  const Status status = Submit(*quality, pair);  // after one of another size
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "previous reference: got 32x40 of 8 bit, needed 40x40 of 8 bit");
  EXPECT_EQ(quality->pending(), 0u);
}

TEST_F(QualityTest, MayBeLeftWithPairsPending) {
  const std::unique_ptr<GpuQuality> quality = gpu_->NewQuality();
  std::vector<PicturePair> stream = Stream(2);
  for (PicturePair& pair : stream) {
    const Status status = Submit(*quality, pair);
    ASSERT_TRUE(status.ok()) << status.message();
  }
}

}  // namespace
}  // namespace perdix::vulkan
