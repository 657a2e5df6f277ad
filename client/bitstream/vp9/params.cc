// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/vp9/params.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace perdix::client::vp9 {
namespace {

constexpr uint8_t kMaxProbability = 255;
constexpr int kSegments = 8;
constexpr int kFeatureBits[V4L2_VP9_SEG_LVL_MAX] = {8, 6, 2, 0};
constexpr bool kFeatureSigned[V4L2_VP9_SEG_LVL_MAX] = {true, true, false,
                                                       false};
constexpr uint32_t kMinTileWidthSb = 4;  // MIN_TILE_WIDTH_B64
constexpr uint32_t kMaxTileWidthSb = 64;

// su(bits), VP9 4.10.6: the magnitude, then the sign.
int16_t Signed(BitReader& reader, int bits) {
  const int16_t magnitude = int16_t(reader.Bits(bits));
  return reader.Flag() ? int16_t(-magnitude) : magnitude;
}

void ReadProbabilities(BitReader& reader, uint8_t* probabilities, int count) {
  for (int i = 0; i < count; ++i) {
    probabilities[i] =
        reader.Flag() ? uint8_t(reader.Bits(8)) : kMaxProbability;
  }
}

void ReadSegmentationMap(BitReader& reader, v4l2_vp9_segmentation& seg) {
  ReadProbabilities(reader, seg.tree_probs, std::size(seg.tree_probs));
  std::fill(std::begin(seg.pred_probs), std::end(seg.pred_probs),
            kMaxProbability);
  if (!reader.Flag()) return;
  seg.flags |= V4L2_VP9_SEGMENTATION_FLAG_TEMPORAL_UPDATE;
  ReadProbabilities(reader, seg.pred_probs, std::size(seg.pred_probs));
}

void ReadSegmentFeatures(BitReader& reader, v4l2_vp9_segmentation& seg) {
  seg.flags &= uint8_t(~V4L2_VP9_SEGMENTATION_FLAG_ABS_OR_DELTA_UPDATE);
  if (reader.Flag()) {
    seg.flags |= V4L2_VP9_SEGMENTATION_FLAG_ABS_OR_DELTA_UPDATE;
  }
  std::memset(seg.feature_data, 0, sizeof(seg.feature_data));
  std::memset(seg.feature_enabled, 0, sizeof(seg.feature_enabled));
  for (int segment = 0; segment < kSegments; ++segment) {
    for (int feature = 0; feature < V4L2_VP9_SEG_LVL_MAX; ++feature) {
      if (!reader.Flag()) continue;
      seg.feature_enabled[segment] |= V4L2_VP9_SEGMENT_FEATURE_ENABLED(feature);
      const int bits = kFeatureBits[feature];
      seg.feature_data[segment][feature] = kFeatureSigned[feature]
                                               ? Signed(reader, bits)
                                               : int16_t(reader.Bits(bits));
    }
  }
}

int8_t ReadDeltaQ(BitReader& reader) {
  return reader.Flag() ? int8_t(Signed(reader, 4)) : int8_t{0};
}

}  // namespace

void ResetLoopFilterDeltas(v4l2_vp9_loop_filter& filter) {
  constexpr int8_t kRefDeltas[] = {1, 0, -1, -1};
  std::copy(std::begin(kRefDeltas), std::end(kRefDeltas), filter.ref_deltas);
  std::memset(filter.mode_deltas, 0, sizeof(filter.mode_deltas));
}

void ResetSegmentFeatures(v4l2_vp9_segmentation& seg) {
  seg = {};
  std::fill(std::begin(seg.tree_probs), std::end(seg.tree_probs),
            kMaxProbability);
  std::fill(std::begin(seg.pred_probs), std::end(seg.pred_probs),
            kMaxProbability);
}

void ReadLoopFilter(BitReader& reader, v4l2_vp9_loop_filter& filter) {
  filter.level = uint8_t(reader.Bits(6));
  filter.sharpness = uint8_t(reader.Bits(3));
  filter.flags = 0;
  if (!reader.Flag()) return;
  filter.flags |= V4L2_VP9_LOOP_FILTER_FLAG_DELTA_ENABLED;
  if (!reader.Flag()) return;
  filter.flags |= V4L2_VP9_LOOP_FILTER_FLAG_DELTA_UPDATE;
  for (int8_t& delta : filter.ref_deltas) {
    if (reader.Flag()) delta = int8_t(Signed(reader, 6));
  }
  for (int8_t& delta : filter.mode_deltas) {
    if (reader.Flag()) delta = int8_t(Signed(reader, 6));
  }
}

void ReadSegmentation(BitReader& reader, v4l2_vp9_segmentation& seg) {
  seg.flags &= V4L2_VP9_SEGMENTATION_FLAG_ABS_OR_DELTA_UPDATE;
  if (!reader.Flag()) return;
  seg.flags |= V4L2_VP9_SEGMENTATION_FLAG_ENABLED;
  if (reader.Flag()) {
    seg.flags |= V4L2_VP9_SEGMENTATION_FLAG_UPDATE_MAP;
    ReadSegmentationMap(reader, seg);
  }
  if (reader.Flag()) {
    seg.flags |= V4L2_VP9_SEGMENTATION_FLAG_UPDATE_DATA;
    ReadSegmentFeatures(reader, seg);
  }
}

void ReadQuantization(BitReader& reader, v4l2_vp9_quantization& quantization) {
  quantization.base_q_idx = uint8_t(reader.Bits(8));
  quantization.delta_q_y_dc = ReadDeltaQ(reader);
  quantization.delta_q_uv_dc = ReadDeltaQ(reader);
  quantization.delta_q_uv_ac = ReadDeltaQ(reader);
}

void ReadTileInfo(BitReader& reader, uint32_t width,
                  v4l2_ctrl_vp9_frame& control) {
  const uint32_t sb_cols = (width + 63) / 64;
  uint8_t log2 = 0;  // calc_min_log2_tile_cols
  while ((kMaxTileWidthSb << log2) < sb_cols) ++log2;
  uint8_t max_log2 = 1;  // calc_max_log2_tile_cols
  while ((sb_cols >> max_log2) >= kMinTileWidthSb) ++max_log2;
  --max_log2;
  while (log2 < max_log2 && reader.Flag()) ++log2;
  control.tile_cols_log2 = log2;
  control.tile_rows_log2 = reader.Flag();
  if (control.tile_rows_log2) control.tile_rows_log2 += reader.Flag();
}

}  // namespace perdix::client::vp9
