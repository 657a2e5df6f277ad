// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/private_pictures.h"

#include <gtest/gtest.h>

#include "codec/codec.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr uint64_t kPictureBytes = 64 * 16 * 3 / 2;

class PrivatePicturesTest : public ::testing::Test {
 protected:
  std::shared_ptr<PrivatePictures> New(std::shared_ptr<Quota> memory) {
    return std::make_shared<PrivatePictures>(engine_, std::move(memory));
  }
  PicturePtr Take(PrivatePictures& pictures, uint32_t width = 64,
                  uint32_t bit_depth = 8) {
    PicturePtr picture;
    const Status status =
        pictures.Take({codec_, width, 16, bit_depth, 1, 1}, &picture);
    EXPECT_TRUE(status.ok()) << status.message();
    return picture;
  }

  Engine engine_{EngineOptions{}};
  const CodecRow* const codec_ = FindCodec(PERDIX_CODEC_VP9);
};

TEST_F(PrivatePicturesTest, MemoryIsUsedAgainOnceNobodyHasIt) {
  const auto memory = std::make_shared<Quota>(1 << 20);
  const auto pictures = New(memory);
  PicturePtr first = Take(*pictures);
  const PicturePtr second = Take(*pictures);
  const uint8_t* const data = first->memory.data;
  EXPECT_NE(data, second->memory.data);
  EXPECT_EQ(pictures->bytes(), 2 * kPictureBytes);
  first.reset();
  EXPECT_EQ(Take(*pictures)->memory.data, data);
  EXPECT_EQ(memory->taken(), 2 * kPictureBytes);
}

TEST_F(PrivatePicturesTest, CountAsTheClientsMemory) {
  const auto memory = std::make_shared<Quota>(kPictureBytes);
  const auto pictures = New(memory);
  const PicturePtr first = Take(*pictures);
  PicturePtr second;
  EXPECT_EQ(pictures->Take({codec_, 64, 16, 8, 1, 1}, &second).code(),
            StatusCode::kOutOfMemory);
  EXPECT_EQ(second, nullptr);
}

TEST_F(PrivatePicturesTest, OtherSizesAndShrinkingGiveMemoryBack) {
  const auto memory = std::make_shared<Quota>(1 << 20);
  auto pictures = New(memory);
  Take(*pictures);
  Take(*pictures, 128);
  EXPECT_EQ(memory->taken(), 2 * kPictureBytes);
  Take(*pictures, 128, 10);
  EXPECT_EQ(memory->taken(), 4 * kPictureBytes);
  pictures->Shrink();
  EXPECT_EQ(memory->taken(), 0u);
  PicturePtr full;
  ASSERT_TRUE(pictures->Take({codec_, 64, 16, 8, 0, 0}, &full).ok());
  EXPECT_EQ(memory->taken(), 2 * kPictureBytes);
  full.reset();
  PicturePtr last = Take(*pictures);
  pictures.reset();
  EXPECT_EQ(memory->taken(), kPictureBytes);
  last.reset();
  EXPECT_EQ(memory->taken(), 0u);
}

}  // namespace
}  // namespace perdix
