// SPDX-License-Identifier: BSD-2-Clause
// Palettes and their colour maps (5.11.46, 5.11.49, 5.11.50).
#include "codec/av1/palette.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr size_t kArenaUnits = 8;  // alignment of what is in the arena

int CeilLog2(int x) { return x < 2 ? 0 : int(std::bit_width(uint32_t(x - 1))); }

// A colour map, of which a part lies in the frame.
struct ColourMap {
  uint8_t* at;
  int width, height;                    // samples
  int onscreen_width, onscreen_height;  // of these in the frame

  uint8_t* Row(int row) const { return at + row * width; }
  void Extend() const;  // beyond the frame's edges
};

void ColourMap::Extend() const {
  if (onscreen_width < width) {
    for (int row = 0; row < onscreen_height; ++row) {
      uint8_t* end = Row(row) + onscreen_width;
      std::memset(end, end[-1], size_t(width - onscreen_width));
    }
  }
  for (int row = onscreen_height; row < height; ++row) {
    std::memcpy(Row(row), Row(onscreen_height - 1), size_t(width));
  }
}

// Symbols come by diagonals, each from its upper right end on.
template <int N>
void ReadMapOf(SymbolDecoder& symbol, Cdf<N> (&cdfs)[5], const ColourMap& map) {
  map.at[0] = uint8_t(symbol.ReadNs(N));
  const int width = map.onscreen_width, height = map.onscreen_height;
  const auto read = [&](const ColourContext& context) {
    return ColourAt(context, symbol.Read(cdfs[context.context]));
  };
  for (int i = 1; i < width + height - 1; ++i) {
    int col = std::min(i, width - 1);
    uint8_t* at = map.Row(i - col) + col;
    if (col == i) {
      *at = read(ColourContextOf(at[-1]));
      --col;
      at += map.width - 1;
    }
    const int last = std::max(1, i - height + 1);
    for (; col >= last; --col, at += map.width - 1) {
      const uint8_t* above = at - map.width;
      *at = read(ColourContextOf(at[-1], above[-1], above[0]));
    }
    if (col == 0 && i < height) *at = read(ColourContextOf(at[-map.width]));
  }
}

void ReadMap(SymbolDecoder& symbol, CdfContext& cdfs, int plane, int size,
             const ColourMap& map) {
  const auto read = [&](auto& y_cdfs, auto& uv_cdfs) {
    ReadMapOf(symbol, plane > 0 ? uv_cdfs : y_cdfs, map);
  };
  switch (size) {
    case 2:
      return read(cdfs.palette_size_2_y_color, cdfs.palette_size_2_uv_color);
    case 3:
      return read(cdfs.palette_size_3_y_color, cdfs.palette_size_3_uv_color);
    case 4:
      return read(cdfs.palette_size_4_y_color, cdfs.palette_size_4_uv_color);
    case 5:
      return read(cdfs.palette_size_5_y_color, cdfs.palette_size_5_uv_color);
    case 6:
      return read(cdfs.palette_size_6_y_color, cdfs.palette_size_6_uv_color);
    case 7:
      return read(cdfs.palette_size_7_y_color, cdfs.palette_size_7_uv_color);
    default:
      return read(cdfs.palette_size_8_y_color, cdfs.palette_size_8_uv_color);
  }
}

}  // namespace

// ---- colours (5.11.46) ----

void TileDecoder::ReadPaletteModeInfo(Block& block) {
  ModeInfo& info = *block.info;
  const int context = kMiWidthLog2[block.size] + kMiHeightLog2[block.size] - 2;
  if (info.y_mode == DC_PRED) {
    const int neighbours =
        (block.avail_u && block.above->palette_size[0] != 0) +
        (block.avail_l && block.left->palette_size[0] != 0);
    if (symbol_.ReadBool(cdfs_.palette_y_mode[context][neighbours])) {
      info.palette_size[0] =
          uint8_t(symbol_.Read(cdfs_.palette_y_size[context]) + 2);
      ReadPaletteColours(block, 0);
    }
  }
  if (block.has_chroma && info.uv_mode == DC_PRED &&
      symbol_.ReadBool(cdfs_.palette_uv_mode[info.palette_size[0] != 0])) {
    info.palette_size[1] =
        uint8_t(symbol_.Read(cdfs_.palette_uv_size[context]) + 2);
    ReadPaletteColours(block, 1);
    ReadPaletteColoursV(info.palette_size[1]);
  }
}

void TileDecoder::ReadPaletteColours(const Block& block, int plane) {
  const int size = block.info->palette_size[plane];
  PaletteColours& colours = palette_colours_[plane];
  const int depth = frame_->bit_depth;
  int count = ReadCachedColours(block, plane);
  if (count < size) {
    colours[size_t(count++)] = uint16_t(symbol_.ReadLiteral(depth));
  }
  if (count < size) {
    const int least_step = plane == 0;  // colours of Y differ
    int bits = depth - 3 + int(symbol_.ReadLiteral(2));
    const int limit = 1 << depth;
    while (count < size) {
      const int step = int(symbol_.ReadLiteral(bits)) + least_step;
      const int colour = std::min(colours[size_t(count - 1)] + step, limit - 1);
      colours[size_t(count++)] = uint16_t(colour);
      bits = std::min(bits, CeilLog2(limit - colour - least_step));
    }
  }
  std::sort(colours.begin(), colours.begin() + size);
  KeepPalette(block, plane);
}

// Those that are taken from neighbours. Returns how many.
int TileDecoder::ReadCachedColours(const Block& block, int plane) {
  const size_t col = size_t(block.mi_col - mi_col_begin_);
  const size_t row = size_t(block.mi_row) & (kMaxSb4 - 1);
  std::span<const uint16_t> above, left;
  // not from above the row of 64x64
  if (block.avail_u && block.mi_row % 16 != 0) {
    above = {above_palettes_[plane][col].data(),
             block.above->palette_size[plane]};
  }
  if (block.avail_l) {
    left = {left_palettes_[plane][row].data(), block.left->palette_size[plane]};
  }
  uint16_t cache[2 * PERDIX_PALETTE_COLOURS];
  const int cached = MergePalettes(above, left, cache);
  const int size = block.info->palette_size[plane];
  int count = 0;
  for (int i = 0; i < cached && count < size; ++i) {
    if (symbol_.ReadBit() != 0) {
      palette_colours_[plane][size_t(count++)] = cache[i];
    }
  }
  return count;
}

void TileDecoder::ReadPaletteColoursV(int size) {
  PaletteColours& colours = palette_colours_[2];
  const int depth = frame_->bit_depth;
  const bool delta_coded = symbol_.ReadBit() != 0;
  const int bits =
      delta_coded ? depth - 4 + int(symbol_.ReadLiteral(2)) : depth;
  colours[0] = uint16_t(symbol_.ReadLiteral(depth));
  for (int i = 1; i < size; ++i) {
    int colour = int(symbol_.ReadLiteral(bits));
    if (delta_coded) {  // wraps
      if (colour != 0 && symbol_.ReadBit() != 0) colour = -colour;
      colour = (colours[size_t(i - 1)] + colour) & ((1 << depth) - 1);
    }
    colours[size_t(i)] = uint16_t(colour);
  }
}

// For the caches of later blocks, which go by positions of luma for both.
void TileDecoder::KeepPalette(const Block& block, int plane) {
  const PaletteColours& colours = palette_colours_[plane];
  std::fill_n(&above_palettes_[plane][size_t(block.mi_col - mi_col_begin_)],
              block.bw4, colours);
  std::fill_n(&left_palettes_[plane][block.mi_row & (kMaxSb4 - 1)], block.bh4,
              colours);
}

// ---- colour maps (5.11.49) ----

void TileDecoder::ReadPaletteTokens(Block& block) {
  for (int plane = 0; plane < 2; ++plane) {
    if (block.info->palette_size[plane] != 0) {
      palette_offset_[plane] = StorePalette(block, plane);
    }
  }
}

// Returns its offset in the arena.
uint32_t TileDecoder::StorePalette(const Block& block, int plane) {
  const int ss_x = plane > 0 ? frame_->subsampling_x : 0;
  const int ss_y = plane > 0 ? frame_->subsampling_y : 0;
  ColourMap map;
  map.width = block.bw4 * 4 >> ss_x;
  map.height = block.bh4 * 4 >> ss_y;
  map.onscreen_width =
      std::min(block.bw4, frame_->mi_cols - block.mi_col) * 4 >> ss_x;
  map.onscreen_height =
      std::min(block.bh4, frame_->mi_rows - block.mi_row) * 4 >> ss_y;
  // with the blocks that share its 4x4 of chroma
  if (map.width < 4) map.width += 2, map.onscreen_width += 2;
  if (map.height < 4) map.height += 2, map.onscreen_height += 2;

  Arena<int16_t>& arena = lists_->coefficients();
  const size_t offset = arena.size();
  assert(offset % kArenaUnits == 0);
  const size_t palettes = plane > 0 ? 2 : 1;
  const size_t colours = palettes * PERDIX_PALETTE_COLOURS;
  const size_t bytes = size_t(map.width) * size_t(map.height);
  static_assert(PERDIX_PALETTE_COLOURS % kArenaUnits == 0);
  int16_t* at = arena.Extend(colours + bytes / sizeof(int16_t));
  std::memcpy(at, &palette_colours_[plane], colours * sizeof(int16_t));
  map.at = reinterpret_cast<uint8_t*>(at + colours);
  ReadMap(symbol_, cdfs_, plane, block.info->palette_size[plane], map);
  map.Extend();
  return uint32_t(offset);
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
