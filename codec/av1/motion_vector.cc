// SPDX-License-Identifier: BSD-2-Clause
// Motion vectors of a block: what is coded of them (5.11.26, 5.11.32) and what
// later frames see (7.19).
#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "codec/av1/fill_rows.h"
#include "codec/av1/motion_field.h"
#include "codec/av1/mv_stack.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kMvLimit = 1 << 14;         // what a component must stay below
constexpr int kIntrabcDelayPixels = 256;  // INTRABC_DELAY_PIXELS
constexpr int kIntrabcDelaySb64 = 4;      // INTRABC_DELAY_SB64
constexpr int kMvIntrabcContext = 1;      // MV_INTRABC_CONTEXT

bool IsWithinLimits(Mv mv) {
  return std::abs(mv.row) < kMvLimit && std::abs(mv.col) < kMvLimit;
}

// read_mv_component (5.11.32). hp: allow_high_precision_mv.
int ReadMvComponent(SymbolDecoder& symbol, MvComponentCdfs& cdfs, bool integer,
                    bool hp) {
  const bool sign = symbol.ReadBool(cdfs.mv_sign);
  const uint32_t mv_class = symbol.Read(cdfs.mv_class);
  uint32_t whole, fraction = 3, eighth = 1;
  if (mv_class == 0) {
    whole = symbol.Read(cdfs.mv_class0_bit);
    if (!integer) fraction = symbol.Read(cdfs.mv_class0_fr[whole]);
    if (hp) eighth = symbol.Read(cdfs.mv_class0_hp);
  } else {
    whole = 1u << mv_class;
    for (uint32_t i = 0; i < mv_class; ++i) {
      whole |= symbol.Read(cdfs.mv_bit[i]) << i;
    }
    if (!integer) fraction = symbol.Read(cdfs.mv_fr);
    if (hp) eighth = symbol.Read(cdfs.mv_hp);
  }
  const int magnitude = int((whole << 3 | fraction << 1 | eighth) + 1);
  return sign ? -magnitude : magnitude;
}

// get_mode of both lists (5.11.30), from NEARESTMV on.
constexpr uint8_t kModesOfLists[NEW_NEWMV - NEARESTMV + 1][2] = {
    {NEARESTMV, NEARESTMV}, {NEARMV, NEARMV}, {GLOBALMV, GLOBALMV},
    {NEWMV, NEWMV},  // one reference up to here
    {NEARESTMV, NEARESTMV}, {NEARMV, NEARMV}, {NEARESTMV, NEWMV},
    {NEWMV, NEARESTMV},     {NEARMV, NEWMV},  {NEWMV, NEARMV},
    {GLOBALMV, GLOBALMV},   {NEWMV, NEWMV}};

}  // namespace

void TileDecoder::FindMvStack(Block& block, bool compound) {
  const BlockPlace place = {
      frame_,
      block.mi_row,
      block.mi_col,
      block.bw4,
      block.bh4,
      mi_row_begin_,
      mi_row_end_,
      mi_col_begin_,
      mi_col_end_,
      TopRightIsDecoded(block),
      {block.info->ref_frame[0], block.info->ref_frame[1]}};
  av1::FindMvStack(place, compound, &mv_stack_);
}

// ---- what is coded ----

// read_mv (5.11.31). False: no valid vector (6.10.25).
bool TileDecoder::ReadMv(Mv prediction, bool intrabc, Mv* mv) {
  MvCdfs& cdfs = cdfs_.mv[intrabc ? kMvIntrabcContext : 0];
  const bool integer = intrabc || frame_->force_integer_mv;
  const bool hp = !integer && frame_->allow_high_precision_mv;
  const uint32_t joint = symbol_.Read(cdfs.mv_joint);
  int row = prediction.row, col = prediction.col;
  if (joint & 2)
    row += ReadMvComponent(symbol_, cdfs.components[0], integer, hp);
  if (joint & 1)
    col += ReadMvComponent(symbol_, cdfs.components[1], integer, hp);
  if (std::abs(row) >= kMvLimit || std::abs(col) >= kMvLimit) return false;
  *mv = {int16_t(row), int16_t(col)};
  return true;
}

void TileDecoder::AssignMv(Block& block, bool compound) {
  ModeInfo& info = *block.info;
  if (info.use_intrabc) return AssignIntrabcMv(block);
  for (int i = 0; i < 1 + compound; ++i) {
    const int mode = kModesOfLists[info.y_mode - NEARESTMV][i];
    Mv& mv = info.mv[i];
    bool valid;
    if (mode == GLOBALMV) {
      mv = mv_stack_.global_mvs[i];
      valid = IsWithinLimits(mv);
    } else if (mode == NEWMV) {
      valid = ReadMv(mv_stack_.At(block.ref_mv_idx, i), false, &mv);
    } else {
      const int index = mode == NEARESTMV ? 0 : block.ref_mv_idx;
      mv = mv_stack_.At(index, i);
      valid = IsWithinLimits(mv);
    }
    if (!valid) {
      mv = {};
      return Fail("motion vector beyond 2048 luma samples");
    }
  }
}

// Block copy within the frame: whole samples.
void TileDecoder::AssignIntrabcMv(Block& block) {
  Mv prediction;
  for (int i = 0; i < 2 && prediction == Mv{}; ++i) {
    const Mv mv = mv_stack_.At(i, 0);
    prediction = {int16_t(mv.row & ~7), int16_t(mv.col & ~7)};
  }
  if (prediction == Mv{}) {
    const int size4 = frame_->sb_size4;
    if (block.mi_row - size4 < mi_row_begin_) {
      prediction.col = int16_t(-(size4 * 4 + kIntrabcDelayPixels) * 8);
    } else {
      prediction.row = int16_t(-size4 * 4 * 8);
    }
  }
  Mv& mv = block.info->mv[0];
  if (!ReadMv(prediction, true, &mv) || !IsIntrabcMvValid(block)) {
    mv = {};
    Fail("block copy from where nothing may be copied");
  }
}

// is_mv_valid (6.10.25), of a block with use_intrabc.
bool TileDecoder::IsIntrabcMvValid(const Block& block) const {
  const Mv mv = block.info->mv[0];
  if ((mv.row & 7) != 0 || (mv.col & 7) != 0) return false;
  int top = block.mi_row * 4 + (mv.row >> 3);
  int left = block.mi_col * 4 + (mv.col >> 3);
  const int bottom = top + block.bh4 * 4, right = left + block.bw4 * 4;
  if (block.has_chroma) {
    if (block.bw4 == 1 && frame_->subsampling_x) left -= 4;
    if (block.bh4 == 1 && frame_->subsampling_y) top -= 4;
  }
  if (top < mi_row_begin_ * 4 || left < mi_col_begin_ * 4 ||
      bottom > mi_row_end_ * 4 || right > mi_col_end_ * 4) {
    return false;
  }
  const int size = frame_->sb_size4 * 4;
  const int active_row = block.mi_row * 4 / size;
  const int active_col64 = block.mi_col * 4 >> 6;
  const int source_row = (bottom - 1) / size;
  const int source_col64 = (right - 1) >> 6;
  const int row64 = ((mi_col_end_ - mi_col_begin_ - 1) >> 4) + 1;
  const int active64 = active_row * row64 + active_col64;
  const int source64 = source_row * row64 + source_col64;
  if (source64 >= active64 - kIntrabcDelaySb64) return false;
  const int gradient = 1 + kIntrabcDelaySb64 + frame_->use_128x128_superblock;
  return source_row <= active_row &&
         source_col64 < active_col64 - kIntrabcDelaySb64 +
                            gradient * (active_row - source_row);
}

// ---- what later frames see (7.19) ----

void TileDecoder::SaveMvs(const Block& block) {
  if (frame_->saved_mvs == nullptr) return;
  const ModeInfo& info = *block.info;
  MotionFieldMv saved;
  for (int i = 0; i < 2; ++i) {
    const int ref = info.ref_frame[i];
    if (ref <= INTRA_FRAME) continue;
    const int distance = frame_->stored_distance[ref];
    if (distance >= 0 && std::abs(info.mv[i].row) <= kRefMvsLimit &&
        std::abs(info.mv[i].col) <= kRefMvsLimit) {
      saved = {info.mv[i], distance};
    }
  }
  const int row_end = std::min(block.mi_row + block.bh4, frame_->mi_rows) >> 1;
  const int col_end = std::min(block.mi_col + block.bw4, frame_->mi_cols) >> 1;
  const int row = block.mi_row >> 1, col = block.mi_col >> 1;
  const size_t stride = size_t(frame_->mi_cols >> 1);
  FillRows(frame_->saved_mvs + size_t(row) * stride + col, stride, saved,
           col_end - col, row_end - row);
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
