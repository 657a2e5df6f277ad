// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/frame_params.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "client/bitstream/av1/syntax.h"

namespace perdix::client::av1 {
namespace {

constexpr int kFeatures = V4L2_AV1_SEG_LVL_MAX;
// Segmentation_Feature_Bits, _Signed, _Max of 5.9.14
constexpr int kFeatureBits[kFeatures] = {8, 6, 6, 6, 6, 3, 0, 0};
constexpr bool kFeatureSigned[kFeatures] = {true, true, true, true, true};
constexpr int kFeatureMax[kFeatures] = {255, 63, 63, 63, 63, 7, 0, 0};

// RESTORATION_TILESIZE_MAX, log2
constexpr int kRestorationSizeLog2 = 8;

// su(1 + 6), if the bit before it says so
int8_t ReadDeltaQ(BitReader& reader) {
  return reader.Flag() ? int8_t(ReadSigned(reader, 7)) : int8_t{0};
}

int16_t ReadFeature(BitReader& reader, int feature) {
  const int bits = kFeatureBits[feature];
  const int most = kFeatureMax[feature];
  const int value = kFeatureSigned[feature] ? ReadSigned(reader, 1 + bits)
                                            : int(reader.Bits(bits));
  return int16_t(std::clamp(value, -most, most));
}

void ReadFeatures(BitReader& reader, v4l2_av1_segmentation& segmentation) {
  for (int i = 0; i < V4L2_AV1_MAX_SEGMENTS; ++i) {
    segmentation.feature_enabled[i] = 0;
    for (int j = 0; j < kFeatures; ++j) {
      const bool enabled = reader.Flag();
      segmentation.feature_data[i][j] = enabled ? ReadFeature(reader, j) : 0;
      if (enabled) {
        segmentation.feature_enabled[i] |= V4L2_AV1_SEGMENT_FEATURE_ENABLED(j);
      }
    }
  }
}

// SegIdPreSkip, LastActiveSegId
void SummarizeFeatures(v4l2_av1_segmentation& segmentation) {
  constexpr uint8_t kPreSkip =
      uint8_t(~0u << V4L2_AV1_SEG_LVL_REF_FRAME);  // and those behind it
  for (int i = 0; i < V4L2_AV1_MAX_SEGMENTS; ++i) {
    const uint8_t enabled = segmentation.feature_enabled[i];
    if (enabled != 0) segmentation.last_active_seg_id = uint8_t(i);
    if ((enabled & kPreSkip) != 0) {
      segmentation.flags |= V4L2_AV1_SEGMENTATION_FLAG_SEG_ID_PRE_SKIP;
    }
  }
}

uint8_t ReadSecondaryStrength(BitReader& reader) {
  const uint8_t strength = uint8_t(reader.Bits(2));
  return strength == 3 ? 4 : strength;
}

}  // namespace

void ResetLoopFilterDeltas(v4l2_av1_loop_filter& filter) {
  // INTRA, LAST, LAST2, LAST3, GOLDEN, BWDREF, ALTREF2, ALTREF
  constexpr int8_t kRefDeltas[] = {1, 0, 0, 0, -1, 0, -1, -1};
  std::copy(std::begin(kRefDeltas), std::end(kRefDeltas), filter.ref_deltas);
  std::memset(filter.mode_deltas, 0, sizeof(filter.mode_deltas));
}

void ReadQuantization(BitReader& reader, const SequenceHeader& sequence,
                      v4l2_av1_quantization& quantization) {
  const bool separate =
      sequence.Has(V4L2_AV1_SEQUENCE_FLAG_SEPARATE_UV_DELTA_Q);
  quantization.base_q_idx = uint8_t(reader.Bits(8));
  quantization.delta_q_y_dc = ReadDeltaQ(reader);
  if (!sequence.samples.monochrome) {
    const bool different = separate && reader.Flag();
    if (different)
      quantization.flags |= V4L2_AV1_QUANTIZATION_FLAG_DIFF_UV_DELTA;
    quantization.delta_q_u_dc = ReadDeltaQ(reader);
    quantization.delta_q_u_ac = ReadDeltaQ(reader);
    quantization.delta_q_v_dc =
        different ? ReadDeltaQ(reader) : quantization.delta_q_u_dc;
    quantization.delta_q_v_ac =
        different ? ReadDeltaQ(reader) : quantization.delta_q_u_ac;
  }
  if (!reader.Flag()) return;
  quantization.flags |= V4L2_AV1_QUANTIZATION_FLAG_USING_QMATRIX;
  quantization.qm_y = uint8_t(reader.Bits(4));
  quantization.qm_u = uint8_t(reader.Bits(4));
  quantization.qm_v = separate ? uint8_t(reader.Bits(4)) : quantization.qm_u;
}

void ReadSegmentation(BitReader& reader, bool has_primary_reference,
                      v4l2_av1_segmentation& segmentation) {
  segmentation.flags = 0;
  segmentation.last_active_seg_id = 0;
  if (!reader.Flag()) {
    segmentation = {};
    return;
  }
  bool update_map = true, temporal_update = false, update_data = true;
  if (has_primary_reference) {
    update_map = reader.Flag();
    temporal_update = update_map && reader.Flag();
    update_data = reader.Flag();
  }
  segmentation.flags = V4L2_AV1_SEGMENTATION_FLAG_ENABLED;
  if (update_map) {
    segmentation.flags |= V4L2_AV1_SEGMENTATION_FLAG_UPDATE_MAP;
  }
  if (temporal_update) {
    segmentation.flags |= V4L2_AV1_SEGMENTATION_FLAG_TEMPORAL_UPDATE;
  }
  if (update_data) {
    segmentation.flags |= V4L2_AV1_SEGMENTATION_FLAG_UPDATE_DATA;
    ReadFeatures(reader, segmentation);
  }
  SummarizeFeatures(segmentation);
}

void ReadDeltas(BitReader& reader, bool allow_intrabc,
                v4l2_av1_quantization& quantization,
                v4l2_av1_loop_filter& filter) {
  if (quantization.base_q_idx == 0 || !reader.Flag()) return;
  quantization.flags |= V4L2_AV1_QUANTIZATION_FLAG_DELTA_Q_PRESENT;
  quantization.delta_q_res = uint8_t(reader.Bits(2));
  if (allow_intrabc || !reader.Flag()) return;
  filter.flags |= V4L2_AV1_LOOP_FILTER_FLAG_DELTA_LF_PRESENT;
  filter.delta_lf_res = uint8_t(reader.Bits(2));
  if (reader.Flag()) filter.flags |= V4L2_AV1_LOOP_FILTER_FLAG_DELTA_LF_MULTI;
}

bool IsCodedLossless(const v4l2_av1_quantization& quantization,
                     const v4l2_av1_segmentation& segmentation) {
  if (quantization.delta_q_y_dc != 0 || quantization.delta_q_u_dc != 0 ||
      quantization.delta_q_u_ac != 0 || quantization.delta_q_v_dc != 0 ||
      quantization.delta_q_v_ac != 0) {
    return false;
  }
  for (int i = 0; i < V4L2_AV1_MAX_SEGMENTS; ++i) {
    int qindex = quantization.base_q_idx;  // get_qidx(1, i) of 7.12.2
    if (segmentation.feature_enabled[i] &
        V4L2_AV1_SEGMENT_FEATURE_ENABLED(V4L2_AV1_SEG_LVL_ALT_Q)) {
      qindex += segmentation.feature_data[i][V4L2_AV1_SEG_LVL_ALT_Q];
    }
    if (qindex > 0) return false;
  }
  return true;
}

void ReadLoopFilter(BitReader& reader, bool lossless, bool monochrome,
                    v4l2_av1_loop_filter& filter) {
  if (lossless) {
    filter.flags |= V4L2_AV1_LOOP_FILTER_FLAG_DELTA_ENABLED;
    ResetLoopFilterDeltas(filter);
    return;
  }
  filter.level[0] = uint8_t(reader.Bits(6));
  filter.level[1] = uint8_t(reader.Bits(6));
  if (!monochrome && (filter.level[0] != 0 || filter.level[1] != 0)) {
    filter.level[2] = uint8_t(reader.Bits(6));
    filter.level[3] = uint8_t(reader.Bits(6));
  }
  filter.sharpness = uint8_t(reader.Bits(3));
  if (!reader.Flag()) return;
  filter.flags |= V4L2_AV1_LOOP_FILTER_FLAG_DELTA_ENABLED;
  if (!reader.Flag()) return;
  filter.flags |= V4L2_AV1_LOOP_FILTER_FLAG_DELTA_UPDATE;
  for (int8_t& delta : filter.ref_deltas) {
    if (reader.Flag()) delta = int8_t(ReadSigned(reader, 7));
  }
  for (int8_t& delta : filter.mode_deltas) {
    if (reader.Flag()) delta = int8_t(ReadSigned(reader, 7));
  }
}

void ReadCdef(BitReader& reader, bool monochrome, v4l2_av1_cdef& cdef) {
  cdef.damping_minus_3 = uint8_t(reader.Bits(2));
  cdef.bits = uint8_t(reader.Bits(2));
  for (int i = 0; i < 1 << cdef.bits; ++i) {
    cdef.y_pri_strength[i] = uint8_t(reader.Bits(4));
    cdef.y_sec_strength[i] = ReadSecondaryStrength(reader);
    if (monochrome) continue;
    cdef.uv_pri_strength[i] = uint8_t(reader.Bits(4));
    cdef.uv_sec_strength[i] = ReadSecondaryStrength(reader);
  }
}

void ReadLoopRestoration(BitReader& reader, const SequenceHeader& sequence,
                         v4l2_av1_loop_restoration& restoration) {
  // Remap_Lr_Type
  constexpr v4l2_av1_frame_restoration_type kTypes[] = {
      V4L2_AV1_FRAME_RESTORE_NONE, V4L2_AV1_FRAME_RESTORE_SWITCHABLE,
      V4L2_AV1_FRAME_RESTORE_WIENER, V4L2_AV1_FRAME_RESTORE_SGRPROJ};
  constexpr uint8_t kLuma = V4L2_AV1_LOOP_RESTORATION_FLAG_USES_LR;
  constexpr uint8_t kChroma =
      kLuma | V4L2_AV1_LOOP_RESTORATION_FLAG_USES_CHROMA_LR;
  const FrameFormat& samples = sequence.samples;
  for (int plane = 0; plane < (samples.monochrome ? 1 : 3); ++plane) {
    const uint32_t type = reader.Bits(2);
    restoration.frame_restoration_type[plane] = kTypes[type];
    if (type != 0) restoration.flags |= plane == 0 ? kLuma : kChroma;
  }
  if (restoration.flags == 0) return;
  restoration.lr_unit_shift = reader.Flag();
  if (sequence.Has(V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK)) {
    ++restoration.lr_unit_shift;
  } else if (restoration.lr_unit_shift != 0) {
    restoration.lr_unit_shift += reader.Flag();
  }
  if (samples.subsampling_x != 0 && samples.subsampling_y != 0 &&
      restoration.flags == kChroma) {
    restoration.lr_uv_shift = reader.Flag();
  }
  const uint32_t size =
      1u << (kRestorationSizeLog2 - 2 + restoration.lr_unit_shift);
  restoration.loop_restoration_size[0] = size;
  restoration.loop_restoration_size[1] = size >> restoration.lr_uv_shift;
  restoration.loop_restoration_size[2] = size >> restoration.lr_uv_shift;
}

}  // namespace perdix::client::av1
