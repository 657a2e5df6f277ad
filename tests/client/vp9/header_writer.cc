// SPDX-License-Identifier: BSD-2-Clause
#include "tests/client/vp9/header_writer.h"

namespace perdix::client::vp9 {
namespace {

void WriteSync(BitWriter& out) { out.Bits(0x498342, 24); }

void WriteColor(BitWriter& out, const TestHeader& header) {
  constexpr uint32_t kRgb = 7;
  if (header.profile >= 2) out.Bits(header.twelve_bit, 1);
  out.Bits(header.color_space, 3);
  if (header.color_space != kRgb) out.Bits(0, 1);  // color_range
  if (header.profile % 2 == 0) return;
  if (header.color_space != kRgb) {
    out.Bits(header.subsampling_x, 1).Bits(header.subsampling_y, 1);
  }
  out.Bits(0, 1);  // reserved_zero
}

void WriteSize(BitWriter& out, const TestHeader& header) {
  out.Bits(header.width - 1, 16).Bits(header.height - 1, 16);
}

void WriteRenderSize(BitWriter& out) { out.Bits(0, 1); }

void WriteInter(BitWriter& out, const TestHeader& header) {
  out.Bits(header.refresh, 8);
  for (int i = 0; i < 3; ++i) {
    out.Bits(header.references[i], 3).Bits(header.sign_bias[i], 1);
  }
  for (int i = 0; i < 3 && (i == 0 || i - 1 != header.size_from); ++i) {
    out.Bits(i == header.size_from, 1);
  }
  if (header.size_from < 0) WriteSize(out, header);
  WriteRenderSize(out);
  out.Bits(1, 1);  // allow_high_precision_mv
  out.Bits(header.interpolation == 4, 1);
  if (header.interpolation != 4) out.Bits(header.interpolation, 2);
}

void WriteKind(BitWriter& out, const TestHeader& header) {
  if (header.key_frame) {
    WriteSync(out);
    WriteColor(out, header);
    WriteSize(out, header);
    WriteRenderSize(out);
    return;
  }
  if (!header.shown) out.Bits(header.intra_only, 1);
  if (!header.error_resilient) out.Bits(header.reset_frame_context, 2);
  if (!header.intra_only) return WriteInter(out, header);
  WriteSync(out);
  if (header.profile > 0) WriteColor(out, header);
  out.Bits(header.refresh, 8);
  WriteSize(out, header);
  WriteRenderSize(out);
}

}  // namespace

std::vector<uint8_t> WriteHeader(const TestHeader& header) {
  BitWriter out;
  out.Bits(2, 2).Bits(header.profile & 1, 1).Bits(header.profile >> 1, 1);
  if (header.profile == 3) out.Bits(0, 1);
  out.Bits(0, 1);  // show_existing_frame
  out.Bits(!header.key_frame, 1).Bits(header.shown, 1);
  out.Bits(header.error_resilient, 1);
  WriteKind(out, header);
  if (!header.error_resilient) out.Bits(1, 1).Bits(0, 1);
  out.Bits(header.frame_context, 2);
  if (header.loop_filter) {
    header.loop_filter(out);
  } else {
    out.Bits(0, 6).Bits(0, 3).Bits(0, 1);
  }
  out.Bits(60, 8).Bits(0, 3);  // base_q_idx, no deltas
  if (header.segmentation) {
    header.segmentation(out);
  } else {
    out.Bits(0, 1);
  }
  if (header.tiles) {
    header.tiles(out);
  } else {
    if (header.width >= 512) out.Bits(0, 1);
    out.Bits(0, 1);
  }
  out.Bits(header.compressed_bytes, 16);
  return out.bytes();
}

std::vector<uint8_t> WriteFrame(const TestHeader& header) {
  std::vector<uint8_t> frame = WriteHeader(header);
  frame.resize(frame.size() + header.compressed_bytes + 1);
  return frame;
}

std::vector<uint8_t> WriteShowExisting(uint32_t slot) {
  return BitWriter().Bits(2, 2).Bits(0, 2).Bits(1, 1).Bits(slot, 3).bytes();
}

}  // namespace perdix::client::vp9
