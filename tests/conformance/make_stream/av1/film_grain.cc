// SPDX-License-Identifier: BSD-2-Clause
// film_grain_params() (5.9.30).
#include <algorithm>

#include "tests/conformance/make_stream/av1/frame_params.h"

namespace perdix::make_stream::av1 {
namespace {

class GrainWriter {
 public:
  GrainWriter(Random& random, FieldWriter& to,
              const client::FrameFormat& samples)
      : random_(random), to_(to), samples_(samples) {}

  void Write() {
    ScalingFunctions();
    AutoRegression();
    Multipliers("cb_mult", "cb_luma_mult", "cb_offset", cb_);
    Multipliers("cr_mult", "cr_luma_mult", "cr_offset", cr_);
    to_.Flag("overlap_flag", random_.Percent(50));
    to_.Flag("clip_to_restricted_range", random_.Percent(50));
  }

 private:
  // Values ascend. Returns how many.
  uint32_t Points(const char* count_name, const char* name, uint32_t count) {
    to_.Bits(count_name, 4, count);
    uint32_t least = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t room = 256 - (count - i - 1) - least;
      const uint32_t value =
          least + random_.Below(std::max(room / (count - i), 1u));
      to_.Bits(name, 8, value);
      to_.Bits("point_scaling", 8, random_.Bits(8));
      least = value + 1;
    }
    return count;
  }

  void ScalingFunctions() {
    y_ = Points("num_y_points", "point_y_value",
                random_.Percent(20) ? 0 : random_.Below(15));
    if (samples_.monochrome) return;
    from_luma_ = to_.Flag("chroma_scaling_from_luma", random_.Percent(25));
    const bool is_420 =
        samples_.subsampling_x != 0 && samples_.subsampling_y != 0;
    if (from_luma_ || (is_420 && y_ == 0)) return;
    const auto draw = [&] {
      return random_.Percent(25) ? 0 : random_.Below(11);
    };
    cb_ = Points("num_cb_points", "point_cb_value", draw());
    uint32_t cr = draw();
    // 6.8.20: in 4:2:0 both or none
    if (is_420 && (cr == 0) != (cb_ == 0)) cr = cb_ == 0 ? 0 : 1;
    cr_ = Points("num_cr_points", "point_cr_value", cr);
  }

  void Coefficients(const char* name, uint32_t count) {
    const uint32_t around = random_.Of({4u, 16u, 256u});
    for (uint32_t i = 0; i < count; ++i)
      to_.Bits(name, 8, 128 - around / 2 + random_.Below(around));
  }

  void AutoRegression() {
    to_.Bits("grain_scaling_minus_8", 2, random_.Bits(2));
    const uint32_t lag = to_.Bits("ar_coeff_lag", 2, random_.Bits(2));
    const uint32_t luma = 2 * lag * (lag + 1);
    const uint32_t chroma = y_ != 0 ? luma + 1 : luma;
    if (y_ != 0) Coefficients("ar_coeffs_y_plus_128", luma);
    if (from_luma_ || cb_ != 0) Coefficients("ar_coeffs_cb_plus_128", chroma);
    if (from_luma_ || cr_ != 0) Coefficients("ar_coeffs_cr_plus_128", chroma);
    to_.Bits("ar_coeff_shift_minus_6", 2, random_.Bits(2));
    to_.Bits("grain_scale_shift", 2, random_.Bits(2));
  }

  void Multipliers(const char* mult, const char* luma_mult, const char* offset,
                   uint32_t points) {
    if (points == 0) return;
    to_.Bits(mult, 8, random_.Bits(8));
    to_.Bits(luma_mult, 8, random_.Bits(8));
    to_.Bits(offset, 9, random_.Bits(9));
  }

  Random& random_;
  FieldWriter& to_;
  const client::FrameFormat& samples_;
  bool from_luma_ = false;
  uint32_t y_ = 0, cb_ = 0, cr_ = 0;  // points
};

}  // namespace

void WriteFilmGrain(Random& random, FieldWriter& to,
                    const client::FrameFormat& samples, uint32_t apply,
                    bool may_refer, const client::av1::SlotOfReference& refs) {
  if (!to.Flag("apply_grain", random.Percent(apply))) return;
  to.Bits("grain_seed", 16, random.Bits(16));
  if (may_refer && !to.Flag("update_grain", random.Percent(70))) {
    to.Bits("film_grain_params_ref_idx", 3,
            refs[random.Below(uint32_t(refs.size()))]);
    return;
  }
  GrainWriter(random, to, samples).Write();
}

}  // namespace perdix::make_stream::av1
