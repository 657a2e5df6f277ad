// SPDX-License-Identifier: BSD-2-Clause
// In the order of the syntax tables of VP9 6.2.
#include "tests/conformance/make_stream/vp9/header.h"

#include <cstdlib>

#include "tests/client/vp9/header_writer.h"

namespace perdix::vp9 {
namespace {

using client::vp9::BitWriter;

constexpr uint32_t kRgb = 7;
constexpr int kFeatureBits[4] = {8, 6, 2, 0};

void Flag(BitWriter& out, bool flag) { out.Bits(flag, 1); }

// su(bits)
void Signed(BitWriter& out, int value, int bits) {
  out.Bits(uint32_t(std::abs(value)), bits);
  Flag(out, value < 0);
}
void OptionalSigned(BitWriter& out, std::optional<int> value, int bits) {
  Flag(out, value.has_value());
  if (value) Signed(out, *value, bits);
}

void WriteSync(BitWriter& out) { out.Bits(0x498342, 24); }

void WriteColorConfig(BitWriter& out, const Format& format) {
  if (format.profile >= 2) Flag(out, format.twelve_bit);
  out.Bits(format.color_space, 3);
  const bool rgb = format.color_space == kRgb;
  if (!rgb) Flag(out, format.full_range);
  if (format.profile % 2 == 0) return;
  if (!rgb) out.Bits(format.subsampling_x, 1).Bits(format.subsampling_y, 1);
  Flag(out, false);  // reserved_zero
}

void WriteSize(BitWriter& out, const Size& size) {
  out.Bits(size.width - 1, 16).Bits(size.height - 1, 16);
}

void WriteRenderSize(BitWriter& out, const std::optional<Size>& size) {
  Flag(out, size.has_value());
  if (size) WriteSize(out, *size);
}

void WriteReferences(BitWriter& out, const Header& header) {
  for (size_t i = 0; i < header.references.size(); ++i) {
    out.Bits(header.references[i], 3);
    Flag(out, header.sign_bias[i]);
  }
}

// frame_size_with_refs
void WriteSizeWithReferences(BitWriter& out, const Header& header) {
  const uint32_t flags = uint32_t(header.references.size());
  for (uint32_t i = 0; i < header.size_from.value_or(flags); ++i) {
    Flag(out, false);
  }
  if (header.size_from) {
    Flag(out, true);
  } else {
    WriteSize(out, header.size);
  }
  WriteRenderSize(out, header.render_size);
}

void WriteInter(BitWriter& out, const Header& header) {
  out.Bits(header.refresh, 8);
  WriteReferences(out, header);
  WriteSizeWithReferences(out, header);
  Flag(out, header.high_precision_mv);
  Flag(out, !header.interpolation);
  if (header.interpolation) out.Bits(*header.interpolation, 2);
}

void WriteKey(BitWriter& out, const Header& header) {
  WriteSync(out);
  WriteColorConfig(out, header.format);
  WriteSize(out, header.size);
  WriteRenderSize(out, header.render_size);
}

void WriteIntraOnly(BitWriter& out, const Header& header) {
  WriteSync(out);
  if (header.format.profile > 0) WriteColorConfig(out, header.format);
  out.Bits(header.refresh, 8);
  WriteSize(out, header.size);
  WriteRenderSize(out, header.render_size);
}

void WriteKind(BitWriter& out, const Header& header) {
  Flag(out, !header.key_frame);
  Flag(out, header.shown);
  Flag(out, header.error_resilient);
  if (header.key_frame) return WriteKey(out, header);
  if (!header.shown) Flag(out, header.intra_only);
  if (!header.error_resilient) out.Bits(header.reset_frame_context, 2);
  return header.intra_only ? WriteIntraOnly(out, header)
                           : WriteInter(out, header);
}

void WriteFrameContext(BitWriter& out, const Header& header) {
  if (!header.error_resilient) {
    Flag(out, header.refresh_frame_context);
    Flag(out, header.parallel);
  }
  out.Bits(header.frame_context, 2);
}

void WriteLoopFilter(BitWriter& out, const LoopFilterFields& fields) {
  out.Bits(fields.level, 6).Bits(fields.sharpness, 3);
  Flag(out, fields.delta_enabled);
  if (!fields.delta_enabled) return;
  Flag(out, fields.delta_update);
  if (!fields.delta_update) return;
  for (const auto& delta : fields.ref_deltas) OptionalSigned(out, delta, 6);
  for (const auto& delta : fields.mode_deltas) OptionalSigned(out, delta, 6);
}

void WriteQuantization(BitWriter& out, const Header& header) {
  out.Bits(header.base_q_idx, 8);
  for (const auto& delta : header.delta_q) OptionalSigned(out, delta, 4);
}

template <typename Probabilities>
void WriteProbabilities(BitWriter& out, const Probabilities& probabilities) {
  for (const auto& probability : probabilities) {
    Flag(out, probability.has_value());
    if (probability) out.Bits(*probability, 8);
  }
}

void WriteSegmentFeatures(BitWriter& out, const SegmentationFields& fields) {
  Flag(out, fields.absolute);
  for (const auto& segment : fields.features) {
    for (size_t i = 0; i < segment.size(); ++i) {
      Flag(out, segment[i].has_value());
      if (!segment[i]) continue;
      if (i < 2) {
        Signed(out, *segment[i], kFeatureBits[i]);
      } else {
        out.Bits(uint32_t(*segment[i]), kFeatureBits[i]);
      }
    }
  }
}

void WriteSegmentation(BitWriter& out, const SegmentationFields& fields) {
  Flag(out, fields.enabled);
  if (!fields.enabled) return;
  Flag(out, fields.update_map);
  if (fields.update_map) {
    WriteProbabilities(out, fields.tree_probs);
    Flag(out, fields.temporal_update);
    if (fields.temporal_update) WriteProbabilities(out, fields.pred_probs);
  }
  Flag(out, fields.update_data);
  if (fields.update_data) WriteSegmentFeatures(out, fields);
}

void WriteTiles(BitWriter& out, const Header& header) {
  const uint32_t most = MaxTileColsLog2(header.size.width);
  for (uint32_t log2 = MinTileColsLog2(header.size.width); log2 < most;
       ++log2) {
    Flag(out, log2 < header.tile_cols_log2);
    if (log2 == header.tile_cols_log2) break;
  }
  Flag(out, header.tile_rows_log2 > 0);
  if (header.tile_rows_log2 > 0) Flag(out, header.tile_rows_log2 > 1);
}

}  // namespace

uint32_t MinTileColsLog2(uint32_t width) {
  uint32_t log2 = 0;
  while ((64u << log2) < (width + 63) / 64) ++log2;
  return log2;
}

uint32_t MaxTileColsLog2(uint32_t width) {
  uint32_t log2 = 1;
  while (((width + 63) / 64) >> log2 >= 4) ++log2;
  return log2 - 1;
}

std::vector<uint8_t> WriteHeader(const Header& header) {
  const uint32_t profile = header.format.profile;
  BitWriter out;
  out.Bits(2, 2).Bits(profile & 1, 1).Bits(profile >> 1, 1);
  if (profile == 3) Flag(out, false);
  Flag(out, header.show_existing.has_value());
  if (header.show_existing) {
    return out.Bits(*header.show_existing, 3).bytes();
  }
  WriteKind(out, header);
  WriteFrameContext(out, header);
  WriteLoopFilter(out, header.loop_filter);
  WriteQuantization(out, header);
  WriteSegmentation(out, header.segmentation);
  WriteTiles(out, header);
  return out.Bits(header.compressed_bytes, 16).bytes();
}

}  // namespace perdix::vp9
