// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction on vectors, for all targets that this CPU has, against the
// scalar kernel on random records of all kinds; and its masks.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/av1/inter/masks.h"
#include "kernels/av1/inter/prediction.h"
#include "kernels/av1/kernels.h"
#include "tests/frame/random.h"
#include "tests/kernels/av1/guarded_frame.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kSeed = 20240611;

struct Shape {
  uint32_t width;
  uint32_t height;
  uint32_t subsampling_x;
  uint32_t subsampling_y;
  uint32_t bit_depth;
};

// A reference that owns no more memory than its pixels, so that a sanitizer
// sees what reads more.
template <typename Sample>
class ReferenceFrame {
 public:
  ReferenceFrame(int width, int height, const Shape& shape, TestRandom& random)
      : shift_(sizeof(Sample) > 1 && random.Uniform(0, 2) == 0
                   ? 16 - shape.bit_depth
                   : 0) {
    const int max = (1 << shape.bit_depth) - 1;
    const int content = random.Uniform(0, 2);
    for (int plane = 0; plane < 2; ++plane) {
      const int ss_x = plane == 0 ? 0 : static_cast<int>(shape.subsampling_x);
      const int ss_y = plane == 0 ? 0 : static_cast<int>(shape.subsampling_y);
      plane_width_[plane] = (width + ss_x) >> ss_x;
      plane_height_[plane] = (height + ss_y) >> ss_y;
      samples_[plane].resize(size_t(plane_width_[plane]) *
                             size_t(plane_height_[plane]) * size_t(plane + 1));
      for (Sample& sample : samples_[plane]) {
        sample = static_cast<Sample>(content == 0 ? random.Uniform(0, max)
                                     : content == 1
                                         ? random.Uniform(0, 1) * max
                                         : max / 2 + random.Uniform(0, 3));
        sample = static_cast<Sample>(sample << shift_);
      }
    }
  }

  PictureView View() {
    PictureView view;
    view.shift = shift_;
    for (uint32_t plane = 0; plane < 2; ++plane) {
      view.planes[plane].data =
          reinterpret_cast<uint8_t*>(samples_[plane].data());
      view.planes[plane].width = static_cast<uint32_t>(plane_width_[plane]);
      view.planes[plane].height = static_cast<uint32_t>(plane_height_[plane]);
      view.planes[plane].stride_bytes = static_cast<uint32_t>(
          size_t(plane_width_[plane]) * (plane + 1) * sizeof(Sample));
    }
    return view;
  }

 private:
  const uint32_t shift_;  // of the samples, as in PictureView
  int plane_width_[2];
  int plane_height_[2];
  std::vector<Sample> samples_[2];
};

// A frame of random samples with random records to decode.
template <typename Sample>
class RandomFrame {
 public:
  RandomFrame(const Shape& shape, uint32_t seed)
      : shape_(shape),
        random_(seed),
        frame_(shape.width, shape.height, shape.subsampling_x,
               shape.subsampling_y, shape.bit_depth) {
    const int max = (1 << shape.bit_depth) - 1;
    frame_.Fill([&] { return random_.Uniform(0, max); });
    for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) AddReference(i);
  }

  // Whether all targets do as the scalar kernel, in the bytes around the
  // picture as well. split: one record at a time.
  void ExpectSame(int records, bool split) {
    for (int i = 0; i < records; ++i) AddRecord();
    GuardedFrame<Sample> expected = frame_;
    Decode(InterPred<Sample>, split, expected);
    ASSERT_TRUE(expected.HasGuardOf(frame_)) << kinds_;
    ForEachTarget([&](const char* target) {
      GuardedFrame<Sample> frame = frame_;
      Decode(InterPredSimd<Sample>, split, frame);
      ASSERT_EQ(frame.Difference(expected), "") << target << kinds_;
    });
  }

 private:
  void Decode(KernelFunction function, bool split,
              GuardedFrame<Sample>& frame) {
    KernelArgs args = frame.Args();
    for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) {
      args.references[i] = references_[i]->View();
    }
    const auto count =
        static_cast<uint32_t>(args.lists.Of(kInterBlocks).size());
    if (!split) function(args, {0, count});
    for (uint32_t i = 0; split && i < count; ++i) function(args, {i, i + 1});
  }

  // ---- references ----

  void AddReference(uint32_t i) {
    const auto frame_width = static_cast<int>(shape_.width);
    const auto frame_height = static_cast<int>(shape_.height);
    int width = frame_width;
    int height = frame_height;
    if (i == 1) {  // twice as large
      width *= 2;
      height *= 2;
    } else if (i == 2) {  // 16 times smaller
      width = (width + 15) / 16;
      height = (height + 15) / 16;
    } else if (i == 3) {
      width = random_.Uniform((width + 15) / 16, 2 * width);
      height = random_.Uniform((height + 15) / 16, 2 * height);
    } else if (i == 4) {
      width = std::min(width + 1, 2 * width);
    }
    references_[i] = std::make_unique<ReferenceFrame<Sample>>(width, height,
                                                              shape_, random_);
    ReferenceScale& scale = frame_.params().references[i];
    scale.x_scale = Scale(width, frame_width);
    scale.y_scale = Scale(height, frame_height);
    scale.x_step = (scale.x_scale + 8) >> 4;
    scale.y_step = (scale.y_scale + 8) >> 4;
    scale.distance = static_cast<uint32_t>(
        random_.OneIn(4) ? 0 : random_.Uniform(1, random_.OneIn(2) ? 4 : 31));
    scale.warps = !random_.OneIn(4);
    scale.global = RandomWarp();
  }

  static uint32_t Scale(int reference, int frame) {
    return static_cast<uint32_t>(((reference << 14) + frame / 2) / frame);
  }

  WarpMatrix RandomWarp() {
    WarpMatrix warp;
    const int far = random_.OneIn(4) ? 1 << 30 : 1 << 21;
    for (int& param : warp.params) param = random_.Uniform(-8192, 8192);
    warp.params[0] = random_.Uniform(-far, far);
    warp.params[1] = random_.Uniform(-far, far);
    warp.params[2] += 1 << 16;
    warp.params[5] += 1 << 16;
    if (random_.OneIn(16)) {  // no stream has it
      for (int& param : warp.params) {
        param = random_.Uniform(-(1 << 30), 1 << 30);
      }
    }
    int shear[4];
    do {
      const int most = random_.OneIn(2) ? 100 : 256;
      for (int& value : shear) value = random_.Uniform(-most, most) * 64;
    } while (4 * std::abs(shear[0]) + 7 * std::abs(shear[1]) >= 1 << 16 ||
             4 * std::abs(shear[2]) + 4 * std::abs(shear[3]) >= 1 << 16);
    warp.alpha_beta = static_cast<int>(PackMv(shear[0], shear[1]));
    warp.gamma_delta = static_cast<int>(PackMv(shear[2], shear[3]));
    return warp;
  }

  // ---- records ----

  struct Size {
    int width_log2;
    int height_log2;
  };

  // A block size of AV1 between these, at most four times as long as wide.
  Size RandomSize(int least, int most) {
    Size size;
    do {
      size = {random_.Uniform(least, most), random_.Uniform(least, most)};
    } while (std::abs(size.width_log2 - size.height_log2) > 2);
    return size;
  }

  uint32_t RandomMv() {
    const int reach = random_.OneIn(6) ? 32767 : random_.OneIn(3) ? 64 : 1000;
    const int grid = random_.OneIn(2) ? 1 : random_.OneIn(2) ? 8 : 16;
    const auto component = [&] {
      return random_.Uniform(-reach, reach) / grid * grid;
    };
    const int row = component();
    const int col = component();
    return PackMv(row, col);
  }

  void AddRecord() {
    const auto kind = static_cast<uint32_t>(
        random_.Uniform(PERDIX_INTER_SINGLE, PERDIX_INTER_DIFFWTD));
    const bool overlaps =
        kind == PERDIX_INTER_OBMC_ABOVE || kind == PERDIX_INTER_OBMC_LEFT;
    Size size = RandomSize(2, 7);
    uint32_t planes = PERDIX_PLANES_LUMA | PERDIX_PLANES_CHROMA;
    if (kind == PERDIX_INTER_WEDGE) {
      size = RandomSize(3, 5);
    } else if (overlaps) {
      size = {random_.Uniform(3, 6), random_.Uniform(2, 5)};
      if (kind == PERDIX_INTER_OBMC_LEFT) {
        std::swap(size.width_log2, size.height_log2);
      }
    } else if (kind != PERDIX_INTER_SINGLE) {
      size = RandomSize(3, 7);
    } else if (size.width_log2 == 2 || size.height_log2 == 2) {
      planes = random_.OneIn(2) ? PERDIX_PLANES_LUMA : PERDIX_PLANES_CHROMA;
    }
    if (kind != PERDIX_INTER_DIFFWTD && random_.OneIn(4)) {
      planes = random_.OneIn(2) ? PERDIX_PLANES_LUMA : PERDIX_PLANES_CHROMA;
    }
    Add(kind, size, planes);
  }

  // In 4x4 units: blocks lie at multiples of their size, up to 32 samples.
  uint32_t RandomPosition(int mi_size, int size_log2) {
    const int unit = std::min(1 << (size_log2 - 2), 8);
    return static_cast<uint32_t>(random_.Uniform(0, (mi_size - 1) / unit) *
                                 unit);
  }

  void Add(uint32_t kind, const Size& size, uint32_t planes) {
    const auto ref0 = static_cast<uint32_t>(random_.Uniform(0, 6));
    const auto ref1 = static_cast<uint32_t>(random_.Uniform(0, 6));
    InterBlock block;
    block.position =
        PackPosition(RandomPosition(static_cast<int>(frame_.params().mi_cols),
                                    size.width_log2),
                     RandomPosition(static_cast<int>(frame_.params().mi_rows),
                                    size.height_log2));
    block.shape =
        PackInterShape(static_cast<uint32_t>(size.width_log2),
                       static_cast<uint32_t>(size.height_log2), planes, kind,
                       ref0, ref1, static_cast<uint32_t>(random_.Uniform(0, 3)),
                       static_cast<uint32_t>(random_.Uniform(0, 3)),
                       static_cast<uint32_t>(random_.Uniform(0, 15)),
                       static_cast<uint32_t>(random_.Uniform(0, 1)));
    block.mv0 = RandomMv();
    block.mv1 = RandomMv();
    if (kind == PERDIX_INTER_WARP_LOCAL) {
      const WarpMatrix local = RandomWarp();
      block.mv1 = frame_.AddToArena(&local, sizeof(local));
    }
    if (InterIsCompound(block.shape)) {
      if (random_.OneIn(3)) block.shape |= PERDIX_INTER_GLOBAL0;
      if (random_.OneIn(3)) block.shape |= PERDIX_INTER_GLOBAL1;
    }
    frame_.Add(kInterBlocks, block);
    kinds_ += "\nkind " + std::to_string(kind) + " planes " +
              std::to_string(planes) + " at " +
              std::to_string(4 * PositionX4(block.position)) + "," +
              std::to_string(4 * PositionY4(block.position)) + " size " +
              std::to_string(1 << size.width_log2) + "x" +
              std::to_string(1 << size.height_log2) + " references " +
              std::to_string(ref0) + "," + std::to_string(ref1);
  }

  Shape shape_;
  TestRandom random_;
  std::string kinds_;  // of the records
  GuardedFrame<Sample> frame_;
  std::unique_ptr<ReferenceFrame<Sample>> references_[PERDIX_AV1_REFS];
};

class InterPredTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  template <typename Sample>
  void ExpectSame(const Shape& shape, uint32_t seed, int records) {
    SCOPED_TRACE(testing::Message()
                 << "frame " << shape.width << "x" << shape.height
                 << " subsampling " << shape.subsampling_x
                 << shape.subsampling_y << " seed " << seed);
    RandomFrame<Sample>(shape, seed).ExpectSame(records, seed % 2 != 0);
  }
};

// Two records in most frames, so that none hides what another did wrong.
TEST_P(InterPredTest, VectorsDoAsScalar) {
  // In the widest a reference that is a pixel wider has steps of a whole pixel,
  // but positions of its own.
  constexpr uint32_t kSizes[][2] = {{72, 56}, {200, 136}, {33, 17},
                                    {1, 1},   {131, 259}, {17, 130},
                                    {8, 64},  {2600, 8}};
  constexpr uint32_t kSubsamplings[][2] = {{1, 1}, {1, 0}, {0, 0}};
  const uint32_t bit_depth = GetParam();
  uint32_t seed = kSeed;
  for (const auto& size : kSizes) {
    for (const auto& subsampling : kSubsamplings) {
      const Shape shape = {size[0], size[1], subsampling[0], subsampling[1],
                           bit_depth};
      for (int i = 0; i < 40 && !HasFatalFailure(); ++i) {
        const int records = i < 39 ? 2 : 40;
        if (bit_depth == 8) {
          ExpectSame<uint8_t>(shape, ++seed, records);
        } else {
          ExpectSame<uint16_t>(shape, ++seed, records);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BitDepths, InterPredTest,
                         ::testing::Values(8u, 10u, 12u));

// 7.11.3.11: all 288 masks, as their text made them once.
TEST(InterMasksTest, WedgesAreThoseOfTheSpecification) {
  uint32_t hash = 2166136261;  // FNV-1a
  for (uint32_t w = 3; w <= 5; ++w) {
    for (uint32_t h = 3; h <= 5; ++h) {
      for (uint32_t i = 0; i < 32; ++i) {
        const uint8_t* const mask = WedgeMask(w, h, i & 1, i >> 1);
        for (int y = 0; y < 1 << h; ++y) {
          for (int x = 0; x < 1 << w; ++x) {
            hash = (hash ^ mask[y * kWedgeStride + x]) * 16777619;
          }
        }
      }
    }
  }
  EXPECT_EQ(hash, 484223637u);
}

// 7.11.3.13: the first, middle and last weight of Ii_Weights_1d.
TEST(InterMasksTest, SmoothMasksFallFromTheirEdge) {
  uint8_t mask[32 * 32 * 2];
  SmoothMask(1, 32, 16, 1, mask);  // II_V_PRED: sizeScale 4
  EXPECT_EQ(mask[0], 60);
  EXPECT_EQ(mask[31], 60);
  EXPECT_EQ(mask[32], 52);
  EXPECT_EQ(mask[15 * 32], 7);
  SmoothMask(2, 4, 4, 2, mask);  // II_H_PRED, pairs: sizeScale 32
  EXPECT_EQ(mask[0], 60);
  EXPECT_EQ(mask[1], 60);
  EXPECT_EQ(mask[2], 19);
  EXPECT_EQ(mask[7], 2);
  SmoothMask(3, 8, 32, 1, mask);  // II_SMOOTH_PRED: sizeScale 4
  EXPECT_EQ(mask[8 * 20 + 3], 39);
  SmoothMask(0, 8, 8, 1, mask);
  EXPECT_EQ(mask[63], 32);
}

// 7.11.3.15, FwdWeight.
TEST(InterMasksTest, TheNearerReferenceWeighsMore) {
  EXPECT_EQ(DistanceWeight(1, 1), 7);
  EXPECT_EQ(DistanceWeight(2, 3), 11);
  EXPECT_EQ(DistanceWeight(1, 4), 13);
  EXPECT_EQ(DistanceWeight(4, 1), 3);
  EXPECT_EQ(DistanceWeight(0, 1), 13);
  EXPECT_EQ(DistanceWeight(1, 0), 3);
}

TEST(InterMasksTest, FilterTapsAddUp) {
  for (const auto& set : kSubpelFilters) {
    for (int i = 0; i < kSubpelPositions; ++i) {
      int sum = 0;
      int positive = 0;
      for (int t = 0; t < kTaps; ++t) {
        sum += set[i][t];
        positive += std::max<int>(set[i][t], 0);
      }
      EXPECT_EQ(sum, 64);
      // What the kernel's 16-bit sums rely on.
      EXPECT_LE(255 * positive + 64, INT16_MAX);
    }
  }
}

}  // namespace
}  // namespace perdix::av1
