// SPDX-License-Identifier: BSD-2-Clause
// The records of inter prediction (5.11.33, 7.11.3.1, 7.11.3.9): of the block
// itself, of chroma that several blocks share, of overlapped neighbours; and,
// in the ordered list, of intrabc and inter-intra.
#include <algorithm>
#include <bit>
#include <cstring>

#include "codec/av1/reference_scale.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kMaxOverlaps = 4;      // neighbours on a side
constexpr int kMaxOverlapRows = 32;  // luma samples

uint32_t Pack(const Mv& mv) { return PackMv(mv.row, mv.col); }

uint32_t ReferenceIndex(int ref_frame) {
  return uint32_t(ref_frame - LAST_FRAME);
}

// A block's or a region's own: size in luma samples.
uint32_t SingleShape(const ModeInfo& info, int width_log2, int height_log2,
                     uint32_t planes, uint32_t kind) {
  return PackInterShape(uint32_t(width_log2), uint32_t(height_log2), planes,
                        kind, ReferenceIndex(info.ref_frame[0]), 0,
                        info.interp_filter[1], info.interp_filter[0], 0, 0);
}

}  // namespace

// Step 7 of 7.11.3.1, as far as global motion goes and whatever the size.
bool TileDecoder::WarpsGlobally(const ModeInfo& info, int list) const {
  if (info.y_mode != GLOBALMV && info.y_mode != GLOBAL_GLOBALMV) return false;
  if (frame_->force_integer_mv) return false;
  const int ref = info.ref_frame[list];
  const ReferenceScale& scale =
      parsed_->codec_params.As<Params>().references[ReferenceIndex(ref)];
  return frame_->gm_type[ref] > TRANSLATION && frame_->gm_valid[ref] &&
         !HasOtherSize(scale);
}

void TileDecoder::AppendInter(int mi_row, int mi_col, uint32_t shape,
                              uint32_t mv0, uint32_t mv1) {
  lists_->Of(kInterBlocks)
      .Append(
          {PackPosition(uint32_t(mi_col), uint32_t(mi_row)), shape, mv0, mv1});
}

// Appends the prediction of the block itself. Where it warps, kernels leave out
// planes in which it is narrower or lower than 8 samples.
inline void TileDecoder::AppendSingle(const Block& block, uint32_t planes) {
  const ModeInfo& info = *block.info;
  uint32_t kind = PERDIX_INTER_SINGLE, matrix = 0;
  if (block.bw4 >= 2 && block.bh4 >= 2 && !frame_->force_integer_mv) {
    if (info.motion_mode == LOCALWARP && block.local_valid) {
      kind = PERDIX_INTER_WARP_LOCAL;
      matrix = uint32_t(lists_->coefficients().size());
      std::memcpy(lists_->coefficients().Extend(PERDIX_WARP_UNITS),
                  &block.local_warp, sizeof(WarpMatrix));
    } else if (WarpsGlobally(info, 0)) {
      kind = PERDIX_INTER_WARP_GLOBAL;
    }
  }
  AppendInter(block.mi_row, block.mi_col,
              SingleShape(info, kBlockWidthLog2[block.size],
                          kBlockHeightLog2[block.size], planes, kind),
              Pack(info.mv[0]), matrix);
}

inline void TileDecoder::AppendCompound(const Block& block, uint32_t planes) {
  const ModeInfo& info = *block.info;
  uint32_t kind = PERDIX_INTER_AVERAGE, wedge = 0, sign = 0;
  switch (block.compound_type) {
    case COMPOUND_WEDGE:
      kind = PERDIX_INTER_WEDGE;
      wedge = block.wedge_index;
      sign = block.wedge_sign;
      break;
    case COMPOUND_DIFFWTD:
      kind = PERDIX_INTER_DIFFWTD;
      sign = block.mask_type;
      break;
    case COMPOUND_DISTANCE:
      kind = PERDIX_INTER_DISTANCE;
      break;
    default:
      break;
  }
  uint32_t shape = PackInterShape(
      kBlockWidthLog2[block.size], kBlockHeightLog2[block.size], planes, kind,
      ReferenceIndex(info.ref_frame[0]), ReferenceIndex(info.ref_frame[1]),
      info.interp_filter[1], info.interp_filter[0], wedge, sign);
  if (WarpsGlobally(info, 0)) shape |= PERDIX_INTER_GLOBAL0;
  if (WarpsGlobally(info, 1)) shape |= PERDIX_INTER_GLOBAL1;
  AppendInter(block.mi_row, block.mi_col, shape, Pack(info.mv[0]),
              Pack(info.mv[1]));
}

// Chroma of a block that is one 4x4 wide or high, where chroma's 4x4 has
// several: each by its own vector if all are inter blocks, else (someUseIntra)
// all by this one's.
void TileDecoder::AppendSharedChroma(const Block& block) {
  const int first_row =
      block.bh4 == 1 ? block.mi_row & ~frame_->subsampling_y : block.mi_row;
  const int first_col =
      block.bw4 == 1 ? block.mi_col & ~frame_->subsampling_x : block.mi_col;
  const int width_log2 = kBlockWidthLog2[block.size];
  const int height_log2 = kBlockHeightLog2[block.size];
  bool all_inter = true;
  for (int row = first_row; row <= block.mi_row; ++row) {
    for (int col = first_col; col <= block.mi_col; ++col) {
      all_inter &= frame_->At(row, col)->ref_frame[0] > INTRA_FRAME;
    }
  }
  if (!all_inter) {
    const int more_x = block.mi_col - first_col;
    const int more_y = block.mi_row - first_row;
    AppendInter(
        first_row, first_col,
        SingleShape(*block.info, width_log2 + more_x, height_log2 + more_y,
                    PERDIX_PLANES_CHROMA, PERDIX_INTER_SINGLE),
        Pack(block.info->mv[0]), 0);
    return;
  }
  for (int row = first_row; row <= block.mi_row; ++row) {
    for (int col = first_col; col <= block.mi_col; ++col) {
      const ModeInfo& info = *frame_->At(row, col);
      AppendInter(row, col,
                  SingleShape(info, width_log2, height_log2,
                              PERDIX_PLANES_CHROMA, PERDIX_INTER_SINGLE),
                  Pack(info.mv[0]), 0);
    }
  }
}

// ---- overlapped block motion compensation (7.11.3.9) ----

// The region of luma that a neighbour overlaps. Sizes are powers of two.
void TileDecoder::AppendOverlap(const ModeInfo& neighbour, int mi_row,
                                int mi_col, int width, int height,
                                uint32_t planes, uint32_t kind) {
  AppendInter(mi_row, mi_col,
              SingleShape(neighbour, std::bit_width(uint32_t(width)) - 1,
                          std::bit_width(uint32_t(height)) - 1, planes, kind),
              Pack(neighbour.mv[0]), 0);
}

void TileDecoder::AppendOverlapAbove(const Block& block, uint32_t planes) {
  const int end = std::min(frame_->mi_cols, block.mi_col + block.bw4);
  const int limit = std::min<int>(kMaxOverlaps, kMiWidthLog2[block.size]);
  const int height = std::min(block.bh4 * 2, kMaxOverlapRows);
  int count = 0, step4;
  for (int col = block.mi_col; count < limit && col < end; col += step4) {
    const ModeInfo& above = *frame_->At(block.mi_row - 1, col | 1);
    step4 = std::clamp<int>(kNum4x4BlocksWide[above.size], 2, 16);
    if (above.ref_frame[0] <= INTRA_FRAME) continue;
    ++count;
    AppendOverlap(above, block.mi_row, col, std::min(block.bw4, step4) * 4,
                  height, planes, PERDIX_INTER_OBMC_ABOVE);
  }
}

void TileDecoder::AppendOverlapLeft(const Block& block, uint32_t planes) {
  const int end = std::min(frame_->mi_rows, block.mi_row + block.bh4);
  const int limit = std::min<int>(kMaxOverlaps, kMiHeightLog2[block.size]);
  const int width = std::min(block.bw4 * 2, kMaxOverlapRows);
  int count = 0, step4;
  for (int row = block.mi_row; count < limit && row < end; row += step4) {
    const ModeInfo& left = *frame_->At(row | 1, block.mi_col - 1);
    step4 = std::clamp<int>(kNum4x4BlocksHigh[left.size], 2, 16);
    if (left.ref_frame[0] <= INTRA_FRAME) continue;
    ++count;
    AppendOverlap(left, row, block.mi_col, width,
                  std::min(block.bh4, step4) * 4, planes,
                  PERDIX_INTER_OBMC_LEFT);
  }
}

void TileDecoder::AppendOverlaps(const Block& block, uint32_t planes) {
  if (block.avail_u) {
    // in small planes only the neighbours to the left overlap
    const int chroma_size = kSubsampledSize[block.size][frame_->subsampling_x]
                                           [frame_->subsampling_y];
    AppendOverlapAbove(
        block, chroma_size >= BLOCK_8X8 ? planes : planes & PERDIX_PLANES_LUMA);
  }
  if (block.avail_l) AppendOverlapLeft(block, planes);
}

// ---- the ordered list ----

void TileDecoder::AppendOrdered(const Block& block, bool chroma, uint32_t kind,
                                uint32_t have, uint32_t payload,
                                uint32_t residual0) {
  const int ss_x = chroma ? frame_->subsampling_x : 0;
  const int ss_y = chroma ? frame_->subsampling_y : 0;
  const int size = kSubsampledSize[block.size][ss_x][ss_y];
  lists_->Of(kIntraBlocks)
      .Append({PackPosition(uint32_t(block.mi_col >> ss_x),
                            uint32_t(block.mi_row >> ss_y)),
               PackIntraShape(kind, chroma, kBlockWidthLog2[size],
                              kBlockHeightLog2[size], have, payload),
               residual0, PERDIX_NO_RESIDUAL});
}

// Chroma of a 4xN block is predicted by its last block alone: those before it
// count as intra blocks (someUseIntra).
void TileDecoder::PredictIntraBlockCopy(const Block& block) {
  const uint32_t mv = Pack(block.info->mv[0]);
  AppendOrdered(block, false, PERDIX_INTRA_COPY, 0, 0, mv);
  if (block.has_chroma) {
    AppendOrdered(block, true, PERDIX_INTRA_COPY, 0, 0, mv);
  }
}

void TileDecoder::AppendInterIntra(const Block& block) {
  const uint32_t payload =
      PackInterIntra(block.interintra_mode,
                     block.wedge_interintra ? 1u + block.wedge_index : 0);
  const auto have = [](bool left, bool above) {
    return (left ? PERDIX_INTRA_HAVE_LEFT : 0) |
           (above ? PERDIX_INTRA_HAVE_ABOVE : 0);
  };
  AppendOrdered(block, false, PERDIX_INTRA_INTER,
                have(block.avail_l, block.avail_u), payload,
                PERDIX_NO_RESIDUAL);
  if (!block.has_chroma) return;
  AppendOrdered(block, true, PERDIX_INTRA_INTER,
                have(block.avail_l_chroma, block.avail_u_chroma), payload,
                PERDIX_NO_RESIDUAL);
}

// ---- the block ----

void TileDecoder::PredictInter(Block& block) {
  const ModeInfo& info = *block.info;
  if (info.use_intrabc) return PredictIntraBlockCopy(block);
  const int references = info.is_compound() ? 2 : 1;
  for (int i = 0; i < references; ++i) {
    if (!frame_->reference_valid[info.ref_frame[i]])
      return Fail("a block refers to a frame that is missing or not usable");
    used_references_ |= 1u << (info.ref_frame[i] - LAST_FRAME);
  }
  const bool shares_chroma = (block.bw4 == 1 && frame_->subsampling_x) ||
                             (block.bh4 == 1 && frame_->subsampling_y);
  uint32_t planes = PERDIX_PLANES_LUMA;
  if (block.has_chroma && !shares_chroma) planes |= PERDIX_PLANES_CHROMA;
  if (info.is_compound()) {
    AppendCompound(block, planes);
  } else {
    AppendSingle(block, planes);
  }
  if (block.has_chroma && shares_chroma) AppendSharedChroma(block);
  if (info.motion_mode == OBMC) AppendOverlaps(block, planes);
  if (info.ref_frame[1] == INTRA_FRAME) AppendInterIntra(block);
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
