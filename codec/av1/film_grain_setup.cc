// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/film_grain_setup.h"

#include <algorithm>

#include "codec/av1/film_grain_control.h"
#include "codec/av1/frame_setup.h"
#include "codec/av1/private_controls.h"
#include "codec/controls.h"
#include "kernels/av1/grain/film_grain.h"

namespace perdix::av1 {
namespace {

GrainPoints Points(int count, const uint8_t* values, const uint8_t* scaling) {
  GrainPoints points;
  points.count = count;
  const int copied = std::min(count, kMaxGrainPoints);
  std::copy_n(values, copied, points.value);
  std::copy_n(scaling, copied, points.scaling);
  return points;
}

// 6.8.20: from what is coded to what is meant.
FilmGrainParams Convert(const v4l2_ctrl_av1_film_grain& from,
                        const FrameState& frame) {
  const auto has = [&from](uint8_t flag) { return (from.flags & flag) != 0; };
  FilmGrainParams to;
  to.grain_seed = from.grain_seed;
  to.points[0] =
      Points(from.num_y_points, from.point_y_value, from.point_y_scaling);
  to.points[1] =
      Points(from.num_cb_points, from.point_cb_value, from.point_cb_scaling);
  to.points[2] =
      Points(from.num_cr_points, from.point_cr_value, from.point_cr_scaling);
  to.chroma_scaling_from_luma =
      has(V4L2_AV1_FILM_GRAIN_FLAG_CHROMA_SCALING_FROM_LUMA);
  to.overlap_flag = has(V4L2_AV1_FILM_GRAIN_FLAG_OVERLAP);
  to.clip_to_restricted_range =
      has(V4L2_AV1_FILM_GRAIN_FLAG_CLIP_TO_RESTRICTED_RANGE);
  to.monochrome = frame.num_planes == 1;
  to.grain_scaling = from.grain_scaling_minus_8 + 8;
  to.ar_coeff_lag = from.ar_coeff_lag;
  to.ar_coeff_shift = from.ar_coeff_shift_minus_6 + 6;
  to.grain_scale_shift = from.grain_scale_shift;
  const uint8_t* const coefficients[] = {from.ar_coeffs_y_plus_128,
                                         from.ar_coeffs_cb_plus_128,
                                         from.ar_coeffs_cr_plus_128};
  for (int i = 0; i < kComponents; ++i) {
    std::transform(coefficients[i], coefficients[i] + kGrainCoefficients,
                   to.ar_coeffs[i],
                   [](uint8_t coded) { return int8_t(coded - 128); });
  }
  to.mult[0] = from.cb_mult - 128;
  to.mult[1] = from.cr_mult - 128;
  to.luma_mult[0] = from.cb_luma_mult - 128;
  to.luma_mult[1] = from.cr_luma_mult - 128;
  to.offset[0] = from.cb_offset - 256;
  to.offset[1] = from.cr_offset - 256;
  to.bit_depth = frame.bit_depth;
  to.subsampling_x = frame.subsampling_x;
  to.subsampling_y = frame.subsampling_y;
  return to;
}

}  // namespace

v4l2_ctrl_av1_film_grain FindFilmGrain(const FrameRequest& request,
                                       const FrameState& frame) {
  v4l2_ctrl_av1_film_grain control = {};
  const Status status = ReadControl(
      request.controls, V4L2_CID_STATELESS_AV1_FILM_GRAIN, &control);
  const size_t slot = control.film_grain_params_ref_idx;
  if (!status.ok() || frame.header.frame_type != V4L2_AV1_INTER_FRAME ||
      !IsByReference(control) || slot >= kTotalRefs) {
    return control;
  }
  const auto named = DataOf(request.references[slot]);
  if (named == nullptr || named->film_grain.flags == 0) return control;
  v4l2_ctrl_av1_film_grain loaded = named->film_grain;
  loaded.grain_seed = control.grain_seed;
  return loaded;
}

Status SetUpFilmGrain(ParsedFrame& parsed, const FrameState& frame) {
  if (parsed.request.display == nullptr) return Status::Ok();
  FilmGrainParams params = Convert(frame.film_grain, frame);
  ColorConfigControl color = {kMatrixUnspecified};
  if (ReadControl(parsed.request.controls, kColorConfigControl, &color).ok())
    params.identity_matrix = color.matrix_coefficients == kMatrixIdentity;
  if (!IsValid(params)) {
    return {StatusCode::kInvalidArgument,
            "film grain parameters are outside of the ranges of 6.8.20"};
  }
  BuildFilmGrain(params,
                 parsed.tables.Resize(kFilmGrain, sizeof(FilmGrainTables)));
  return Status::Ok();
}

}  // namespace perdix::av1
