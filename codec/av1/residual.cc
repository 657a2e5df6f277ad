// SPDX-License-Identifier: BSD-2-Clause
// The transform blocks of a block in decoding order (5.11.34 to 5.11.37), and
// the records of what must be done in that order: intra prediction (5.11.35),
// and the residual of blocks that copy or blend.
#include <algorithm>
#include <cassert>
#include <cstring>

#include "codec/av1/coefficient_contexts.h"
#include "codec/av1/fill_context.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kChunk4 = 16;  // 4x4 units of the 64x64 that residual goes by

// get_tx_size (5.11.37) of chroma. plane_size: of the block in its plane.
TxSize UvTxSize(int plane_size) {
  const auto size = TxSize(kMaxTxSizeRect[plane_size]);
  if (kTxWidth[size] < 64 && kTxHeight[size] < 64) return size;
  if (kTxWidth[size] == 16) return TX_16X32;
  if (kTxHeight[size] == 16) return TX_32X16;
  return TX_32X32;
}

bool IsSmooth(int mode) {
  return mode == SMOOTH_PRED || mode == SMOOTH_V_PRED || mode == SMOOTH_H_PRED;
}

// is_smooth (7.11.2.8) in chroma.
bool IsSmoothChroma(const ModeInfo& info) {
  return info.ref_frame[0] <= INTRA_FRAME && IsSmooth(info.uv_mode);
}

// Whether the block's residual is in the ordered list.
bool IsOrdered(const ModeInfo& info) {
  return !info.is_inter || info.use_intrabc || info.ref_frame[1] == INTRA_FRAME;
}

}  // namespace

// ---- contexts ----

void TileDecoder::BeginResidualFrame() {
  const int columns = mi_col_end_ - mi_col_begin_;
  const size_t padded = size_t(columns) + kMaxSb4;
  for (auto& contexts : above_coefficients_) contexts.resize(padded);
  BeginEdgesFrame();
}

void TileDecoder::BeginResidualTile() {
  for (auto& contexts : above_coefficients_) {
    std::ranges::fill(contexts, kNoCoefficients);
  }
}

void TileDecoder::BeginResidualRow() {
  std::memset(left_coefficients_, kNoCoefficients, sizeof(left_coefficients_));
  BeginEdgesRow();
}

// clear_block_decoded_flags (5.11.3).
void TileDecoder::BeginResidualSuperblock(int mi_row, int mi_col) {
  for (int plane = 0; plane < int(kPlaneCount); ++plane) {
    const int ss_x = plane > 0 ? frame_->subsampling_x : 0;
    const int ss_y = plane > 0 ? frame_->subsampling_y : 0;
    const int size_x = frame_->sb_size4 >> ss_x;
    const int size_y = frame_->sb_size4 >> ss_y;
    const int width = std::min((mi_col_end_ - mi_col) >> ss_x, size_x + 1);
    const int height = std::min((mi_row_end_ - mi_row) >> ss_y, size_y);
    uint64_t* rows = decoded_[plane];
    rows[0] = (uint64_t{2} << width) - 1;
    for (int y = 0; y <= size_y; ++y) rows[y + 1] = y < height;
  }
}

void TileDecoder::ResetBlockContext(const Block& block) {
  const int column = block.mi_col - mi_col_begin_;
  const int row = block.mi_row & (frame_->sb_size4 - 1);
  FillContext(&above_coefficients_[0][size_t(column)], kNoCoefficients,
              block.bw4);
  FillContext(left_coefficients_[0] + row, kNoCoefficients, block.bh4);
  if (!block.has_chroma) return;
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  for (int i = 1; i < kComponents; ++i) {
    FillContext(&above_coefficients_[i][size_t(column >> ss_x)],
                kNoCoefficients, (block.bw4 + ss_x) >> ss_x);
    FillContext(left_coefficients_[i] + (row >> ss_y), kNoCoefficients,
                (block.bh4 + ss_y) >> ss_y);
  }
}

// ---- planes ----

// The part of the block in luma, or in U.
inline TileDecoder::BlockPlane TileDecoder::PlaneOf(const Block& block,
                                                    bool chroma) {
  const int ss_x = chroma ? frame_->subsampling_x : 0;
  const int ss_y = chroma ? frame_->subsampling_y : 0;
  const int component = chroma;
  const int column = (block.mi_col - mi_col_begin_) >> ss_x;
  const int row = (block.mi_row & (frame_->sb_size4 - 1)) >> ss_y;
  BlockPlane plane;
  plane.component = component;
  plane.x4 = block.mi_col >> ss_x;
  plane.y4 = block.mi_row >> ss_y;
  plane.width4 = (block.bw4 + ss_x) >> ss_x;
  plane.height4 = (block.bh4 + ss_y) >> ss_y;
  plane.visible_width4 =
      std::min(plane.width4, (frame_->mi_cols >> ss_x) - plane.x4);
  plane.visible_height4 =
      std::min(plane.height4, (frame_->mi_rows >> ss_y) - plane.y4);
  plane.tx_size = chroma           ? uv_tx_size_
                  : block.lossless ? TX_4X4
                                   : TxSize(block.info->tx_size);
  plane.above = above_coefficients_[component].data() + column;
  plane.left = left_coefficients_[component] + row;
  return plane;
}

// V is where U is.
inline TileDecoder::BlockPlane TileDecoder::PlaneOfV(const BlockPlane& u) {
  BlockPlane v = u;
  v.component = 2;
  v.above =
      above_coefficients_[2].data() + (u.above - above_coefficients_[1].data());
  v.left = left_coefficients_[2] + (u.left - left_coefficients_[1]);
  return v;
}

// Calls visit(x, y) for the transform blocks of a size in raster order, as far
// as they lie in a 64x64 of luma and begin inside the frame.
template <typename Visit>
void TileDecoder::ForEachTransform(const BlockPlane& plane, int chunk_row,
                                   int chunk_col, const Visit& visit) {
  const int ss_x = plane.component > 0 ? frame_->subsampling_x : 0;
  const int ss_y = plane.component > 0 ? frame_->subsampling_y : 0;
  const int begin_x = chunk_col >> ss_x, begin_y = chunk_row >> ss_y;
  const int end_x = std::min(begin_x + (kChunk4 >> ss_x), plane.visible_width4);
  const int end_y =
      std::min(begin_y + (kChunk4 >> ss_y), plane.visible_height4);
  const int step_x = kTxWidth[plane.tx_size] >> 2;
  const int step_y = kTxHeight[plane.tx_size] >> 2;
  for (int y = begin_y; y < end_y; y += step_y) {
    for (int x = begin_x; x < end_x; x += step_x) visit(x, y);
  }
}

// ---- which neighbours are decoded ----

// What BlockDecoded says of the surroundings of the transform block at
// x, y of the plane, as PackPredict takes it.
struct TileDecoder::Surroundings {
  uint32_t have, above_right, below_left;
};

TileDecoder::Surroundings TileDecoder::SurroundingsOf(const Block& block,
                                                      const BlockPlane& plane,
                                                      int x, int y) const {
  const bool chroma = plane.component > 0;
  const int mask_x = (frame_->sb_size4 >> (chroma ? frame_->subsampling_x : 0));
  const int mask_y = (frame_->sb_size4 >> (chroma ? frame_->subsampling_y : 0));
  const int column = (plane.x4 + x) & (mask_x - 1);
  const int row = (plane.y4 + y) & (mask_y - 1);
  const int width4 = kTxWidth[plane.tx_size] >> 2;
  const int height4 = kTxHeight[plane.tx_size] >> 2;
  const uint64_t* rows = decoded_[chroma];
  const bool left = x > 0 || (chroma ? block.avail_l_chroma : block.avail_l);
  const bool above = y > 0 || (chroma ? block.avail_u_chroma : block.avail_u);
  return {(left ? PERDIX_INTRA_HAVE_LEFT : 0) |
              (above ? PERDIX_INTRA_HAVE_ABOVE : 0),
          rows[row] >> (column + width4 + 1) & 1 ? uint32_t(width4) : 0,
          rows[row + height4 + 1] >> column & 1 ? uint32_t(height4) : 0};
}

// width4, height4: from x, y of the plane on.
void TileDecoder::SetDecoded(const BlockPlane& plane, int x, int y, int width4,
                             int height4) {
  const bool chroma = plane.component > 0;
  const int ss_x = chroma ? frame_->subsampling_x : 0;
  const int ss_y = chroma ? frame_->subsampling_y : 0;
  const int column = (plane.x4 + x) & ((frame_->sb_size4 >> ss_x) - 1);
  const int row = (plane.y4 + y) & ((frame_->sb_size4 >> ss_y) - 1);
  MarkDecoded(chroma, column, row, width4, height4);
}

// column, row: in the superblock.
void TileDecoder::MarkDecoded(bool chroma, int column, int row, int width4,
                              int height4) {
  const uint64_t bits = ((uint64_t{1} << width4) - 1) << (column + 1);
  uint64_t* rows = decoded_[chroma] + row + 1;
  for (int i = 0; i < height4; ++i) rows[i] |= bits;
}

// Marks a whole block as decoded.
void TileDecoder::MarkDecoded(const Block& block) {
  const int mask = frame_->sb_size4 - 1;
  const int column = block.mi_col & mask, row = block.mi_row & mask;
  MarkDecoded(false, column, row, block.bw4, block.bh4);
  if (!block.has_chroma) return;
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  MarkDecoded(true, column >> ss_x, row >> ss_y, (block.bw4 + ss_x) >> ss_x,
              (block.bh4 + ss_y) >> ss_y);
}

// Whether the block above to the right is, and in the tile.
bool TileDecoder::TopRightIsDecoded(const Block& block) const {
  const int mask = frame_->sb_size4 - 1;
  const int column = (block.mi_col & mask) + block.bw4;
  return block.avail_u && block.mi_col + block.bw4 < mi_col_end_ &&
         (decoded_[kLuma][block.mi_row & mask] >> (column + 1) & 1) != 0;
}

// ---- intra ----

// get_filter_type (7.11.2.8).
bool TileDecoder::IntraFilterType(const Block& block, bool chroma) const {
  if (!chroma) {
    return (block.above != nullptr && IsSmooth(block.above->y_mode)) ||
           (block.left != nullptr && IsSmooth(block.left->y_mode));
  }
  // the blocks that have the chroma above and to the left
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  const int row = block.mi_row, col = block.mi_col;
  if (block.avail_u_chroma) {
    const int above_row = row - 1 - (ss_y & row & 1);
    if (IsSmoothChroma(*frame_->At(above_row, col | ss_x))) return true;
  }
  if (block.avail_l_chroma) {
    const int left_col = col - 1 - (ss_x & col & 1);
    return IsSmoothChroma(*frame_->At(row | ss_y, left_col));
  }
  return false;
}

// PERDIX_INTRA_PREDICT's payload but for what is decoded around.
uint32_t TileDecoder::PredictPayload(const Block& block, bool chroma) const {
  const ModeInfo& info = *block.info;
  const int mode = chroma ? info.uv_mode : info.y_mode;
  const bool directional = mode >= V_PRED && mode <= D67_PRED;
  const int angle = chroma ? block.angle_delta_uv : block.angle_delta_y;
  return PackPredict(uint32_t(mode), directional ? angle : 0,
                     directional && IntraFilterType(block, chroma), 0, 0);
}

void TileDecoder::AppendIntra(const BlockPlane& plane, int x, int y,
                              TxSize size, uint32_t kind, uint32_t have,
                              uint32_t payload, uint32_t residual0,
                              uint32_t residual1) {
  lists_->Of(kIntraBlocks)
      .Append({PackPosition(uint32_t(plane.x4 + x), uint32_t(plane.y4 + y)),
               PackIntraShape(kind, plane.component > 0, kTxWidthLog2[size],
                              kTxHeightLog2[size], have, payload),
               residual0, residual1});
}

// A palette's record; its residual follows.
void TileDecoder::AppendPalette(const Block& block, const BlockPlane& plane) {
  const bool chroma = plane.component > 0;
  const int size = chroma ? kSubsampledSize[block.size][frame_->subsampling_x]
                                           [frame_->subsampling_y]
                          : int(block.size);
  lists_->Of(kIntraBlocks)
      .Append(
          {PackPosition(uint32_t(plane.x4), uint32_t(plane.y4)),
           PackIntraShape(PERDIX_INTRA_PALETTE, chroma, kBlockWidthLog2[size],
                          kBlockHeightLog2[size], 0, 0),
           palette_offset_[chroma], PERDIX_NO_RESIDUAL});
}

inline void TileDecoder::IntraLuma(const Block& block, const BlockPlane& plane,
                                   int chunk_row, int chunk_col) {
  const ModeInfo& info = *block.info;
  uint32_t kind = PERDIX_INTRA_PREDICT, payload = 0;
  if (info.palette_size[0] != 0) {
    kind = PERDIX_INTRA_RESIDUAL;
    AppendPalette(block, plane);
  } else if (block.use_filter_intra) {
    kind = PERDIX_INTRA_FILTER;
    payload = block.filter_intra_mode;
  } else {
    payload = PredictPayload(block, false);
  }
  const TxSize size = plane.tx_size;
  ForEachTransform(plane, chunk_row, chunk_col, [&](int x, int y) {
    uint32_t residual = PERDIX_NO_RESIDUAL;
    if (!info.skip) {
      residual = ReadTransformBlock(block, plane, size, x, y,
                                    lists_->Of(kIntraTransforms));
    }
    AppendPrediction(block, plane, x, y, kind, payload, residual,
                     PERDIX_NO_RESIDUAL);
  });
}

// One of <kind>, as far as it is needed. Marks the transform block as decoded.
void TileDecoder::AppendPrediction(const Block& block, const BlockPlane& plane,
                                   int x, int y, uint32_t kind,
                                   uint32_t payload, uint32_t residual0,
                                   uint32_t residual1) {
  const TxSize size = plane.tx_size;
  if (kind != PERDIX_INTRA_RESIDUAL) {
    const Surroundings around = SurroundingsOf(block, plane, x, y);
    if (kind == PERDIX_INTRA_PREDICT) {
      payload |= PackPredict(0, -3, 0, around.above_right, around.below_left);
    }
    AppendIntra(plane, x, y, size, kind, around.have, payload, residual0,
                residual1);
  } else if ((residual0 & residual1) != PERDIX_NO_RESIDUAL) {
    AppendIntra(plane, x, y, size, kind, 0, 0, residual0, residual1);
  }
  SetDecoded(plane, x, y, kTxWidth[size] >> 2, kTxHeight[size] >> 2);
}

// MaxLumaW and MaxLumaH (5.11.35) from the chroma block's corner on.
uint32_t TileDecoder::CflPayload(const Block& block) const {
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  const int width = std::min(block.bw4, frame_->mi_cols - block.mi_col);
  const int height = std::min(block.bh4, frame_->mi_rows - block.mi_row);
  const TxSize size = block.lossless ? TX_4X4 : TxSize(block.info->tx_size);
  const int step_x = kTxWidth[size] >> 2, step_y = kTxHeight[size] >> 2;
  const int end_x = (width + step_x - 1) & ~(step_x - 1);
  const int end_y = (height + step_y - 1) & ~(step_y - 1);
  return PackCfl(block.cfl_alpha_u, block.cfl_alpha_v,
                 uint32_t(end_x + (ss_x & block.mi_col)),
                 uint32_t(end_y + (ss_y & block.mi_row)));
}

// U and V share records, but U comes first in the bitstream.
void TileDecoder::ReadChroma(const Block& block, const BlockPlane& u,
                             const BlockPlane& v, int chunk_row, int chunk_col,
                             uint32_t kind, uint32_t payload) {
  const bool coded = !block.info->skip;
  const TxSize size = u.tx_size;
  size_t count = 0;
  if (coded) {
    ForEachTransform(u, chunk_row, chunk_col, [&](int x, int y) {
      residuals_u_[count++] = ReadTransformBlock(block, u, size, x, y,
                                                 lists_->Of(kIntraTransforms));
    });
  }
  count = 0;
  ForEachTransform(v, chunk_row, chunk_col, [&](int x, int y) {
    uint32_t residual0 = PERDIX_NO_RESIDUAL, residual1 = PERDIX_NO_RESIDUAL;
    if (coded) {
      residual0 = residuals_u_[count++];
      residual1 = ReadTransformBlock(block, v, size, x, y,
                                     lists_->Of(kIntraTransforms));
    }
    AppendPrediction(block, v, x, y, kind, payload, residual0, residual1);
  });
}

inline void TileDecoder::IntraChroma(const Block& block, const BlockPlane& u,
                                     const BlockPlane& v, int chunk_row,
                                     int chunk_col) {
  const ModeInfo& info = *block.info;
  uint32_t kind = PERDIX_INTRA_PREDICT, payload = 0;
  if (info.palette_size[1] != 0) {
    kind = PERDIX_INTRA_RESIDUAL;
    AppendPalette(block, v);
  } else if (info.uv_mode == UV_CFL_PRED) {
    kind = PERDIX_INTRA_CFL;
    payload = CflPayload(block);
  } else {
    payload = PredictPayload(block, true);
  }
  ReadChroma(block, u, v, chunk_row, chunk_col, kind, payload);
}

// ---- inter ----

// One transform block of luma; in the ordered list, with a record that names
// it.
void TileDecoder::InterTransform(const Block& block, const BlockPlane& plane,
                                 TxSize size, int x, int y) {
  if (!IsOrdered(*block.info)) {
    ReadTransformBlock(block, plane, size, x, y, lists_->Of(kInterTransforms));
    return;
  }
  const uint32_t residual = ReadTransformBlock(block, plane, size, x, y,
                                               lists_->Of(kIntraTransforms));
  if (residual == PERDIX_NO_RESIDUAL) return;
  AppendIntra(plane, x, y, size, PERDIX_INTRA_RESIDUAL, 0, 0, residual,
              PERDIX_NO_RESIDUAL);
}

// transform_tree (5.11.36) at x, y of the block, 4x4 units. log2: of samples.
void TileDecoder::TransformTree(const Block& block, const BlockPlane& plane,
                                int x, int y, int width_log2, int height_log2) {
  if (x >= plane.visible_width4 || y >= plane.visible_height4) return;
  const int size = inter_tx_sizes_[y][x];
  if (width_log2 <= kTxWidthLog2[size] && height_log2 <= kTxHeightLog2[size]) {
    const int own = kFindTxSize[width_log2 - 2][height_log2 - 2];
    assert(tree_leaf_count_ < kMaxTreeLeaves);
    tree_leaves_[tree_leaf_count_++] = {uint8_t(x), uint8_t(y), uint8_t(own)};
    tree_is_uniform_ &= own == tree_leaves_[0].size;
    InterTransform(block, plane, TxSize(own), x, y);
    return;
  }
  const bool split_x = width_log2 >= height_log2;
  const bool split_y = height_log2 >= width_log2;
  width_log2 -= split_x;
  height_log2 -= split_y;
  const int step_x = 1 << width_log2 >> 2, step_y = 1 << height_log2 >> 2;
  for (int row = 0; row <= split_y; ++row) {
    for (int col = 0; col <= split_x; ++col) {
      TransformTree(block, plane, x + col * step_x, y + row * step_y,
                    width_log2, height_log2);
    }
  }
}

inline void TileDecoder::InterLuma(const Block& block, const BlockPlane& plane,
                                   int chunk_row, int chunk_col) {
  if (block.lossless) {
    ForEachTransform(plane, chunk_row, chunk_col, [&](int x, int y) {
      InterTransform(block, plane, TX_4X4, x, y);
    });
    return;
  }
  TransformTree(block, plane, chunk_col, chunk_row,
                std::min<int>(kBlockWidthLog2[block.size], 6),
                std::min<int>(kBlockHeightLog2[block.size], 6));
}

inline void TileDecoder::InterChroma(const Block& block, const BlockPlane& u,
                                     const BlockPlane& v, int chunk_row,
                                     int chunk_col) {
  if (IsOrdered(*block.info)) {
    ReadChroma(block, u, v, chunk_row, chunk_col, PERDIX_INTRA_RESIDUAL, 0);
    return;
  }
  for (const BlockPlane* plane : {&u, &v}) {
    ForEachTransform(*plane, chunk_row, chunk_col, [&](int x, int y) {
      ReadTransformBlock(block, *plane, plane->tx_size, x, y,
                         lists_->Of(kInterTransforms));
    });
  }
}

inline void TileDecoder::ResidualChunk(const Block& block,
                                       const BlockPlane planes[], int chunk_row,
                                       int chunk_col) {
  if (block.info->is_inter) {
    InterLuma(block, planes[0], chunk_row, chunk_col);
    if (!block.has_chroma) return;
    InterChroma(block, planes[1], planes[2], chunk_row, chunk_col);
  } else {
    IntraLuma(block, planes[0], chunk_row, chunk_col);
    if (!block.has_chroma) return;
    IntraChroma(block, planes[1], planes[2], chunk_row, chunk_col);
  }
}

void TileDecoder::Residual(Block& block) {
  const ModeInfo& info = *block.info;
  if (block.has_chroma) uv_tx_size_ = ChromaTxSize(block);
  tree_leaf_count_ = 0;
  tree_is_uniform_ = true;
  if (!info.is_inter || !info.skip) ReadPlanes(block);
  // Within the block nobody looks at this.
  if (info.is_inter) MarkDecoded(block);
}

inline TxSize TileDecoder::ChromaTxSize(const Block& block) const {
  if (block.lossless) return TX_4X4;
  return UvTxSize(kSubsampledSize[block.size][frame_->subsampling_x]
                                 [frame_->subsampling_y]);
}

inline void TileDecoder::ReadPlanes(const Block& block) {
  BlockPlane planes[kComponents];
  planes[0] = PlaneOf(block, false);
  if (block.has_chroma) {
    planes[1] = PlaneOf(block, true);
    planes[2] = PlaneOfV(planes[1]);
  }
  for (int row = 0; row < planes[0].visible_height4; row += kChunk4) {
    for (int col = 0; col < planes[0].visible_width4; col += kChunk4) {
      ResidualChunk(block, planes, row, col);
    }
  }
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
