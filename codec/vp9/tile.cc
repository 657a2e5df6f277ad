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

// Edge widths of kernels/shared/vp9/work_lists.h.
constexpr uint32_t kEdgeNone = 0, kEdge4 = 1, kEdge8 = 2, kEdge16 = 3;

// Width of the edge at <position> (8x8 units in the superblock).
constexpr uint32_t EdgeWidth(int position, int tx_size) {
  if (tx_size >= TX_16X16) {
    return position & (tx_size == TX_32X32 ? 3 : 1) ? kEdgeNone : kEdge16;
  }
  // 32x32 borders get at least the 8-sample filter
  return tx_size == TX_8X8 || (position & 3) == 0 ? kEdge8 : kEdge4;
}

constexpr uint32_t BothPlanes(uint32_t edges) {
  return edges << PERDIX_EDGE_LUMA_SHIFT | edges << PERDIX_EDGE_CHROMA_SHIFT;
}
constexpr uint32_t kLeftEdges = BothPlanes(PackEdges(3, 0, 0, 0)),
                   kAboveEdges = BothPlanes(PackEdges(0, 3, 0, 0)),
                   kChromaEdges = PackEdges(3, 3, 1, 1)
                                  << PERDIX_EDGE_CHROMA_SHIFT;

// The edges of the cells in a superblock, but for the level and the frame's
// borders: a cell has those of its column that its row's mask allows and those
// of its row that its column's mask allows. With subsampled chroma, only even
// columns and rows allow chroma's.
struct EdgePattern {
  uint32_t columns[8] = {};  // with the inner edges
  uint32_t rows[8] = {};
};

constexpr EdgePattern MakeEdgePattern(int tx_size, int uv_tx_size, int ss_x,
                                      int ss_y) {
  const auto column = [](int position, int size) {
    const uint32_t inner = size == TX_4X4;
    return PackEdges(EdgeWidth(position, size), 0, inner, inner);
  };
  const auto row = [](int position, int size) {
    return PackEdges(0, EdgeWidth(position, size), 0, 0);
  };
  EdgePattern pattern;
  for (int i = 0; i < 8; ++i) {
    pattern.columns[i] = column(i, tx_size) << PERDIX_EDGE_LUMA_SHIFT;
    pattern.rows[i] = row(i, tx_size) << PERDIX_EDGE_LUMA_SHIFT;
    if ((i & ss_x) == 0) {
      pattern.columns[i] |= column(i >> ss_x, uv_tx_size)
                            << PERDIX_EDGE_CHROMA_SHIFT;
    }
    if ((i & ss_y) == 0) {
      pattern.rows[i] |= row(i >> ss_y, uv_tx_size) << PERDIX_EDGE_CHROMA_SHIFT;
    }
  }
  return pattern;
}

// The edge patterns of a frame, which depend on its subsampling.
struct EdgePatterns {
  uint32_t column_masks[8] = {}, row_masks[8] = {};
  EdgePattern of[kTxSizes][kTxSizes];  // [tx_size][uv_tx_size]

  constexpr EdgePatterns(int ss_x, int ss_y) {
    for (int i = 0; i < 8; ++i) {
      column_masks[i] = i & ss_x ? ~kChromaEdges : ~0u;
      row_masks[i] = i & ss_y ? ~kChromaEdges : ~0u;
    }
    for (int tx = 0; tx < kTxSizes; ++tx) {
      for (int uv = 0; uv < kTxSizes; ++uv) {
        of[tx][uv] = MakeEdgePattern(tx, uv, ss_x, ss_y);
      }
    }
  }
};
constexpr EdgePatterns kEdgePatterns[2][2] = {
    {{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}};  // [ss_x][ss_y]
constexpr EdgePattern kNoEdges;

// Those of a block, from its first column and row on.
struct BlockEdges {
  uint32_t level;
  const uint32_t *columns, *column_masks;
  const uint32_t *rows, *row_masks;
};

// <kWidth> columns of cells from <x> on.
template <int kWidth>
void WriteCells(const BlockEdges& edges, int x, int height, uint32_t* cells,
                size_t stride) {
  for (int y = 0; y < height; ++y, cells += stride) {
    for (int i = x; i < x + kWidth; ++i) {
      cells[i] = edges.level | (edges.columns[i] & edges.row_masks[y]) |
                 (edges.rows[y] & edges.column_masks[i]);
    }
  }
}

}  // namespace

void TileDecoder::BeginFrame(FrameState* frame, ParsedFrame* parsed,
                             uint32_t tile_col) {
  frame_ = frame;
  edges_ = parsed->tables.View().Of(kEdges).data();
  lists_ = &parsed->tiles[tile_col];
  const auto [sb_col_begin, sb_col_end] = lists_->columns();
  mi_col_begin_ = int(sb_col_begin * 8);
  mi_col_end_ = std::min(int(sb_col_end * 8), frame->mi_cols);
  next_info_ =
      frame->mode_infos.data() + size_t(mi_col_begin_) * size_t(frame->mi_rows);
  failure_ = nullptr;
  counts_ = {};
  const size_t columns = lists_->width();
  std::memset(above_partition_, 0, columns * 8);
  for (auto& flags : above_nonzero_) std::memset(flags, 0, columns * 16);
}

Status TileDecoder::DecodeRow(uint32_t sb_row) {
  std::memset(left_nonzero_, 0, sizeof(left_nonzero_));
  std::memset(left_partition_, 0, sizeof(left_partition_));
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
    lists_->EndSuperblock(sb_row, uint32_t(mi_col) / 8);
  }
  return Status::Ok();
}

int TileDecoder::ReadPartition(int mi_row, int mi_col, int mi_log2) {
  const int above = above_partition_[mi_col - mi_col_begin_] >> mi_log2 & 1;
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
    const int count = 1 << mi_log2;
    FillContext(&above_partition_[mi_col - mi_col_begin_], context.above,
                count);
    FillContext(&left_partition_[mi_row & 7], context.left, count);
  }
}

void TileDecoder::DecodeBlock(int mi_row, int mi_col, int size) {
  if (failure_ != nullptr) return;
  const size_t cols = size_t(frame_->mi_cols);
  const size_t position = size_t(mi_row) * cols + size_t(mi_col);
  ModeInfo& info = *next_info_++;
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
  const size_t stride = size_t(frame_->mi_cols);
  const int width = block.visible_width, height = block.visible_height;
  uint32_t* cells =
      edges_ + size_t(block.mi_row) * stride + size_t(block.mi_col);
  // of a block without residual, only its own border is filtered
  const bool border_only = level == 0 || (info.skip && info.is_inter());
  const EdgePatterns& patterns =
      kEdgePatterns[frame_->subsampling_x][frame_->subsampling_y];
  const EdgePattern& own = patterns.of[info.tx_size][info.uv_tx_size];
  const EdgePattern& inside = border_only ? kNoEdges : own;
  const int x = block.mi_col & 7, y = block.mi_row & 7;
  const BlockEdges edges = {level, inside.columns + x,
                            patterns.column_masks + x, inside.rows + y,
                            patterns.row_masks + y};
  switch (width) {
    case 8:
      WriteCells<8>(edges, 0, height, cells, stride);
      break;
    case 4:
      WriteCells<4>(edges, 0, height, cells, stride);
      break;
    default:
      for (int i = 0; i < width; ++i) {
        WriteCells<1>(edges, i, height, cells, stride);
      }
  }
  if (level == 0) return;
  if (border_only) {
    for (int i = 0; i < width; ++i) {
      cells[i] |= own.rows[y] & edges.column_masks[i];
    }
    for (int i = 0; i < height; ++i) {
      cells[size_t(i) * stride] |=
          own.columns[x] & kLeftEdges & edges.row_masks[i];
    }
  }
  if (block.mi_col == 0 || block.mi_row == 0 ||
      block.mi_col + width == frame_->mi_cols ||
      block.mi_row + height == frame_->mi_rows) {
    TrimEdges(block, cells);
  }
}

// What the frame's borders change: nothing is filtered on them, and the last
// cell of subsampled chroma may stand for 4 samples only.
void TileDecoder::TrimEdges(const Block& block, uint32_t* cells) {
  const size_t stride = size_t(frame_->mi_cols);
  const int width = block.visible_width, height = block.visible_height;
  const auto narrow = [](uint32_t& cell, uint32_t edge, uint32_t edge8) {
    if ((cell & edge) > edge8) cell = (cell & ~edge) | edge8;
  };
  constexpr int kShift = PERDIX_EDGE_CHROMA_SHIFT;
  if (block.mi_col == 0) {
    for (int y = 0; y < height; ++y) cells[size_t(y) * stride] &= ~kLeftEdges;
  }
  if (block.mi_row == 0) {
    for (int x = 0; x < width; ++x) cells[x] &= ~kAboveEdges;
  }
  if (frame_->subsampling_x && block.mi_col + width == frame_->mi_cols) {
    for (int y = 0; y < height; ++y) {
      uint32_t& cell = cells[size_t(y) * stride + size_t(width - 1)];
      narrow(cell, PackEdges(3, 0, 0, 0) << kShift,
             PackEdges(kEdge8, 0, 0, 0) << kShift);
      cell &= ~(PackEdges(0, 0, 1, 1) << kShift);
    }
  }
  if (frame_->subsampling_y && block.mi_row + height == frame_->mi_rows) {
    for (int x = 0; x < width; ++x) {
      uint32_t& cell = cells[size_t(height - 1) * stride + size_t(x)];
      narrow(cell, PackEdges(0, 3, 0, 0) << kShift,
             PackEdges(0, kEdge8, 0, 0) << kShift);
      cell &= ~(PackEdges(0, 0, 0, 1) << kShift);
    }
  }
}

uint32_t TileDecoder::UsedReferences() const {
  uint32_t used = 0;  // bit: RefFrame
  const auto use = [&used](uint32_t count, int ref_frame) {
    used |= uint32_t{count != 0} << ref_frame;
  };
  for (int i = 0; i < kRefContexts; ++i) {
    use(counts_.single_ref[i][0][0], LAST_FRAME);
    use(counts_.single_ref[i][1][0], GOLDEN_FRAME);
    use(counts_.single_ref[i][1][1], ALTREF_FRAME);
    for (int bit = 0; bit < 2; ++bit) {
      use(counts_.comp_ref[i][bit], frame_->comp_fixed_ref);
      use(counts_.comp_ref[i][bit], frame_->comp_var_ref[bit]);
    }
  }
  const Segmentation& segmentation = frame_->segmentation;
  for (int i = 0; i < kSegments; ++i) {
    use(segmentation.Active(i, V4L2_VP9_SEG_LVL_REF_FRAME),
        segmentation.feature_data[i][V4L2_VP9_SEG_LVL_REF_FRAME] & 3);
  }
  return used >> LAST_FRAME;
}

}  // namespace perdix::vp9
