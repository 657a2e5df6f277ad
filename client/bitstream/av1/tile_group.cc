// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/tile_group.h"

#include <string>

#include "client/bitstream/av1/syntax.h"
#include "client/bitstream/bit_reader.h"

namespace perdix::client::av1 {
namespace {

// le(bytes)
size_t LittleEndian(std::span<const uint8_t> bytes) {
  size_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | bytes[i - 1];
  return value;
}

}  // namespace

void TileGroups::Begin(const v4l2_av1_tile_info& info, int id_bits) {
  tiles_ = size_t{info.tile_cols} * info.tile_rows;
  cols_ = info.tile_cols;
  size_bytes_ = info.tile_size_bytes;
  id_bits_ = id_bits;
  begin_ = end_ = nullptr;
  entries_.clear();
}

Status TileGroups::Add(std::span<const uint8_t> group) {
  BitReader reader(group);
  size_t start = 0, last = tiles_ - 1;
  if (tiles_ > 1 && reader.Flag()) {  // tile_start_and_end_present_flag
    start = ReadLong(reader, id_bits_);
    last = ReadLong(reader, id_bits_);
  }
  Status status = CheckEnd(reader, "tile group", group.size(), false);
  if (!status.ok()) return status;
  if (start != entries_.size()) {
    return Invalid("tg_start", uint32_t(start),
                   std::to_string(entries_.size()) + ", the next tile");
  }
  if (last < start || last >= tiles_) {
    return Invalid("tg_end", uint32_t(last),
                   std::to_string(start) + " to " + std::to_string(tiles_ - 1));
  }
  if (begin_ == nullptr) begin_ = group.data();
  end_ = group.data() + group.size();
  group = group.subspan(reader.bytes_read());
  for (size_t tile = start; tile <= last; ++tile) {
    size_t size = group.size();
    if (tile != last) {
      if (group.size() < size_bytes_) {
        return Invalid(
            "tile " + std::to_string(tile) + " has " +
            std::to_string(group.size()) +
            " bytes for its size, needed: " + std::to_string(size_bytes_));
      }
      size = LittleEndian(group.first(size_bytes_)) + 1;
      group = group.subspan(size_bytes_);
    }
    if (size == 0 || size > group.size()) {
      return Invalid("tile " + std::to_string(tile) + " has " +
                     std::to_string(size) + " bytes, allowed: 1 to " +
                     std::to_string(group.size()));
    }
    AddTile(group.first(size));
    group = group.subspan(size);
  }
  return Status::Ok();
}

void TileGroups::AddTile(std::span<const uint8_t> tile) {
  const size_t offset = size_t(tile.data() - begin_);
  v4l2_ctrl_av1_tile_group_entry entry = {};
  entry.tile_offset = uint32_t(offset);
  entry.tile_size = uint32_t(tile.size());
  entry.tile_row = uint32_t(entries_.size()) / cols_;
  entry.tile_col = uint32_t(entries_.size()) % cols_;
  entries_.push_back(entry);
}

}  // namespace perdix::client::av1
