// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1/grain/film_grain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/av1/grain/gaussian_sequence/tables.h"
#include "kernels/av1/kernels.h"
#include "tests/kernels/av1/guarded_frame.h"

namespace perdix::av1 {
namespace {

using Rows = std::vector<std::vector<int>>;  // [y][x]

// The templates of grain (7.18.3.3) and the scaling functions (7.18.3.4) as the
// text has them.
class SpecifiedTables {
 public:
  explicit SpecifiedTables(const FilmGrainParams& params)
      : p_(params),
        lowest_(-(128 << (params.bit_depth - 8))),
        highest_(-lowest_ - 1) {
    GenerateGrain(0, 0);
    if (p_.monochrome) return;
    GenerateGrain(1, 0xb524);
    GenerateGrain(2, 0x49d8);
  }

  const Rows& Grain(int plane) const { return grain_[plane]; }

  // scale_lut of 7.18.3.5 of every sample.
  std::vector<int> Scaling(int plane) const {
    int lut[256];
    InitScaling(p_.points[p_.chroma_scaling_from_luma ? 0 : plane], lut);
    const int shift = p_.bit_depth - 8;
    std::vector<int> scaling;
    for (int index = 0; index < 1 << p_.bit_depth; ++index) {
      const int x = index >> shift;
      const int rem = index - (x << shift);
      scaling.push_back(p_.bit_depth == 8 || x == 255
                            ? lut[x]
                            : lut[x] +
                                  Round2((lut[x + 1] - lut[x]) * rem, shift));
    }
    return scaling;
  }

 private:
  int Random(int bits) {
    int r = register_;
    const int bit = ((r >> 0) ^ (r >> 1) ^ (r >> 3) ^ (r >> 12)) & 1;
    r = (r >> 1) | (bit << 15);
    register_ = r;
    return (r >> (16 - bits)) & ((1 << bits) - 1);
  }

  void GenerateGrain(int plane, int seed) {
    const bool sub_x = plane > 0 && p_.subsampling_x;
    const bool sub_y = plane > 0 && p_.subsampling_y;
    const size_t width = sub_x ? 44 : 82;
    Rows& grain = grain_[plane];
    grain.assign(sub_y ? 38 : 73, std::vector<int>(width));
    if (!p_.AppliesTo(plane)) return;
    register_ = p_.grain_seed ^ seed;
    for (auto& row : grain) {
      for (int& value : row) {
        value = Round2(kGaussianSequence[Random(11)],
                       12 - p_.bit_depth + p_.grain_scale_shift);
      }
    }
    for (size_t y = 3; y < grain.size(); ++y) {
      for (size_t x = 3; x < width - 3; ++x) {
        grain[y][x] =
            std::clamp(grain[y][x] + Round2(Filter(plane, int(x), int(y)),
                                            p_.ar_coeff_shift),
                       lowest_, highest_);
      }
    }
  }

  int Filter(int plane, int x, int y) const {
    const int lag = p_.ar_coeff_lag;
    const int8_t* c = p_.ar_coeffs[plane];
    int s = 0;
    for (int row = -lag; row <= 0; ++row) {
      for (int column = -lag; column <= lag; ++column) {
        if (row == 0 && column == 0) break;
        s += grain_[plane][size_t(y + row)][size_t(x + column)] * *c++;
      }
    }
    return plane > 0 && p_.points[0].count > 0 ? s + AverageLuma(x, y) * *c : s;
  }

  int AverageLuma(int x, int y) const {
    const int luma_x = ((x - 3) << p_.subsampling_x) + 3;
    const int luma_y = ((y - 3) << p_.subsampling_y) + 3;
    int luma = 0;
    for (int i = 0; i <= p_.subsampling_y; ++i) {
      for (int j = 0; j <= p_.subsampling_x; ++j) {
        luma += grain_[0][size_t(luma_y + i)][size_t(luma_x + j)];
      }
    }
    return Round2(luma, p_.subsampling_x + p_.subsampling_y);
  }

  static void InitScaling(const GrainPoints& points, int* lut) {
    std::fill_n(lut, 256, points.count == 0 ? 0 : points.scaling[0]);
    for (int i = 0; i < points.count - 1; ++i) {
      const int delta_y = points.scaling[i + 1] - points.scaling[i];
      const int delta_x = points.value[i + 1] - points.value[i];
      const int delta = delta_y * ((65536 + (delta_x >> 1)) / delta_x);
      for (int x = 0; x < delta_x; ++x) {
        lut[points.value[i] + x] =
            points.scaling[i] + ((x * delta + 32768) >> 16);
      }
    }
    if (points.count == 0) return;
    const int last = points.count - 1;
    for (int x = points.value[last]; x < 256; ++x)
      lut[x] = points.scaling[last];
  }

  const FilmGrainParams& p_;
  const int lowest_, highest_;  // GrainMin, GrainMax
  int register_ = 0;
  Rows grain_[3];
};

// Memory of the frame's exact size: what a sanitizer guards.
template <typename Sample>
struct Picture {
  std::vector<Sample> luma, chroma;
  PictureView view;

  Picture(int w, int h, const FilmGrainParams& p) {
    const int cw = (w + p.subsampling_x) >> p.subsampling_x;
    const int ch = (h + p.subsampling_y) >> p.subsampling_y;
    luma.resize(size_t(w * h));
    chroma.resize(p.monochrome ? 0 : size_t(2 * cw * ch));
    view.width = uint32_t(w);
    view.height = uint32_t(h);
    view.bit_depth = uint32_t(p.bit_depth);
    view.subsampling_x = uint32_t(p.subsampling_x);
    view.subsampling_y = uint32_t(p.subsampling_y);
    view.planes[kLuma] = {nullptr, uint32_t(sizeof(Sample)) * uint32_t(w),
                          uint32_t(w), uint32_t(h)};
    view.planes[kChroma] = {nullptr,
                            uint32_t(2 * sizeof(Sample)) * uint32_t(cw),
                            uint32_t(cw), uint32_t(ch)};
  }
  PictureView View() {
    PictureView result = view;
    result.planes[kLuma].data = reinterpret_cast<uint8_t*>(luma.data());
    result.planes[kChroma].data = reinterpret_cast<uint8_t*>(chroma.data());
    return result;
  }
};

void RunKernel(KernelFunction kernel, const FilmGrainParams& grain,
               PictureView target, PictureView display, int sb_log2,
               bool by_row) {
  FrameParams frame = {};
  frame.width = target.width;
  frame.height = target.height;
  frame.sb_log2 = uint32_t(sb_log2);
  const uint32_t size = 1u << sb_log2;
  frame.sb_cols = (frame.width + size - 1) / size;
  frame.sb_rows = (frame.height + size - 1) / size;
  frame.bit_depth = uint32_t(grain.bit_depth);
  frame.subsampling_x = uint32_t(grain.subsampling_x);
  frame.subsampling_y = uint32_t(grain.subsampling_y);
  CodecParams codec;
  codec.As<Params>().monochrome = grain.monochrome;
  TableMemory memory;
  BuildFilmGrain(grain, memory.Resize(kFilmGrain, sizeof(FilmGrainTables)));
  KernelArgs args;
  args.params = &frame;
  args.codec = &codec;
  args.tables = memory.View();
  args.target = target;
  args.display = display;
  if (!by_row) {
    kernel(args, {0, frame.sb_cols * frame.sb_rows});
    return;
  }
  for (uint32_t row = frame.sb_rows; row-- > 0;) {  // any order
    kernel(args, {row * frame.sb_cols, (row + 1) * frame.sb_cols});
  }
}

GrainPoints RandomPoints(std::mt19937& random, int most) {
  GrainPoints points;
  std::map<int, int> at;
  const int count =
      random() % 3 == 0 ? most : int(random() % uint32_t(most + 1));
  while (int(at.size()) < count) at[int(random() % 256)] = int(random() % 256);
  for (const auto& [value, scaling] : at) {
    points.value[points.count] = uint8_t(value);
    points.scaling[points.count++] = uint8_t(scaling);
  }
  return points;
}

FilmGrainParams RandomParams(std::mt19937& random, int bit_depth) {
  const auto uniform = [&](int low, int high) {
    return low + int(random() % uint32_t(high - low + 1));
  };
  FilmGrainParams p;
  p.grain_seed = uint16_t(random());
  p.points[0] = RandomPoints(random, 14);
  p.points[1] = RandomPoints(random, 10);
  p.points[2] = RandomPoints(random, 10);
  p.chroma_scaling_from_luma = uniform(0, 3) == 0;
  p.overlap_flag = uniform(0, 3) != 0;
  p.clip_to_restricted_range = uniform(0, 1);
  p.identity_matrix = uniform(0, 1);
  p.monochrome = uniform(0, 7) == 0;
  p.grain_scaling = uniform(8, 11);
  p.ar_coeff_lag = uniform(0, 3);
  p.ar_coeff_shift = uniform(6, 9);
  p.grain_scale_shift = uniform(0, 3);
  const int reach = uniform(0, 1) ? 128 : 12;
  for (auto& coefficients : p.ar_coeffs) {
    for (int8_t& c : coefficients) c = int8_t(uniform(-reach, reach - 1));
  }
  for (int i = 0; i < 2; ++i) {
    p.mult[i] = uniform(-128, 127);
    p.luma_mult[i] = uniform(-128, 127);
    p.offset[i] = uniform(-256, 255);
  }
  p.bit_depth = bit_depth;
  p.subsampling_x = uniform(0, 2) > 0;
  p.subsampling_y = p.subsampling_x && uniform(0, 2) > 0;
  return p;
}

TEST(Av1FilmGrainTablesTest, AreAsSpecified) {
  std::mt19937 random(10);
  for (int i = 0; i < 400; ++i) {
    const int bit_depth = 8 + 2 * int(random() % 3);
    const FilmGrainParams p = RandomParams(random, bit_depth);
    TableMemory memory;
    const auto table = memory.Resize(kFilmGrain, sizeof(FilmGrainTables));
    BuildFilmGrain(p, table);
    const auto& tables = *reinterpret_cast<FilmGrainTables*>(table.data());
    const SpecifiedTables specified(p);
    for (int plane = 0; plane < (p.monochrome ? 1 : 3); ++plane) {
      if (!p.AppliesTo(plane)) continue;
      const std::vector<int> scaling = specified.Scaling(plane);
      ASSERT_TRUE(std::ranges::equal(
          scaling, std::span(tables.scaling[plane], scaling.size())));
      const Rows& grain = specified.Grain(plane);
      for (size_t y = 0; y < grain.size(); ++y) {
        ASSERT_TRUE(std::ranges::equal(
            grain[y], std::span(tables.grain[plane][y], grain[y].size())))
            << "plane " << plane << " row " << y << " lag " << p.ar_coeff_lag;
      }
    }
  }
}

// w, h: of the frame. in_place: the display is the target.
template <typename Sample>
void ExpectSame(const FilmGrainParams& p, int w, int h, bool in_place,
                std::mt19937& random) {
  ASSERT_TRUE(IsValid(p));
  Picture<Sample> target(w, h, p);
  const uint32_t mask = (1u << p.bit_depth) - 1;
  for (Sample& sample : target.luma) sample = Sample(random() & mask);
  for (Sample& sample : target.chroma) sample = Sample(random() & mask);
  Picture<Sample> display(w, h, p);
  const auto upper = uint32_t(8 * sizeof(Sample)) - uint32_t(p.bit_depth);
  display.view.shift = random() % 2 == 0 ? upper : 0;
  const int sb_log2 = 6 + int(random() % 2);
  const bool by_row = random() % 2 == 0;
  const auto run = [&](KernelFunction kernel) {
    Picture<Sample> from = target;
    Picture<Sample> to = in_place ? target : display;
    RunKernel(kernel, p, in_place ? to.View() : from.View(), to.View(), sb_log2,
              by_row);
    EXPECT_EQ(from.luma, target.luma);
    EXPECT_EQ(from.chroma, target.chroma);
    return to;
  };
  const Picture<Sample> expected = run(FilmGrain<Sample>);
  ForEachTarget([&](const char* name) {
    const Picture<Sample> shown = run(FilmGrainSimd<Sample>);
    EXPECT_TRUE(shown.luma == expected.luma && shown.chroma == expected.chroma)
        << name << " " << w << "x" << h << ", depth " << p.bit_depth
        << ", subsampling " << p.subsampling_x << p.subsampling_y;
  });
}

TEST(Av1FilmGrainTest, VectorsDoAsScalar) {
  std::mt19937 random(11);
  for (int i = 0; i < 400 && !testing::Test::HasFailure(); ++i) {
    const int bit_depth = 8 + 2 * int(random() % 3);
    FilmGrainParams p = RandomParams(random, bit_depth);
    for (GrainPoints& points : p.points) {
      if (random() % 8 == 0) points = {};  // nothing but copies
    }
    const bool wide = i % 25 == 0;  // several pieces
    const int w = (wide ? kGrainPiece - 20 : 1) + int(random() % 150);
    const int h = 1 + int(random() % (wide ? 40 : 200));
    const bool in_place = random() % 2 == 0;
    if (bit_depth == 8) {
      ExpectSame<uint8_t>(p, w, h, in_place, random);
    } else {
      ExpectSame<uint16_t>(p, w, h, in_place, random);
    }
  }
}

TEST(Av1FilmGrainTest, StaysInsideTablesOnSamplesBeyondTheDepth) {
  std::mt19937 random(13);
  FilmGrainParams p = RandomParams(random, 10);
  p.monochrome = p.chroma_scaling_from_luma = false;
  for (GrainPoints& points : p.points) {
    points = {.count = 1, .value = {9}, .scaling = {200}};
  }
  const auto check = [&](KernelFunction kernel) {
    Picture<uint16_t> picture(40, 40, p);
    std::ranges::fill(picture.luma, 0xffff);
    std::ranges::fill(picture.chroma, 0xffff);
    RunKernel(kernel, p, picture.View(), picture.View(), 6, false);
    EXPECT_LE(std::ranges::max(picture.luma), 1023);
    EXPECT_LE(std::ranges::max(picture.chroma), 1023);
  };
  check(FilmGrain<uint16_t>);
  ForEachTarget([&](const char*) { check(FilmGrainSimd<uint16_t>); });
}

TEST(Av1FilmGrainParamsTest, RefusesWhatNoStreamMayHave) {
  std::mt19937 random(14);
  FilmGrainParams valid = RandomParams(random, 10);
  valid.monochrome = valid.chroma_scaling_from_luma = false;
  ASSERT_TRUE(IsValid(valid));
  FilmGrainParams p = valid;
  p.points[0].count = 15;
  EXPECT_FALSE(IsValid(p));
  p = valid;
  p.points[1].count = 11;
  EXPECT_FALSE(IsValid(p));
  p.chroma_scaling_from_luma = true;
  EXPECT_TRUE(IsValid(p));
  p = valid;
  p.points[2] = {.count = 2, .value = {7, 7}, .scaling = {1, 2}};
  EXPECT_FALSE(IsValid(p));
  p = valid;
  p.ar_coeff_lag = 4;
  EXPECT_FALSE(IsValid(p));
  p = valid;
  p.grain_scaling = 12;
  EXPECT_FALSE(IsValid(p));
}

}  // namespace
}  // namespace perdix::av1
