// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/frame_params.h"

#include <algorithm>

namespace perdix::make_stream::av1 {
namespace {

using client::av1::SequenceHeader;

constexpr int kFeatures = V4L2_AV1_SEG_LVL_MAX;
// Segmentation_Feature_Bits, _Signed, _Max of 5.9.14
constexpr int kFeatureBits[kFeatures] = {8, 6, 6, 6, 6, 3, 0, 0};
constexpr bool kFeatureSigned[kFeatures] = {true, true, true, true, true};
constexpr int kFeatureMax[kFeatures] = {255, 63, 63, 63, 63, 7, 0, 0};

// read_delta_q()
int8_t WriteDeltaQ(Random& random, FieldWriter& to, const char* name,
                   bool none) {
  if (!to.Flag("delta_coded", !none && random.Percent(25))) return 0;
  const int most = random.Of({3, 20, 63});
  return int8_t(to.Signed(name, 7, random.Between(-most - (most == 63), most)));
}

uint32_t DrawBaseQIdx(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return uint32_t(random.Between(1, 20));
    case 1:
      return uint32_t(random.Between(200, 255));
    default:
      return uint32_t(random.Between(0, 255));
  }
}

// Writes and returns the value of a feature of a segment; one without bits is
// 0.
int16_t WriteFeature(Random& random, FieldWriter& to, int feature,
                     int base_q_idx) {
  constexpr const char* kNames[kFeatures] = {
      "feature_value of alt_q",      "feature_value of alt_lf_y_v",
      "feature_value of alt_lf_y_h", "feature_value of alt_lf_u",
      "feature_value of alt_lf_v",   "feature_value of ref_frame",
      "feature_value of skip",       "feature_value of globalmv"};
  const int bits = kFeatureBits[feature], most = kFeatureMax[feature];
  if (!kFeatureSigned[feature]) {
    return int16_t(to.Bits(kNames[feature], bits, random.Bits(bits)));
  }
  int value = random.Between(-most - 1, most);
  if (feature == V4L2_AV1_SEG_LVL_ALT_Q && random.Percent(30))
    value = -base_q_idx;  // lossless
  to.Signed(kNames[feature], 1 + bits, value);
  return int16_t(std::clamp(value, -most, most));
}

void WriteFeatures(Random& random, FieldWriter& to, int base_q_idx,
                   v4l2_av1_segmentation& segmentation) {
  const uint32_t segments = random.Of({10u, 50u, 90u});
  const uint32_t features = random.Of({10u, 30u, 60u});
  for (int i = 0; i < V4L2_AV1_MAX_SEGMENTS; ++i) {
    segmentation.feature_enabled[i] = 0;
    const bool any = random.Percent(segments);
    for (int j = 0; j < kFeatures; ++j) {
      constexpr const char* kEnabled[kFeatures] = {
          "alt_q",    "alt_lf_y_v", "alt_lf_y_h", "alt_lf_u",
          "alt_lf_v", "ref_frame",  "skip",       "globalmv"};
      const bool enabled =
          to.Flag(kEnabled[j], any && random.Percent(features));
      segmentation.feature_data[i][j] =
          enabled ? WriteFeature(random, to, j, base_q_idx) : int16_t{0};
      if (enabled)
        segmentation.feature_enabled[i] |= V4L2_AV1_SEGMENT_FEATURE_ENABLED(j);
    }
  }
}

}  // namespace

void WriteQuantization(Random& random, FieldWriter& to,
                       const SequenceHeader& sequence,
                       const QuantizationHabits& habits,
                       v4l2_av1_quantization& quantization) {
  const bool lossless = random.Percent(habits.lossless);
  const bool none = lossless || random.Percent(50);
  const bool separate =
      sequence.Has(V4L2_AV1_SEQUENCE_FLAG_SEPARATE_UV_DELTA_Q);
  const auto delta = [&](const char* name) {
    return WriteDeltaQ(random, to, name, none);
  };
  quantization.base_q_idx =
      uint8_t(to.Bits("base_q_idx", 8, lossless ? 0 : DrawBaseQIdx(random)));
  quantization.delta_q_y_dc = delta("delta_q_y_dc");
  if (!sequence.samples.monochrome) {
    const bool different =
        separate && to.Flag("diff_uv_delta", random.Percent(50));
    quantization.delta_q_u_dc = delta("delta_q_u_dc");
    quantization.delta_q_u_ac = delta("delta_q_u_ac");
    if (different) {
      quantization.delta_q_v_dc = delta("delta_q_v_dc");
      quantization.delta_q_v_ac = delta("delta_q_v_ac");
    } else {
      quantization.delta_q_v_dc = quantization.delta_q_u_dc;
      quantization.delta_q_v_ac = quantization.delta_q_u_ac;
    }
  }
  if (!to.Flag("using_qmatrix", random.Percent(habits.matrices))) return;
  quantization.flags |= V4L2_AV1_QUANTIZATION_FLAG_USING_QMATRIX;
  to.Bits("qm_y", 4, random.Bits(4));
  to.Bits("qm_u", 4, random.Bits(4));
  if (separate) to.Bits("qm_v", 4, random.Bits(4));
}

void WriteSegmentation(Random& random, FieldWriter& to,
                       bool has_primary_reference, uint32_t enabled,
                       int base_q_idx, v4l2_av1_segmentation& segmentation) {
  if (!to.Flag("segmentation_enabled", random.Percent(enabled))) {
    segmentation = {};
    return;
  }
  bool update_data = true;
  if (has_primary_reference) {
    if (to.Flag("segmentation_update_map", random.Percent(60)))
      to.Flag("segmentation_temporal_update", random.Percent(50));
    update_data = to.Flag("segmentation_update_data", random.Percent(50));
  }
  if (update_data) WriteFeatures(random, to, base_q_idx, segmentation);
}

void WriteDeltas(Random& random, FieldWriter& to, bool allow_intrabc,
                 uint32_t present, const v4l2_av1_quantization& quantization) {
  if (quantization.base_q_idx == 0) return;
  if (!to.Flag("delta_q_present", random.Percent(present))) return;
  to.Bits("delta_q_res", 2, random.Bits(2));
  if (allow_intrabc) return;
  if (!to.Flag("delta_lf_present", random.Percent(60))) return;
  to.Bits("delta_lf_res", 2, random.Bits(2));
  to.Flag("delta_lf_multi", random.Percent(50));
}

void WriteLoopFilter(Random& random, FieldWriter& to, bool monochrome) {
  const auto level = [&](const char* name) {
    return to.Bits(name, 6, random.Percent(20) ? 0 : random.Bits(6));
  };
  const bool none = random.Percent(10);
  const uint32_t vertical = none ? to.Bits("loop_filter_level[0]", 6, 0)
                                 : level("loop_filter_level[0]");
  const uint32_t horizontal = none ? to.Bits("loop_filter_level[1]", 6, 0)
                                   : level("loop_filter_level[1]");
  if (!monochrome && (vertical != 0 || horizontal != 0)) {
    level("loop_filter_level[2]");
    level("loop_filter_level[3]");
  }
  to.Bits("loop_filter_sharpness", 3, random.Percent(40) ? 0 : random.Bits(3));
  if (!to.Flag("loop_filter_delta_enabled", random.Percent(70))) return;
  if (!to.Flag("loop_filter_delta_update", random.Percent(50))) return;
  const auto delta = [&](const char* flag, const char* name) {
    if (to.Flag(flag, random.Percent(30)))
      to.Signed(name, 7, random.Between(-64, 63));
  };
  for (int i = 0; i < V4L2_AV1_TOTAL_REFS_PER_FRAME; ++i)
    delta("update_ref_delta", "loop_filter_ref_deltas");
  for (int i = 0; i < 2; ++i)
    delta("update_mode_delta", "loop_filter_mode_deltas");
}

void WriteCdef(Random& random, FieldWriter& to, bool monochrome) {
  to.Bits("cdef_damping_minus_3", 2, random.Bits(2));
  const uint32_t bits = to.Bits("cdef_bits", 2, random.Bits(2));
  const bool none = random.Percent(10);
  const auto strength = [&](const char* name, int count) {
    to.Bits(name, count, none || random.Percent(20) ? 0 : random.Bits(count));
  };
  for (int i = 0; i < 1 << bits; ++i) {
    strength("cdef_y_pri_strength", 4);
    strength("cdef_y_sec_strength", 2);
    if (monochrome) continue;
    strength("cdef_uv_pri_strength", 4);
    strength("cdef_uv_sec_strength", 2);
  }
}

void WriteLoopRestoration(Random& random, FieldWriter& to,
                          const SequenceHeader& sequence) {
  const client::FrameFormat& samples = sequence.samples;
  bool luma = false, chroma = false;
  constexpr const char* kTypes[] = {"lr_type of Y", "lr_type of U",
                                    "lr_type of V"};
  for (int plane = 0; plane < (samples.monochrome ? 1 : 3); ++plane) {
    const bool on = to.Bits(kTypes[plane], 2, random.Bits(2)) != 0;
    if (plane == 0) luma |= on;
    if (plane != 0) chroma |= on;
  }
  if (!luma && !chroma) return;
  const bool shift = to.Flag("lr_unit_shift", random.Percent(40));
  if (!sequence.Has(V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK) && shift)
    to.Flag("lr_unit_extra_shift", random.Percent(40));
  if (samples.subsampling_x != 0 && samples.subsampling_y != 0 && chroma)
    to.Flag("lr_uv_shift", random.Percent(50));
}

}  // namespace perdix::make_stream::av1
