// SPDX-License-Identifier: BSD-2-Clause
// The candidates for a block's motion vectors (7.10.2), and what the search for
// them does to single vectors and to the order.
#ifndef PERDIX_CODEC_AV1_MV_STACK_H_
#define PERDIX_CODEC_AV1_MV_STACK_H_

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

struct MvStack {
  int count = 0;                    // NumMvFound
  MvPair mvs[kMaxRefMvStackSize];   // RefStackMv: at least two are set
  int weights[kMaxRefMvStackSize];  // WeightStack: of the <count> first
  Mv global_mvs[2];                 // GlobalMvs
  uint8_t new_mv_context = 0;       // NewMvContext, 0..5
  uint8_t ref_mv_context = 0;       // RefMvContext, 0..5
  uint8_t zero_mv_context = 0;      // ZeroMvContext, 0..1

  // DrlCtxStack[ index ]; index + 1 < count.
  int DrlContext(int index) const {
    if (weights[index] < kRefCatLevel) return 2;
    return weights[index + 1] < kRefCatLevel ? 1 : 0;
  }
};

// 7.10.2.11: entries begin..end - 1 by falling weight; those of equal weight
// keep their order.
inline void SortByWeight(int begin, int end, MvStack* stack) {
  for (int i = begin + 1; i < end; ++i) {
    const int weight = stack->weights[i];
    const MvPair mvs = stack->mvs[i];
    int at = i;
    for (; at > begin && stack->weights[at - 1] < weight; --at) {
      stack->weights[at] = stack->weights[at - 1];
      stack->mvs[at] = stack->mvs[at - 1];
    }
    stack->weights[at] = weight;
    stack->mvs[at] = mvs;
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
