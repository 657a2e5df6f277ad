// SPDX-License-Identifier: BSD-2-Clause
// The candidates for a block's motion vectors (7.10.2), and what the search for
// them does to single vectors and to the order.
#ifndef PERDIX_CODEC_AV1_MV_STACK_H_
#define PERDIX_CODEC_AV1_MV_STACK_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codec/av1/constants.h"
#include "codec/av1/parser_target.h"

namespace perdix::av1 {

struct FrameState;

inline constexpr int kMaxRefMvStackSize = 8;  // MAX_REF_MV_STACK_SIZE
inline constexpr int kRefCatLevel = 640;      // REF_CAT_LEVEL

// Vectors of one or, in compound prediction, two references.
struct MvPair {
  Mv mv[2];
};

// The arrays have one more, for what is not to be added.
struct MvStack {
  int count = 0;  // NumMvFound
  // RefStackMv: at least two are set. A MvPair each, as one number: parts of
  // one that has just been stored could not be read together.
  uint64_t mvs[kMaxRefMvStackSize + 1] = {};
  int weights[kMaxRefMvStackSize + 1];  // WeightStack: of the <count> first
  Mv global_mvs[2];                     // GlobalMvs
  uint8_t new_mv_context = 0;           // NewMvContext, 0..5
  uint8_t ref_mv_context = 0;           // RefMvContext, 0..5
  uint8_t zero_mv_context = 0;          // ZeroMvContext, 0..1

  Mv At(int index, int list) const {
    return std::bit_cast<MvPair>(mvs[index]).mv[list];
  }
  // DrlCtxStack[ index ]; index + 1 < count.
  int DrlContext(int index) const {
    if (weights[index] < kRefCatLevel) return 2;
    return weights[index + 1] < kRefCatLevel ? 1 : 0;
  }
};

// 7.10.2.11: entries by falling weight; those of equal weight keep their order.
// The nearest, which are sorted by themselves, weigh kRefCatLevel more than any
// other can.
inline void SortByWeight(MvStack* stack) {
  int* const weights = stack->weights;
  uint64_t* const mvs = stack->mvs;
  for (int end = stack->count; end > 1; --end) {
    // The least of those seen goes to the end. Which of two it is nobody can
    // foresee: there is no branch.
    int least = weights[0];
    uint64_t least_mvs = mvs[0];
    for (int i = 1; i < end; ++i) {
      const int weight = weights[i];
      const uint64_t changed = (least_mvs ^ mvs[i]) & -uint64_t{least < weight};
      weights[i - 1] = std::max(least, weight);
      mvs[i - 1] = least_mvs ^ changed;
      least = std::min(least, weight);
      least_mvs = mvs[i] ^ changed;
    }
    weights[end - 1] = least;
    mvs[end - 1] = least_mvs;
  }
}

// What a frame's vectors are made of, in 1/8 samples.
enum class MvPrecision : uint8_t {
  kEighth,  // allow_high_precision_mv
  kQuarter,
  kInteger,  // force_integer_mv
};

// 7.10.2.10, of one component.
inline int LowerPrecision(int value, MvPrecision precision) {
  switch (precision) {
    case MvPrecision::kEighth:
      return value;
    case MvPrecision::kQuarter:
      return (value + (value < 0)) & ~1;  // towards 0
    case MvPrecision::kInteger:
      break;
  }
  const int integer = ((value < 0 ? -value : value) + 3) >> 3 << 3;
  return value < 0 ? -integer : integer;
}

inline Mv LowerPrecision(Mv mv, MvPrecision precision) {
  return {int16_t(LowerPrecision(mv.row, precision)),
          int16_t(LowerPrecision(mv.col, precision))};
}

// A block, as the search sees it; 4x4 units.
struct BlockPlace {
  const FrameState* frame;
  int mi_row, mi_col;
  int bw4, bh4;
  int mi_row_begin, mi_row_end;  // of the tile
  int mi_col_begin, mi_col_end;
  bool has_top_right;  // it is in the tile, and decoded
  int8_t ref_frame[2];
};

}  // namespace perdix::av1

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {

// 7.10.2: the stack and its contexts. compound: the block has two references.
// Reads the blocks around it in the frame's grid, and its motion field. Of
// global vectors, those that no block can have are limited to 16 bits.
void FindMvStack(const BlockPlace& block, bool compound, MvStack* stack);

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();

#endif  // PERDIX_CODEC_AV1_MV_STACK_H_
