// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction, plain and on vectors for all targets that this CPU has,
// against the specification's own words (spec_inter.h), on random records of
// all kinds; and its masks.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/av1/inter/block_prediction.h"
#include "kernels/av1/kernels.h"
#include "tests/frame/random.h"
#include "tests/kernels/av1/guarded_frame.h"
#include "tests/kernels/av1/spec_inter.h"

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
      : width_(width),
        height_(height),
        shift_(sizeof(Sample) > 1 && random.Uniform(0, 2) == 0
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

  int width() const { return width_; }
  int height() const { return height_; }
  int At(int component, int x, int y) const {
    const int plane = component == 0 ? 0 : 1;
    const int sample =
        samples_[plane][size_t((y * plane_width_[plane] + x) * (plane + 1) +
                               (component == 2 ? 1 : 0))];
    return sample >> shift_;
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
  const int width_;
  const int height_;
  const uint32_t shift_;  // of the samples, as in PictureView
  int plane_width_[2];
  int plane_height_[2];
  std::vector<Sample> samples_[2];
};

// One frame of random records, decoded by the kernel and by the specification.
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
    spec_.BitDepth = static_cast<int>(shape.bit_depth);
    spec_.FrameWidth = static_cast<int>(shape.width);
    spec_.FrameHeight = static_cast<int>(shape.height);
    spec_.subsampling_x = static_cast<int>(shape.subsampling_x);
    spec_.subsampling_y = static_cast<int>(shape.subsampling_y);
    for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) AddReference(i);
  }

  // Whether all bytes, those around the picture included, are as they must be,
  // by all variants. split: one record at a time.
  bool IsAsSpecified(int records, bool split) {
    expected_ = std::make_unique<GuardedFrame<Sample>>(frame_);
    for (int i = 0; i < records; ++i) AddRecord();
    const GuardedFrame<Sample> before = frame_;
    if (!IsAsExpected(InterPred<Sample>, records, split)) return false;
    for (int64_t targets = hwy::SupportedTargets() & HWY_TARGETS; targets != 0;
         targets &= targets - 1) {
      const int64_t target = targets & -targets;
      hwy::SetSupportedTargetsForTest(target);
      variant_ = hwy::TargetName(target);
      frame_ = before;
      const bool same = IsAsExpected(InterPredSimd<Sample>, records, split);
      hwy::SetSupportedTargetsForTest(0);
      if (!same) return false;
    }
    return true;
  }

  const char* variant() const { return variant_; }

  // For the message of a test that failed.
  std::string FirstDifference() {
    for (uint32_t component = 0; component < 3; ++component) {
      const uint32_t plane = component == 0 ? kLuma : kChroma;
      for (int y = 0; y < frame_.Height(plane); ++y) {
        for (int x = 0; x < frame_.Width(plane); ++x) {
          const int expected = expected_->At(component, x, y);
          const int actual = frame_.At(component, x, y);
          if (expected == actual) continue;
          return "component " + std::to_string(component) + " x " +
                 std::to_string(x) + " y " + std::to_string(y) + ": " +
                 std::to_string(actual) + ", expected " +
                 std::to_string(expected) + kinds_;
        }
      }
    }
    return "outside of the picture";
  }

 private:
  bool IsAsExpected(KernelFunction function, int records, bool split) {
    KernelArgs args = frame_.Args();
    for (uint32_t i = 0; i < PERDIX_AV1_REFS; ++i) {
      args.references[i] = references_[i]->View();
    }
    const auto count = static_cast<uint32_t>(records);
    if (!split) function(args, {0, count});
    for (uint32_t i = 0; split && i < count; ++i) function(args, {i, i + 1});
    return frame_ == *expected_;
  }

  // ---- references ----

  void AddReference(uint32_t i) {
    int width = spec_.FrameWidth;
    int height = spec_.FrameHeight;
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
    const ReferenceFrame<Sample>* const frame = references_[i].get();
    spec_.references.push_back(
        {width, height, [frame](int component, int x, int y) {
           return frame->At(component, x, y);
         }});
    ReferenceScale& scale = frame_.params().references[i];
    scale.x_scale = Scale(width, spec_.FrameWidth);
    scale.y_scale = Scale(height, spec_.FrameHeight);
    scale.x_step = (scale.x_scale + 8) >> 4;
    scale.y_step = (scale.y_scale + 8) >> 4;
    scale.distance = static_cast<uint32_t>(
        random_.OneIn(4) ? 0 : random_.Uniform(1, random_.OneIn(2) ? 4 : 31));
    scale.warps = !random_.OneIn(4);
    scale.global = RandomWarp();
    spec_.gm_params.push_back(scale.global);
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
    WarpMatrix local = {};
    if (kind == PERDIX_INTER_WARP_LOCAL) {
      local = RandomWarp();
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
    PredictAsSpecified(block, local);
  }

  // ---- what the specification makes of a record ----

  void PredictAsSpecified(const InterBlock& record, const WarpMatrix& local) {
    const uint32_t shape = record.shape;
    const uint32_t kind = InterKind(shape);
    spec::Block block = {};
    block.isCompound = InterIsCompound(shape);
    block.localWarp = kind == PERDIX_INTER_WARP_LOCAL;
    block.LocalWarpParams = &local;
    block.InterpFilter[0] = static_cast<int>(InterFilterY(shape));
    block.InterpFilter[1] = static_cast<int>(InterFilterX(shape));
    const uint32_t refs[2] = {InterRef0(shape), InterRef1(shape)};
    const uint32_t mvs[2] = {record.mv0, record.mv1};
    const bool global[2] = {
        kind == PERDIX_INTER_WARP_GLOBAL || (shape & PERDIX_INTER_GLOBAL0) != 0,
        (shape & PERDIX_INTER_GLOBAL1) != 0};
    for (int list = 0; list < 2; ++list) {
      block.RefFrame[list] = static_cast<int>(refs[list]);
      block.mv[list][0] = static_cast<int16_t>(mvs[list] & 0xffff);
      block.mv[list][1] = static_cast<int16_t>(mvs[list] >> 16);
      block.globalmv[list] =
          global[list] && frame_.params().references[refs[list]].warps != 0;
    }
    spec::Array mask;
    for (int plane = 0; plane < 3; ++plane) {
      const uint32_t bit =
          plane == 0 ? PERDIX_PLANES_LUMA : PERDIX_PLANES_CHROMA;
      if ((InterPlanes(shape) & bit) == 0) continue;
      const int ss_x = plane == 0 ? 0 : spec_.subsampling_x;
      const int ss_y = plane == 0 ? 0 : spec_.subsampling_y;
      const int x = static_cast<int>(PositionX4(record.position) * 4) >> ss_x;
      const int y = static_cast<int>(PositionY4(record.position) * 4) >> ss_y;
      const int w = (1 << InterWidthLog2(shape)) >> ss_x;
      const int h = (1 << InterHeightLog2(shape)) >> ss_y;
      if (kind == PERDIX_INTER_OBMC_ABOVE || kind == PERDIX_INTER_OBMC_LEFT) {
        Overlap(block, kind == PERDIX_INTER_OBMC_LEFT, plane, x, y, w, h);
        continue;
      }
      const std::vector<spec::Array> preds =
          spec_.Predictions(block, plane, x, y, w, h);
      if (plane == 0) MakeMask(record, preds, mask);
      if (plane != 0 && kind == PERDIX_INTER_WEDGE) {
        MakeMask(record, preds, mask);
      }
      Combine(kind, refs, preds, mask, plane, x, y, w, h);
    }
  }

  void MakeMask(const InterBlock& record, const std::vector<spec::Array>& preds,
                spec::Array& mask) {
    const int w = 1 << InterWidthLog2(record.shape);
    const int h = 1 << InterHeightLog2(record.shape);
    const int sign = static_cast<int>(InterSign(record.shape));
    if (InterKind(record.shape) == PERDIX_INTER_WEDGE) {
      mask = spec::WedgeMasks(w, h, sign,
                              static_cast<int>(InterWedge(record.shape)));
    } else if (InterKind(record.shape) == PERDIX_INTER_DIFFWTD) {
      mask = spec_.DifferenceWeightMask(preds, w, h, sign);
    }
  }

  // The end of 7.11.3.1.
  void Combine(uint32_t kind, const uint32_t (&refs)[2],
               const std::vector<spec::Array>& preds, const spec::Array& mask,
               int plane, int x, int y, int w, int h) {
    const int post = spec_.InterPostRound;
    const ReferenceScale* const scales = frame_.params().references;
    const int dist[2] = {static_cast<int>(scales[refs[0]].distance),
                         static_cast<int>(scales[refs[1]].distance)};
    const auto [forward, backward] = spec::DistanceWeights(dist);
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        const int pred0 = preds[0][size_t(i)][size_t(j)];
        const int pred1 = preds.size() > 1 ? preds[1][size_t(i)][size_t(j)] : 0;
        int64_t value = pred0;
        if (kind == PERDIX_INTER_AVERAGE) {
          value = spec::Round2(pred0 + pred1, 1 + post);
        } else if (kind == PERDIX_INTER_DISTANCE) {
          value = spec::Round2(forward * pred0 + backward * pred1, 4 + post);
        } else if (kind > PERDIX_INTER_DISTANCE) {
          const int m = spec_.MaskWeight(mask, plane, j, i);
          value = spec::Round2(m * pred0 + (64 - m) * pred1, 6 + post);
        }
        Set(plane, x + j, y + i, spec_.Clip1(value));
      }
    }
  }

  // 7.11.3.9 from predict_overlap on, 7.11.3.10.
  void Overlap(const spec::Block& block, bool pass, int plane, int x, int y,
               int w, int h) {
    spec_.Rounding(false);
    const spec::Array obmcPred =
        spec_.PredictUnwarped(block, 0, plane, x, y, w, h);
    const std::vector<int> mask = spec::Inter::get_obmc_mask(pass ? w : h);
    for (int i = 0; i < h; ++i) {
      for (int j = 0; j < w; ++j) {
        if (!Inside(plane, x + j, y + i)) continue;
        const int m = mask[size_t(pass ? j : i)];
        const int own =
            expected_->At(static_cast<uint32_t>(plane), x + j, y + i);
        const int other = spec_.Clip1(obmcPred[size_t(i)][size_t(j)]);
        Set(plane, x + j, y + i,
            static_cast<int>(spec::Round2(m * own + (64 - m) * other, 6)));
      }
    }
  }

  bool Inside(int plane, int x, int y) const {
    const uint32_t index = plane == 0 ? kLuma : kChroma;
    return x < frame_.Width(index) && y < frame_.Height(index);
  }
  void Set(int plane, int x, int y, int value) {
    if (!Inside(plane, x, y)) return;
    expected_->At(static_cast<uint32_t>(plane), x, y) =
        static_cast<Sample>(value);
  }

  Shape shape_;
  TestRandom random_;
  std::string kinds_;  // of the records
  const char* variant_ = "scalar";
  spec::Inter spec_;
  GuardedFrame<Sample> frame_;
  std::unique_ptr<GuardedFrame<Sample>> expected_;
  std::unique_ptr<ReferenceFrame<Sample>> references_[PERDIX_AV1_REFS];
};

class InterPredTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  template <typename Sample>
  void ExpectSame(const Shape& shape, uint32_t seed, int records) {
    RandomFrame<Sample> frame(shape, seed);
    ASSERT_TRUE(frame.IsAsSpecified(records, seed % 2 != 0))
        << frame.variant() << ": " << frame.FirstDifference() << "\nframe "
        << shape.width << "x" << shape.height << " subsampling "
        << shape.subsampling_x << shape.subsampling_y << " seed " << seed;
  }
};

// Two records in most frames, so that none hides what another did wrong.
TEST_P(InterPredTest, DoesWhatTheSpecificationSays) {
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

TEST(InterMasksTest, WedgesAreThoseOfTheTable) {
  for (uint32_t w = 3; w <= 5; ++w) {
    for (uint32_t h = 3; h <= 5; ++h) {
      for (uint32_t i = 0; i < 32; ++i) {
        const int width = 1 << w;
        const int height = 1 << h;
        const uint8_t* const mask = WedgeMask(w, h, i & 1, i >> 1);
        const spec::Array expected = spec::WedgeMasks(
            width, height, static_cast<int>(i & 1), static_cast<int>(i >> 1));
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            ASSERT_EQ(mask[y * kWedgeStride + x],
                      expected[size_t(y)][size_t(x)]);
          }
        }
      }
    }
  }
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
