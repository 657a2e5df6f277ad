// SPDX-License-Identifier: BSD-2-Clause
// Transform sizes of a block: one, or a tree of them (5.11.14 to 5.11.16).
#include "codec/av1/fill_context.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kMaxVarTxDepth = 2;  // MAX_VARTX_DEPTH

}  // namespace

void TileDecoder::ReadBlockTxSize(Block& block) {
  const ModeInfo& info = *block.info;
  if (frame_->tx_mode != TX_MODE_SELECT || block.size == BLOCK_4X4 ||
      !info.is_inter || info.skip || block.lossless) {
    ReadTxSize(block, !info.skip || !info.is_inter);
    if (info.is_inter && !info.skip) {
      for (int row = 0; row < block.bh4; ++row) {
        FillContext(inter_tx_sizes_[row], info.tx_size, block.bw4);
      }
    }
    if (keeps_tx_sizes_) KeepTxSize(block);
    return;
  }
  const auto size = TxSize(kMaxTxSizeRect[block.size]);
  const int width4 = kTxWidth[size] / 4, height4 = kTxHeight[size] / 4;
  for (int row = 0; row < block.bh4; row += height4) {
    for (int col = 0; col < block.bw4; col += width4) {
      ReadVarTxSize(block, row, col, size, 0);
    }
  }
}

// ---- one size ----

inline void TileDecoder::ReadTxSize(Block& block, bool allow_select) {
  uint8_t& size = block.info->tx_size;
  size = TX_4X4;
  if (block.lossless) return;
  size = kMaxTxSizeRect[block.size];
  if (block.size == BLOCK_4X4 || !allow_select ||
      frame_->tx_mode != TX_MODE_SELECT) {
    return;
  }
  for (int depth = ReadTxDepth(block); depth > 0; --depth) {
    size = kSplitTxSize[size];
  }
}

int TileDecoder::ReadTxDepth(const Block& block) {
  const uint8_t size = kMaxTxSizeRect[block.size];
  int context = 0;
  if (block.avail_u) {
    const ModeInfo& above = *block.above;
    const int width =
        above.is_inter ? kBlockWidth[above.size] : kTxWidth[above.tx_size];
    context += width >= kTxWidth[size];
  }
  if (block.avail_l) {
    const ModeInfo& left = *block.left;
    const int height =
        left.is_inter ? kBlockHeight[left.size] : kTxHeight[left.tx_size];
    context += height >= kTxHeight[size];
  }
  switch (kMaxTxDepth[block.size]) {
    case 4:
      return int(symbol_.Read(cdfs_.tx_64x64[context]));
    case 3:
      return int(symbol_.Read(cdfs_.tx_32x32[context]));
    case 2:
      return int(symbol_.Read(cdfs_.tx_16x16[context]));
    default:
      return int(symbol_.Read(cdfs_.tx_8x8[context]));
  }
}

// What later blocks see of a block without a tree: its transform size, or its
// own size where it is skipped.
inline void TileDecoder::KeepTxSize(const Block& block) {
  const ModeInfo& info = *block.info;
  int width = kTxWidthLog2[info.tx_size], height = kTxHeightLog2[info.tx_size];
  if (info.skip && info.is_inter) {
    width = kBlockWidthLog2[block.size];
    height = kBlockHeightLog2[block.size];
  }
  FillContext(&above_tx_width_[size_t(block.mi_col - mi_col_begin_)], width,
              block.bw4);
  FillContext(&left_tx_height_[block.mi_row & (kMaxSb4 - 1)], height,
              block.bh4);
}

// ---- a tree ----

void TileDecoder::ReadVarTxSize(Block& block, int row, int col, TxSize size,
                                int depth) {
  const int mi_row = block.mi_row + row, mi_col = block.mi_col + col;
  if (mi_row >= frame_->mi_rows || mi_col >= frame_->mi_cols) return;
  uint8_t* above = &above_tx_width_[size_t(mi_col - mi_col_begin_)];
  uint8_t* left = &left_tx_height_[mi_row & (kMaxSb4 - 1)];
  const int width4 = kTxWidth[size] / 4, height4 = kTxHeight[size] / 4;
  if (size != TX_4X4 && depth < kMaxVarTxDepth) {
    const int largest = kTxSizeSqrUp[kMaxTxSizeRect[block.size]];
    const int context =
        (kTxSizeSqrUp[size] != largest) * 3 + (TX_64X64 - largest) * 6 +
        (*above < kTxWidthLog2[size]) + (*left < kTxHeightLog2[size]);
    if (symbol_.ReadBool(cdfs_.txfm_split[context])) {
      const auto part = TxSize(kSplitTxSize[size]);
      for (int i = 0; i < height4; i += kTxHeight[part] / 4) {
        for (int j = 0; j < width4; j += kTxWidth[part] / 4) {
          ReadVarTxSize(block, row + i, col + j, part, depth + 1);
        }
      }
      return;
    }
  }
  for (int i = 0; i < height4; ++i) {
    FillContext(&inter_tx_sizes_[row + i][col], size, width4);
  }
  FillContext(above, kTxWidthLog2[size], width4);
  FillContext(left, kTxHeightLog2[size], height4);
  block.info->tx_size = size;
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
