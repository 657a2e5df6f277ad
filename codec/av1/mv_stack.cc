// SPDX-License-Identifier: BSD-2-Clause
// The search for candidates of motion vectors (7.10.2).
#include "codec/av1/mv_stack.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "codec/av1/frame_state.h"
#include "codec/av1/motion_field.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kMvBorder = 128;  // MV_BORDER
constexpr int kMaxScan4 = 16;   // 4x4 units of a side that are looked at

// The modes of which has_newmv (7.10.2.9) is true.
constexpr uint32_t kNewMvModes = 1u << NEWMV | 1u << NEAREST_NEWMV |
                                 1u << NEW_NEARESTMV | 1u << NEAR_NEWMV |
                                 1u << NEW_NEARMV | 1u << NEW_NEWMV;

uint32_t Bits(Mv mv) { return std::bit_cast<uint32_t>(mv); }

Mv Negated(Mv mv) { return {int16_t(-mv.row), int16_t(-mv.col)}; }

MvPrecision PrecisionOf(const FrameState& frame) {
  if (frame.force_integer_mv) return MvPrecision::kInteger;
  return frame.allow_high_precision_mv ? MvPrecision::kEighth
                                       : MvPrecision::kQuarter;
}

// A component of a vector from gm_params: of any size in a damaged stream. What
// is limited here is no valid vector in any case.
int16_t NarrowGlobal(int64_t value, MvPrecision precision) {
  constexpr int64_t kMost = 32760;  // a whole number of samples
  return int16_t(
      LowerPrecision(int(std::clamp(value, -kMost, kMost)), precision));
}

int64_t Round2Signed(int64_t value, int shift) {
  const int64_t half = (int64_t{1} << shift) >> 1;
  return value < 0 ? -((half - value) >> shift) : (value + half) >> shift;
}

int16_t Saturated16(int value) {
  return int16_t(std::clamp(value, INT16_MIN, INT16_MAX));
}

// 7.10.2.1.
Mv GlobalMv(const BlockPlace& block, int ref) {
  const FrameState& frame = *block.frame;
  if (ref <= INTRA_FRAME || frame.gm_type[ref] == IDENTITY) return {};
  const MvPrecision precision = PrecisionOf(frame);
  const int* params = frame.gm_params[ref].params;
  constexpr int kShift = kWarpedModelPrecBits - 3;
  if (frame.gm_type[ref] == TRANSLATION) {
    return {NarrowGlobal(params[0] >> kShift, precision),
            NarrowGlobal(params[1] >> kShift, precision)};
  }
  constexpr int64_t kOne = 1 << kWarpedModelPrecBits;
  const int64_t x = block.mi_col * 4 + block.bw4 * 2 - 1;
  const int64_t y = block.mi_row * 4 + block.bh4 * 2 - 1;
  const int64_t xc = (params[2] - kOne) * x + params[3] * y + params[0];
  const int64_t yc = params[4] * x + (params[5] - kOne) * y + params[1];
  const int low = !frame.allow_high_precision_mv;
  return {NarrowGlobal(Round2Signed(yc, kShift + low) * (1 << low), precision),
          NarrowGlobal(Round2Signed(xc, kShift + low) * (1 << low), precision)};
}

// The find MV stack process (7.10.2) of one block, with one or two references.
//
// The specification lowers the precision of each candidate. That changes only
// projected ones: vectors of this frame's blocks are made of such candidates,
// and of differences in the same precision.
template <bool kCompound>
class MvSearch {
 public:
  MvSearch(const BlockPlace& block, MvStack* stack)
      : frame_(*block.frame),
        block_(block),
        stack_(*stack),
        has_above_(block.mi_row > block.mi_row_begin),
        has_left_(block.mi_col > block.mi_col_begin) {}

  void Run();

 private:
  static constexpr int kSpare = kMaxRefMvStackSize;

  const ModeInfo& At(int row, int col) const {  // relative to the block
    return *frame_.At(block_.mi_row + row, block_.mi_col + col);
  }
  bool TakeFound() {
    const bool found = found_match_;
    found_match_ = false;
    return found;
  }

  void SetUpGlobalMvs();
  int ScanRow(int step, int last_step);
  int ScanCol(int step, int last_step);
  void AddTopRight();
  void AddCandidate(const ModeInfo& candidate, int weight);
  void UseGlobalWarps(const ModeInfo& candidate, uint64_t* mvs) const;
  int Push(uint64_t mvs, int weight, bool counts);
  void ScanTemporal();
  const MotionFieldMv* FieldAt(int delta_row, int delta_col) const {
    return frame_.motion_field.Row((block_.mi_row + delta_row) >> 1) +
           ((block_.mi_col + delta_col) >> 1);
  }
  void AddTemporal(const MotionFieldMv& field, int delta_row, int delta_col);
  void AddProjected(const MotionFieldMv& field, bool first);
  void SetZeroMvContext(const MvPair& mvs);
  template <typename Add>
  void ScanForExtra(Add add);
  void ExtraSearch();
  void AddExtraSingle(const ModeInfo& candidate);
  void ExtraSearchCompound();
  void SetContexts(int close_matches, int total_matches, bool has_new);
  void Clamp();

  const FrameState& frame_;
  const BlockPlace& block_;
  MvStack& stack_;
  const bool has_above_, has_left_;
  bool global_warps_[2] = {};  // GmType > TRANSLATION
  bool has_global_warps_ = false;
  bool found_match_ = false;  // FoundMatch
  bool new_mv_ = false;       // NewMvCount is not 0
  // The motion field's vector of the sample before, and its place in the stack:
  // neighbours often have the same.
  MotionFieldMv last_temporal_;
  int last_index_ = kSpare;
  int to_reference_[2] = {};  // frames from the reference to the current one
  MvPrecision precision_ = MvPrecision::kEighth;
};

template <bool kCompound>
void MvSearch<kCompound>::Run() {
  stack_.count = 0;
  std::ranges::fill(stack_.weights, 0);
  SetUpGlobalMvs();
  // Scans are 1, 2 and 3 rows (columns) of 8x8 blocks away; those that the last
  // one has covered are left out.
  const int last_row = block_.bh4 > 1 ? 3 : 2;
  const int last_col = block_.bw4 > 1 ? 3 : 2;
  int rows = 1, cols = 1;
  if (has_above_) rows = ScanRow(1, last_row);
  bool above = TakeFound();
  if (has_left_) cols = ScanCol(1, last_col);
  bool left = TakeFound();
  AddTopRight();
  above |= TakeFound();
  const int close_matches = above + left;
  const int nearest = stack_.count;
  const bool has_new = new_mv_;
  for (int i = 0; i < nearest; ++i) stack_.weights[i] += kRefCatLevel;
  stack_.zero_mv_context = 0;
  if (frame_.use_ref_frame_mvs) ScanTemporal();
  if (has_above_ && has_left_) AddCandidate(At(-1, -1), 4);
  above |= TakeFound();
  for (int step = 2; step <= 3; ++step) {
    if (rows < step && step <= last_row) rows += ScanRow(step, last_row);
    above |= TakeFound();
    if (cols < step && step <= last_col) cols += ScanCol(step, last_col);
    left |= TakeFound();
  }
  SortByWeight(&stack_);
  if (stack_.count < 2) ExtraSearch();
  SetContexts(close_matches, above + left, has_new);
  Clamp();
}

template <bool kCompound>
void MvSearch<kCompound>::SetUpGlobalMvs() {
  for (int i = 0; i < 1 + kCompound; ++i) {
    const int ref = block_.ref_frame[i];
    stack_.global_mvs[i] = GlobalMv(block_, ref);
    global_warps_[i] = ref > INTRA_FRAME && frame_.gm_type[ref] > TRANSLATION;
  }
  has_global_warps_ = global_warps_[0] || global_warps_[1];
}

// ---- neighbours ----

// 7.10.2.2 with deltaRow 1 - 2 * step. Returns how many steps that covers: a
// candidate at least as wide as the block would be found again in each row of
// 8x8 blocks that it reaches into, so it gets the weight of all of them, up to
// last_step, at once.
template <bool kCompound>
int MvSearch<kCompound>::ScanRow(int step, int last_step) {
  const int bw4 = block_.bw4;
  int delta_row = 1 - 2 * step, delta_col = 0, least = 1;
  if (step > 1) {
    delta_row += block_.mi_row & 1;
    delta_col = 1 - (block_.mi_col & 1);
    least = 2;
    if (block_.mi_row + delta_row < block_.mi_row_begin) return 1;
  }
  if (bw4 >= kMaxScan4) least = 4;
  const ModeInfo& first = At(delta_row, delta_col);
  if (bw4 > 1 && bw4 <= kNum4x4BlocksWide[first.size]) {
    const int covered =
        std::clamp(kNum4x4BlocksHigh[first.size] >> 1, 1, last_step - step + 1);
    AddCandidate(first, bw4 * 2 * covered);
    return covered;
  }
  const int end = std::min({bw4, frame_.mi_cols - block_.mi_col, kMaxScan4});
  for (int i = 0; i < end;) {
    const ModeInfo& candidate = At(delta_row, delta_col + i);
    const int length =
        std::max(std::min(bw4, int{kNum4x4BlocksWide[candidate.size]}), least);
    AddCandidate(candidate, length * 2);
    i += length;
  }
  return 1;
}

// The scan column process (7.10.2.3). Returns the same as ScanRow.
template <bool kCompound>
int MvSearch<kCompound>::ScanCol(int step, int last_step) {
  const int bh4 = block_.bh4;
  int delta_col = 1 - 2 * step, delta_row = 0, least = 1;
  if (step > 1) {
    delta_col += block_.mi_col & 1;
    delta_row = 1 - (block_.mi_row & 1);
    least = 2;
    if (block_.mi_col + delta_col < block_.mi_col_begin) return 1;
  }
  if (bh4 >= kMaxScan4) least = 4;
  const ModeInfo& first = At(delta_row, delta_col);
  if (bh4 > 1 && bh4 <= kNum4x4BlocksHigh[first.size]) {
    const int covered =
        std::clamp(kNum4x4BlocksWide[first.size] >> 1, 1, last_step - step + 1);
    AddCandidate(first, bh4 * 2 * covered);
    return covered;
  }
  const int end = std::min({bh4, frame_.mi_rows - block_.mi_row, kMaxScan4});
  for (int i = 0; i < end;) {
    const ModeInfo& candidate = At(delta_row + i, delta_col);
    const int length =
        std::max(std::min(bh4, int{kNum4x4BlocksHigh[candidate.size]}), least);
    AddCandidate(candidate, length * 2);
    i += length;
  }
  return 1;
}

// 7.10.2.4, above to the right: decoded only by some orders of blocks.
template <bool kCompound>
void MvSearch<kCompound>::AddTopRight() {
  if (block_.has_top_right && std::max(block_.bw4, block_.bh4) <= kMaxScan4)
    AddCandidate(At(-1, block_.bw4), 4);
}

// 7.10.2.7 to 7.10.2.9. Whether a neighbour has the block's references nobody
// can foresee: so there is no branch, and what does not count goes to the spare
// entry.
template <bool kCompound>
[[gnu::always_inline]] inline void MvSearch<kCompound>::AddCandidate(
    const ModeInfo& candidate, int weight) {
  uint64_t mvs;
  bool found;
  if constexpr (kCompound) {
    found = std::bit_cast<uint16_t>(candidate.ref_frame) ==
            std::bit_cast<uint16_t>(block_.ref_frame);
    std::memcpy(&mvs, candidate.mv, sizeof(mvs));
  } else {
    // intrabc's reference is that of intra blocks; no block has two equal ones
    const int8_t ref0 = block_.ref_frame[0];
    const bool is_second = candidate.ref_frame[1] == ref0;
    found = (candidate.is_inter != 0) &
            ((candidate.ref_frame[0] == ref0) | is_second);
    mvs = Bits(candidate.mv[is_second]);
  }
  if (has_global_warps_) [[unlikely]]
    UseGlobalWarps(candidate, &mvs);
  new_mv_ |= found & ((kNewMvModes >> candidate.y_mode & 1) != 0);
  found_match_ |= found;
  Push(mvs, weight, found);
}

template <bool kCompound>
[[gnu::noinline]] void MvSearch<kCompound>::UseGlobalWarps(
    const ModeInfo& candidate, uint64_t* mvs) const {
  const uint32_t mode = candidate.y_mode;
  if ((mode != GLOBALMV && mode != GLOBAL_GLOBALMV) ||
      std::min(kNum4x4BlocksWide[candidate.size],
               kNum4x4BlocksHigh[candidate.size]) < 2) {
    return;
  }
  MvPair pair = std::bit_cast<MvPair>(*mvs);
  for (int i = 0; i < 1 + kCompound; ++i) {
    if (global_warps_[i]) pair.mv[i] = stack_.global_mvs[i];
  }
  *mvs = BitsOf(pair);
}

// Adds to the weight of an equal entry, or a new entry if there is room for it.
// Returns its index; kSpare: there is no room, or it does not count. With one
// reference the second vector is 0.
template <bool kCompound>
[[gnu::always_inline]] inline int MvSearch<kCompound>::Push(uint64_t mvs,
                                                            int weight,
                                                            bool counts) {
  static_assert(kMaxRefMvStackSize == 8);
  const int count = stack_.count;
  const auto equals = [&](int i) {
    return uint32_t{stack_.mvs[i] == mvs} << i;
  };
  // The lowest bit is that of the entry: what is beyond the last does not
  // matter.
  uint32_t found = 1u << count;
  found |= equals(0) | equals(1) | equals(2) | equals(3);
  if (count > 4) [[unlikely]]
    found |= equals(4) | equals(5) | equals(6) | equals(7);
  const int index = counts ? std::countr_zero(found) : kSpare;
  stack_.mvs[index] = mvs;
  stack_.weights[index] += weight;
  stack_.count = count + ((index == count) & (count < kMaxRefMvStackSize));
  return index;
}

// ---- the motion field ----

// 7.10.2.5.
template <bool kCompound>
void MvSearch<kCompound>::ScanTemporal() {
  const int bw4 = block_.bw4, bh4 = block_.bh4;
  precision_ = PrecisionOf(frame_);
  for (int i = 0; i < 1 + kCompound; ++i) {
    to_reference_[i] =
        std::clamp(RelativeDistance(frame_, frame_.order_hint,
                                    frame_.order_hints[block_.ref_frame[i]]),
                   -kMaxFrameDistance, kMaxFrameDistance);
  }
  const int step_row = bh4 >= 16 ? 4 : 2, step_col = bw4 >= 16 ? 4 : 2;
  const int row_end =
      std::min(std::min(bh4, kMaxScan4), block_.mi_row_end - block_.mi_row);
  const int col_end =
      std::min(std::min(bw4, kMaxScan4), block_.mi_col_end - block_.mi_col);
  stack_.zero_mv_context = 1;
  for (int row = 0; row < row_end; row += step_row) {
    const MotionFieldMv* field = FieldAt(row, 0);
    for (int col = 0; col < col_end; col += step_col, field += step_col / 2) {
      AddTemporal(*field, row, col);
    }
  }
  if (std::min(bw4, bh4) < 2 || std::max(bw4, bh4) >= 16) return;
  // Around the block, within its 64x64.
  const int row = block_.mi_row & 15, col = block_.mi_col & 15;
  const auto is_inside = [&](int delta_row, int delta_col) {
    return row + delta_row < 16 && col + delta_col < 16 &&
           col + delta_col >= 0 &&
           block_.mi_row + delta_row < block_.mi_row_end &&
           block_.mi_col + delta_col < block_.mi_col_end;
  };
  const auto add = [this, is_inside](int delta_row, int delta_col) {
    if (is_inside(delta_row, delta_col)) {
      AddTemporal(*FieldAt(delta_row, delta_col), delta_row, delta_col);
    }
  };
  add(bh4, -2);
  add(bh4, bw4);
  add(bh4 - 2, bw4);
}

// 7.10.2.6, inside the tile. Most samples have no vector, or that of the one
// before.
template <bool kCompound>
[[gnu::always_inline]] inline void MvSearch<kCompound>::AddTemporal(
    const MotionFieldMv& field, int delta_row, int delta_col) {
  if (field.distance() == 0) return;
  if (field == last_temporal_) {
    stack_.weights[last_index_] += 2;
    return;
  }
  AddProjected(field, (delta_row | delta_col) == 0);
}

// first: of the block's first sample.
template <bool kCompound>
[[gnu::noinline]] void MvSearch<kCompound>::AddProjected(
    const MotionFieldMv& field, bool first) {
  last_temporal_ = field;
  MvPair mvs = {};
  const Mv mv = field.mv();
  const int scale = kDivMult[field.distance()];
  for (int i = 0; i < 1 + kCompound; ++i) {
    mvs.mv[i] =
        LowerPrecision(ProjectMv(mv, to_reference_[i], scale), precision_);
  }
  if (first) SetZeroMvContext(mvs);
  last_index_ = Push(BitsOf(mvs), 2, true);
}

template <bool kCompound>
void MvSearch<kCompound>::SetZeroMvContext(const MvPair& mvs) {
  bool far = false;
  for (int i = 0; i < 1 + kCompound; ++i) {
    const Mv global = stack_.global_mvs[i];
    far |= std::abs(mvs.mv[i].row - global.row) >= 16 ||
           std::abs(mvs.mv[i].col - global.col) >= 16;
  }
  stack_.zero_mv_context = far;
}

// ---- other references' vectors (7.10.2.12, 7.10.2.13) ----

// Blocks above, then those to the left; add returns false: no more are needed.
template <bool kCompound>
template <typename Add>
void MvSearch<kCompound>::ScanForExtra(Add add) {
  const int width = std::min(block_.bw4, frame_.mi_cols - block_.mi_col);
  const int height = std::min(block_.bh4, frame_.mi_rows - block_.mi_row);
  const int end = std::min({width, height, kMaxScan4});
  if (has_above_) {
    for (int i = 0; i < end;) {
      const ModeInfo& candidate = At(-1, i);
      if (!add(candidate)) return;
      i += kNum4x4BlocksWide[candidate.size];
    }
  }
  if (has_left_) {
    for (int i = 0; i < end;) {
      const ModeInfo& candidate = At(i, -1);
      if (!add(candidate)) return;
      i += kNum4x4BlocksHigh[candidate.size];
    }
  }
}

template <bool kCompound>
void MvSearch<kCompound>::ExtraSearch() {
  if constexpr (kCompound) {
    ExtraSearchCompound();
  } else {
    if (block_.ref_frame[0] > INTRA_FRAME) {
      ScanForExtra([this](const ModeInfo& candidate) {
        AddExtraSingle(candidate);
        return stack_.count < 2;
      });
    }
    for (int i = stack_.count; i < 2; ++i) {
      stack_.mvs[i] = Bits(stack_.global_mvs[0]);
    }
  }
}

template <bool kCompound>
void MvSearch<kCompound>::AddExtraSingle(const ModeInfo& candidate) {
  const bool* sign_bias = frame_.ref_frame_sign_bias;
  for (int i = 0; i < 2; ++i) {
    const int ref = candidate.ref_frame[i];
    if (ref <= INTRA_FRAME) return;
    Mv mv = candidate.mv[i];
    if (sign_bias[ref] != sign_bias[block_.ref_frame[0]]) mv = Negated(mv);
    int index = 0;
    while (index < stack_.count && Bits(mv) != stack_.mvs[index]) {
      ++index;
    }
    if (index < stack_.count) continue;
    stack_.mvs[index] = Bits(mv);
    stack_.weights[index] = 2;
    ++stack_.count;
  }
}

// Collects for each list at most two vectors to its own reference (RefIdMvs)
// and two to others (RefDiffMvs, turned by sign biases).
template <bool kCompound>
void MvSearch<kCompound>::ExtraSearchCompound() {
  const bool* sign_bias = frame_.ref_frame_sign_bias;
  Mv same[2][2], different[2][2];  // [list][index]
  int same_count[2] = {}, different_count[2] = {};
  ScanForExtra([&](const ModeInfo& candidate) {
    for (int i = 0; i < 2; ++i) {
      const int ref = candidate.ref_frame[i];
      if (ref <= INTRA_FRAME) break;
      const Mv mv = candidate.mv[i];
      for (int list = 0; list < 2; ++list) {
        const int own = block_.ref_frame[list];
        if (ref == own && same_count[list] < 2) {
          same[list][same_count[list]++] = mv;
        } else if (different_count[list] < 2) {
          different[list][different_count[list]++] =
              sign_bias[ref] != sign_bias[own] ? Negated(mv) : mv;
        }
      }
    }
    return true;
  });
  MvPair combined[2] = {};
  for (int list = 0; list < 2; ++list) {
    int count = 0;
    for (int i = 0; i < same_count[list]; ++i) {
      combined[count++].mv[list] = same[list][i];
    }
    for (int i = 0; i < different_count[list] && count < 2; ++i) {
      combined[count++].mv[list] = different[list][i];
    }
    while (count < 2) combined[count++].mv[list] = stack_.global_mvs[list];
  }
  if (stack_.count == 1) {
    const bool repeats = BitsOf(combined[0]) == stack_.mvs[0];
    stack_.mvs[1] = BitsOf(combined[repeats ? 1 : 0]);
  } else {
    stack_.mvs[0] = BitsOf(combined[0]);
    stack_.mvs[1] = BitsOf(combined[1]);
    stack_.weights[0] = 2;
  }
  stack_.weights[1] = 2;
  stack_.count = 2;
}

// ---- contexts and limits (7.10.2.14) ----

template <bool kCompound>
void MvSearch<kCompound>::SetContexts(int close_matches, int total_matches,
                                      bool has_new) {
  if (close_matches == 0) {
    stack_.new_mv_context = uint8_t(std::min(total_matches, 1));
    stack_.ref_mv_context = uint8_t(total_matches);
  } else if (close_matches == 1) {
    stack_.new_mv_context = uint8_t(3 - has_new);
    stack_.ref_mv_context = uint8_t(2 + total_matches);
  } else {
    stack_.new_mv_context = uint8_t(5 - has_new);
    stack_.ref_mv_context = 5;
  }
}

template <bool kCompound>
void MvSearch<kCompound>::Clamp() {
  // clamp_mv_row, clamp_mv_col with MV_BORDER and the block's size
  const int top = -32 * (block_.mi_row + block_.bh4) - kMvBorder;
  const int left = -32 * (block_.mi_col + block_.bw4) - kMvBorder;
  const int bottom = 32 * (frame_.mi_rows - block_.mi_row) + kMvBorder;
  const int right = 32 * (frame_.mi_cols - block_.mi_col) + kMvBorder;
  // Limits beyond 16 bits limit nothing.
  typedef int16_t Lanes __attribute__((vector_size(sizeof(MvPair))));
  const auto pair_of = [](int row, int col) {
    const int16_t r = Saturated16(row), c = Saturated16(col);
    return Lanes{r, c, r, c};
  };
  const Lanes least = pair_of(top, left), most = pair_of(bottom, right);
  for (int i = 0; i < stack_.count; ++i) {
    Lanes mvs = std::bit_cast<Lanes>(stack_.mvs[i]);
    mvs = mvs < least ? least : mvs;
    mvs = mvs > most ? most : mvs;
    stack_.mvs[i] = std::bit_cast<uint64_t>(mvs);
  }
}

}  // namespace

void FindMvStack(const BlockPlace& block, bool compound, MvStack* stack) {
  if (compound) {
    MvSearch<true>(block, stack).Run();
  } else {
    MvSearch<false>(block, stack).Run();
  }
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
