// SPDX-License-Identifier: BSD-2-Clause
// Film grain synthesis (7.18.3).
#include "kernels/av1/film_grain.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/gaussian_sequence/tables.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

constexpr int kStripeLog2 = 5;  // luma lines of a noise stripe, columns of a
                                // grain block
constexpr int kBlock = 1 << kStripeLog2;
constexpr int kGrainBorder = 3;  // of a template, that the filter leaves alone

using Tables = FilmGrainTables;
using GrainRows = int16_t (*)[Tables::kColumns];

int Round2(int value, int shift) {
  return shift == 0 ? value : (value + (1 << (shift - 1))) >> shift;
}

// 7.18.3.2.
class GrainRandom {
 public:
  explicit GrainRandom(uint32_t seed) : state_(seed) {}
  uint32_t Next(int bits) {
    const uint32_t bit =
        (state_ ^ (state_ >> 1) ^ (state_ >> 3) ^ (state_ >> 12)) & 1;
    state_ = (state_ >> 1) | (bit << 15);
    return (state_ >> (16 - bits)) & ((1u << bits) - 1);
  }

 private:
  uint32_t state_;
};

// ---- once a frame ----

struct GrainSize {
  int columns, rows;
};

GrainSize SizeOfGrain(const FilmGrainParams& params, int plane) {
  return {plane > 0 && params.subsampling_x ? 44 : Tables::kColumns,
          plane > 0 && params.subsampling_y ? 38 : Tables::kRows};
}

void WhiteNoise(const FilmGrainParams& params, uint32_t seed, GrainSize size,
                GrainRows grain) {
  const int shift = 12 - params.bit_depth + params.grain_scale_shift;
  GrainRandom random(seed);
  for (int y = 0; y < size.rows; ++y) {
    for (int x = 0; x < size.columns; ++x) {
      grain[y][x] = int16_t(Round2(kGaussianSequence[random.Next(11)], shift));
    }
  }
}

// Adds <coefficient> times the luma template's average over each sample of row
// y of chroma's.
void AddLuma(const FilmGrainParams& params, const Tables& tables, int y,
             int columns, int coefficient, int* sums) {
  const int ss_x = params.subsampling_x;
  const int ss_y = params.subsampling_y;
  const int luma_y = ((y - kGrainBorder) << ss_y) + kGrainBorder;
  for (int x = kGrainBorder; x < columns - kGrainBorder; ++x) {
    const int luma_x = ((x - kGrainBorder) << ss_x) + kGrainBorder;
    int luma = 0;
    for (int i = 0; i <= ss_y; ++i) {
      for (int j = 0; j <= ss_x; ++j) {
        luma += tables.grain[0][luma_y + i][luma_x + j];
      }
    }
    sums[x] += Round2(luma, ss_x + ss_y) * coefficient;
  }
}

// The auto-regressive filter of 7.18.3.3. What comes from rows above is summed
// for a whole row at a time, as only the row itself depends on its results.
void FilterGrain(const FilmGrainParams& params, int plane, GrainSize size,
                 Tables& tables) {
  const GrainRows grain = tables.grain[plane];
  const int lag = params.ar_coeff_lag;
  const int8_t* const coefficients = params.ar_coeffs[plane];
  const int8_t* const in_row = coefficients + lag * (2 * lag + 1);
  const int end = size.columns - kGrainBorder;
  for (int y = kGrainBorder; y < size.rows; ++y) {
    int sums[Tables::kColumns] = {};
    const int8_t* coefficient = coefficients;
    for (int row = -lag; row < 0; ++row) {
      for (int column = -lag; column <= lag; ++column, ++coefficient) {
        const int16_t* const above = grain[y + row] + column;
        const int factor = *coefficient;
        for (int x = kGrainBorder; x < end; ++x) sums[x] += above[x] * factor;
      }
    }
    if (plane > 0 && params.points[0].count > 0) {
      AddLuma(params, tables, y, size.columns, in_row[lag], sums);
    }
    for (int x = kGrainBorder; x < end; ++x) {
      int sum = sums[x];
      for (int i = 0; i < lag; ++i) sum += grain[y][x - lag + i] * in_row[i];
      grain[y][x] =
          int16_t(std::clamp(grain[y][x] + Round2(sum, params.ar_coeff_shift),
                             tables.grain_min, tables.grain_max));
    }
  }
}

// ScalingLut of 7.18.3.4, and 255 once more.
std::array<uint8_t, 257> ScalingLut(const GrainPoints& points) {
  std::array<uint8_t, 257> lut;
  const int last = points.count - 1;
  std::fill_n(lut.begin(), points.value[0], points.scaling[0]);
  for (int i = 0; i < last; ++i) {
    const int delta_y = points.scaling[i + 1] - points.scaling[i];
    const int delta_x = points.value[i + 1] - points.value[i];
    const int delta = delta_y * ((65536 + (delta_x >> 1)) / delta_x);
    for (int x = 0; x < delta_x; ++x) {
      lut[size_t(points.value[i] + x)] =
          uint8_t(points.scaling[i] + ((x * delta + 32768) >> 16));
    }
  }
  std::fill(lut.begin() + points.value[last], lut.end(), points.scaling[last]);
  return lut;
}

// scale_lut of 7.18.3.5 for every sample value. At x = 255 there is nothing to
// interpolate with: so the table's last value comes twice.
void BuildScaling(const GrainPoints& points, int bit_depth, uint8_t* scaling) {
  const std::array<uint8_t, 257> lut = ScalingLut(points);
  const int shift = bit_depth - 8;
  for (int i = 0; i < 1 << bit_depth; ++i) {
    const size_t x = size_t(i >> shift);
    const int rest = i & ((1 << shift) - 1);
    scaling[i] = uint8_t(lut[x] + Round2((lut[x + 1] - lut[x]) * rest, shift));
  }
}

void SetLimits(const FilmGrainParams& params, Tables& tables) {
  const int scale = params.bit_depth - 8;
  tables.grain_min = -(128 << scale);
  tables.grain_max = (128 << scale) - 1;
  const bool restricted = params.clip_to_restricted_range;
  tables.min_value = restricted ? 16 << scale : 0;
  const int luma = restricted ? 235 << scale : (256 << scale) - 1;
  const int chroma =
      restricted && !params.identity_matrix ? 240 << scale : luma;
  tables.max_value[0] = luma;
  tables.max_value[1] = tables.max_value[2] = chroma;
}

void SetParameters(const FilmGrainParams& params, Tables& tables) {
  tables.grain_seed = params.grain_seed;
  tables.overlap = params.overlap_flag;
  tables.scaling_shift = params.grain_scaling;
  for (int plane = 0; plane < 3; ++plane) {
    tables.applies[plane] = params.AppliesTo(plane);
  }
  const bool from_luma = params.chroma_scaling_from_luma;
  for (int i = 0; i < 2; ++i) {
    tables.luma_mult[i] = from_luma ? 64 : params.luma_mult[i];
    tables.mult[i] = from_luma ? 0 : params.mult[i];
    tables.offset[i] =
        from_luma ? 0 : params.offset[i] * (1 << (params.bit_depth - 8));
  }
  SetLimits(params, tables);
}

bool PointsAreValid(const GrainPoints& points, int most) {
  if (points.count < 0 || points.count > most) return false;
  for (int i = 1; i < points.count; ++i) {
    if (points.value[i] <= points.value[i - 1]) return false;
  }
  return true;
}

bool IsWithin(int value, int lowest, int highest) {
  return value >= lowest && value <= highest;
}

}  // namespace

bool FilmGrainParams::AppliesTo(int plane) const {
  if (plane == 0) return points[0].count > 0;
  return !monochrome && (points[plane].count > 0 || chroma_scaling_from_luma);
}

bool IsValid(const FilmGrainParams& params) {
  for (int i = 0; i < 2; ++i) {
    const GrainPoints& points = params.points[1 + i];
    if (params.monochrome || params.chroma_scaling_from_luma ||
        points.count == 0) {
      continue;
    }
    if (!PointsAreValid(points, 10) || !IsWithin(params.mult[i], -128, 127) ||
        !IsWithin(params.luma_mult[i], -128, 127) ||
        !IsWithin(params.offset[i], -256, 255)) {
      return false;
    }
  }
  return PointsAreValid(params.points[0], 14) &&
         IsWithin(params.grain_scaling, 8, 11) &&
         IsWithin(params.ar_coeff_lag, 0, 3) &&
         IsWithin(params.ar_coeff_shift, 6, 9) &&
         IsWithin(params.grain_scale_shift, 0, 3) &&
         (params.bit_depth == 8 || params.bit_depth == 10 ||
          params.bit_depth == 12) &&
         IsWithin(params.subsampling_x, 0, 1) &&
         IsWithin(params.subsampling_y, 0, params.subsampling_x);
}

void BuildFilmGrain(const FilmGrainParams& params, std::span<uint8_t> table) {
  Tables& tables = *reinterpret_cast<Tables*>(table.data());
  SetParameters(params, tables);
  constexpr uint32_t kSeeds[3] = {0, 0xb524, 0x49d8};
  const GrainPoints none = {.count = 1};  // a scaling of 0
  for (int plane = 0; plane < 3; ++plane) {
    if (!params.AppliesTo(plane)) continue;
    const GrainSize size = SizeOfGrain(params, plane);
    WhiteNoise(params, params.grain_seed ^ kSeeds[plane], size,
               tables.grain[plane]);
    FilterGrain(params, plane, size, tables);
    const GrainPoints& points =
        params.points[params.chroma_scaling_from_luma ? 0 : plane];
    BuildScaling(points.count > 0 ? points : none, params.bit_depth,
                 tables.scaling[plane]);
  }
}

// ---- the kernel ----

namespace {

// Where in a template the grain of a block begins.
struct Offset {
  int x, y;
};

// Four blocks of grain: the one at hand, those to the left, above, and above
// left: what overlaps. Each is a random number of 8 bits.
struct BlockNumbers {
  uint32_t here, left, above, above_left;
};

// One component's noise in a block of 32x32 luma samples.
class BlockNoise {
 public:
  BlockNoise(const Tables& tables, int plane, int ss_x, int ss_y)
      : tables_(tables), plane_(plane), ss_x_(ss_x), ss_y_(ss_y) {}

  // The noise of line <line> of a stripe, <count> samples from the left of the
  // block on. overlaps_x, overlaps_y: there are blocks to the left and above,
  // and they overlap.
  void Line(const BlockNumbers& numbers, bool overlaps_x, bool overlaps_y,
            int line, int count, int16_t* noise) const {
    StripeLine(numbers.here, numbers.left, overlaps_x, line, count, noise);
    if (!overlaps_y || line >= (2 >> ss_y_)) return;
    int16_t above[kBlock];
    StripeLine(numbers.above, numbers.above_left, overlaps_x,
               line + (kBlock >> ss_y_), count, above);
    for (int x = 0; x < count; ++x) {
      noise[x] = Blend(above[x], noise[x], line, ss_y_);
    }
  }

 private:
  // A line of noiseStripe.
  void StripeLine(uint32_t number, uint32_t left_number, bool overlaps,
                  int line, int count, int16_t* noise) const {
    const int16_t* const grain = Grain(number, line);
    std::copy_n(grain, count, noise);
    if (!overlaps) return;
    const int16_t* const left = Grain(left_number, line) + (kBlock >> ss_x_);
    for (int x = 0; x < std::min(count, 2 >> ss_x_); ++x) {
      noise[x] = Blend(left[x], grain[x], x, ss_x_);
    }
  }

  const int16_t* Grain(uint32_t number, int line) const {
    const int x = int(number >> 4);
    const int y = int(number & 15);
    return tables_.grain[plane_][(ss_y_ ? 6 + y : 9 + 2 * y) + line] +
           (ss_x_ ? 6 + x : 9 + 2 * x);
  }

  // index: how far from where the newer block begins.
  int16_t Blend(int older, int newer, int index, int subsampling) const {
    const int older_weight = subsampling ? 23 : index == 0 ? 27 : 17;
    const int newer_weight = subsampling ? 22 : index == 0 ? 17 : 27;
    return int16_t(
        std::clamp(Round2(older * older_weight + newer * newer_weight, 5),
                   tables_.grain_min, tables_.grain_max));
  }

  const Tables& tables_;
  const int plane_, ss_x_, ss_y_;
};

// The random numbers of a stripe's blocks from left to right (7.18.3.5).
GrainRandom StripeRandom(const Tables& tables, uint32_t stripe) {
  return GrainRandom(tables.grain_seed ^ ((stripe * 37 + 178) & 255) << 8 ^
                     ((stripe * 173 + 105) & 255));
}

// Part of a noise stripe, all lines in luma samples.
struct StripePart {
  uint32_t stripe;
  uint32_t begin, end;
};

template <typename Sample>
class Grainer {
 public:
  Grainer(const KernelArgs& args)
      : tables_(*reinterpret_cast<const Tables*>(
            args.tables.Of(kFilmGrain).data())),
        from_(args.target),
        to_(args.display),
        ss_x_(int(args.display.subsampling_x)),
        ss_y_(int(args.display.subsampling_y)),
        most_((1 << args.display.bit_depth) - 1),
        chroma_(!ParamsOf(args).monochrome) {}

  void Add(const StripePart& part) const {
    GrainRandom here = StripeRandom(tables_, part.stripe);
    GrainRandom above = StripeRandom(tables_, part.stripe - 1);
    BlockNumbers numbers = {};
    for (uint32_t x = 0; x < to_.width; x += kBlock) {
      numbers = {here.Next(8), numbers.here, above.Next(8), numbers.above};
      // Chroma first: where the pictures are the same it needs luma as it was.
      if (chroma_) AddChroma(part, numbers, x);
      AddLuma(part, numbers, x);
    }
  }

 private:
  void AddLuma(const StripePart& part, const BlockNumbers& numbers,
               uint32_t x0) const {
    const int count = int(std::min<uint32_t>(kBlock, to_.width - x0));
    const BlockNoise block(tables_, 0, 0, 0);
    const uint8_t* const scaling = tables_.scaling[0];
    const int shift = tables_.scaling_shift;
    for (uint32_t y = part.begin; y < part.end; ++y) {
      const Sample* const from = from_.planes[kLuma].Row<Sample>(y) + x0;
      Sample* const to = to_.planes[kLuma].Row<Sample>(y) + x0;
      if (!tables_.applies[0]) {
        Copy(from, count, to);
        continue;
      }
      int16_t noise[kBlock];
      block.Line(numbers, tables_.overlap && x0 > 0,
                 tables_.overlap && part.stripe > 0, int(y % kBlock), count,
                 noise);
      for (int x = 0; x < count; ++x) {
        const int sample = from[x];
        const int scale = scaling[sample & (Tables::kScalingSize - 1)];
        to[x] = Sample(std::clamp(sample + Round2(scale * noise[x], shift),
                                  tables_.min_value, tables_.max_value[0]));
      }
    }
  }

  void AddChroma(const StripePart& part, const BlockNumbers& numbers,
                 uint32_t luma_x) const {
    const int width = int(std::min<uint32_t>(kBlock, to_.width - luma_x));
    const int count = (width + ss_x_) >> ss_x_;
    const uint32_t x0 = luma_x >> ss_x_;
    const uint32_t end = (part.end + uint32_t(ss_y_)) >> ss_y_;
    for (uint32_t y = part.begin >> ss_y_; y < end; ++y) {
      const Sample* const from = from_.planes[kChroma].Row<Sample>(y) + 2 * x0;
      Sample* const to = to_.planes[kChroma].Row<Sample>(y) + 2 * x0;
      int luma[kBlock];
      AverageLuma(from_.planes[kLuma].Row<Sample>(y << ss_y_) + luma_x, width,
                  luma);
      for (int component = 0; component < 2; ++component) {
        if (!tables_.applies[1 + component]) {
          for (int x = 0; x < count; ++x) {
            to[2 * x + component] = from[2 * x + component];
          }
          continue;
        }
        int16_t noise[kBlock];
        BlockNoise(tables_, 1 + component, ss_x_, ss_y_)
            .Line(numbers, tables_.overlap && luma_x > 0,
                  tables_.overlap && part.stripe > 0,
                  int(y % uint32_t(kBlock >> ss_y_)), count, noise);
        AddToComponent(component, luma, noise, count, from + component,
                       to + component);
      }
    }
  }

  // For each chroma sample; the last of an odd width has one alone.
  void AverageLuma(const Sample* from, int width, int* luma) const {
    if (ss_x_ == 0) {
      for (int x = 0; x < width; ++x) luma[x] = from[x];
      return;
    }
    for (int x = 0; x < width / 2; ++x) {
      luma[x] = (from[2 * x] + from[2 * x + 1] + 1) >> 1;
    }
    if (width & 1) luma[width / 2] = from[width - 1];
  }

  // from, to: every second sample.
  void AddToComponent(int component, const int* luma, const int16_t* noise,
                      int count, const Sample* from, Sample* to) const {
    const uint8_t* const scaling = tables_.scaling[1 + component];
    const int luma_mult = tables_.luma_mult[component];
    const int mult = tables_.mult[component];
    const int offset = tables_.offset[component];
    const int shift = tables_.scaling_shift;
    const int highest = tables_.max_value[1 + component];
    for (int x = 0; x < count; ++x) {
      const int sample = from[2 * x];
      const int combined = luma[x] * luma_mult + sample * mult;
      const int merged = std::clamp((combined >> 6) + offset, 0, most_);
      to[2 * x] =
          Sample(std::clamp(sample + Round2(scaling[merged] * noise[x], shift),
                            tables_.min_value, highest));
    }
  }

  static void Copy(const Sample* from, int count, Sample* to) {
    if (from != to) std::copy_n(from, count, to);
  }

  const Tables& tables_;
  const PictureView& from_;
  const PictureView& to_;
  const int ss_x_, ss_y_;
  const int most_;
  const bool chroma_;
};

}  // namespace

template <typename Sample>
void FilmGrain(const KernelArgs& args, Range range) {
  const Grainer<Sample> grainer(args);
  const uint32_t size = 1u << args.params->sb_log2;
  const uint32_t height = args.display.height;
  ForEachRow(*args.params, range, [&](uint32_t row) {
    uint32_t y = row == 0 ? 0 : row * size - 8;
    const bool last = row + 1 == args.params->sb_rows;
    const uint32_t end = last ? height : (row + 1) * size - 8;
    while (y < end) {
      const uint32_t stripe = y / kBlock;
      const uint32_t stripe_end = std::min((stripe + 1) * kBlock, end);
      grainer.Add({stripe, y, stripe_end});
      y = stripe_end;
    }
  });
}

template void FilmGrain<uint8_t>(const KernelArgs&, Range);
template void FilmGrain<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
