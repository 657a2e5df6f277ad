// SPDX-License-Identifier: BSD-2-Clause
// What passes declare (codec/pass.h), superblock by superblock, without cells,
// counts or sums of offsets: the oracle of the cell grid.
#ifndef PERDIX_TESTS_ENGINE_PASS_MODEL_H_
#define PERDIX_TESTS_ENGINE_PASS_MODEL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/cell_grid.h"

namespace perdix {

class PassModel {
 public:
  explicit PassModel(const CellGrid::Shape& shape)
      : shape_(shape), done_(Size()) {}

  // Whether everything is done that the superblocks of a cell come after.
  bool MayRun(Cell cell, Range columns) const {
    const Pass& pass = shape_.passes[cell.pass];
    if (!pass.whole_rows &&
        columns.begin > TileOf(cell.pass, columns.begin).begin &&
        !Done(cell.pass, cell.row, columns.begin - 1)) {
      return false;
    }
    std::vector<bool> seen(Size());
    for (uint32_t column = columns.begin; column < columns.end; ++column) {
      if (!AllDone(cell.pass, cell.row, column, &seen)) return false;
    }
    return true;
  }
  void Run(Cell cell, Range columns) {
    for (uint32_t column = columns.begin; column < columns.end; ++column) {
      done_[Index(cell.pass, cell.row, column)] = true;
    }
  }

 private:
  bool AtWork(uint32_t pass) const { return shape_.at_work >> pass & 1; }
  size_t Size() const {
    return shape_.passes.size() * shape_.rows * shape_.columns;
  }
  size_t Index(uint32_t pass, uint32_t row, uint32_t column) const {
    return (size_t{pass} * shape_.rows + row) * shape_.columns + column;
  }
  bool Done(uint32_t pass, uint32_t row, uint32_t column) const {
    return done_[Index(pass, row, column)];
  }
  // The columns that the pass works off from left to right.
  Range TileOf(uint32_t pass, uint32_t column) const {
    Range range = {0, shape_.columns};
    if (!shape_.passes[pass].ByTile()) return range;
    for (const uint32_t begin : shape_.tile_begins) {
      if (begin <= column) range.begin = begin;
      if (begin > column) range.end = std::min(range.end, begin);
    }
    return range;
  }

  // Whether all is done that a superblock comes after. Of a pass that is not
  // there: what those come after that come after it.
  bool AllDone(uint32_t pass, uint32_t row, uint32_t column,
               std::vector<bool>* seen) const {
    if ((*seen)[Index(pass, row, column)]) return true;
    (*seen)[Index(pass, row, column)] = true;
    for (const After& after : shape_.passes[pass].after) {
      if (after.pass == pass && !AtWork(pass)) continue;
      const bool in_order = shape_.passes[after.pass].RowsInOrder(after.pass);
      for (int rows = in_order ? after.rows : std::min(after.rows, 0);
           rows <= after.rows; ++rows) {
        if (!RowDone(pass, int(row) + rows, column, after, seen)) return false;
      }
    }
    return true;
  }

  // AllDone for one row that <after> speaks of.
  bool RowDone(uint32_t pass, int row, uint32_t column, const After& after,
               std::vector<bool>* seen) const {
    if (row < 0) return true;
    const uint32_t other = std::min(uint32_t(row), shape_.rows - 1);
    Range columns = {0, shape_.columns};
    if (!shape_.passes[pass].whole_rows &&
        !shape_.passes[after.pass].whole_rows) {
      columns = TileOf(after.pass, column);
      columns.end = uint32_t(std::clamp(int(column) + after.columns + 1,
                                        int(columns.begin), int(columns.end)));
    }
    for (uint32_t i = columns.begin; i < columns.end; ++i) {
      if (AtWork(after.pass) ? !Done(after.pass, other, i)
                             : !AllDone(after.pass, other, i, seen)) {
        return false;
      }
    }
    return true;
  }

  const CellGrid::Shape shape_;
  std::vector<bool> done_;  // [pass][row][column]
};

}  // namespace perdix

#endif  // PERDIX_TESTS_ENGINE_PASS_MODEL_H_
