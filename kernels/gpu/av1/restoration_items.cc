// SPDX-License-Identifier: BSD-2-Clause
// Which cells loop restoration filters, by which units: 7.17 and 7.17.1, as in
// kernels/av1/restoration/restoration_walk.h.
#include "kernels/gpu/av1/restoration_items.h"

#include <algorithm>

#include "kernels/av1/filter_rows.h"
#include "kernels/av1/restoration/self_guided.h"

namespace perdix::av1 {
namespace {

constexpr uint32_t kGroup = 4;  // pixels

uint32_t KindOf(const RestorationUnit& unit) {
  if (unit.type == kWiener) return PERDIX_RESTORATION_WIENER;
  const SelfGuidedPass* const passes = kSelfGuidedSets[unit.vertical & 15];
  return (passes[0].radius != 0 ? PERDIX_SELF_GUIDED_FIRST : 0) |
         (passes[1].radius != 0 ? PERDIX_SELF_GUIDED_SECOND : 0);
}

// s of 7.17.3; 0 for no pass.
int StrengthOf(const SelfGuidedPass& pass) {
  if (pass.radius == 0) return 0;
  const int n = (2 * pass.radius + 1) * (2 * pass.radius + 1);
  const int n2e = n * n * pass.eps;
  return ((1 << 20) + n2e / 2) / n2e;
}

// Sets how the item is filtered.
void SetFilter(const RestorationUnit& unit, RestorationItem* item) {
  if (unit.type == kWiener) {
    item->filter0 = unit.vertical;
    item->filter1 = unit.horizontal;
    return;
  }
  const SelfGuidedPass* const passes = kSelfGuidedSets[unit.vertical & 15];
  const int w0 = static_cast<int16_t>(unit.weights & 0xffff);
  const int w1 = static_cast<int16_t>(unit.weights >> 16);
  item->filter0 = PackSelfGuided(StrengthOf(passes[0]), StrengthOf(passes[1]));
  item->filter1 = PackSelfGuided(w0, (1 << 7) - w0 - w1);
}

}  // namespace

struct RestorationItems::Frame {
  const FrameParams& params;
  const Params& av1;
  std::span<const RestorationUnit> units;
};

RestorationSize RestorationSizeOf(const FrameParams& params, const Params& av1,
                                  uint32_t plane) {
  const uint32_t shift_x = SubsamplingX(params, plane);
  const uint32_t shift_y = SubsamplingY(params, plane);
  return {(av1.upscaled_width + shift_x) >> shift_x,
          (params.height + shift_y) >> shift_y};
}

void RestorationItems::Set(const FrameParams& params, const Params& av1,
                           std::span<const RestorationUnit> units) {
  Clear();
  const Frame frame = {params, av1, units};
  const uint32_t last_row = params.sb_rows - 1;
  const uint32_t stripes = StripesOfRow(params, last_row).end;
  for (uint32_t plane = 0; plane < PlaneCount(av1); ++plane) {
    for (uint32_t stripe = 0; stripe < stripes; ++stripe) {
      AddStripe(frame, plane, stripe);
    }
  }
}

void RestorationItems::Clear() {
  for (auto& lists : items_) {
    for (auto& list : lists) list.clear();
  }
  for (auto& list : copies_) list.clear();
  scratch_bytes_ = 0;
}

void RestorationItems::AddStripe(const Frame& frame, uint32_t plane,
                                 uint32_t stripe) {
  const RestorationSize size =
      RestorationSizeOf(frame.params, frame.av1, plane);
  const uint32_t shift_y = SubsamplingY(frame.params, plane);
  const Stripe luma = LumaStripe(frame.params, stripe);
  const uint32_t y = luma.begin >> shift_y;
  const uint32_t end = std::min(luma.end >> shift_y, size.height);
  const uint32_t width = PERDIX_RESTORATION_CELL / Components(plane);
  for (uint32_t line = y; line < end; line += cell_lines_) {
    const uint32_t lines =
        PackRestorationLines(line - y, std::min(end - line, cell_lines_));
    for (uint32_t column = 0; column * width < size.width; ++column) {
      AddCell(frame, {plane, column, stripe, y, lines});
    }
  }
}

void RestorationItems::AddCell(const Frame& frame, const Cell& cell) {
  RestorationCopy copy = {
      PackRestorationPlace(cell.column, cell.stripe, 0), cell.lines,
      AddItem(frame, cell, 0),
      cell.plane == kLuma ? PERDIX_NO_RESULTS : AddItem(frame, cell, 1)};
  if (copy.results0 == PERDIX_NO_RESULTS &&
      copy.results1 == PERDIX_NO_RESULTS) {
    return;
  }
  copies_[cell.plane].push_back(copy);
}

// Where its results are, if the component is filtered.
uint32_t RestorationItems::AddItem(const Frame& frame, const Cell& cell,
                                   uint32_t component) {
  const RestorationPlane& plane = frame.av1.restoration[cell.plane + component];
  if (plane.type == 0) return PERDIX_NO_RESULTS;
  const uint32_t cell_width = PERDIX_RESTORATION_CELL / Components(cell.plane);
  // All of a stripe is in one row of units: that of the stripe's lines before
  // they were moved up.
  const uint32_t unit_y =
      (cell.stripe * 64) >> SubsamplingY(frame.params, cell.plane);
  const uint32_t row = std::min(unit_y / plane.unit_size, plane.unit_rows - 1);
  const uint32_t column =
      std::min(cell.column * cell_width / plane.unit_size, plane.unit_cols - 1);
  const RestorationUnit& unit =
      frame.units[plane.first + row * plane.unit_cols + column];
  if (unit.type == kNone) return PERDIX_NO_RESULTS;

  const uint32_t kind = KindOf(unit);
  const size_t group_bytes = kGroup * SampleBytes(frame.params);
  RestorationItem item = {};
  item.place = PackRestorationPlace(cell.column, cell.stripe, component);
  item.lines = cell.lines;
  item.results = static_cast<uint32_t>(scratch_bytes_ / group_bytes);
  SetFilter(unit, &item);
  items_[cell.plane][kind].push_back(item);

  const size_t groups =
      size_t{RestorationLineCount(cell.lines)} * (cell_width / kGroup);
  scratch_bytes_ += groups * group_bytes;
  if (kind == PERDIX_SELF_GUIDED_BOTH) {
    scratch_bytes_ += groups * kGroup * sizeof(int16_t);
  }
  return item.results;
}

}  // namespace perdix::av1
