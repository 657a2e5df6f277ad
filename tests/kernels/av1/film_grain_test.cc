// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/av1/grain/film_grain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/av1/grain/gaussian_sequence/tables.h"
#include "kernels/av1/kernels.h"
#include "tests/kernels/av1/filter_frame.h"

namespace perdix::av1 {
namespace {

class Av1FilmGrainTest : public FilterTest {};

using Samples = std::vector<std::vector<int>>;  // [y][x]

int Round2(int x, int n) { return n == 0 ? x : (x + (1 << (n - 1))) >> n; }
int Clip3(int low, int high, int x) {
  return x < low ? low : std::min(x, high);
}

// 7.18.3 to the letter, with whole arrays for stripes and noise.
class SpecifiedGrain {
 public:
  SpecifiedGrain(const FilmGrainParams& params, int w, int h)
      : p_(params),
        w_(w),
        h_(h),
        planes_(params.monochrome ? 1 : 3),
        center_(128 << (params.bit_depth - 8)),
        min_(-center_),
        max_((256 << (params.bit_depth - 8)) - 1 - center_) {
    register_ = p_.grain_seed;
    GenerateLuma();
    if (planes_ > 1) {
      GenerateChroma(1, 0xb524);
      GenerateChroma(2, 0x49d8);
      FilterChroma();
    }
    for (int plane = 0; plane < planes_; ++plane) InitScaling(plane);
    MakeStripes();
    for (int plane = 0; plane < planes_; ++plane) MakeImage(plane);
  }

  void AddNoise(Samples& out_y, Samples& out_u, Samples& out_v) const {
    const int depth = p_.bit_depth - 8;
    const int min_value = p_.clip_to_restricted_range ? 16 << depth : 0;
    int max_luma = (256 << depth) - 1, max_chroma = max_luma;
    if (p_.clip_to_restricted_range) {
      max_luma = 235 << depth;
      max_chroma = p_.identity_matrix ? max_luma : 240 << depth;
    }
    const int sub_x = p_.subsampling_x, sub_y = p_.subsampling_y;
    for (int y = 0; planes_ > 1 && y < (h_ + sub_y) >> sub_y; ++y) {
      for (int x = 0; x < (w_ + sub_x) >> sub_x; ++x) {
        const int luma_x = x << sub_x, luma_y = y << sub_y;
        const int next_x = std::min(luma_x + 1, w_ - 1);
        const int average =
            sub_x
                ? Round2(At(out_y, luma_x, luma_y) + At(out_y, next_x, luma_y),
                         1)
                : At(out_y, luma_x, luma_y);
        AddToChroma(1, x, y, average, min_value, max_chroma, out_u);
        AddToChroma(2, x, y, average, min_value, max_chroma, out_v);
      }
    }
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) {
        const int orig = At(out_y, x, y);
        const int noise =
            Round2(ScaleLut(0, orig) * At(image_[0], x, y), p_.grain_scaling);
        if (p_.points[0].count > 0) {
          out_y[size_t(y)][size_t(x)] =
              Clip3(min_value, max_luma, orig + noise);
        }
      }
    }
  }

 private:
  static int At(const Samples& samples, int x, int y) {
    return samples[size_t(y)][size_t(x)];
  }

  int Random(int bits) {
    int r = register_;
    const int bit = ((r >> 0) ^ (r >> 1) ^ (r >> 3) ^ (r >> 12)) & 1;
    r = (r >> 1) | (bit << 15);
    register_ = r;
    return (r >> (16 - bits)) & ((1 << bits) - 1);
  }

  bool HasNoise(int plane) const {
    return p_.points[plane].count > 0 ||
           (plane > 0 && p_.chroma_scaling_from_luma);
  }

  void White(int plane, int width, int height) {
    const int shift = 12 - p_.bit_depth + p_.grain_scale_shift;
    grain_[plane].assign(size_t(height), std::vector<int>(size_t(width)));
    for (auto& row : grain_[plane]) {
      for (int& value : row) {
        value =
            HasNoise(plane) ? Round2(kGaussianSequence[Random(11)], shift) : 0;
      }
    }
  }

  void GenerateLuma() {
    White(0, 82, 73);
    const int lag = p_.ar_coeff_lag;
    for (int y = 3; y < 73; ++y) {
      for (int x = 3; x < 82 - 3; ++x) {
        int s = 0, pos = 0;
        for (int row = -lag; row <= 0; ++row) {
          for (int column = -lag; column <= lag; ++column) {
            if (row == 0 && column == 0) break;
            s += At(grain_[0], x + column, y + row) * p_.ar_coeffs[0][pos++];
          }
        }
        int& value = grain_[0][size_t(y)][size_t(x)];
        value = Clip3(min_, max_, value + Round2(s, p_.ar_coeff_shift));
      }
    }
  }

  int ChromaW() const { return p_.subsampling_x ? 44 : 82; }
  int ChromaH() const { return p_.subsampling_y ? 38 : 73; }

  void GenerateChroma(int plane, int seed) {
    register_ = p_.grain_seed ^ seed;
    White(plane, ChromaW(), ChromaH());
  }

  int AverageLumaGrain(int x, int y) const {
    const int luma_x = ((x - 3) << p_.subsampling_x) + 3;
    const int luma_y = ((y - 3) << p_.subsampling_y) + 3;
    int luma = 0;
    for (int i = 0; i <= p_.subsampling_y; ++i) {
      for (int j = 0; j <= p_.subsampling_x; ++j) {
        luma += At(grain_[0], luma_x + j, luma_y + i);
      }
    }
    return Round2(luma, p_.subsampling_x + p_.subsampling_y);
  }

  void FilterChroma() {
    const int lag = p_.ar_coeff_lag;
    for (int y = 3; y < ChromaH(); ++y) {
      for (int x = 3; x < ChromaW() - 3; ++x) {
        int s[3] = {}, pos = 0;
        for (int row = -lag; row <= 0; ++row) {
          for (int column = -lag; column <= lag; ++column) {
            const bool here = row == 0 && column == 0;
            for (int plane = 1; plane < 3; ++plane) {
              const int c = p_.ar_coeffs[plane][pos];
              if (!here) {
                s[plane] += At(grain_[plane], x + column, y + row) * c;
              } else if (p_.points[0].count > 0) {
                s[plane] += AverageLumaGrain(x, y) * c;
              }
            }
            if (here) break;
            ++pos;
          }
        }
        for (int plane = 1; plane < 3; ++plane) {
          int& value = grain_[plane][size_t(y)][size_t(x)];
          value =
              Clip3(min_, max_, value + Round2(s[plane], p_.ar_coeff_shift));
        }
      }
    }
  }

  void InitScaling(int plane) {
    const GrainPoints& points =
        p_.points[p_.chroma_scaling_from_luma ? 0 : plane];
    int* lut = scaling_[plane];
    std::fill_n(lut, 256, 0);
    if (points.count == 0) return;
    for (int x = 0; x < points.value[0]; ++x) lut[x] = points.scaling[0];
    for (int i = 0; i < points.count - 1; ++i) {
      const int delta_y = points.scaling[i + 1] - points.scaling[i];
      const int delta_x = points.value[i + 1] - points.value[i];
      const int delta = delta_y * ((65536 + (delta_x >> 1)) / delta_x);
      for (int x = 0; x < delta_x; ++x) {
        lut[points.value[i] + x] =
            points.scaling[i] + ((x * delta + 32768) >> 16);
      }
    }
    for (int x = points.value[points.count - 1]; x < 256; ++x) {
      lut[x] = points.scaling[points.count - 1];
    }
  }

  int ScaleLut(int plane, int index) const {
    const int shift = p_.bit_depth - 8;
    const int x = index >> shift;
    const int rem = index - (x << shift);
    if (p_.bit_depth == 8 || x == 255) return scaling_[plane][x];
    const int start = scaling_[plane][x], end = scaling_[plane][x + 1];
    return start + Round2((end - start) * rem, shift);
  }

  void MakeStripes() {
    int luma_num = 0;
    for (int y = 0; y < (h_ + 1) / 2; y += 16, ++luma_num) {
      register_ = p_.grain_seed;
      register_ ^= ((luma_num * 37 + 178) & 255) << 8;
      register_ ^= (luma_num * 173 + 105) & 255;
      for (int plane = 0; plane < 3; ++plane) {
        stripes_[plane].emplace_back(34, std::vector<int>(size_t(w_ + 64)));
      }
      for (int x = 0; x < (w_ + 1) / 2; x += 16) {
        const int rand = Random(8);
        for (int plane = 0; plane < planes_; ++plane) {
          MakeBlock(plane, luma_num, x, rand >> 4, rand & 15);
        }
      }
    }
  }

  void MakeBlock(int plane, int luma_num, int x, int offset_x, int offset_y) {
    const int sub_x = plane > 0 ? p_.subsampling_x : 0;
    const int sub_y = plane > 0 ? p_.subsampling_y : 0;
    const int plane_x = sub_x ? 6 + offset_x : 9 + offset_x * 2;
    const int plane_y = sub_y ? 6 + offset_y : 9 + offset_y * 2;
    for (int i = 0; i < 34 >> sub_y; ++i) {
      for (int j = 0; j < 34 >> sub_x; ++j) {
        int g = At(grain_[plane], plane_x + j, plane_y + i);
        int& noise = stripes_[plane][size_t(luma_num)][size_t(i)]
                             [size_t((sub_x ? x : x * 2) + j)];
        const int old = noise;
        if (sub_x == 0 && j < 2 && p_.overlap_flag && x > 0) {
          g = j == 0 ? old * 27 + g * 17 : old * 17 + g * 27;
          g = Clip3(min_, max_, Round2(g, 5));
        } else if (sub_x && j == 0 && p_.overlap_flag && x > 0) {
          g = Clip3(min_, max_, Round2(old * 23 + g * 22, 5));
        }
        noise = g;
      }
    }
  }

  void MakeImage(int plane) {
    const int sub_x = plane > 0 ? p_.subsampling_x : 0;
    const int sub_y = plane > 0 ? p_.subsampling_y : 0;
    for (int y = 0; y < (h_ + sub_y) >> sub_y; ++y) {
      const int luma_num = y >> (5 - sub_y);
      const int i = y - (luma_num << (5 - sub_y));
      image_[plane].emplace_back();
      for (int x = 0; x < (w_ + sub_x) >> sub_x; ++x) {
        int g = At(stripes_[plane][size_t(luma_num)], x, i);
        if (luma_num > 0 && p_.overlap_flag && i < 2 >> sub_y) {
          const int old =
              At(stripes_[plane][size_t(luma_num - 1)], x, i + (32 >> sub_y));
          if (sub_y) {
            g = old * 23 + g * 22;
          } else {
            g = i == 0 ? old * 27 + g * 17 : old * 17 + g * 27;
          }
          g = Clip3(min_, max_, Round2(g, 5));
        }
        image_[plane].back().push_back(g);
      }
    }
  }

  void AddToChroma(int plane, int x, int y, int average, int min_value,
                   int max_value, Samples& out) const {
    if (!HasNoise(plane)) return;
    int& sample = out[size_t(y)][size_t(x)];
    int merged = average;
    if (!p_.chroma_scaling_from_luma) {
      const int combined =
          average * p_.luma_mult[plane - 1] + sample * p_.mult[plane - 1];
      const int offset = p_.offset[plane - 1] * (1 << (p_.bit_depth - 8));
      merged = Clip3(0, (1 << p_.bit_depth) - 1, (combined >> 6) + offset);
    }
    const int noise = Round2(ScaleLut(plane, merged) * At(image_[plane], x, y),
                             p_.grain_scaling);
    sample = Clip3(min_value, max_value, sample + noise);
  }

  const FilmGrainParams& p_;
  const int w_, h_, planes_;
  const int center_, min_, max_;
  int register_ = 0;
  Samples grain_[3];
  int scaling_[3][256];
  std::vector<Samples> stripes_[3];
  Samples image_[3];
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
  // plane: 0 Y, 1 U, 2 V.
  Samples Get(int plane) const {
    const Plane& from = view.planes[plane == 0 ? kLuma : kChroma];
    Samples samples(from.height, std::vector<int>(from.width));
    int low = 0;  // bits below the values
    for (size_t y = 0; y < from.height; ++y) {
      for (size_t x = 0; x < from.width; ++x) {
        const size_t at = y * from.width + x;
        const Sample sample =
            plane == 0 ? luma[at] : chroma[2 * at + size_t(plane - 1)];
        low |= sample & ((1 << view.shift) - 1);
        samples[y][x] = sample >> view.shift;
      }
    }
    EXPECT_EQ(low, 0);
    return samples;
  }
};

template <typename Sample>
void RunKernel(const FilmGrainParams& grain, PictureView target,
               PictureView display, int sb_log2, bool by_row) {
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
  const KernelFunction kernel =
      TestsSimd() ? &FilmGrainSimd<Sample> : &FilmGrain<Sample>;
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

template <typename Sample>
void ExpectAsSpecified(const FilmGrainParams& p, int w, int h, int sb_log2,
                       bool in_place, std::mt19937& random) {
  ASSERT_TRUE(IsValid(p));
  Picture<Sample> target(w, h, p);
  const uint32_t mask = (1u << p.bit_depth) - 1;
  for (Sample& sample : target.luma) sample = Sample(random() & mask);
  for (Sample& sample : target.chroma) sample = Sample(random() & mask);
  Samples expected[3] = {target.Get(0), {}, {}};
  for (int i = 1; i < 3 && !p.monochrome; ++i) expected[i] = target.Get(i);
  SpecifiedGrain(p, w, h).AddNoise(expected[0], expected[1], expected[2]);

  Picture<Sample> display(w, h, p);
  const auto upper = uint32_t(8 * sizeof(Sample)) - uint32_t(p.bit_depth);
  display.view.shift = random() % 2 == 0 ? upper : 0;
  const auto before = target.luma;
  RunKernel<Sample>(p, target.View(), in_place ? target.View() : display.View(),
                    sb_log2, random() % 2 == 0);
  const Picture<Sample>& shown = in_place ? target : display;
  if (!in_place) {
    EXPECT_EQ(target.luma, before);
  }
  for (int i = 0; i < (p.monochrome ? 1 : 3); ++i) {
    EXPECT_TRUE(expected[i] == shown.Get(i))
        << "plane " << i << " of " << w << "x" << h << ", depth " << p.bit_depth
        << ", subsampling " << p.subsampling_x << p.subsampling_y << ", lag "
        << p.ar_coeff_lag;
  }
}

TEST_P(Av1FilmGrainTest, IsAsSpecified) {
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    const int bit_depth = 8 + 2 * int(random() % 3);
    const FilmGrainParams p = RandomParams(random, bit_depth);
    const bool wide = i % 25 == 0;  // several pieces
    const int w = (wide ? kGrainPiece - 20 : 1) + int(random() % 150);
    const int h = 1 + int(random() % (wide ? 40 : 200));
    const int sb_log2 = 6 + int(random() % 2);
    const bool in_place = random() % 2 == 0;
    if (bit_depth == 8) {
      ExpectAsSpecified<uint8_t>(p, w, h, sb_log2, in_place, random);
    } else {
      ExpectAsSpecified<uint16_t>(p, w, h, sb_log2, in_place, random);
    }
    if (HasFailure()) return;
  }
}

TEST_P(Av1FilmGrainTest, CopiesWhatGetsNoNoise) {
  std::mt19937 random(12);
  FilmGrainParams p = RandomParams(random, 8);
  p.monochrome = false;
  p.chroma_scaling_from_luma = false;
  p.points[0] = p.points[1] = p.points[2] = {};
  ExpectAsSpecified<uint8_t>(p, 77, 91, 6, false, random);
  p.points[2] = RandomPoints(random, 10);
  ExpectAsSpecified<uint8_t>(p, 77, 91, 6, false, random);
  p.bit_depth = 10;
  for (int i = 0; i < 4; ++i) {
    if (i == 2) p.points[2] = {};
    ExpectAsSpecified<uint16_t>(p, 77, 91, 6, false, random);
  }
}

TEST_P(Av1FilmGrainTest, StaysInsideTablesOnSamplesBeyondTheDepth) {
  std::mt19937 random(13);
  FilmGrainParams p = RandomParams(random, 10);
  p.monochrome = false;
  Picture<uint16_t> picture(40, 40, p);
  for (uint16_t& sample : picture.luma) sample = 0xffff;
  for (uint16_t& sample : picture.chroma) sample = 0xffff;
  RunKernel<uint16_t>(p, picture.View(), picture.View(), 6, false);
  for (int plane = 0; plane < 3; ++plane) {
    if (!p.AppliesTo(plane)) continue;
    for (const std::vector<int>& line : picture.Get(plane)) {
      EXPECT_LE(std::ranges::max(line), (1 << p.bit_depth) - 1);
    }
  }
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

INSTANTIATE_TEST_SUITE_P(Variants, Av1FilmGrainTest,
                         testing::ValuesIn(FilterTargets()), FilterTargetName);

}  // namespace
}  // namespace perdix::av1
