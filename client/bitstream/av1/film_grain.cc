// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/film_grain.h"

#include <cstdint>
#include <string>

#include "client/bitstream/av1/syntax.h"

namespace perdix::client::av1 {
namespace {

constexpr uint32_t kMaxLumaPoints = 14;
constexpr uint32_t kMaxChromaPoints = 10;

class GrainParser {
 public:
  GrainParser(BitReader& reader, const FilmGrainInput& input, FilmGrain& grain)
      : reader_(reader), input_(input), grain_(grain) {}

  Status Parse() {
    if (!reader_.Flag()) return Status::Ok();
    grain_.flags = V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN;
    grain_.grain_seed = reader_.Bits(16);
    const bool update = !input_.may_refer || reader_.Flag();
    if (!update) return Load();
    grain_.flags |= V4L2_AV1_FILM_GRAIN_FLAG_UPDATE_GRAIN;
    Status status = ScalingFunctions();
    if (!status.ok()) return status;
    AutoRegression();
    ChromaMultipliers();
    ReadFlag(V4L2_AV1_FILM_GRAIN_FLAG_OVERLAP);
    ReadFlag(V4L2_AV1_FILM_GRAIN_FLAG_CLIP_TO_RESTRICTED_RANGE);
    return Status::Ok();
  }

 private:
  void ReadFlag(uint8_t flag) {
    if (reader_.Flag()) grain_.flags |= flag;
  }
  uint8_t Byte() { return uint8_t(reader_.Bits(8)); }
  bool FromLuma() const {
    return grain_.flags & V4L2_AV1_FILM_GRAIN_FLAG_CHROMA_SCALING_FROM_LUMA;
  }

  // All of that frame's parameters, whether it applies grain included, but for
  // the seed.
  Status Load() {
    const uint8_t slot = uint8_t(reader_.Bits(3));
    const FilmGrain* const loaded = input_.load(slot);
    if (loaded == nullptr) {
      return Invalid("film_grain_params_ref_idx", slot,
                     "a slot in ref_frame_idx");
    }
    const uint16_t seed = grain_.grain_seed;
    grain_ = *loaded;
    grain_.grain_seed = seed;
    grain_.film_grain_params_ref_idx = slot;
    grain_.flags &= uint8_t(~V4L2_AV1_FILM_GRAIN_FLAG_UPDATE_GRAIN);
    return Status::Ok();
  }

  Status Points(const char* name, uint32_t most, uint8_t* count,
                uint8_t* values, uint8_t* scalings) {
    *count = uint8_t(reader_.Bits(4));
    if (*count > most) {
      return Invalid(std::string("num_") + name + "_points", *count,
                     "0 to " + std::to_string(most));
    }
    for (int i = 0; i < *count; ++i) {
      values[i] = Byte();
      scalings[i] = Byte();
      if (i > 0 && values[i] <= values[i - 1]) {
        return Invalid(
            std::string("point_") + name + "_value[" + std::to_string(i) + "]",
            values[i],
            "more than " + std::to_string(values[i - 1]) + ", the one before");
      }
    }
    return Status::Ok();
  }

  Status ScalingFunctions() {
    Status status = Points("y", kMaxLumaPoints, &grain_.num_y_points,
                           grain_.point_y_value, grain_.point_y_scaling);
    if (!status.ok()) return status;
    const FrameFormat& samples = input_.samples;
    if (samples.monochrome) return status;
    ReadFlag(V4L2_AV1_FILM_GRAIN_FLAG_CHROMA_SCALING_FROM_LUMA);
    const bool both_subsampled =
        samples.subsampling_x != 0 && samples.subsampling_y != 0;
    if (FromLuma() || (both_subsampled && grain_.num_y_points == 0)) {
      return status;
    }
    status = Points("cb", kMaxChromaPoints, &grain_.num_cb_points,
                    grain_.point_cb_value, grain_.point_cb_scaling);
    if (!status.ok()) return status;
    status = Points("cr", kMaxChromaPoints, &grain_.num_cr_points,
                    grain_.point_cr_value, grain_.point_cr_scaling);
    if (!status.ok()) return status;
    if (both_subsampled &&
        (grain_.num_cb_points == 0) != (grain_.num_cr_points == 0)) {
      return Invalid("num_cr_points", grain_.num_cr_points,
                     "0 in 4:2:0 exactly where num_cb_points is 0; it is " +
                         std::to_string(grain_.num_cb_points));
    }
    return status;
  }

  void AutoRegression() {
    grain_.grain_scaling_minus_8 = uint8_t(reader_.Bits(2));
    grain_.ar_coeff_lag = uint8_t(reader_.Bits(2));
    const int lag = grain_.ar_coeff_lag;
    const int luma = 2 * lag * (lag + 1);  // at most 24
    const int chroma = grain_.num_y_points != 0 ? luma + 1 : luma;
    if (grain_.num_y_points != 0) {
      for (int i = 0; i < luma; ++i) grain_.ar_coeffs_y_plus_128[i] = Byte();
    }
    if (FromLuma() || grain_.num_cb_points != 0) {
      for (int i = 0; i < chroma; ++i) grain_.ar_coeffs_cb_plus_128[i] = Byte();
    }
    if (FromLuma() || grain_.num_cr_points != 0) {
      for (int i = 0; i < chroma; ++i) grain_.ar_coeffs_cr_plus_128[i] = Byte();
    }
    grain_.ar_coeff_shift_minus_6 = uint8_t(reader_.Bits(2));
    grain_.grain_scale_shift = uint8_t(reader_.Bits(2));
  }

  void ChromaMultipliers() {
    if (grain_.num_cb_points != 0) {
      grain_.cb_mult = Byte();
      grain_.cb_luma_mult = Byte();
      grain_.cb_offset = reader_.Bits(9);
    }
    if (grain_.num_cr_points != 0) {
      grain_.cr_mult = Byte();
      grain_.cr_luma_mult = Byte();
      grain_.cr_offset = reader_.Bits(9);
    }
  }

  BitReader& reader_;
  const FilmGrainInput& input_;
  FilmGrain& grain_;
};

}  // namespace

Status ReadFilmGrain(BitReader& reader, const FilmGrainInput& input,
                     FilmGrain* grain) {
  FilmGrain result = {};
  Status status = GrainParser(reader, input, result).Parse();
  if (status.ok()) *grain = result;
  return status;
}

}  // namespace perdix::client::av1
