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
      const uint32_t neighbours = (chunk > 0) + (row > 0);
      const uint32_t others = chunk == 0 ? shape.row_conditions : 0;
      conditions_[Index({kReconstruct, row, chunk})].store(
          uint8_t(neighbours + others), std::memory_order_relaxed);
      conditions_[Index({kFilter, row, chunk})].store(
          uint8_t(neighbours + shape.reconstruct), std::memory_order_relaxed);
    }
  }
  conditions_[Index(first())].fetch_add(1, std::memory_order_relaxed);
  conditions_[Index(last())].fetch_add(1, std::memory_order_release);
}

void CellGrid::Meet(Cell cell, ReadyCells* ready) {
  if (conditions_[Index(cell)].fetch_sub(1, std::memory_order_acq_rel) == 1) {
    ready->cells[ready->count++] = cell;
  }
}

void CellGrid::Follow(Cell cell, ReadyCells* ready) {
  const uint32_t row = cell.row;
  const uint32_t chunk = cell.chunk;
  const bool last_row = row + 1 == shape_.rows;
  const bool last_chunk = chunk + 1 == shape_.chunks;
  if (cell.stage == kFilter) {
    if (!last_row) {
      if (chunk > 0) Meet({kFilter, row + 1, chunk - 1}, ready);
      if (last_chunk) Meet({kFilter, row + 1, chunk}, ready);
    }
  } else if (shape_.filter) {
    for (uint32_t up = last_row ? 0 : 1; up < 2; ++up) {
      for (uint32_t left = last_chunk ? 0 : 1; left < 2; ++left) {
        if (row >= up && chunk >= left) {
          Meet({kFilter, row - up, chunk - left}, ready);
        }
      }
    }
  }
  if (!last_chunk) Meet({cell.stage, row, chunk + 1}, ready);
  if (cell.stage == kReconstruct && !last_row) {
    Meet({kReconstruct, row + 1, chunk}, ready);
  }
}

}  // namespace perdix
