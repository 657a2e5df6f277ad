// SPDX-License-Identifier: BSD-2-Clause
// Motion vector prediction and reading (VP9 6.4.19 to 6.4.23, 6.5).
#include <algorithm>
#include <cstdlib>

#include "codec/vp9/tile.h"

namespace perdix::vp9 {
namespace {

constexpr int kMvBorder = 16 << 3;        // MV_BORDER, 1/8 sample
constexpr int kCompandedMvrefThresh = 8;  // COMPANDED_MVREF_THRESH, samples
constexpr int kMvLimit = 1 << 14;         // 1/8 sample, exclusive

bool UsesHighPrecision(const Mv& mv) {
  return (std::abs(mv.row) >> 3) < kCompandedMvrefThresh &&
         (std::abs(mv.col) >> 3) < kCompandedMvrefThresh;
}

int16_t ToEven(int16_t value) {
  if (value & 1) return int16_t(value + (value > 0 ? -1 : 1));
  return value;
}

// Up to two different candidates; full once <wanted> are there.
class CandidateList {
 public:
  CandidateList(Mv* list, int wanted) : list_(list), wanted_(wanted) {
    list_[0] = list_[1] = {};
  }
  // True when the search may end.
  bool Add(const Mv& mv) {
    if (count_ == 1 && mv == list_[0]) return false;
    list_[count_++] = mv;
    return count_ == wanted_;
  }

 private:
  Mv* list_;
  int wanted_;
  int count_ = 0;
};

Mv Scaled(const Mv& mv, bool negate) {
  if (!negate) return mv;
  return {int16_t(-mv.row), int16_t(-mv.col)};
}

// if_diff_ref_frame_add_mv, for a block of this frame or of the previous one.
bool AddDifferent(const int8_t ref_frame[2], const Mv mv[2], int wanted_ref,
                  const uint8_t* sign_bias, CandidateList* list) {
  const auto scaled = [&](int i) {
    return Scaled(mv[i], sign_bias[ref_frame[i]] != sign_bias[wanted_ref]);
  };
  if (ref_frame[0] <= INTRA_FRAME) return false;
  if (ref_frame[0] != wanted_ref && list->Add(scaled(0))) return true;
  return ref_frame[1] > INTRA_FRAME && ref_frame[1] != wanted_ref &&
         mv[1] != mv[0] && list->Add(scaled(1));
}

}  // namespace

int TileDecoder::ModeContext(const Block& block) const {
  int counter = 0;
  for (int i = 0; i < 2; ++i) {
    const int8_t* offset = mv_ref_blocks[block.info->size][i];
    const int row = block.mi_row + offset[0], col = block.mi_col + offset[1];
    if (IsInside(row, col)) counter += mode_2_counter[InfoAt(row, col)->y_mode];
  }
  return counter_to_context[counter];
}

// find_mv_refs: fills <list> (zero where nothing is found) and stops after
// <wanted> candidates. sub_block: 0..3 below 8x8, else -1.
int TileDecoder::FindMvRefs(const Block& block, int ref_frame, int wanted,
                            int sub_block, Mv list[2]) const {
  // by sub-block and whether the candidate is above: its nearest 4x4
  static constexpr uint8_t kIdxNColumnToSubblock[4][2] = {
      {1, 2}, {1, 3}, {3, 2}, {3, 3}};
  const int8_t(*offsets)[2] = mv_ref_blocks[block.info->size];
  CandidateList candidates(list, wanted);
  const ModeInfo* neighbours[kMvRefNeighbours];
  int count = 0;
  const auto search = [&]() {
    for (int i = 0; i < kMvRefNeighbours; ++i) {
      const int row = block.mi_row + offsets[i][0];
      const int col = block.mi_col + offsets[i][1];
      if (!IsInside(row, col)) continue;
      const ModeInfo* info = InfoAt(row, col);
      neighbours[count++] = info;
      int mv_index = 3;
      if (i < 2 && sub_block >= 0 && info->size < BLOCK_8X8) {
        mv_index = kIdxNColumnToSubblock[sub_block][offsets[i][1] == 0];
      }
      for (int j = 0; j < 2; ++j) {
        if (info->ref_frame[j] != ref_frame) continue;
        if (candidates.Add(info->mv[mv_index][j])) return;
        break;
      }
    }
    const ModeInfo* prev = nullptr;
    if (frame_->use_prev_frame_mvs) {
      prev = frame_->prev_grid[size_t(block.mi_row) * size_t(frame_->mi_cols) +
                               size_t(block.mi_col)];
      for (int j = 0; j < 2; ++j) {
        if (prev->ref_frame[j] != ref_frame) continue;
        if (candidates.Add(prev->mv[3][j])) return;
        break;
      }
    }
    for (int i = 0; i < count; ++i) {
      if (AddDifferent(neighbours[i]->ref_frame, neighbours[i]->mv[3],
                       ref_frame, frame_->sign_bias, &candidates)) {
        return;
      }
    }
    if (prev != nullptr) {
      AddDifferent(prev->ref_frame, prev->mv[3], ref_frame, frame_->sign_bias,
                   &candidates);
    }
  };
  search();

  // clamp_mv_ref
  const int left = -block.mi_col * 64 - kMvBorder;
  const int right =
      (frame_->mi_cols - block.width - block.mi_col) * 64 + kMvBorder;
  const int top = -block.mi_row * 64 - kMvBorder;
  const int bottom =
      (frame_->mi_rows - block.height - block.mi_row) * 64 + kMvBorder;
  for (int i = 0; i < wanted; ++i) {
    list[i].row = int16_t(std::clamp<int>(list[i].row, top, bottom));
    list[i].col = int16_t(std::clamp<int>(list[i].col, left, right));
  }
  return wanted;
}

// find_best_ref_mvs: the predictor of NEARESTMV, NEARMV or NEWMV.
Mv TileDecoder::BestMv(const Block& block, int mode, int ref_frame) const {
  Mv list[2];
  const int wanted = mode == NEARMV ? 2 : 1;
  FindMvRefs(block, ref_frame, wanted, -1, list);
  Mv best = list[wanted - 1];
  if (!frame_->allow_high_precision_mv || !UsesHighPrecision(best)) {
    best.row = ToEven(best.row);
    best.col = ToEven(best.col);
  }
  return best;
}

// append_sub8x8_mvs: NEARESTMV or NEARMV of one 4x4 of an 8x8.
Mv TileDecoder::AppendSub8x8Mv(const Block& block, int mode, int sub_block,
                               int ref) const {
  const auto& mv = block.info->mv;
  const int ref_frame = block.info->ref_frame[ref];
  Mv list[2];
  if (sub_block == 0) {
    const int wanted = mode == NEARMV ? 2 : 1;
    FindMvRefs(block, ref_frame, wanted, 0, list);
    return list[wanted - 1];
  }
  const Mv nearest = mv[sub_block == 3 ? 2 : 0][ref];
  if (mode == NEARESTMV) return nearest;
  if (sub_block == 3) {
    if (mv[1][ref] != nearest) return mv[1][ref];
    if (mv[0][ref] != nearest) return mv[0][ref];
  }
  FindMvRefs(block, ref_frame, 2, sub_block, list);
  for (const Mv& candidate : list) {
    if (candidate != nearest) return candidate;
  }
  return {};
}

bool TileDecoder::AssignMv(int mode, int references, const Mv best[2],
                           Mv mv[2]) {
  mv[0] = mv[1] = {};
  if (mode == ZEROMV) return true;
  for (int i = 0; i < references; ++i) {
    mv[i] = best[i];
    if (mode == NEWMV && !ReadMv(best[i], &mv[i])) {
      Fail(StatusCode::kInvalidBitstream,
           "motion vector beyond 2048 luma samples");
      return false;
    }
  }
  return true;
}

bool TileDecoder::ReadMv(const Mv& best, Mv* mv) {
  const bool use_hp =
      frame_->allow_high_precision_mv && UsesHighPrecision(best);
  const uint32_t joint =
      bool_.ReadTree<mv_joint_tree>(frame_->probabilities.mv_joint);
  ++counts_.mv_joint[joint];
  int row = best.row, col = best.col;
  if (joint == MV_JOINT_HZVNZ || joint == MV_JOINT_HNZVNZ) {
    row += ReadMvComponent(0, use_hp);
  }
  if (joint == MV_JOINT_HNZVZ || joint == MV_JOINT_HNZVNZ) {
    col += ReadMvComponent(1, use_hp);
  }
  if (std::abs(row) >= kMvLimit || std::abs(col) >= kMvLimit) return false;
  *mv = {int16_t(row), int16_t(col)};
  return true;
}

int TileDecoder::ReadMvComponent(int component, bool use_hp) {
  const FrameContext& probs = frame_->probabilities;
  const int c = component;
  BoolDecoder reader = bool_;  // in registers
  const uint32_t sign = reader.ReadFlat(probs.mv_sign[c]);
  ++counts_.mv_sign[c][sign];
  const uint32_t mv_class = reader.ReadTree<mv_class_tree>(probs.mv_class[c]);
  ++counts_.mv_class[c][mv_class];
  uint32_t integer = 0, fraction = 0, base = 0;
  uint32_t hp = 1;  // counted as 1 even when it is not read
  if (mv_class == 0) {
    integer = reader.ReadFlat(probs.mv_class0_bit[c]);
    ++counts_.mv_class0_bit[c][integer];
    fraction = reader.ReadTree<mv_fr_tree>(probs.mv_class0_fr[c][integer]);
    ++counts_.mv_class0_fr[c][integer][fraction];
    if (use_hp) hp = reader.ReadFlat(probs.mv_class0_hp[c]);
    ++counts_.mv_class0_hp[c][hp];
  } else {
    for (uint32_t i = 0; i < mv_class; ++i) {
      const uint32_t bit = reader.ReadFlat(probs.mv_bits[c][i]);
      ++counts_.mv_bits[c][i][bit];
      integer |= bit << i;
    }
    base = 2u << (mv_class + 2);
    fraction = reader.ReadTree<mv_fr_tree>(probs.mv_fr[c]);
    ++counts_.mv_fr[c][fraction];
    if (use_hp) hp = reader.ReadFlat(probs.mv_hp[c]);
    ++counts_.mv_hp[c][hp];
  }
  bool_ = reader;
  const int magnitude = int(base + (integer << 3 | fraction << 1 | hp) + 1);
  return sign ? -magnitude : magnitude;
}

}  // namespace perdix::vp9
