// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/frame_maker.h"

#include <linux/v4l2-controls.h>

#include <utility>

#include "codec/controls.h"
#include "tests/conformance/make_stream/vp9/fields.h"
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
  AddFields(header, coverage_);
  if (header.show_existing) {
    *frame = WriteHeader(header);
    return Status::Ok();
  }
  status = Parse(parsed, draft, style);
  if (!status.ok()) return status;
  *frame = Assemble(header, parsed, draft);
  AddFeatures(header, state_.frame(), slots_, coverage_);
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

// Zeros may follow what was coded (VP9 9.2.3). Without any, ffmpeg takes a tile
// for cut off when its last bools need no byte of their own.
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
    Pad(2, &tile);
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

}  // namespace perdix::vp9
