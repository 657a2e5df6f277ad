// SPDX-License-Identifier: BSD-2-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

#include "codec/av1/frame_state.h"
#include "codec/av1/motion_field.h"
#include "codec/av1/mv_stack.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

namespace perdix::av1 {
namespace {

// The search against the text of 7.10.2.

// The process as the specification writes it, a 4x4 unit at a time, with the
// seven motion fields and no scan left out.
class Specification {
 public:
  Specification(const BlockPlace& block, bool compound)
      : frame_(*block.frame), b_(block), compound_(compound) {}

  MvStack Run();

 private:
  struct Entry {
    MvPair mvs;
    int weight;
  };

  bool IsInside(int row, int col) const {
    return row >= b_.mi_row_begin && row < b_.mi_row_end &&
           col >= b_.mi_col_begin && col < b_.mi_col_end;
  }
  Mv Lower(Mv mv) const {
    if (frame_.allow_high_precision_mv) return mv;
    return LowerPrecision(mv, frame_.force_integer_mv ? MvPrecision::kInteger
                                                      : MvPrecision::kQuarter);
  }
  Mv Global(int list) const;
  void ScanRow(int delta_row);
  void ScanCol(int delta_col);
  void ScanPoint(int delta_row, int delta_col);
  void AddRefMvCandidate(int row, int col, int weight);
  void Push(MvPair mvs, int weight);
  void Temporal();
  void AddTemporal(int delta_row, int delta_col);
  void ExtraSearch();
  void AddExtra(int row, int col);
  void AddExtraCompound(const ModeInfo& candidate);
  void Combine();
  void Clamp();

  const FrameState& frame_;
  const BlockPlace& b_;
  const bool compound_;
  std::vector<Entry> stack_;
  MvStack result_;
  int new_mv_count_ = 0;
  bool found_match_ = false;
  std::vector<Mv> id_mvs_[2], diff_mvs_[2];
};

int64_t Round2Signed(int64_t x, int n) {
  const int64_t size = (std::abs(x) + (int64_t{1} << (n - 1))) >> n;
  return x < 0 ? -size : size;
}

Mv Specification::Global(int list) const {
  const int ref = b_.ref_frame[list];
  if (ref <= INTRA_FRAME || frame_.gm_type[ref] == IDENTITY) return {};
  const int* gm = frame_.gm_params[ref].params;
  if (frame_.gm_type[ref] == TRANSLATION)
    return Lower({int16_t(gm[0] >> 13), int16_t(gm[1] >> 13)});
  const int x = b_.mi_col * 4 + b_.bw4 * 2 - 1;
  const int y = b_.mi_row * 4 + b_.bh4 * 2 - 1;
  const int xc = (gm[2] - 65536) * x + gm[3] * y + gm[0];
  const int yc = gm[4] * x + (gm[5] - 65536) * y + gm[1];
  if (frame_.allow_high_precision_mv)
    return {int16_t(Round2Signed(yc, 13)), int16_t(Round2Signed(xc, 13))};
  return Lower(
      {int16_t(Round2Signed(yc, 14) * 2), int16_t(Round2Signed(xc, 14) * 2)});
}

void Specification::ScanRow(int delta_row) {
  int delta_col = 0;
  const int end4 = std::min({b_.bw4, frame_.mi_cols - b_.mi_col, 16});
  if (std::abs(delta_row) > 1) {
    delta_row += b_.mi_row & 1;
    delta_col = 1 - (b_.mi_col & 1);
  }
  for (int i = 0; i < end4;) {
    const int row = b_.mi_row + delta_row, col = b_.mi_col + delta_col + i;
    if (!IsInside(row, col)) break;
    int len =
        std::min<int>(b_.bw4, kNum4x4BlocksWide[frame_.At(row, col)->size]);
    if (std::abs(delta_row) > 1) len = std::max(2, len);
    if (b_.bw4 >= 16) len = std::max(4, len);
    AddRefMvCandidate(row, col, len * 2);
    i += len;
  }
}

void Specification::ScanCol(int delta_col) {
  int delta_row = 0;
  const int end4 = std::min({b_.bh4, frame_.mi_rows - b_.mi_row, 16});
  if (std::abs(delta_col) > 1) {
    delta_row = 1 - (b_.mi_row & 1);
    delta_col += b_.mi_col & 1;
  }
  for (int i = 0; i < end4;) {
    const int row = b_.mi_row + delta_row + i, col = b_.mi_col + delta_col;
    if (!IsInside(row, col)) break;
    int len =
        std::min<int>(b_.bh4, kNum4x4BlocksHigh[frame_.At(row, col)->size]);
    if (std::abs(delta_col) > 1) len = std::max(2, len);
    if (b_.bh4 >= 16) len = std::max(4, len);
    AddRefMvCandidate(row, col, len * 2);
    i += len;
  }
}

void Specification::ScanPoint(int delta_row, int delta_col) {
  const int row = b_.mi_row + delta_row, col = b_.mi_col + delta_col;
  if (!IsInside(row, col) || frame_.At(row, col) == nullptr) return;
  AddRefMvCandidate(row, col, 4);
}

void Specification::AddRefMvCandidate(int row, int col, int weight) {
  const ModeInfo& cand = *frame_.At(row, col);
  if (!cand.is_inter) return;
  const bool large =
      std::min(kBlockWidth[cand.size], kBlockHeight[cand.size]) >= 8;
  const bool global = cand.y_mode == GLOBALMV || cand.y_mode == GLOBAL_GLOBALMV;
  const bool has_new = cand.y_mode == NEWMV || cand.y_mode == NEW_NEWMV ||
                       cand.y_mode == NEAR_NEWMV || cand.y_mode == NEW_NEARMV ||
                       cand.y_mode == NEAREST_NEWMV ||
                       cand.y_mode == NEW_NEARESTMV;
  const auto warps = [&](int list) {
    const int ref = b_.ref_frame[list];
    return ref > INTRA_FRAME && frame_.gm_type[ref] > TRANSLATION;
  };
  if (!compound_) {
    for (int list = 0; list < 2; ++list) {
      if (cand.ref_frame[list] != b_.ref_frame[0]) continue;
      const Mv mv =
          global && warps(0) && large ? result_.global_mvs[0] : cand.mv[list];
      new_mv_count_ += has_new;
      found_match_ = true;
      Push({{Lower(mv), {}}}, weight);
    }
  } else if (cand.ref_frame[0] == b_.ref_frame[0] &&
             cand.ref_frame[1] == b_.ref_frame[1]) {
    MvPair mvs = {{cand.mv[0], cand.mv[1]}};
    for (int list = 0; list < 2; ++list) {
      if (cand.y_mode == GLOBAL_GLOBALMV && warps(list))
        mvs.mv[list] = result_.global_mvs[list];
      mvs.mv[list] = Lower(mvs.mv[list]);
    }
    new_mv_count_ += has_new;
    found_match_ = true;
    Push(mvs, weight);
  }
}

void Specification::Push(MvPair mvs, int weight) {
  for (Entry& entry : stack_) {
    if (entry.mvs.mv[0] == mvs.mv[0] &&
        (!compound_ || entry.mvs.mv[1] == mvs.mv[1])) {
      entry.weight += weight;
      return;
    }
  }
  if (stack_.size() < kMaxRefMvStackSize) stack_.push_back({mvs, weight});
}

void Specification::AddTemporal(int delta_row, int delta_col) {
  const int row = (b_.mi_row + delta_row) | 1;
  const int col = (b_.mi_col + delta_col) | 1;
  if (!IsInside(row, col)) return;
  const bool first = delta_row == 0 && delta_col == 0;
  if (first) result_.zero_mv_context = 1;
  const MotionFieldMv& field = frame_.motion_field.Row(row >> 1)[col >> 1];
  if (field.distance() == 0) return;
  MvPair mvs;
  bool far = false;
  for (int list = 0; list < 1 + compound_; ++list) {
    const int to_dst = RelativeDistance(frame_, frame_.order_hint,
                                        frame_.order_hints[b_.ref_frame[list]]);
    mvs.mv[list] =
        Lower(ProjectMv(field.mv(), to_dst, kDivMult[field.distance()]));
    const Mv global = result_.global_mvs[list];
    far |= std::abs(mvs.mv[list].row - global.row) >= 16 ||
           std::abs(mvs.mv[list].col - global.col) >= 16;
  }
  if (first) result_.zero_mv_context = far;
  Push(mvs, 2);
}

void Specification::Temporal() {
  const int bw4 = b_.bw4, bh4 = b_.bh4;
  for (int row = 0; row < std::min(bh4, 16); row += bh4 >= 16 ? 4 : 2) {
    for (int col = 0; col < std::min(bw4, 16); col += bw4 >= 16 ? 4 : 2)
      AddTemporal(row, col);
  }
  if (bh4 < 2 || bh4 >= 16 || bw4 < 2 || bw4 >= 16) return;
  const int samples[3][2] = {{bh4, -2}, {bh4, bw4}, {bh4 - 2, bw4}};
  for (const auto& sample : samples) {
    const int row = (b_.mi_row & 15) + sample[0];
    const int col = (b_.mi_col & 15) + sample[1];
    if (row >= 0 && row < 16 && col >= 0 && col < 16)
      AddTemporal(sample[0], sample[1]);
  }
}

void Specification::AddExtraCompound(const ModeInfo& candidate) {
  const bool* bias = frame_.ref_frame_sign_bias;
  for (int i = 0; i < 2; ++i) {
    const int ref = candidate.ref_frame[i];
    if (ref <= INTRA_FRAME) continue;
    for (int list = 0; list < 2; ++list) {
      Mv mv = candidate.mv[i];
      if (ref == b_.ref_frame[list] && id_mvs_[list].size() < 2) {
        id_mvs_[list].push_back(mv);
      } else if (diff_mvs_[list].size() < 2) {
        if (bias[ref] != bias[b_.ref_frame[list]])
          mv = {int16_t(-mv.row), int16_t(-mv.col)};
        diff_mvs_[list].push_back(mv);
      }
    }
  }
}

void Specification::AddExtra(int row, int col) {
  const ModeInfo& candidate = *frame_.At(row, col);
  if (compound_) return AddExtraCompound(candidate);
  const bool* bias = frame_.ref_frame_sign_bias;
  for (int i = 0; i < 2; ++i) {
    const int ref = candidate.ref_frame[i];
    if (ref <= INTRA_FRAME) continue;
    Mv mv = candidate.mv[i];
    if (bias[ref] != bias[b_.ref_frame[0]])
      mv = {int16_t(-mv.row), int16_t(-mv.col)};
    if (std::none_of(stack_.begin(), stack_.end(),
                     [&](const Entry& entry) { return entry.mvs.mv[0] == mv; }))
      stack_.push_back({{{mv, {}}}, 2});
  }
}

void Specification::Combine() {
  MvPair combined[2];
  for (int list = 0; list < 2; ++list) {
    std::vector<Mv> mvs = id_mvs_[list];
    for (const Mv& mv : diff_mvs_[list]) mvs.push_back(mv);
    mvs.resize(std::max<size_t>(mvs.size(), 4), result_.global_mvs[list]);
    const size_t real = id_mvs_[list].size() + diff_mvs_[list].size();
    for (size_t i = 0; i < 2; ++i)
      combined[i].mv[list] = i < real ? mvs[i] : result_.global_mvs[list];
  }
  if (stack_.size() == 1) {
    const MvPair& only = stack_[0].mvs;
    const bool same =
        combined[0].mv[0] == only.mv[0] && combined[0].mv[1] == only.mv[1];
    stack_.push_back({combined[same], 2});
  } else {
    stack_.push_back({combined[0], 2});
    stack_.push_back({combined[1], 2});
  }
}

void Specification::ExtraSearch() {
  const int num4x4 = std::min({16, b_.bw4, b_.bh4, frame_.mi_cols - b_.mi_col,
                               frame_.mi_rows - b_.mi_row});
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < num4x4 && stack_.size() < 2;) {
      const int row = pass == 0 ? b_.mi_row - 1 : b_.mi_row + i;
      const int col = pass == 0 ? b_.mi_col + i : b_.mi_col - 1;
      if (!IsInside(row, col)) break;
      AddExtra(row, col);
      const int size = frame_.At(row, col)->size;
      i += pass == 0 ? kNum4x4BlocksWide[size] : kNum4x4BlocksHigh[size];
    }
  }
  if (compound_) Combine();
}

void Specification::Clamp() {
  const auto clamp = [](int mv, int position4, int size4, int end4) {
    const int border = 128 + size4 * 4 * 8;
    return int16_t(std::clamp(mv, -(position4 * 32) - border,
                              (end4 - size4 - position4) * 32 + border));
  };
  for (Entry& entry : stack_) {
    for (Mv& mv : entry.mvs.mv) {
      mv = {clamp(mv.row, b_.mi_row, b_.bh4, frame_.mi_rows),
            clamp(mv.col, b_.mi_col, b_.bw4, frame_.mi_cols)};
    }
  }
}

MvStack Specification::Run() {
  for (int list = 0; list < 1 + compound_; ++list)
    result_.global_mvs[list] = Global(list);
  bool above = false, left = false;
  const auto take = [this](bool* side) {
    *side |= found_match_;
    found_match_ = false;
  };
  ScanRow(-1);
  take(&above);
  ScanCol(-1);
  take(&left);
  if (std::max(b_.bw4, b_.bh4) <= 16) ScanPoint(-1, b_.bw4);
  take(&above);
  const int close = above + left, num_new = new_mv_count_;
  const size_t nearest = stack_.size();
  for (Entry& entry : stack_) entry.weight += 640;
  if (frame_.use_ref_frame_mvs) Temporal();
  ScanPoint(-1, -1);
  take(&above);
  ScanRow(-3);
  take(&above);
  ScanCol(-3);
  take(&left);
  if (b_.bh4 > 1) ScanRow(-5);
  take(&above);
  if (b_.bw4 > 1) ScanCol(-5);
  take(&left);
  const int total = above + left;
  const auto heavier = [](const Entry& a, const Entry& b) {
    return a.weight > b.weight;
  };
  const auto middle = stack_.begin() + ptrdiff_t(nearest);
  std::stable_sort(stack_.begin(), middle, heavier);
  std::stable_sort(middle, stack_.end(), heavier);
  if (stack_.size() < 2) ExtraSearch();
  Clamp();
  const int is_new = std::min(num_new, 1);
  const int new_contexts[] = {std::min(total, 1), 3 - is_new, 5 - is_new};
  const int ref_contexts[] = {total, 2 + total, 5};
  result_.new_mv_context = uint8_t(new_contexts[close]);
  result_.ref_mv_context = uint8_t(ref_contexts[close]);
  result_.count = int(stack_.size());
  for (int i = 0; i < result_.count; ++i) {
    result_.mvs[i] = BitsOf(stack_[size_t(i)].mvs);
    result_.weights[i] = stack_[size_t(i)].weight;
  }
  for (int i = result_.count; i < 2; ++i)
    result_.mvs[i] = BitsOf(MvPair{{result_.global_mvs[0], {}}});
  return result_;
}

// A frame of random blocks in random partitions; each is searched for before it
// takes its place.
class RandomFrame {
 public:
  explicit RandomFrame(uint32_t seed) : random_(seed) {
    frame_.sb_size4 = Below(2) ? 16 : 32;
    frame_.mi_cols = 2 * (1 + Below(60));
    frame_.mi_rows = 2 * (1 + Below(60));
    frame_.order_hint_bits = 5;
    frame_.order_hint = 16;
    is_intra_ = Below(6) == 0;
    frame_.force_integer_mv = is_intra_ || Below(4) == 0;
    frame_.allow_high_precision_mv = !frame_.force_integer_mv && Below(2);
    for (int ref = LAST_FRAME; ref <= ALTREF_FRAME; ++ref) {
      frame_.order_hints[ref] = 12 + Below(9);
      frame_.ref_frame_sign_bias[ref] = frame_.order_hints[ref] > 16;
      frame_.gm_type[ref] = Below(2) ? IDENTITY : GmType(Below(4));
      frame_.gm_params[ref].params[2] = 65536 + Below(64) - 32;
      frame_.gm_params[ref].params[5] = 65536 + Below(64) - 32;
      frame_.gm_params[ref].params[3] = Below(64) - 32;
      frame_.gm_params[ref].params[4] = Below(64) - 32;
      frame_.gm_params[ref].params[0] = Below(4) * 16384;
      frame_.gm_params[ref].params[1] = Below(4) * 16384;
    }
    frame_.grid.Resize(frame_.mi_cols, 64);  // all rows of it
    frame_.use_ref_frame_mvs = !is_intra_ && Below(2);
    if (frame_.use_ref_frame_mvs) {
      frame_.motion_field.Resize(frame_.mi_cols, 128);  // all rows of it
      for (int i = 0; i < frame_.mi_cols * frame_.mi_rows / 4; ++i) {
        const int row = i / (frame_.mi_cols / 2);
        const int col = i % (frame_.mi_cols / 2);
        if (Below(3))
          frame_.motion_field.Row(row)[col] = {RandomStoredMv(), 1 + Below(3)};
      }
    }
  }

  // Number of searches; stops at the first that is not as the specification's.
  int Check() {
    const int size = frame_.sb_size4;
    const int tile = size * (1 + Below(2));  // columns and rows of a tile
    for (int row = 0; row < frame_.mi_rows; row += tile) {
      for (int col = 0; col < frame_.mi_cols; col += tile) {
        tile_ = {&frame_,
                 0,
                 0,
                 0,
                 0,
                 row,
                 std::min(row + tile, frame_.mi_rows),
                 col,
                 std::min(col + tile, frame_.mi_cols),
                 false,
                 {}};
        for (int y = row; y < tile_.mi_row_end; y += size) {
          for (int x = col; x < tile_.mi_col_end; x += size)
            Split(y, x, size == 32 ? BLOCK_128X128 : BLOCK_64X64);
        }
      }
    }
    return searches_;
  }

 private:
  int Below(int limit) { return int(random_() % uint32_t(limit)); }

  Mv RandomStoredMv() {
    const Mv mv = RandomMv();
    const auto limit = [](int component) {
      return int16_t(std::clamp(component, -kRefMvsLimit, kRefMvsLimit));
    };
    return {limit(mv.row), limit(mv.col)};
  }
  Mv RandomMv() {  // few different ones, some far away
    const int unit = frame_.force_integer_mv          ? 8
                     : frame_.allow_high_precision_mv ? 1
                                                      : 2;
    const int scale = Below(12) == 0 ? 500 : 9;
    return {int16_t((Below(4) - 1) * scale * unit),
            int16_t((Below(4) - 1) * scale * unit)};
  }

  void Split(int row, int col, BlockSize size) {
    if (row >= frame_.mi_rows || col >= frame_.mi_cols) return;
    if (::testing::Test::HasFailure()) return;
    if (size == BLOCK_4X4) return Place(row, col, size);
    const int half = kNum4x4BlocksWide[size] / 2;
    const int rows = row + half < frame_.mi_rows,
              cols = col + half < frame_.mi_cols;
    int partition = Below(2) ? PARTITION_SPLIT : Below(10);
    if (!rows && !cols) partition = PARTITION_SPLIT;
    if (!rows && cols) partition = Below(2) ? PARTITION_HORZ : PARTITION_SPLIT;
    if (rows && !cols) partition = Below(2) ? PARTITION_VERT : PARTITION_SPLIT;
    if (size == BLOCK_8X8 || (size == BLOCK_128X128 && partition >= 8))
      partition &= 3;
    const auto sub = BlockSize(kPartitionSubsize[partition][size]);
    const auto quarter = BlockSize(kPartitionSubsize[PARTITION_SPLIT][size]);
    const int row1 = row + half, col1 = col + half;
    switch (partition) {
      case PARTITION_NONE:
        return Place(row, col, sub);
      case PARTITION_HORZ:
        Place(row, col, sub);
        return Place(row1, col, sub);
      case PARTITION_VERT:
        Place(row, col, sub);
        return Place(row, col1, sub);
      case PARTITION_SPLIT:
        Split(row, col, sub);
        Split(row, col1, sub);
        Split(row1, col, sub);
        return Split(row1, col1, sub);
      case PARTITION_HORZ_A:
        Place(row, col, quarter);
        Place(row, col1, quarter);
        return Place(row1, col, sub);
      case PARTITION_HORZ_B:
        Place(row, col, sub);
        Place(row1, col, quarter);
        return Place(row1, col1, quarter);
      case PARTITION_VERT_A:
        Place(row, col, quarter);
        Place(row1, col, quarter);
        return Place(row, col1, sub);
      case PARTITION_VERT_B:
        Place(row, col, sub);
        Place(row, col1, quarter);
        return Place(row1, col1, quarter);
      default:
        for (int i = 0; i < 4; ++i) {
          const int offset = i * half / 2;
          if (partition == PARTITION_HORZ_4) Place(row + offset, col, sub);
          if (partition == PARTITION_VERT_4) Place(row, col + offset, sub);
        }
    }
  }

  void SetModes(ModeInfo& info, bool may_be_compound) {
    info.ref_frame[1] = NONE;
    if (is_intra_) {
      info.is_inter = info.use_intrabc = uint8_t(Below(2));
      info.mv[0] = RandomMv();
      return;
    }
    info.is_inter = Below(8) != 0;
    if (!info.is_inter) return;
    info.ref_frame[0] = int8_t(LAST_FRAME + Below(3));
    info.y_mode = uint8_t(NEARESTMV + Below(4));
    if (may_be_compound && Below(2)) {
      info.ref_frame[1] = int8_t(BWDREF_FRAME + Below(2));
      info.y_mode = uint8_t(NEAREST_NEARESTMV + Below(8));
    } else if (Below(5) == 0) {
      info.ref_frame[1] = INTRA_FRAME;
    }
    for (Mv& mv : info.mv) mv = RandomMv();
  }

  void Place(int row, int col, BlockSize size) {
    if (row >= frame_.mi_rows || col >= frame_.mi_cols) return;
    if (::testing::Test::HasFailure()) return;
    const int bw4 = kNum4x4BlocksWide[size], bh4 = kNum4x4BlocksHigh[size];
    ModeInfo& info = blocks_.emplace_back();
    info.size = size;
    SetModes(info, std::min(bw4, bh4) >= 2);
    BlockPlace place = tile_;
    place.mi_row = row;
    place.mi_col = col;
    place.bw4 = bw4;
    place.bh4 = bh4;
    const int right = col + bw4;
    place.has_top_right = row > tile_.mi_row_begin &&
                          right < tile_.mi_col_end &&
                          frame_.At(row - 1, right) != nullptr;
    std::copy_n(info.ref_frame, 2, place.ref_frame);
    if (info.is_inter) Compare(place, info.is_compound());
    for (int y = row; y < std::min(row + bh4, frame_.mi_rows); ++y) {
      for (int x = col; x < std::min(col + bw4, frame_.mi_cols); ++x)
        frame_.grid.Row(y)[x] = &info;
    }
  }

  void Compare(const BlockPlace& place, bool compound) {
    ++searches_;
    const MvStack expected = Specification(place, compound).Run();
    MvStack stack;
    FindMvStack(place, compound, &stack);
    SCOPED_TRACE(testing::Message()
                 << "block at " << place.mi_row << "," << place.mi_col << " of "
                 << place.bw4 << "x" << place.bh4 << " compound " << compound);
    ASSERT_EQ(stack.count, expected.count);
    for (int i = 0; i < std::max(stack.count, 2); ++i) {
      for (int list = 0; list < 1 + compound; ++list)
        EXPECT_EQ(stack.At(i, list), expected.At(i, list)) << i;
      if (i < stack.count) {
        EXPECT_EQ(stack.weights[i], expected.weights[i]);
      }
    }
    for (int list = 0; list < 1 + compound; ++list)
      EXPECT_EQ(stack.global_mvs[list], expected.global_mvs[list]);
    EXPECT_EQ(stack.new_mv_context, expected.new_mv_context);
    EXPECT_EQ(stack.ref_mv_context, expected.ref_mv_context);
    EXPECT_EQ(stack.zero_mv_context, expected.zero_mv_context);
  }

  std::mt19937 random_;
  FrameState frame_ = {};
  bool is_intra_ = false;
  BlockPlace tile_ = {};
  std::deque<ModeInfo> blocks_;
  int searches_ = 0;
};

TEST(Av1MvSearchTest, FindsWhatTheSpecificationFinds) {
  int searches = 0;
  for (uint32_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    searches += RandomFrame(seed).Check();
  }
  EXPECT_GT(searches, 50000);
}

}  // namespace
}  // namespace perdix::av1
