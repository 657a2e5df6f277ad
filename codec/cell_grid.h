// SPDX-License-Identifier: BSD-2-Clause
// Which parts of a frame may be worked on by the CPU: cells (runs of
// superblocks of one row, in one of two stages), each with a count of unmet
// conditions. A cell is ready when its count reaches 0:
//   reconstruct (r, k)  after parsing of row r, the reference's rows if that
//                       is still being made (reference_rows.h), (r, k - 1) and
//                       (r - 1, k): intra prediction looks left, above and
//                       above left (VP9 8.5.1)
//   filter (r, k)       after reconstruct (r + 1, k + 1), whose intra
//                       prediction needs unfiltered pixels; filter (r, k - 1)
//                       and (r - 1, k + 1): raster order (VP9 8.8.1)
// Across the left edge of a tile nothing is predicted (VP9 6.4.4, 8.5.1.1):
// where tile columns go each their own way, nothing is reconstructed after the
// tile to the left, and filter (r, k) at a tile's right edge comes after
// reconstruct (r + 1, k). The first cell of each waits for one more thing, the
// start of the work; so does the last cell of all: for the end of the frame's
// parsing.
#ifndef PERDIX_CODEC_CELL_GRID_H_
#define PERDIX_CODEC_CELL_GRID_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/kernel.h"

namespace perdix {

enum CellStage : uint32_t { kReconstruct, kFilter };

struct Cell {
  uint32_t stage;
  uint32_t row;
  uint32_t chunk;
};

// Cells that one event made ready: never more than 6.
struct ReadyCells {
  Cell cells[6];
  int count = 0;
};

class CellGrid {
 public:
  struct Shape {
    uint32_t rows;     // superblocks
    uint32_t columns;  // superblocks
    uint32_t tiles;    // columns that go their own way; 1 unless both stages
    uint32_t chunks;   // cells of a row, a multiple of tiles, up to columns
    bool reconstruct;  // whether the stage is there
    bool filter;
    // Of each tile's row to reconstruct, beside those of its cells: that it is
    // parsed, that what it reads of other frames is there.
    uint32_t row_conditions;
  };

  // No cell is ready afterwards.
  void Reset(const Shape& shape);

  // One condition of <cell> is met.
  void Meet(Cell cell, ReadyCells* ready);
  // <cell> is done: the conditions that this fulfils are met, the filter's
  // first, while its pixels are in the cache.
  void Follow(Cell cell, ReadyCells* ready);

  const Shape& shape() const { return shape_; }
  // The superblock columns of a cell. As many chunks as the frame has tile
  // columns are these (VP9 7.3.1).
  Range Columns(uint32_t chunk) const {
    return {chunk * shape_.columns / shape_.chunks,
            (chunk + 1) * shape_.columns / shape_.chunks};
  }
  // What the conditions of a tile's row are of.
  Cell RowBegin(uint32_t row, uint32_t tile) const {
    return {shape_.reconstruct ? kReconstruct : kFilter, row,
            tile * TileChunks()};
  }
  // Done after all others.
  Cell last() const {
    return {shape_.filter ? kFilter : kReconstruct, shape_.rows - 1,
            shape_.chunks - 1};
  }
  bool IsLast(Cell cell) const {
    const Cell end = last();
    return cell.stage == end.stage && cell.row == end.row &&
           cell.chunk == end.chunk;
  }

  uint32_t TileOf(Cell cell) const { return cell.chunk / TileChunks(); }
  bool BeginsTile(Cell cell) const { return cell.chunk % TileChunks() == 0; }
  bool EndsTile(Cell cell) const {
    return (cell.chunk + 1) % TileChunks() == 0;
  }
  bool EndsRow(Cell cell) const { return cell.chunk + 1 == shape_.chunks; }
  // The last of all cells of its row, and of the rows above.
  bool EndsFinalRow(Cell cell) const {
    return cell.stage == last().stage && EndsRow(cell);
  }

 private:
  uint32_t TileChunks() const { return shape_.chunks / shape_.tiles; }
  size_t Index(Cell cell) const {
    return (size_t{cell.stage} * shape_.rows + cell.row) * shape_.chunks +
           cell.chunk;
  }

  Shape shape_ = {};
  std::unique_ptr<std::atomic<uint8_t>[]> conditions_;  // [stage][row][chunk]
  size_t capacity_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_CELL_GRID_H_
