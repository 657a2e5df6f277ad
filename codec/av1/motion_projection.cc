// SPDX-License-Identifier: BSD-2-Clause
// The projection process (7.9.2), several 8x8 blocks side by side at once.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/av1/motion_projection.cc"
#include "codec/av1/motion_projection.h"

#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<int32_t, kGroup8>;
using V = hn::VFromD<D>;

// MAX_OFFSET_WIDTH; MAX_OFFSET_HEIGHT is 0. 8x8 units: how far a vector may
// lead beyond its 64x64.
constexpr int kMaxOffsetWidth8 = 8;

// From 1/8 samples times 1 << 14 to whole 8x8 blocks: rounded to 1/8 samples, a
// half away from 0, then towards 0 (7.9.3, 7.9.4).
HWY_INLINE HWY_ATTR V WholeBlocks(V distance) {
  const V sign = hn::BroadcastSignBit(distance);
  const V size = hn::Sub(hn::Xor(distance, sign), sign);
  const V blocks = hn::ShiftRight<14 + 6>(hn::Add(size, hn::Set(D(), 1 << 13)));
  return hn::Sub(hn::Xor(blocks, sign), sign);
}

// Where vectors of a row of 8x8 blocks may lead to: rows below <row_end>,
// columns from <first> to <last>.
struct Window {
  int row_end, first, last;
};

// Div_Mult of distances; anything for 0.
HWY_INLINE HWY_ATTR V DivMult(V distance) {
  const hn::RebindToFloat<D> real;
  return hn::ConvertTo(
      D(), hn::Div(hn::Set(real, 1 << 14), hn::ConvertTo(real, distance)));
}

// For blocks from x8, y8 on: at which cell of the field, whose rows have <cols>
// cells, their vectors cross this frame; <spare> for those that do not.
HWY_INLINE HWY_ATTR V CellsOf(const MotionFieldMv* blocks, int to_current,
                              int x8, int y8, const Window& window, int cols,
                              int spare) {
  const D d;
  static_assert(sizeof(MotionFieldMv) == sizeof(int32_t));
  using Mvs = MotionFieldMv;
  const V all = hn::LoadU(d, reinterpret_cast<const int32_t*>(blocks));
  const V distance = hn::And(all, hn::Set(d, (1 << Mvs::kDistanceBits) - 1));
  const V mv_row = hn::ShiftRight<Mvs::kColBits + Mvs::kDistanceBits>(
      hn::ShiftLeft<Mvs::kColBits>(all));
  const V mv_col = hn::ShiftRight<Mvs::kRowBits + Mvs::kDistanceBits>(all);
  const V factor = hn::Mul(DivMult(distance), hn::Set(d, to_current));
  const V row = hn::Add(hn::Set(d, y8), WholeBlocks(hn::Mul(mv_row, factor)));
  // Iota of what is no constant would go through memory.
  const V cols8 = hn::Add(hn::Iota(d, 0), hn::Set(d, x8));
  const V col = hn::Add(cols8, WholeBlocks(hn::Mul(mv_col, factor)));
  const auto misses =
      hn::Or(hn::Or(hn::Eq(distance, hn::Zero(d)), hn::Lt(row, hn::Zero(d))),
             hn::Or(hn::Gt(row, hn::Set(d, window.row_end - 1)),
                    hn::Or(hn::Lt(col, hn::Set(d, window.first)),
                           hn::Gt(col, hn::Set(d, window.last - 1)))));
  return hn::IfThenElse(misses, hn::Set(d, spare),
                        hn::Add(hn::Mul(row, hn::Set(d, cols)), col));
}

}  // namespace

// Where a vector leads nobody can foresee: so there is no branch, and those
// that do not count are stored in the spare row.
void ProjectRow(const MotionSource& source, int y8, Range strip, Range cols8,
                FrameState& frame) {
  const int cols = frame.mi_cols >> 1;
  const int lanes = int(hn::Lanes(D()));
  const int end = std::min(int(cols8.end) + kMaxOffsetWidth8, cols);
  const MotionFieldMv* const from =
      source.picture->mvs.data() + size_t(y8) * size_t(cols);
  MotionFieldMv* const to = frame.motion_field.Row(int(strip.begin));
  const int spare = int(frame.motion_field.SpareRow() + cols8.begin - to);
  Window window = {int(strip.end - strip.begin), 0, 0};
  for (int x8 = std::max(int(cols8.begin) - kMaxOffsetWidth8, 0); x8 < end;
       x8 += lanes) {
    const int group = x8 & ~(kGroup8 - 1);
    window.first = std::max(group - kMaxOffsetWidth8, int(cols8.begin));
    window.last = std::min(group + kGroup8 + kMaxOffsetWidth8, int(cols8.end));
    const MotionFieldMv* blocks = from + x8;
    const int count = std::min(end - x8, lanes);
    MotionFieldMv last[kGroup8] = {};
    if (count < lanes) blocks = std::copy_n(blocks, count, last) - count;
    alignas(32) int32_t cells[kGroup8];
    hn::Store(CellsOf(blocks, source.to_current, x8, y8 - int(strip.begin),
                      window, cols, spare),
              D(), cells);
    for (int i = 0; i < lanes; ++i) to[cells[i]] = blocks[i];
  }
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(ProjectRow);

void ProjectRow(const MotionSource& source, int y8, Range strip, Range cols8,
                FrameState& frame) {
  HWY_DYNAMIC_DISPATCH(ProjectRow)(source, y8, strip, cols8, frame);
}

}  // namespace perdix::av1
#endif
