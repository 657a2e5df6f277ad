// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/frame_maker.h"

#include <linux/v4l2-controls.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "codec/controls.h"
#include "tests/conformance/make_stream/vp9/symbols.h"

namespace perdix::vp9 {
namespace {

using client::vp9::FrameHeader;

constexpr size_t kTileSizeBytes = 4;
constexpr uint32_t kTxModeSelect = 0b111;  // tx_mode, tx_mode_select

void Append(std::span<const uint8_t> bytes, std::vector<uint8_t>* to) {
  to->insert(to->end(), bytes.begin(), bytes.end());
}

void AppendTileSize(size_t size, std::vector<uint8_t>* to) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    to->push_back(uint8_t(size >> shift));
  }
}

// A frame whose compressed header and tiles have a byte each, for the parser to
// find where they would be.
std::vector<uint8_t> Draft(Header header) {
  header.compressed_bytes = 1;
  std::vector<uint8_t> draft = WriteHeader(header);
  draft.push_back(0);
  const int tiles = 1 << (header.tile_cols_log2 + header.tile_rows_log2);
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles) AppendTileSize(1, &draft);
    draft.push_back(0);
  }
  return draft;
}

bool IsLossless(const FrameHeader& header) {
  const v4l2_vp9_quantization& quant = header.control.quant;
  return quant.base_q_idx == 0 && quant.delta_q_y_dc == 0 &&
         quant.delta_q_uv_dc == 0 && quant.delta_q_uv_ac == 0;
}

// What ends in 0b110xxxxx would be taken for the end of a superframe.
bool LooksLikeSuperframe(uint8_t last) { return (last & 0xe0) == 0xc0; }

}  // namespace

Status FrameMaker::Make(Header header, const Style& style,
                        std::vector<uint8_t>* frame) {
  const std::vector<uint8_t> draft = Draft(header);
  FrameHeader parsed;
  Status status = headers_.Parse(draft, &parsed);
  if (!status.ok()) return status;
  if (header.show_existing) {
    coverage_.Field("show_existing_frame", 1);
    coverage_.Field("frame_to_show_map_idx", *header.show_existing);
    *frame = WriteHeader(header);
    return Status::Ok();
  }
  status = Parse(parsed, draft, style);
  if (!status.ok()) return status;
  *frame = Assemble(header, parsed, draft);
  CoverFields(header);
  CoverFrame(header);
  Keep(parsed);
  return Status::Ok();
}

Status FrameMaker::Parse(const FrameHeader& header,
                         std::span<const uint8_t> draft, const Style& style) {
  FrameRequest request;
  AppendControl(V4L2_CID_STATELESS_VP9_FRAME, header.control,
                &request.controls);
  request.bitstream = draft;
  const client::FrameFormat& format = header.format;
  request.target = NewHeapPicture(format.width, format.height, format.bit_depth,
                                  format.subsampling_x, format.subsampling_y);
  for (size_t i = 0; i < header.references.size() && !header.intra; ++i) {
    request.references[i] = pictures_[header.references[i]];
  }
  parsed_.Reset(std::move(request));
  choices_.BeginFrame(style);
  if (!IsLossless(header) && random_.OneIn(3)) {
    choices_.Plan(kTxModeSelect, 3);
  }
  Status status = state_.Begin(parsed_);
  if (!status.ok()) return status;
  choices_.BeginTiles(state_.frame());
  status = ParseRows();
  if (!status.ok()) return status;
  AddSymbols(state_.CountSymbols(parsed_), coverage_);
  state_.End(parsed_);
  return Status::Ok();
}

Status FrameMaker::ParseRows() {
  for (uint32_t row = 0; row < parsed_.params.sb_rows; ++row) {
    for (uint32_t col = 0; col < parsed_.tile_cols; ++col) {
      parsed_.tiles[col].BeginRow(row);
      Status status = state_.ParseRow(parsed_, col, row);
      if (!status.ok()) return status;
    }
  }
  return Status::Ok();
}

// Zeros may follow what was coded (VP9 9.2.3).
void FrameMaker::Pad(uint32_t one_in, std::vector<uint8_t>* bytes) {
  if (random_.OneIn(one_in)) {
    bytes->resize(bytes->size() + 1 + random_.Below(4));
  }
}

std::vector<uint8_t> FrameMaker::Assemble(Header& header,
                                          const FrameHeader& parsed,
                                          std::span<const uint8_t> draft) {
  const uint8_t* part = draft.data() + parsed.uncompressed_bytes;
  std::vector<uint8_t> compressed = choices_.Bytes(part++);
  Pad(16, &compressed);
  header.compressed_bytes = uint32_t(compressed.size());
  std::vector<uint8_t> frame = WriteHeader(header);
  Append(compressed, &frame);
  const int tiles = 1 << (header.tile_cols_log2 + header.tile_rows_log2);
  for (int i = 0; i < tiles; ++i, ++part) {
    const bool last = i + 1 == tiles;
    if (!last) part += kTileSizeBytes;
    std::vector<uint8_t> tile = choices_.Bytes(part);
    Pad(8, &tile);
    if (!last) AppendTileSize(tile.size(), &frame);
    Append(tile, &frame);
  }
  if (LooksLikeSuperframe(frame.back())) frame.push_back(0);
  return frame;
}

void FrameMaker::Keep(const FrameHeader& header) {
  for (size_t i = 0; i < pictures_.size(); ++i) {
    if (!(header.refresh_frame_flags >> i & 1)) continue;
    pictures_[i] = parsed_.request.target;
    slots_[i] = {header.format.width, header.format.height};
  }
}

// ---- coverage ----

void FrameMaker::CoverFields(const Header& header) {
  const auto field = [this](const char* name, int64_t value) {
    coverage_.Field(name, value);
  };
  const auto optional = [&](const char* name, const auto& value) {
    field((std::string(name) + "_coded").c_str(), value.has_value());
    if (value) field(name, int64_t(*value));
  };
  field("show_existing_frame", 0);
  field("profile", header.format.profile);
  field("bit_depth", header.format.bit_depth());
  field("frame_type", !header.key_frame);
  field("show_frame", header.shown);
  field("error_resilient_mode", header.error_resilient);
  field("intra_only", header.intra_only);
  field("reset_frame_context", header.reset_frame_context);
  field("color_space", header.format.color_space);
  field("color_range", header.format.full_range);
  field("subsampling",
        header.format.subsampling_x * 10 + header.format.subsampling_y);
  field("refresh_frame_flags", header.refresh);
  field("width_mod_8", header.size.width % 8);
  field("height_mod_8", header.size.height % 8);
  field("width_in_superblocks", (header.size.width + 63) / 64);
  field("height_in_superblocks", (header.size.height + 63) / 64);
  field("render_and_frame_size_different", header.render_size.has_value());
  field("refresh_frame_context", header.refresh_frame_context);
  field("frame_parallel_decoding_mode", header.parallel);
  field("frame_context_idx", header.frame_context);
  if (!header.intra()) {
    optional("size_from_reference", header.size_from);
    field("allow_high_precision_mv", header.high_precision_mv);
    optional("interpolation_filter", header.interpolation);
    for (size_t i = 0; i < 3; ++i) {
      field("ref_frame_idx", header.references[i]);
      field("ref_frame_sign_bias", int64_t(i) * 2 + header.sign_bias[i]);
    }
  }
  const LoopFilterFields& filter = header.loop_filter;
  field("loop_filter_level", filter.level);
  field("loop_filter_sharpness", filter.sharpness);
  field("loop_filter_delta_enabled", filter.delta_enabled);
  if (filter.delta_enabled) {
    field("loop_filter_delta_update", filter.delta_update);
    for (const auto& delta : filter.ref_deltas) optional("ref_delta", delta);
    for (const auto& delta : filter.mode_deltas) optional("mode_delta", delta);
  }
  field("base_q_idx", header.base_q_idx);
  optional("delta_q_y_dc", header.delta_q[0]);
  optional("delta_q_uv_dc", header.delta_q[1]);
  optional("delta_q_uv_ac", header.delta_q[2]);
  const SegmentationFields& segments = header.segmentation;
  field("segmentation_enabled", segments.enabled);
  if (segments.enabled) {
    field("segmentation_update_map", segments.update_map);
    field("segmentation_temporal_update", segments.temporal_update);
    field("segmentation_update_data", segments.update_data);
    field("segmentation_abs_or_delta_update", segments.absolute);
    constexpr const char* kFeatures[4] = {"segment_alt_q", "segment_alt_lf",
                                          "segment_ref", "segment_skip"};
    for (const auto& segment : segments.features) {
      for (size_t i = 0; i < 4; ++i) optional(kFeatures[i], segment[i]);
    }
  }
  field("tile_cols_log2", header.tile_cols_log2);
  field("tile_rows_log2", header.tile_rows_log2);
  field("tx_mode", int(state_.frame().compressed.tx_mode));
  field("reference_mode", int(state_.frame().compressed.reference_mode));
}

void FrameMaker::CoverFrame(const Header& header) {
  const FrameState& frame = state_.frame();
  std::set<std::string> features;
  const auto add = [&features](bool has, const std::string& name) {
    if (has) features.insert(name);
  };
  const auto segments = [&frame](int feature) {
    for (int i = 0; i < kSegments; ++i) {
      if (frame.segmentation.Active(i, feature)) return true;
    }
    return false;
  };
  features.insert("profile" + std::to_string(header.format.profile));
  features.insert(std::to_string(frame.bit_depth) + "bit");
  features.insert(header.key_frame    ? "key"
                  : header.intra_only ? "intra_only"
                                      : "inter");
  constexpr const char* kSubsamplings[2][2] = {{"444", "440"}, {"422", "420"}};
  features.insert(kSubsamplings[frame.subsampling_x][frame.subsampling_y]);
  add(!header.shown, "hidden");
  add(header.error_resilient, "resilient");
  add(header.parallel, "parallel");
  add(header.refresh_frame_context, "refresh_context");
  add(header.reset_frame_context > 1, "reset_context");
  add(header.frame_context > 0, "other_context");
  add(header.render_size.has_value(), "render_size");
  add(frame.lossless, "lossless");
  add(header.loop_filter.level == 0, "unfiltered");
  add(header.loop_filter.sharpness > 0, "sharpness");
  add(header.loop_filter.delta_enabled, "filter_deltas");
  add(std::ranges::any_of(header.delta_q,
                          [](const auto& delta) { return delta.has_value(); }),
      "delta_q");
  add(header.tile_cols_log2 > 0, "tile_cols");
  add(header.tile_rows_log2 > 0, "tile_rows");
  add(frame.compressed.tx_mode == TxMode::kSelect, "tx_select");
  add(frame.segmentation.enabled, "segments");
  add(frame.segmentation.update_map, "segment_map");
  add(frame.segmentation.temporal_update, "segment_temporal");
  add(frame.segmentation.enabled && frame.segmentation.absolute,
      "segment_absolute");
  add(segments(V4L2_VP9_SEG_LVL_ALT_Q), "segment_q");
  add(segments(V4L2_VP9_SEG_LVL_ALT_L), "segment_filter");
  add(segments(V4L2_VP9_SEG_LVL_REF_FRAME), "segment_reference");
  add(segments(V4L2_VP9_SEG_LVL_SKIP), "segment_skip");
  if (!header.intra()) {
    const bool scaled = std::ranges::any_of(
        header.references,
        [&](uint32_t slot) { return slots_[slot] != header.size; });
    add(scaled, "scaled");
    add(!std::ranges::all_of(std::span(frame.reference_valid).subspan(1),
                             [](bool valid) { return valid; }),
        "unusable_reference");
    add(!header.size_from, "own_size");
    add(header.high_precision_mv, "high_precision_mv");
    add(!header.interpolation, "switchable_filter");
    add(frame.use_prev_frame_mvs, "previous_mvs");
    add(frame.compressed.reference_mode == ReferenceMode::kCompound,
        "compound");
    add(frame.compressed.reference_mode == ReferenceMode::kSelect,
        "compound_select");
  }
  coverage_.Frame(features);
}

}  // namespace perdix::vp9
