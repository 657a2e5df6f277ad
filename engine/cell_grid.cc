// SPDX-License-Identifier: BSD-2-Clause
#include "engine/cell_grid.h"

#include <bit>

namespace perdix {

void CellGrid::Reset(const Shape& shape) {
  rows_ = shape.rows;
  CutRows(shape);
  LayOutCells(shape);
  FindDependences(shape);
  LinkCells(shape);
  CountConditions(shape);
}

void CellGrid::CutRows(const Shape& shape) {
  chunk_begins_.clear();
  chunk_tiles_.clear();
  tile_chunks_.clear();
  for (size_t tile = 0; tile < shape.tile_begins.size(); ++tile) {
    const uint32_t begin = shape.tile_begins[tile];
    const uint32_t end = tile + 1 < shape.tile_begins.size()
                             ? shape.tile_begins[tile + 1]
                             : shape.columns;
    const uint32_t chunks = std::min(shape.chunks, end - begin);
    tile_chunks_.push_back(uint32_t(chunk_begins_.size()));
    for (uint32_t i = 0; i < chunks; ++i) {
      chunk_begins_.push_back(begin + i * (end - begin) / chunks);
      chunk_tiles_.push_back(uint32_t(tile));
    }
  }
  tile_chunks_.push_back(uint32_t(chunk_begins_.size()));
  chunk_begins_.push_back(shape.columns);
}

void CellGrid::LayOutCells(const Shape& shape) {
  first_pass_ = uint32_t(std::countr_zero(shape.at_work));
  last_pass_ = uint32_t(std::bit_width(shape.at_work)) - 1;
  last_in_order_ = shape.passes[last_pass_].RowsInOrder(last_pass_);
  passes_ = {};
  size_t cells = 0;
  for (uint32_t pass = first_pass_; pass <= last_pass_; ++pass) {
    if ((shape.at_work >> pass & 1) == 0) continue;
    passes_[pass].chunks =
        shape.passes[pass].whole_rows ? 1 : tile_chunks_.back();
    passes_[pass].first = cells;
    cells += size_t{shape.rows} * passes_[pass].chunks;
  }
  if (capacity_ < cells) {
    conditions_ = std::make_unique<std::atomic<uint16_t>[]>(cells);
    capacity_ = cells;
  }
  for (size_t i = 0; i < cells; ++i) {
    conditions_[i].store(0, std::memory_order_relaxed);
  }
}

// ---- what comes after what ----

void CellGrid::FindDependences(const Shape& shape) {
  dependences_.clear();
  for (uint32_t pass = last_pass_ + 1; pass-- > first_pass_;) {
    if (passes_[pass].chunks == 0) continue;
    if (!shape.passes[pass].whole_rows)
      dependences_.push_back({pass, {pass, 0, 0}, Extent::kLeft});
    for (const After& after : shape.passes[pass].after) {
      const Extent extent =
          ExtentOf(shape.passes[pass], shape.passes[after.pass]);
      for (int rows = FirstRow(shape, after); rows <= after.rows; ++rows)
        Resolve(shape, {pass, {after.pass, rows, after.columns}, extent});
    }
  }
}

CellGrid::Extent CellGrid::ExtentOf(const Pass& pass, const Pass& after) {
  return pass.whole_rows || after.whole_rows ? Extent::kWholeRow
                                             : Extent::kColumns;
}

// The first of the rows that <after> speaks of, as an offset. Where the rows of
// a pass go in any order, or what it handed on counts at the frame's last row,
// being after one row does not mean being after those above it.
int CellGrid::FirstRow(const Shape& shape, const After& after) const {
  const bool follows = passes_[after.pass].chunks != 0 &&
                       shape.passes[after.pass].RowsInOrder(after.pass);
  return follows ? after.rows : std::min(after.rows, 0);
}

void CellGrid::Resolve(const Shape& shape, const Dependence& dependence) {
  const uint32_t pass = dependence.after.pass;
  if (passes_[pass].chunks != 0) {
    dependences_.push_back(dependence);
    return;
  }
  const Pass& left_out = shape.passes[pass];
  for (const After& after : left_out.after) {
    if (after.pass == pass) continue;
    const Pass& before = shape.passes[after.pass];
    Extent extent = ExtentOf(left_out, before);
    // What lies to the left of a column lies in other tiles, too, if the pass
    // that is left out does not go by tile.
    if (dependence.extent == Extent::kWholeRow ||
        (before.ByTile() && !left_out.ByTile())) {
      extent = Extent::kWholeRow;
    }
    for (int rows = FirstRow(shape, after); rows <= after.rows; ++rows) {
      Resolve(shape, {dependence.pass,
                      {after.pass, dependence.after.rows + rows,
                       dependence.after.columns + after.columns},
                      extent});
    }
  }
}

// ---- cells ----

void CellGrid::LinkCells(const Shape& shape) {
  links_.clear();
  intervals_.clear();
  for (uint32_t pass = first_pass_; pass <= last_pass_; ++pass) {
    passes_[pass].links_begin = uint32_t(links_.size());
    for (const Dependence& dependence : dependences_) {
      if (dependence.after.pass == pass) AddLink(shape, dependence);
    }
    passes_[pass].links_end = uint32_t(links_.size());
  }
}

void CellGrid::AddLink(const Shape& shape, const Dependence& dependence) {
  const uint32_t pass = dependence.after.pass;
  const uint32_t first = uint32_t(intervals_.size());
  links_.push_back({dependence.pass, dependence.after.rows, first});
  intervals_.resize(first + passes_[pass].chunks);
  const bool by_tile = shape.passes[pass].ByTile();
  if (dependence.extent == Extent::kWholeRow) {
    for (uint32_t chunk = 0; chunk < passes_[pass].chunks; ++chunk) {
      const Cell cell = {pass, 0, chunk};
      if (EndsRow(cell) || (by_tile && EndsTile(chunk))) {
        intervals_[first + chunk] = {0, passes_[dependence.pass].chunks};
      }
    }
    return;
  }
  for (uint32_t chunk = 0; chunk < passes_[dependence.pass].chunks; ++chunk) {
    uint32_t needed = 0;
    if (!FindNeeded(dependence, chunk, by_tile, &needed)) continue;
    Interval& after = intervals_[first + needed];
    if (after.begin == after.end) after.begin = chunk;
    after.end = chunk + 1;
  }
}

// The cell that <chunk> comes after, which may be none.
bool CellGrid::FindNeeded(const Dependence& dependence, uint32_t chunk,
                          bool by_tile, uint32_t* needed) const {
  const uint32_t tile = TileOf(chunk);
  if (dependence.extent == Extent::kLeft) {
    *needed = chunk - 1;
    return chunk != (by_tile ? tile_chunks_[tile] : 0);
  }
  const uint32_t begin = chunk_begins_[by_tile ? tile_chunks_[tile] : 0];
  const uint32_t end =
      by_tile ? chunk_begins_[tile_chunks_[tile + 1]] : chunk_begins_.back();
  const int column =
      int(chunk_begins_[chunk + 1]) - 1 + dependence.after.columns;
  if (column < int(begin)) return false;
  const auto after = std::ranges::upper_bound(
      chunk_begins_, std::min(uint32_t(column), end - 1));
  *needed = uint32_t(after - chunk_begins_.begin()) - 1;
  return true;
}

void CellGrid::CountConditions(const Shape& shape) {
  const auto add = [&](Cell cell, uint32_t conditions) {
    std::atomic<uint16_t>& count = conditions_[Index(cell)];
    count.store(uint16_t(count.load(std::memory_order_relaxed) + conditions),
                std::memory_order_relaxed);
  };
  for (uint32_t pass = first_pass_; pass <= last_pass_; ++pass) {
    for (uint32_t row = 0; row < rows_; ++row) {
      for (uint32_t chunk = 0; chunk < passes_[pass].chunks; ++chunk) {
        ForEachAfter({pass, row, chunk}, [&](Cell cell) { add(cell, 1); });
      }
    }
  }
  for (uint32_t tile = 0; tile < tiles(); ++tile) {
    for (uint32_t row = 0; row < rows_; ++row) {
      add(RowBegin(row, tile), 1 + shape.row_conditions);
    }
  }
  add(last(), last_in_order_ ? 1 : rows_);
}

}  // namespace perdix
