// SPDX-License-Identifier: BSD-2-Clause
// tile_info() (5.9.15).
#include <algorithm>
#include <vector>

#include "tests/conformance/make_stream/av1/frame_params.h"

namespace perdix::make_stream::av1 {
namespace {

constexpr uint32_t kMaxTileWidth = 4096, kMaxTileArea = 4096 * 2304;
constexpr uint32_t kMaxTiles = 64;  // in one direction

// tile_log2
int TileLog2(uint32_t block, uint32_t target) {
  int k = 0;
  while ((block << k) < target) ++k;
  return k;
}

class TileInfoWriter {
 public:
  TileInfoWriter(Random& random, FieldWriter& to,
                 const client::av1::TileInfoInput& input, bool superres)
      : random_(random),
        to_(to),
        shift_(input.use_128x128_superblock ? 7 : 6),
        least_width_(superres && shift_ == 6 ? 2 : 1) {
    const auto superblocks = [&](uint32_t size) {
      return ((size + 7) / 8 * 8 + (1u << shift_) - 1) >> shift_;
    };
    sb_cols_ = superblocks(input.frame_width);
    sb_rows_ = superblocks(input.frame_height);
  }

  void Write(uint32_t more) {
    const uint32_t max_width = kMaxTileWidth >> shift_;
    const uint32_t max_area = kMaxTileArea >> (2 * shift_);
    const int min_cols_log2 = TileLog2(max_width, sb_cols_);
    const int min_log2 =
        std::max(min_cols_log2, TileLog2(max_area, sb_rows_ * sb_cols_));
    if (to_.Flag("uniform_tile_spacing_flag", random_.Percent(50))) {
      WriteUniform(more, min_cols_log2, min_log2);
    } else {
      WriteExplicit(more, max_width, min_log2);
    }
    const int id_bits = TileLog2(1, cols_) + TileLog2(1, rows_);
    WriteContextTile(std::max(id_bits, uniform_log2_));
  }

 private:
  // The log2 that the increments come to, at least <log2>; least: superblocks
  // of a tile that is not the last.
  int Increments(const char* name, uint32_t more, uint32_t superblocks,
                 uint32_t least, int log2) {
    const int most = TileLog2(1, std::min(superblocks, kMaxTiles));
    const auto next = [&] {
      const uint32_t step = (superblocks + (2u << log2) - 1) >> (log2 + 1);
      return step >= least && random_.Percent(more);
    };
    while (log2 < most && to_.Flag(name, next())) ++log2;
    return log2;
  }
  void WriteUniform(uint32_t more, int min_cols_log2, int min_log2) {
    const auto count = [](uint32_t superblocks, int log2) {
      const uint32_t step = (superblocks + (1u << log2) - 1) >> log2;
      return (superblocks + step - 1) / step;
    };
    const int cols_log2 = Increments("increment_tile_cols_log2", more, sb_cols_,
                                     least_width_, min_cols_log2);
    const int rows_log2 = Increments("increment_tile_rows_log2", more, sb_rows_,
                                     1, std::max(min_log2 - cols_log2, 0));
    cols_ = count(sb_cols_, cols_log2);
    rows_ = count(sb_rows_, rows_log2);
    uniform_log2_ = cols_log2 + rows_log2;
  }

  // Returns how many; *widest: of them.
  uint32_t Sizes(const char* name, uint32_t more, uint32_t superblocks,
                 uint32_t least, uint32_t largest, uint32_t* widest) {
    uint32_t count = 0;
    *widest = 0;
    for (uint32_t at = 0; at < superblocks; ++count) {
      const uint32_t room = std::min(superblocks - at, largest);
      const uint32_t left = superblocks - at;
      uint32_t size = random_.Percent(more) ? 1 + random_.Below(room) : room;
      size = std::min(std::max(size, least), room);
      // the rest must fit into the tiles that are left
      if (left - size > (kMaxTiles - count - 1) * largest) size = room;
      to_.NonSymmetric(name, room, size - 1);
      *widest = std::max(*widest, size);
      at += size;
    }
    return count;
  }
  void WriteExplicit(uint32_t more, uint32_t max_width, int min_log2) {
    uint32_t widest, highest;
    cols_ = Sizes("width_in_sbs_minus_1", more, sb_cols_, least_width_,
                  max_width, &widest);
    uint32_t area = sb_rows_ * sb_cols_;
    if (min_log2 > 0) area >>= min_log2 + 1;
    rows_ = Sizes("height_in_sbs_minus_1", more, sb_rows_, 1,
                  std::max(area / widest, 1u), &highest);
  }

  void WriteContextTile(int id_bits) {
    if (id_bits == 0) return;
    to_.Bits("context_update_tile_id", id_bits, random_.Below(cols_ * rows_));
    to_.Bits("tile_size_bytes_minus_1", 2, uint32_t(random_.Between(1, 3)));
  }

  Random& random_;
  FieldWriter& to_;
  const int shift_;  // a superblock, log2 of samples
  // Superblocks of a tile: 128 columns with super-resolution, as libaom wants.
  const uint32_t least_width_;
  uint32_t sb_cols_ = 0, sb_rows_ = 0;
  uint32_t cols_ = 0, rows_ = 0;
  int uniform_log2_ = 0;
};

}  // namespace

void WriteTileInfo(Random& random, FieldWriter& to, uint32_t many,
                   const client::av1::TileInfoInput& input, bool superres) {
  const uint32_t more = random.Percent(many) ? random.Of({40u, 70u, 95u}) : 0;
  TileInfoWriter(random, to, input, superres).Write(more);
}

}  // namespace perdix::make_stream::av1
