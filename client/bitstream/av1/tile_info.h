// SPDX-License-Identifier: BSD-2-Clause
// How a frame is divided into tiles (5.9.15).
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_TILE_INFO_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_TILE_INFO_H_

#include <cstdint>

#include "client/bitstream/bit_reader.h"
#include "codec/av1/v4l2_controls.h"
#include "kernels/status.h"

namespace perdix::client::av1 {

struct TileInfoInput {
  uint32_t frame_width = 0;  // FrameWidth: before super-resolution
  uint32_t frame_height = 0;
  bool use_128x128_superblock = false;
};

// How the tiles of a frame are numbered, in raster order.
struct TileNumbers {
  int bits = 0;          // a number's: TileColsLog2 + TileRowsLog2
  uint32_t context = 0;  // context_update_tile_id, of which info has 8 bits
};

// tile_info(). The loops end whatever the bits are.
Status ReadTileInfo(BitReader& reader, const TileInfoInput& input,
                    v4l2_av1_tile_info& info, TileNumbers* numbers);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_TILE_INFO_H_
