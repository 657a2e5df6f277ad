// SPDX-License-Identifier: BSD-2-Clause
// What film grain synthesis makes once for a frame (7.18.3.2 to .4): templates
// of grain and scaling functions.
#include <algorithm>
#include <array>

#include "kernels/av1/grain/film_grain.h"
#include "kernels/av1/grain/film_grain_walk.h"
#include "kernels/av1/grain/gaussian_sequence/tables.h"

namespace perdix::av1 {
namespace {

constexpr int kGrainBorder = 3;  // of a template, that the filter leaves alone

using Tables = FilmGrainTables;
using GrainRows = int16_t (*)[Tables::kColumns];

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
  const auto fill = [&](int16_t* to, int count) {
    const auto noise = [&](uint32_t number) {
      return int16_t(Round2(kGaussianSequence[number], shift));
    };
    int x = 0;
    for (; x + 4 <= count; x += 4) {
      const uint32_t numbers = random.NextFour();
      for (int i = 0; i < 4; ++i) {
        to[x + i] = noise(GrainRandom::OfFour(numbers, i, 11));
      }
    }
    for (; x < count; ++x) to[x] = noise(random.Next(11));
  };
  if (size.columns == Tables::kColumns) {
    return fill(grain[0], size.rows * size.columns);
  }
  for (int y = 0; y < size.rows; ++y) fill(grain[y], size.columns);
}

// Adds <coefficient> times the luma template's average over each sample of row
// y of chroma's.
template <int kSubsamplingX, int kSubsamplingY>
void AddLuma(const Tables& tables, int y, int columns, int coefficient,
             int* sums) {
  const int16_t* luma =
      tables.grain[0][((y - kGrainBorder) << kSubsamplingY) + kGrainBorder] +
      kGrainBorder;
  for (int x = kGrainBorder; x < columns - kGrainBorder; ++x) {
    int sum = 0;
    for (int i = 0; i <= kSubsamplingY; ++i) {
      for (int j = 0; j <= kSubsamplingX; ++j) {
        sum += luma[i * Tables::kColumns + j];
      }
    }
    luma += 1 << kSubsamplingX;
    sums[x] += Round2(sum, kSubsamplingX + kSubsamplingY) * coefficient;
  }
}

// Adds what comes from the row itself. in_row: the factors of the last samples
// before each. sums: rounded. The latest ones stay in registers, as each result
// waits for them; few are clamped, so that a branch keeps them from waiting for
// that, too. GCC makes one only where it is told to be all but never taken.
void FilterRow(const FilmGrainParams& params, const int8_t* in_row, int end,
               const int* sums, const Tables& tables, int16_t* row) {
  const int lag = params.ar_coeff_lag;
  const int shift = params.ar_coeff_shift;
  const int factor1 = lag > 0 ? in_row[lag - 1] : 0;
  const int factor2 = lag > 1 ? in_row[lag - 2] : 0;
  const int factor3 = lag > 2 ? in_row[lag - 3] : 0;
  const int lowest = tables.grain_min;
  const int highest = tables.grain_max;
  const uint32_t range = uint32_t(highest - lowest);
  int last1 = row[kGrainBorder - 1];
  int last2 = row[kGrainBorder - 2];
  int last3 = row[kGrainBorder - 3];
  for (int x = kGrainBorder; x < end; ++x) {
    const int others = sums[x] + (row[x] << shift) + last3 * factor3 +
                       last2 * factor2;  // known one sample earlier
    last3 = last2;
    last2 = last1;
    last1 = (others + last1 * factor1) >> shift;
    const bool beyond = uint32_t(last1 - lowest) > range;
    if (__builtin_expect_with_probability(beyond, 0, 1.0)) {
      last1 = std::clamp(last1, lowest, highest);
    }
    row[x] = int16_t(last1);
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
  const int half = (1 << params.ar_coeff_shift) >> 1;
  const auto add_luma = params.subsampling_y   ? AddLuma<1, 1>
                        : params.subsampling_x ? AddLuma<1, 0>
                                               : AddLuma<0, 0>;
  for (int y = kGrainBorder; y < size.rows; ++y) {
    // The border is as wide as the largest lag.
    int sums[Tables::kColumns + 16];
    if (lag == 0) {
      std::fill_n(sums, Tables::kColumns, half);
    } else {
      SumGrainAbove(grain[y] + kGrainBorder, lag, coefficients, half,
                    end - kGrainBorder, sums + kGrainBorder);
    }
    if (plane > 0 && params.points[0].count > 0) {
      add_luma(tables, y, size.columns, in_row[lag], sums);
    }
    FilterRow(params, in_row, end, sums, tables, grain[y]);
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
    if (params.AppliesTo(plane)) {
      const GrainSize size = SizeOfGrain(params, plane);
      WhiteNoise(params, params.grain_seed ^ kSeeds[plane], size,
                 tables.grain[plane]);
      FilterGrain(params, plane, size, tables);
    }
    const GrainPoints& points =
        params.points[params.chroma_scaling_from_luma ? 0 : plane];
    BuildScaling(points.count > 0 ? points : none, params.bit_depth,
                 tables.scaling[plane]);
  }
}

}  // namespace perdix::av1
