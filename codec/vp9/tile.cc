// SPDX-License-Identifier: BSD-2-Clause
// Tiles, partitions and blocks (VP9 6.4.1 to 6.4.4), and the loop filter's
// edges, which follow from a block's sizes alone (VP9 8.8.2).
#include "codec/vp9/tile.h"

#include <algorithm>
#include <cstring>

namespace perdix::vp9 {
namespace {

// By BlockSize: a bit for each of 8, 16, 32, 64, set when the block is smaller.
struct PartitionContext {
  uint8_t above, left;
};
constexpr PartitionContext kPartitionContextLookup[kBlockSizes] = {
    {15, 15}, {15, 14}, {14, 15}, {14, 14}, {14, 12}, {12, 14}, {12, 12},
    {12, 8},  {8, 12},  {8, 8},   {8, 0},   {0, 8},   {0, 0}};

// Edge widths of work_lists.h.
constexpr uint32_t kEdgeNone = 0, kEdge4 = 1, kEdge8 = 2, kEdge16 = 3;

// Width of the edge at <position> (8x8 units in the superblock).
constexpr uint32_t EdgeWidth(int position, int tx_size) {
  if (tx_size >= TX_16X16) {
    return position & (tx_size == TX_32X32 ? 3 : 1) ? kEdgeNone : kEdge16;
  }
  // 32x32 borders get at least the 8-sample filter
  return tx_size == TX_8X8 || (position & 3) == 0 ? kEdge8 : kEdge4;
}

// PackEdges of the cells in a column and in a row of a superblock: a cell has
// those of both.
struct EdgePatterns {
  uint32_t column[kTxSizes][8] = {};  // also the inner edges
  uint32_t row[kTxSizes][8] = {};

  constexpr EdgePatterns() {
    for (int tx_size = 0; tx_size < kTxSizes; ++tx_size) {
      for (int i = 0; i < 8; ++i) {
        const uint32_t width = EdgeWidth(i, tx_size);
        const uint32_t inner = tx_size == TX_4X4;
        column[tx_size][i] = PackEdges(width, 0, inner, inner);
        row[tx_size][i] = PackEdges(0, width, 0, 0);
      }
    }
  }
};
constexpr EdgePatterns kEdgePatterns;
constexpr uint32_t kEdgesLeft = PackEdges(3, 0, 0, 0),
                   kEdgesInnerAbove = PackEdges(0, 0, 0, 1);

}  // namespace

void TileDecoder::BeginFrame(FrameState* frame, FrameJob* job,
                             uint32_t tile_col) {
  frame_ = frame;
  job_ = job;
  lists_ = &job->tiles[tile_col];
  mi_col_begin_ = int(lists_->sb_col_begin * 8);
  mi_col_end_ = std::min(int(lists_->sb_col_end * 8), frame->mi_cols);
  failure_ = nullptr;
  counts_ = {};
}

Status TileDecoder::DecodeRow(uint32_t sb_row) {
  std::memset(left_nonzero_, 0, sizeof(left_nonzero_));
  std::memset(left_partition_, 0, sizeof(left_partition_));
  SuperblockIndex* index =
      &lists_->index[1 + size_t{sb_row} * lists_->columns()];
  for (int mi_col = mi_col_begin_; mi_col < mi_col_end_; mi_col += 8) {
    DecodePartition(int(sb_row) * 8, mi_col, BLOCK_64X64);
    if (bool_.Overrun()) {
      Fail(StatusCode::kInvalidBitstream, "tile data ends too early");
    }
    if (failure_ != nullptr) {
      return {failure_code_, std::string(failure_) + " in the superblock at " +
                                 std::to_string(mi_col * 8) + "," +
                                 std::to_string(sb_row * 64)};
    }
    *index++ = {uint32_t(lists_->inter_blocks.size()),
                uint32_t(lists_->inter_transforms.size()),
                uint32_t(lists_->intra_blocks.size())};
  }
  return Status::Ok();
}

int TileDecoder::ReadPartition(int mi_row, int mi_col, int mi_log2) {
  const int above = frame_->above_partition[size_t(mi_col)] >> mi_log2 & 1;
  const int left = left_partition_[mi_row & 7] >> mi_log2 & 1;
  const int context = mi_log2 * 4 + left * 2 + above;
  const uint8_t* probs = frame_->frame_is_intra
                             ? kf_partition_probs[context]
                             : frame_->probabilities.partition[context];
  const int half = (1 << mi_log2) >> 1;
  const bool has_rows = mi_row + half < frame_->mi_rows;
  const bool has_cols = mi_col + half < frame_->mi_cols;
  int partition = PARTITION_SPLIT;
  if (has_rows && has_cols) {
    partition = int(bool_.ReadTree<partition_tree>(probs));
  } else if (has_cols) {
    partition = Read(probs[1]) ? PARTITION_SPLIT : PARTITION_HORZ;
  } else if (has_rows) {
    partition = Read(probs[2]) ? PARTITION_SPLIT : PARTITION_VERT;
  }
  ++counts_.partition[context][partition];
  return partition;
}

void TileDecoder::DecodePartition(int mi_row, int mi_col, int size) {
  if (mi_row >= frame_->mi_rows || mi_col >= frame_->mi_cols) return;
  const int mi_log2 = mi_width_log2_lookup[size];
  const int half = (1 << mi_log2) >> 1;
  const int partition = ReadPartition(mi_row, mi_col, mi_log2);
  const int subsize = subsize_lookup[partition][size];
  if (size == BLOCK_8X8 || partition == PARTITION_NONE) {
    DecodeBlock(mi_row, mi_col, subsize);
  } else if (partition == PARTITION_HORZ) {
    DecodeBlock(mi_row, mi_col, subsize);
    if (mi_row + half < frame_->mi_rows) {
      DecodeBlock(mi_row + half, mi_col, subsize);
    }
  } else if (partition == PARTITION_VERT) {
    DecodeBlock(mi_row, mi_col, subsize);
    if (mi_col + half < frame_->mi_cols) {
      DecodeBlock(mi_row, mi_col + half, subsize);
    }
  } else {
    DecodePartition(mi_row, mi_col, subsize);
    DecodePartition(mi_row, mi_col + half, subsize);
    DecodePartition(mi_row + half, mi_col, subsize);
    DecodePartition(mi_row + half, mi_col + half, subsize);
  }
  if (size == BLOCK_8X8 || partition != PARTITION_SPLIT) {
    const PartitionContext context = kPartitionContextLookup[subsize];
    const size_t count = size_t{1} << mi_log2;
    std::memset(&frame_->above_partition[size_t(mi_col)], context.above, count);
    std::memset(&left_partition_[mi_row & 7], context.left, count);
  }
}

void TileDecoder::DecodeBlock(int mi_row, int mi_col, int size) {
  if (failure_ != nullptr) return;
  const size_t cols = size_t(frame_->mi_cols);
  const size_t position = size_t(mi_row) * cols + size_t(mi_col);
  ModeInfo& info = frame_->mode_infos[position];
  info = {};
  info.size = uint8_t(size);
  Block block = {.mi_row = mi_row,
                 .mi_col = mi_col,
                 .width = num_8x8_blocks_wide_lookup[size],
                 .height = num_8x8_blocks_high_lookup[size],
                 .visible_width = 0,
                 .visible_height = 0,
                 .info = &info,
                 .above = nullptr,
                 .left = nullptr};
  block.visible_width = std::min(block.width, frame_->mi_cols - mi_col);
  block.visible_height = std::min(block.height, frame_->mi_rows - mi_row);
  if (mi_row > 0) block.above = InfoAt(mi_row - 1, mi_col);
  if (mi_col > mi_col_begin_) block.left = InfoAt(mi_row, mi_col - 1);
  for (int row = 0; row < block.visible_height; ++row) {
    std::fill_n(&frame_->grid[position + size_t(row) * cols],
                block.visible_width, &info);
  }

  if (frame_->frame_is_intra) {
    ReadIntraFrameModeInfo(block);
  } else {
    ReadInterFrameModeInfo(block);
    const SavedMv saved = {{info.mv[3][0], info.mv[3][1]},
                           {info.ref_frame[0], info.ref_frame[1]}};
    for (int row = 0; row < block.visible_height; ++row) {
      std::fill_n(&frame_->saved_mvs[position + size_t(row) * cols],
                  block.visible_width, saved);
    }
  }
  if (failure_ != nullptr) return;

  info.uv_tx_size = uint8_t(GetUvTxSize(
      size, info.tx_size, frame_->subsampling_x, frame_->subsampling_y));
  if (info.skip) ClearNonzeroContexts(block);
  if (!info.is_inter()) {
    WriteIntraBlocks(block);
  } else {
    WriteInterBlocks(block);
    if (!info.skip && !WriteInterResidual(block) && size >= BLOCK_8X8) {
      info.skip = 1;  // for the contexts of later blocks and the loop filter
    }
  }
  WriteEdges(block);
}

void TileDecoder::WriteEdges(const Block& block) {
  const ModeInfo& info = *block.info;
  const uint32_t level = frame_->filter_level[info.segment_id][std::max<int>(
      info.ref_frame[0], 0)][info.is_inter() && info.y_mode != ZEROMV];
  const size_t cols = size_t(frame_->mi_cols);
  uint32_t* cells =
      &job_->edges[size_t(block.mi_row) * cols + size_t(block.mi_col)];
  for (int y = 0; y < block.visible_height; ++y) {
    std::fill_n(cells + size_t(y) * cols, block.visible_width, level);
  }
  if (level == 0) return;
  AddEdges(block, info.tx_size, 0, 0, PERDIX_EDGE_LUMA_SHIFT);
  AddEdges(block, info.uv_tx_size, frame_->subsampling_x,
           frame_->subsampling_y, PERDIX_EDGE_CHROMA_SHIFT);
}

// The edges of one plane. With subsampling, every second cell stands for 8x8
// samples of it; on the frame's border perhaps only for half of them.
void TileDecoder::AddEdges(const Block& block, int tx_size, int ss_x, int ss_y,
                           uint32_t shift) {
  // of a block without residual, only its own border is filtered
  const bool border_only = block.info->skip && block.info->is_inter();
  const int col_end = block.mi_col + block.visible_width;
  const int row_end = block.mi_row + block.visible_height;
  const int first_col = (block.mi_col + ss_x) & ~ss_x;
  const int first_row = (block.mi_row + ss_y) & ~ss_y;
  uint32_t columns[8];
  int count = 0;
  for (int col = first_col; col < col_end; col += 1 << ss_x) {
    uint32_t edges = kEdgePatterns.column[tx_size][(col & 7) >> ss_x];
    if (border_only) edges = col == block.mi_col ? edges & kEdgesLeft : 0;
    if (col == 0) edges &= ~kEdgesLeft;
    if (ss_x && col == frame_->mi_cols - 1) {
      edges = std::min(edges & kEdgesLeft, PackEdges(kEdge8, 0, 0, 0));
    }
    columns[count++] = edges << shift;
  }
  for (int row = first_row; row < row_end; row += 1 << ss_y) {
    uint32_t edges = kEdgePatterns.row[tx_size][(row & 7) >> ss_y];
    if ((border_only && row != block.mi_row) || row == 0) edges = 0;
    uint32_t mask = ~0u;
    if (ss_y && row == frame_->mi_rows - 1) {
      edges = std::min(edges, PackEdges(0, kEdge8, 0, 0));
      mask = ~(kEdgesInnerAbove << shift);
    }
    edges <<= shift;
    uint32_t* cells =
        &job_->edges[size_t(row) * size_t(frame_->mi_cols) + size_t(first_col)];
    for (int i = 0; i < count; ++i) {
      cells[i << ss_x] |= (columns[i] & mask) | edges;
    }
  }
}

}  // namespace perdix::vp9
