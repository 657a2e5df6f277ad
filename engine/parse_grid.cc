// SPDX-License-Identifier: BSD-2-Clause
#include "engine/parse_grid.h"

namespace perdix {
namespace {

template <typename T>
void MakeRoom(size_t needed, std::unique_ptr<T[]>* array, size_t* size) {
  if (*size >= needed) return;
  *array = std::make_unique<T[]>(needed);
  *size = needed;
}

}  // namespace

void ParseGrid::Reset(uint32_t rows, uint32_t tile_cols, uint32_t kept_rows,
                      bool waits) {
  MakeRoom(size_t{rows} * tile_cols, &conditions_, &conditions_size_);
  MakeRoom(rows, &unparsed_tiles_, &unparsed_tiles_size_);
  rows_ = rows;
  kept_rows_ = kept_rows;
  for (uint32_t row = 0; row < rows; ++row) {
    unparsed_tiles_[row].store(tile_cols, std::memory_order_relaxed);
    for (uint32_t tile = 0; tile < tile_cols; ++tile) {
      conditions_[size_t{tile} * rows + row].store(
          uint8_t((row < kept_rows ? 1 : 2) + waits),
          std::memory_order_relaxed);
    }
  }
  tiles_.store(tile_cols, std::memory_order_release);
}

bool ParseGrid::Meet(uint32_t tile_col, uint32_t sb_row) {
  return conditions_[size_t{tile_col} * rows_ + sb_row].fetch_sub(
             1, std::memory_order_acq_rel) == 1;
}

bool ParseGrid::EndRow(uint32_t sb_row) {
  return unparsed_tiles_[sb_row].fetch_sub(1, std::memory_order_acq_rel) == 1;
}

bool ParseGrid::EndTile() {
  return tiles_.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

}  // namespace perdix
