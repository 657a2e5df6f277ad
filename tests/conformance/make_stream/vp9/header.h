// SPDX-License-Identifier: BSD-2-Clause
// The uncompressed header of a frame (VP9 6.2) field by field, and its bits.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_HEADER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_HEADER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace perdix::vp9 {

// color_config
struct Format {
  uint32_t profile = 0;
  bool twelve_bit = false;  // of profiles 2 and 3
  uint32_t color_space = 0;
  bool full_range = false;
  uint32_t subsampling_x = 1, subsampling_y = 1;

  uint32_t bit_depth() const { return profile < 2 ? 8 : twelve_bit ? 12 : 10; }
};

struct Size {
  uint32_t width = 0, height = 0;
  bool operator==(const Size&) const = default;
};

struct LoopFilterFields {
  uint32_t level = 0, sharpness = 0;
  bool delta_enabled = false, delta_update = false;
  std::array<std::optional<int>, 4> ref_deltas;
  std::array<std::optional<int>, 2> mode_deltas;
};

struct SegmentationFields {
  bool enabled = false, update_map = false, temporal_update = false,
       update_data = false, absolute = false;
  std::array<std::optional<uint32_t>, 7> tree_probs;
  std::array<std::optional<uint32_t>, 3> pred_probs;
  std::array<std::array<std::optional<int>, 4>, 8> features;
};

struct Header {
  Format format;
  std::optional<uint32_t> show_existing;  // the slot; nothing below is coded
  bool key_frame = false, shown = true, error_resilient = false,
       intra_only = false;
  uint32_t reset_frame_context = 0;
  uint32_t refresh = 0;
  std::array<uint32_t, 3> references = {};  // slots
  std::array<bool, 3> sign_bias = {};
  std::optional<uint32_t> size_from;  // index of a reference
  Size size;
  std::optional<Size> render_size;
  bool high_precision_mv = false;
  std::optional<uint32_t> interpolation;  // literal_to_type's; else switchable
  bool refresh_frame_context = false, parallel = false;
  uint32_t frame_context = 0;
  LoopFilterFields loop_filter;
  uint32_t base_q_idx = 0;
  std::array<std::optional<int>, 3> delta_q;  // Y DC, UV DC, UV AC
  SegmentationFields segmentation;
  uint32_t tile_cols_log2 = 0, tile_rows_log2 = 0;
  uint32_t compressed_bytes = 0;

  bool intra() const { return key_frame || intra_only; }
};

// calc_min_log2_tile_cols, calc_max_log2_tile_cols
uint32_t MinTileColsLog2(uint32_t width);
uint32_t MaxTileColsLog2(uint32_t width);

std::vector<uint8_t> WriteHeader(const Header& header);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_HEADER_H_
