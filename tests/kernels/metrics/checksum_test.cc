// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/checksum.h"

#include <cstring>
#include <set>

#include "tests/kernel_test.h"

namespace perdix {
namespace {

FrameParams Params(uint32_t width, uint32_t height, uint32_t bit_depth) {
  return TestFrameParams(width, height, bit_depth, 1, 1);
}

GuardedPicture Picture(const FrameParams& params, Content content,
                       uint32_t seed) {
  TestRandom random(seed);
  GuardedPicture picture = GuardedPicture::ForTarget(params);
  picture.Fill(content, random);
  return picture;
}

// Bytes of a row of the area.
size_t RowBytes(const GuardedPicture& picture, uint32_t plane,
                uint32_t bit_depth) {
  return static_cast<size_t>(picture.Width(plane)) * (plane == kLuma ? 1 : 2) *
         (bit_depth > 8 ? 2 : 1);
}

TEST(PictureChecksumTest, SeesEveryBitOfTheDecodedArea) {
  for (const uint32_t bit_depth : {8u, 10u}) {
    for (const Content content : kAllContents) {
      GuardedPicture picture = Picture(Params(17, 9, bit_depth), content, 1);
      const PictureView view = picture.View();
      std::set<uint64_t> seen = {PictureChecksum(view)};
      size_t changes = 0;
      for (const uint32_t plane : {kLuma, kChroma}) {
        for (int y = 0; y < picture.Height(plane); ++y) {
          uint8_t* const row =
              view.planes[plane].Row<uint8_t>(static_cast<uint32_t>(y));
          for (size_t i = 0; i < 8 * RowBytes(picture, plane, bit_depth); ++i) {
            row[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
            seen.insert(PictureChecksum(view));
            row[i / 8] ^= static_cast<uint8_t>(1 << i % 8);
            ++changes;
          }
        }
      }
      // Not only other than before, but each a different one.
      EXPECT_EQ(seen.size(), changes + 1) << "bit depth " << bit_depth;
    }
  }
}

TEST(PictureChecksumTest, IgnoresGuardBytesAndStride) {
  const FrameParams params = Params(99, 57, 8);
  GuardedPicture picture = Picture(params, Content::kNatural, 2);
  const uint64_t before = PictureChecksum(picture.View());
  picture.SetGuard(0x77);
  EXPECT_EQ(PictureChecksum(picture.View()), before);

  PictureView wide = picture.View();
  std::vector<uint8_t> memory[kPlaneCount];
  for (const uint32_t plane : {kLuma, kChroma}) {
    Plane& out = wide.planes[plane];
    const Plane in = out;
    out.stride_bytes = 512;
    memory[plane].resize(size_t{512} * 64);
    out.data = memory[plane].data();
    for (uint32_t y = 0; y < static_cast<uint32_t>(picture.Height(plane));
         ++y) {
      std::memcpy(out.Row<uint8_t>(y), in.Row<uint8_t>(y),
                  RowBytes(picture, plane, 8));
    }
  }
  EXPECT_EQ(PictureChecksum(wide), before);
}

TEST(PictureChecksumTest, SeesSwappedBlocksRowsAndComponents) {
  const FrameParams params = Params(128, 64, 8);
  const GuardedPicture original = Picture(params, Content::kRandom, 3);
  std::set<uint64_t> seen;
  size_t pictures = 0;
  const auto add = [&](GuardedPicture picture) {
    seen.insert(PictureChecksum(picture.View()));
    ++pictures;
  };
  add(original);
  const auto swap_area = [&](int x, int y, int width, int height) {
    GuardedPicture swapped = original;
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) {
        swapped.Set(kLuma, i, j, 0, original.Get(kLuma, x + i, y + j, 0));
        swapped.Set(kLuma, x + i, y + j, 0, original.Get(kLuma, i, j, 0));
      }
    }
    add(swapped);
  };
  for (int size = 4; size <= 32; size *= 2) {
    for (int y = 0; y < 64; y += size) {
      for (int x = 0; x < 128; x += size) {
        if (x + y != 0) swap_area(x, y, size, size);
      }
    }
  }
  for (int y = 1; y < 64; ++y) swap_area(0, y, 128, 1);
  GuardedPicture components = original;
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      components.Set(kChroma, x, y, 0, original.Get(kChroma, x, y, 1));
      components.Set(kChroma, x, y, 1, original.Get(kChroma, x, y, 0));
    }
  }
  add(components);
  EXPECT_EQ(seen.size(), pictures);
}

// A sum of multiples of the words would not tell one top bit from another.
TEST(PictureChecksumTest, SeesWhereTheTopBitOfAWordIs) {
  const FrameParams params = Params(1024, 64, 8);
  GuardedPicture picture = GuardedPicture::ForTarget(params);
  picture.FillWith(16);
  const auto checksum_with_bright = [&](int word) {
    picture.Set(kLuma, word % 256 * 4 + 3, word / 256, 0, 144);
    const uint64_t checksum = PictureChecksum(picture.View());
    picture.Set(kLuma, word % 256 * 4 + 3, word / 256, 0, 16);
    return checksum;
  };
  std::set<uint64_t> seen;
  for (int word = 0; word < 256 * 64; word += 16) {
    seen.insert(checksum_with_bright(word));
  }
  EXPECT_EQ(seen.size(), 256u * 64 / 16);
}

TEST(PictureChecksumTest, CoversAreasOfAllSizes) {
  for (uint32_t size = 1; size <= 40; ++size) {
    for (const uint32_t bit_depth : {8u, 12u}) {
      for (uint32_t subsampling = 0; subsampling < 4; ++subsampling) {
        FrameParams params = Params(size, 41 - size, bit_depth);
        params.subsampling_x = subsampling & 1;
        params.subsampling_y = subsampling >> 1;
        GuardedPicture picture = Picture(params, Content::kRandom, size);
        const uint64_t before = PictureChecksum(picture.View());
        for (const uint32_t plane : {kLuma, kChroma}) {
          const int x = picture.Width(plane) - 1;
          const int y = picture.Height(plane) - 1;
          const int last = picture.Get(plane, x, y, static_cast<int>(plane));
          picture.Set(plane, x, y, static_cast<int>(plane), last ^ 1);
          EXPECT_NE(PictureChecksum(picture.View()), before)
              << "size " << size << " plane " << plane;
          picture.Set(plane, x, y, static_cast<int>(plane), last);
        }
        EXPECT_EQ(PictureChecksum(picture.View()), before);
      }
    }
  }
}

}  // namespace
}  // namespace perdix
