// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/fields.h"

#include <linux/v4l2-controls.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace perdix::vp9 {
namespace {

using make_stream::Coverage;

// ---- fields ----

template <typename T>
void AddOptional(const std::string& name, const std::optional<T>& value,
                 Coverage& coverage) {
  coverage.Field(name + "_coded", value.has_value());
  if (value) coverage.Field(name, int64_t(*value));
}

void AddFormat(const Format& format, Coverage& coverage) {
  coverage.Field("profile", format.profile);
  coverage.Field("bit_depth", format.bit_depth());
  coverage.Field("color_space", format.color_space);
  coverage.Field("color_range", format.full_range);
  coverage.Field("subsampling",
                 format.subsampling_x * 10 + format.subsampling_y);
}

void AddSize(const Header& header, Coverage& coverage) {
  const auto [width, height] = header.size;
  coverage.Field("width_mod_8", width % 8);
  coverage.Field("height_mod_8", height % 8);
  coverage.Field("width_in_superblocks", (width + 63) / 64);
  coverage.Field("height_in_superblocks", (height + 63) / 64);
  coverage.Field("render_and_frame_size_different",
                 header.render_size.has_value());
  coverage.Field("tile_cols_log2", header.tile_cols_log2);
  coverage.Field("tile_rows_log2", header.tile_rows_log2);
}

void AddKind(const Header& header, Coverage& coverage) {
  coverage.Field("frame_type", !header.key_frame);
  coverage.Field("show_frame", header.shown);
  coverage.Field("error_resilient_mode", header.error_resilient);
  coverage.Field("intra_only", header.intra_only);
  coverage.Field("reset_frame_context", header.reset_frame_context);
  coverage.Field("refresh_frame_flags", header.refresh);
  coverage.Field("refresh_frame_context", header.refresh_frame_context);
  coverage.Field("frame_parallel_decoding_mode", header.parallel);
  coverage.Field("frame_context_idx", header.frame_context);
}

void AddInter(const Header& header, Coverage& coverage) {
  AddOptional("size_from_reference", header.size_from, coverage);
  coverage.Field("allow_high_precision_mv", header.high_precision_mv);
  AddOptional("interpolation_filter", header.interpolation, coverage);
  for (size_t i = 0; i < header.references.size(); ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    coverage.Field("ref_frame_idx" + index, header.references[i]);
    coverage.Field("ref_frame_sign_bias" + index, header.sign_bias[i]);
  }
}

void AddLoopFilter(const LoopFilterFields& filter, Coverage& coverage) {
  coverage.Field("loop_filter_level", filter.level);
  coverage.Field("loop_filter_sharpness", filter.sharpness);
  coverage.Field("loop_filter_delta_enabled", filter.delta_enabled);
  if (!filter.delta_enabled) return;
  coverage.Field("loop_filter_delta_update", filter.delta_update);
  if (!filter.delta_update) return;
  for (const auto& delta : filter.ref_deltas) {
    AddOptional("loop_filter_ref_delta", delta, coverage);
  }
  for (const auto& delta : filter.mode_deltas) {
    AddOptional("loop_filter_mode_delta", delta, coverage);
  }
}

void AddQuantization(const Header& header, Coverage& coverage) {
  coverage.Field("base_q_idx", header.base_q_idx);
  AddOptional("delta_q_y_dc", header.delta_q[0], coverage);
  AddOptional("delta_q_uv_dc", header.delta_q[1], coverage);
  AddOptional("delta_q_uv_ac", header.delta_q[2], coverage);
}

void AddSegmentation(const SegmentationFields& fields, Coverage& coverage) {
  constexpr const char* kFeatures[4] = {"segment_alt_q", "segment_alt_lf",
                                        "segment_ref", "segment_skip"};
  coverage.Field("segmentation_enabled", fields.enabled);
  if (!fields.enabled) return;
  coverage.Field("segmentation_update_map", fields.update_map);
  if (fields.update_map) {
    coverage.Field("segmentation_temporal_update", fields.temporal_update);
    for (const auto& probability : fields.tree_probs) {
      AddOptional("segmentation_tree_prob", probability, coverage);
    }
  }
  if (fields.update_map && fields.temporal_update) {
    for (const auto& probability : fields.pred_probs) {
      AddOptional("segmentation_pred_prob", probability, coverage);
    }
  }
  coverage.Field("segmentation_update_data", fields.update_data);
  if (!fields.update_data) return;
  coverage.Field("segmentation_abs_or_delta_update", fields.absolute);
  for (const auto& segment : fields.features) {
    for (size_t i = 0; i < segment.size(); ++i) {
      AddOptional(kFeatures[i], segment[i], coverage);
    }
  }
}

// ---- features ----

class Features {
 public:
  void AddIf(bool has, const std::string& name) {
    if (has) names_.insert(name);
  }
  const std::set<std::string>& names() const { return names_; }

 private:
  std::set<std::string> names_;
};

void AddFormat(const Header& header, const FrameState& frame,
               Features& features) {
  constexpr const char* kSubsamplings[2][2] = {{"444", "440"}, {"422", "420"}};
  features.AddIf(true, "profile" + std::to_string(header.format.profile));
  features.AddIf(true, std::to_string(frame.bit_depth) + "bit");
  features.AddIf(true, kSubsamplings[frame.subsampling_x][frame.subsampling_y]);
  features.AddIf(header.render_size.has_value(), "render_size");
}

void AddKind(const Header& header, Features& features) {
  features.AddIf(header.key_frame, "key");
  features.AddIf(header.intra_only, "intra_only");
  features.AddIf(!header.intra(), "inter");
  features.AddIf(!header.shown, "hidden");
  features.AddIf(header.error_resilient, "resilient");
  features.AddIf(header.parallel, "parallel");
  features.AddIf(header.refresh_frame_context, "refresh_context");
  features.AddIf(header.reset_frame_context > 1, "reset_context");
  features.AddIf(header.frame_context > 0, "other_context");
  features.AddIf(header.tile_cols_log2 > 0, "tile_cols");
  features.AddIf(header.tile_rows_log2 > 0, "tile_rows");
}

void AddResidual(const Header& header, const FrameState& frame,
                 Features& features) {
  const LoopFilterFields& filter = header.loop_filter;
  features.AddIf(filter.level == 0, "unfiltered");
  features.AddIf(filter.sharpness > 0, "sharpness");
  features.AddIf(filter.delta_enabled, "filter_deltas");
  features.AddIf(frame.lossless, "lossless");
  features.AddIf(
      std::ranges::any_of(header.delta_q,
                          [](const auto& delta) { return delta.has_value(); }),
      "delta_q");
  features.AddIf(frame.compressed.tx_mode == TxMode::kSelect, "tx_select");
}

void AddSegmentation(const Segmentation& segmentation, Features& features) {
  const auto any = [&segmentation](int feature) {
    for (int i = 0; i < kSegments; ++i) {
      if (segmentation.Active(i, feature)) return true;
    }
    return false;
  };
  features.AddIf(segmentation.enabled, "segments");
  features.AddIf(segmentation.update_map, "segment_map");
  features.AddIf(segmentation.temporal_update, "segment_temporal");
  features.AddIf(segmentation.enabled && segmentation.absolute,
                 "segment_absolute");
  features.AddIf(any(V4L2_VP9_SEG_LVL_ALT_Q), "segment_q");
  features.AddIf(any(V4L2_VP9_SEG_LVL_ALT_L), "segment_filter");
  features.AddIf(any(V4L2_VP9_SEG_LVL_REF_FRAME), "segment_reference");
  features.AddIf(any(V4L2_VP9_SEG_LVL_SKIP), "segment_skip");
}

void AddInter(const Header& header, const FrameState& frame, const Slots& slots,
              Features& features) {
  const bool scaled = std::ranges::any_of(
      header.references,
      [&](uint32_t slot) { return slots[slot] != header.size; });
  const bool usable =
      std::ranges::all_of(std::span(frame.reference_valid).subspan(LAST_FRAME),
                          [](bool valid) { return valid; });
  const ReferenceMode mode = frame.compressed.reference_mode;
  features.AddIf(scaled, "scaled");
  features.AddIf(!usable, "unusable_reference");
  features.AddIf(!header.size_from, "own_size");
  features.AddIf(header.high_precision_mv, "high_precision_mv");
  features.AddIf(!header.interpolation, "switchable_filter");
  features.AddIf(frame.use_prev_frame_mvs, "previous_mvs");
  features.AddIf(mode == ReferenceMode::kCompound, "compound");
  features.AddIf(mode == ReferenceMode::kSelect, "compound_select");
}

}  // namespace

void AddFields(const Header& header, Coverage& coverage) {
  coverage.Field("show_existing_frame", header.show_existing.has_value());
  if (header.show_existing) {
    coverage.Field("frame_to_show_map_idx", *header.show_existing);
    return;
  }
  AddFormat(header.format, coverage);
  AddSize(header, coverage);
  AddKind(header, coverage);
  if (!header.intra()) AddInter(header, coverage);
  AddLoopFilter(header.loop_filter, coverage);
  AddQuantization(header, coverage);
  AddSegmentation(header.segmentation, coverage);
}

void AddFeatures(const Header& header, const FrameState& frame,
                 const Slots& slots, Coverage& coverage) {
  coverage.Field("tx_mode", int(frame.compressed.tx_mode));
  coverage.Field("reference_mode", int(frame.compressed.reference_mode));
  Features features;
  AddFormat(header, frame, features);
  AddKind(header, features);
  AddResidual(header, frame, features);
  AddSegmentation(frame.segmentation, features);
  if (!header.intra()) AddInter(header, frame, slots, features);
  coverage.Frame(features.names());
}

}  // namespace perdix::vp9
