// SPDX-License-Identifier: BSD-2-Clause
// What film grain synthesis (7.18.3) makes once for a frame: templates of grain
// and scaling functions, which the kernel FilmGrain reads.
#ifndef PERDIX_KERNELS_AV1_GRAIN_FILM_GRAIN_H_
#define PERDIX_KERNELS_AV1_GRAIN_FILM_GRAIN_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace perdix::av1 {

inline constexpr int kMaxGrainPoints = 14;
inline constexpr int kGrainCoefficients = 25;

// Points of a piecewise linear scaling function; values ascend.
struct GrainPoints {
  int count = 0;  // luma 0..14, chroma 0..10
  uint8_t value[kMaxGrainPoints] = {};
  uint8_t scaling[kMaxGrainPoints] = {};
};

// film_grain_params (6.8.20) and what else decides. Index [3]: Y, Cb, Cr; [2]:
// Cb, Cr.
struct FilmGrainParams {
  uint16_t grain_seed = 0;
  GrainPoints points[3];
  bool chroma_scaling_from_luma = false;
  bool overlap_flag = false;
  bool clip_to_restricted_range = false;
  bool identity_matrix = false;  // matrix_coefficients is MC_IDENTITY
  bool monochrome = false;
  int grain_scaling = 8;      // grain_scaling_minus_8 + 8: 8..11
  int ar_coeff_lag = 0;       // 0..3
  int ar_coeff_shift = 6;     // ar_coeff_shift_minus_6 + 6: 6..9
  int grain_scale_shift = 0;  // 0..3
  // ar_coeffs_*_plus_128 - 128. Chroma's last, that of luma, is at
  // [2 * lag * (lag + 1)].
  int8_t ar_coeffs[3][kGrainCoefficients] = {};
  int mult[2] = {};       // cb_mult - 128, cr_mult - 128
  int luma_mult[2] = {};  // less 128, too
  int offset[2] = {};     // cb_offset - 256, cr_offset - 256
  int bit_depth = 8;      // 8, 10, 12
  int subsampling_x = 1;
  int subsampling_y = 1;

  bool AppliesTo(int plane) const;  // 0 Y, 1 Cb, 2 Cr
};

// Whether every field that counts is within the range that its comment or the
// specification states. BuildFilmGrain expects that. Chroma's points, factors
// and offsets do not count where it has no scaling function of its own.
bool IsValid(const FilmGrainParams& params);

// The table kFilmGrain. Made of 32-bit words, so that a GPU can read it.
struct FilmGrainTables {
  static constexpr int kRows = 73;
  static constexpr int kColumns = 82;
  static constexpr int kScalingSize = 4096;

  uint32_t grain_seed;
  uint32_t overlap;     // overlap_flag
  uint32_t applies[3];  // 1: the component gets noise
  int32_t grain_min;    // GrainMin, GrainMax
  int32_t grain_max;
  int32_t scaling_shift;  // ScalingShift
  int32_t min_value;      // of what is shown
  int32_t max_value[3];
  // Chroma's place in its scaling function is (luma_mult * luma + mult * chroma
  // >> 6) + offset: that of chroma_scaling_from_luma, too.
  int32_t luma_mult[2];
  int32_t mult[2];
  int32_t offset[2];
  int16_t grain[3][kRows][kColumns];  // chroma: the upper left part
  uint8_t scaling[3][kScalingSize];   // scale_lut, by sample
};
static_assert(sizeof(FilmGrainTables) % 4 == 0);

// 7.18.3.2 to .4. table: sizeof(FilmGrainTables) bytes, 4-byte aligned. params
// are valid.
void BuildFilmGrain(const FilmGrainParams& params, std::span<uint8_t> table);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_GRAIN_FILM_GRAIN_H_
