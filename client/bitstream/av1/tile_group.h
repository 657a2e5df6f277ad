// SPDX-License-Identifier: BSD-2-Clause
// Where the tiles of a frame lie in its packet (5.11.1).
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_TILE_GROUP_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_TILE_GROUP_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/av1/v4l2_controls.h"
#include "kernels/status.h"

namespace perdix::client::av1 {

// The tiles of one frame, as its tile groups come.
class TileGroups {
 public:
  // id_bits: TileColsLog2 + TileRowsLog2
  void Begin(const v4l2_av1_tile_info& info, int id_bits);

  // The next group: all of an OBU_TILE_GROUP's payload, or what follows the
  // header in an OBU_FRAME. All groups of a frame lie in one packet.
  Status Add(std::span<const uint8_t> group);

  size_t tiles() const { return tiles_; }  // of the frame
  bool complete() const { return entries_.size() == tiles_; }
  const std::vector<v4l2_ctrl_av1_tile_group_entry>& entries() const {
    return entries_;
  }
  // From the first group to the last one; the offsets in entries() count from
  // its beginning.
  std::span<const uint8_t> data() const { return {begin_, end_}; }

 private:
  void AddTile(std::span<const uint8_t> tile);

  size_t tiles_ = 0;
  uint32_t cols_ = 0;
  uint32_t size_bytes_ = 0;  // TileSizeBytes
  int id_bits_ = 0;
  const uint8_t* begin_ = nullptr;
  const uint8_t* end_ = nullptr;
  std::vector<v4l2_ctrl_av1_tile_group_entry> entries_;
};

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_TILE_GROUP_H_
