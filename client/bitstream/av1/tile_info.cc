// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/tile_info.h"

#include <algorithm>
#include <array>
#include <string>

#include "client/bitstream/av1/refusals.h"
#include "client/bitstream/av1/syntax.h"
#include "codec/av1/constants.h"

namespace perdix::client::av1 {
namespace {

using perdix::av1::kMaxTileCols;
using perdix::av1::kMaxTileRows;

constexpr uint32_t kMaxTileWidth = 4096;
constexpr uint32_t kMaxTileArea = 4096 * 2304;

// tile_log2
int TileLog2(uint32_t block, uint32_t target) {
  int k = 0;
  while ((block << k) < target) ++k;
  return k;
}

// Where the tiles of one direction begin, in superblocks; one more entry is the
// frame's end.
struct Starts {
  std::array<uint32_t, kMaxTileCols + 1> at = {};
  int count = 0;
};
static_assert(kMaxTileCols == kMaxTileRows);

Starts Uniform(uint32_t superblocks, int log2) {
  const uint32_t step = (superblocks + (1u << log2) - 1) >> log2;
  Starts starts;
  for (uint32_t at = 0; at < superblocks; at += step) {
    starts.at[starts.count++] = at;
  }
  starts.at[starts.count] = superblocks;
  return starts;
}

int ReadIncrements(BitReader& reader, int least, int most) {
  int log2 = least;
  while (log2 < most && reader.Flag()) ++log2;
  return log2;
}

// Sizes one by one, each at most <largest>.
Status Explicit(BitReader& reader, uint32_t superblocks, uint32_t largest,
                const char* name, Starts* starts, uint32_t* widest) {
  for (uint32_t at = 0; at < superblocks;) {
    if (starts->count == kMaxTileCols) {
      return Invalid(std::string(name) + " are more than 64, allowed: 1 to 64");
    }
    starts->at[starts->count++] = at;
    const uint32_t room = std::min(superblocks - at, largest);
    const uint32_t size = ReadNonSymmetric(reader, room) + 1;
    *widest = std::max(*widest, size);
    at += size;
  }
  starts->at[starts->count] = superblocks;
  return Status::Ok();
}

class TileInfoParser {
 public:
  TileInfoParser(BitReader& reader, const TileInfoInput& input)
      : reader_(reader),
        mi_cols_(2 * ((input.frame_width + 7) >> 3)),
        mi_rows_(2 * ((input.frame_height + 7) >> 3)),
        sb_shift_(input.use_128x128_superblock ? 5 : 4),
        sb_cols_((mi_cols_ + (1u << sb_shift_) - 1) >> sb_shift_),
        sb_rows_((mi_rows_ + (1u << sb_shift_) - 1) >> sb_shift_),
        max_width_(kMaxTileWidth >> (sb_shift_ + 2)) {}

  Status Parse(v4l2_av1_tile_info& info, TileNumbers* numbers) {
    const uint32_t max_area = kMaxTileArea >> (2 * (sb_shift_ + 2));
    const int min_cols_log2 = TileLog2(max_width_, sb_cols_);
    const int min_log2 =
        std::max(min_cols_log2, TileLog2(max_area, sb_rows_ * sb_cols_));
    const bool uniform = reader_.Flag();
    if (uniform) {
      info.flags |= V4L2_AV1_TILE_INFO_FLAG_UNIFORM_TILE_SPACING;
      ReadUniform(min_cols_log2, min_log2);
    } else {
      Status status = ReadExplicit(min_log2);
      if (!status.ok()) return status;
    }
    Fill(info);
    numbers->bits = cols_log2_ + rows_log2_;
    if (numbers->bits == 0) return Status::Ok();
    return ReadContextTile(numbers, info);
  }

 private:
  void ReadUniform(int min_cols_log2, int min_log2) {
    const int max_cols_log2 = TileLog2(1, std::min(sb_cols_, 64u));
    const int max_rows_log2 = TileLog2(1, std::min(sb_rows_, 64u));
    cols_log2_ = ReadIncrements(reader_, min_cols_log2, max_cols_log2);
    cols_ = Uniform(sb_cols_, cols_log2_);
    const int min_rows_log2 = std::max(min_log2 - cols_log2_, 0);
    rows_log2_ = ReadIncrements(reader_, min_rows_log2, max_rows_log2);
    rows_ = Uniform(sb_rows_, rows_log2_);
  }

  Status ReadExplicit(int min_log2) {
    uint32_t widest = 0, highest = 0;
    Status status = Explicit(reader_, sb_cols_, max_width_, "tile columns",
                             &cols_, &widest);
    if (!status.ok()) return status;
    cols_log2_ = TileLog2(1, uint32_t(cols_.count));
    uint32_t area = sb_rows_ * sb_cols_;
    if (min_log2 > 0) area >>= min_log2 + 1;
    status = Explicit(reader_, sb_rows_, std::max(area / widest, 1u),
                      "tile rows", &rows_, &highest);
    rows_log2_ = TileLog2(1, uint32_t(rows_.count));
    return status;
  }

  void Fill(v4l2_av1_tile_info& info) const {
    info.tile_cols = uint8_t(cols_.count);
    info.tile_rows = uint8_t(rows_.count);
    for (int i = 0; i < cols_.count; ++i) {
      info.mi_col_starts[i] = cols_.at[i] << sb_shift_;
      info.width_in_sbs_minus_1[i] = cols_.at[i + 1] - cols_.at[i] - 1;
    }
    for (int i = 0; i < rows_.count; ++i) {
      info.mi_row_starts[i] = rows_.at[i] << sb_shift_;
      info.height_in_sbs_minus_1[i] = rows_.at[i + 1] - rows_.at[i] - 1;
    }
    info.mi_col_starts[cols_.count] = mi_cols_;
    info.mi_row_starts[rows_.count] = mi_rows_;
  }

  Status ReadContextTile(TileNumbers* numbers, v4l2_av1_tile_info& info) {
    const uint32_t id = ReadLong(reader_, numbers->bits);
    const uint32_t tiles = uint32_t(cols_.count) * uint32_t(rows_.count);
    if (id >= tiles) {
      return Invalid("context_update_tile_id", id,
                     "0 to " + std::to_string(tiles - 1));
    }
    numbers->context = id;
    info.context_update_tile_id = uint8_t(id);
    info.tile_size_bytes = uint8_t(reader_.Bits(2) + 1);
    return Status::Ok();
  }

  BitReader& reader_;
  const uint32_t mi_cols_, mi_rows_;
  const int sb_shift_;  // a superblock's 4x4 units, log2
  const uint32_t sb_cols_, sb_rows_;
  const uint32_t max_width_;  // of a tile, in superblocks
  Starts cols_, rows_;
  int cols_log2_ = 0, rows_log2_ = 0;
};

}  // namespace

Status ReadTileInfo(BitReader& reader, const TileInfoInput& input,
                    v4l2_av1_tile_info& info, TileNumbers* numbers) {
  return TileInfoParser(reader, input).Parse(info, numbers);
}

}  // namespace perdix::client::av1
