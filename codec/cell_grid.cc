// SPDX-License-Identifier: BSD-2-Clause
#include "codec/cell_grid.h"

namespace perdix {

void CellGrid::Reset(const Shape& shape) {
  shape_ = shape;
  const size_t cells = size_t{2} * shape.rows * shape.chunks;
  if (capacity_ < cells) {
    conditions_ = std::make_unique<std::atomic<uint8_t>[]>(cells);
    capacity_ = cells;
  }
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t chunk = 0; chunk < shape.chunks; ++chunk) {
      const Cell cell = {kReconstruct, row, chunk};
      const uint32_t left = BeginsTile(cell) ? shape.row_conditions : 1;
      conditions_[Index(cell)].store(uint8_t((row > 0) + left),
                                     std::memory_order_relaxed);
      conditions_[Index({kFilter, row, chunk})].store(
          uint8_t((row > 0) + (chunk > 0) + shape.reconstruct),
          std::memory_order_relaxed);
    }
  }
  for (uint32_t tile = 0; tile < shape.tiles; ++tile) {
    conditions_[Index(RowBegin(0, tile))].fetch_add(1,
                                                    std::memory_order_relaxed);
  }
  conditions_[Index(last())].fetch_add(1, std::memory_order_release);
}

void CellGrid::Meet(Cell cell, ReadyCells* ready) {
  if (conditions_[Index(cell)].fetch_sub(1, std::memory_order_acq_rel) == 1) {
    ready->cells[ready->count++] = cell;
  }
}

// After the last Meet() the frame may be over, and the grid another one's.
void CellGrid::Follow(Cell cell, ReadyCells* ready) {
  const auto [stage, row, chunk] = cell;
  const bool last_row = row + 1 == shape_.rows;
  const bool last_chunk = chunk + 1 == shape_.chunks;
  if (stage == kFilter) {
    if (!last_row) {
      if (chunk > 0) Meet({kFilter, row + 1, chunk - 1}, ready);
      if (last_chunk) Meet({kFilter, row + 1, chunk}, ready);
    }
    if (!last_chunk) Meet({kFilter, row, chunk + 1}, ready);
    return;
  }
  const bool begins_tile = BeginsTile(cell);
  const bool ends_tile = EndsTile(cell);
  if (shape_.filter) {
    if (row > 0 && !begins_tile) Meet({kFilter, row - 1, chunk - 1}, ready);
    if (row > 0 && ends_tile) Meet({kFilter, row - 1, chunk}, ready);
    if (last_row && !begins_tile) Meet({kFilter, row, chunk - 1}, ready);
    if (last_row && ends_tile) Meet({kFilter, row, chunk}, ready);
  }
  if (!ends_tile) Meet({kReconstruct, row, chunk + 1}, ready);
  if (!last_row) Meet({kReconstruct, row + 1, chunk}, ready);
}

}  // namespace perdix
