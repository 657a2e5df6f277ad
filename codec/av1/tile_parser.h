// SPDX-License-Identifier: BSD-2-Clause
// What a frame asks of the parser of a tile column.
#ifndef PERDIX_CODEC_AV1_TILE_PARSER_H_
#define PERDIX_CODEC_AV1_TILE_PARSER_H_

#include <cstdint>
#include <memory>
#include <span>

#include "codec/av1/cdf.h"
#include "codec/av1/frame_state.h"
#include "codec/parsed_frame.h"

namespace perdix::av1 {

class TileParser {
 public:
  virtual ~TileParser() = default;
  // Before the first row of a frame. tile_col: of the frame.
  virtual void BeginFrame(FrameState* frame, ParsedFrame* parsed,
                          int tile_col) = 0;
  // Before the first row of each tile of the column. The data must stay
  // readable until its last row. False: too short for its first symbol.
  virtual bool BeginTile(int tile_row, std::span<const uint8_t> data) = 0;
  virtual Status DecodeRow(uint32_t sb_row) = 0;
  // After the last row of a tile: exit_symbol (8.2.4). Its CDFs with counters
  // 0; null: not wanted. Fails if the data is damaged: its end shows that.
  virtual Status EndTile(CdfContext* cdfs) = 0;
  // Completes the edges between the tile column and the one before in a
  // superblock row that both have parsed.
  virtual void JoinTileBefore(uint32_t sb_row) = 0;
  // Since BeginFrame; as ParsedFrame::used_references.
  virtual uint32_t used_references() const = 0;
};

// The one that was compiled for this processor: parser_target.h.
std::unique_ptr<TileParser> NewTileParser();

// The most that one superblock can hold.
TileLists::Capacity MostRecords(const FrameParams& params);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_TILE_PARSER_H_
