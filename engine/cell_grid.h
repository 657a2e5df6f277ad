// SPDX-License-Identifier: BSD-2-Clause
// Which parts of a frame may be worked on by the CPU: cells (runs of
// superblocks of one row, or whole rows, in one of the passes), each with a
// count of unmet conditions. A cell is ready when its count reaches 0. Its
// conditions are
//   - those that the passes declare (pass.h),
//   - the cell to its left,
//   - in the first pass, for the first cell of a row (of each tile's row where
//     tile columns go each their own way): the start of the work, that the row
//     is parsed, and that what it reads of other frames is there,
//   - for the last cell of all: the end of the frame's parsing, and the other
//     rows of its pass, if these go in any order.
#ifndef PERDIX_ENGINE_CELL_GRID_H_
#define PERDIX_ENGINE_CELL_GRID_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/pass.h"
#include "kernels/kernel.h"

namespace perdix {

struct Cell {
  uint32_t pass;   // index in the codec's passes
  uint32_t row;    // superblocks
  uint32_t chunk;  // of the row, from the left; 0 of a whole row
};

class CellGrid {
 public:
  struct Shape {
    std::span<const Pass> passes;  // the codec's
    uint32_t at_work;              // bit: index of a pass
    uint32_t rows;                 // superblocks
    uint32_t columns;              // superblocks
    // The superblock columns where tile columns begin that go each their own
    // way, ascending from 0; only 0 if none do. More only if the first pass at
    // work is ByTile() and the last one is not.
    std::span<const uint32_t> tile_begins;
    uint32_t chunks;  // cells of a tile's row; no more than it has columns
    // How many conditions each tile's row of the first pass has beside those
    // of its cells.
    uint32_t row_conditions;
  };

  // No cell is ready afterwards. Throws std::bad_alloc.
  void Reset(const Shape& shape);

  // One condition of <cell> is met: whether it is ready now.
  bool Meet(Cell cell) {
    return conditions_[Index(cell)].fetch_sub(1, std::memory_order_acq_rel) ==
           1;
  }
  // <cell>, which is not the last one, is done: meets the conditions that this
  // fulfils and calls ready(Cell) for each cell that is ready then, of later
  // passes first, while their pixels are in the cache.
  template <typename Ready>
  void End(Cell cell, const Ready& ready);

  // The superblock columns of a cell: a tile is cut evenly, so that as many
  // chunks as a frame has even tile columns are these columns.
  Range Columns(Cell cell) const {
    const uint32_t chunks = passes_[cell.pass].chunks;
    return {
        chunk_begins_[cell.chunk],
        chunk_begins_[chunks == 1 ? chunk_begins_.size() - 1 : cell.chunk + 1]};
  }
  // Cells of a row of a pass; 0 if the pass is not there.
  uint32_t Chunks(uint32_t pass) const { return passes_[pass].chunks; }
  uint32_t tiles() const { return uint32_t(tile_chunks_.size()) - 1; }
  // The cell that a tile's row begins with, which has the row's conditions.
  Cell RowBegin(uint32_t row, uint32_t tile) const {
    return {first_pass_, row, tile_chunks_[tile]};
  }
  // The cell that is done after all others.
  Cell last() const {
    return {last_pass_, rows_ - 1, passes_[last_pass_].chunks - 1};
  }
  bool IsLast(Cell cell) const {
    return cell.pass == last_pass_ && cell.row + 1 == rows_ && EndsRow(cell);
  }
  bool EndsRow(Cell cell) const {
    return cell.chunk + 1 == passes_[cell.pass].chunks;
  }
  // The tiles whose row the cell ends.
  Range EndedTiles(Cell cell) const {
    if (passes_[cell.pass].chunks == 1) return {0, tiles()};
    const uint32_t tile = TileOf(cell.chunk);
    return {tile, EndsTile(cell.chunk) ? tile + 1 : tile};
  }

 private:
  // How much of a row a pass comes after, once passes that are not there have
  // handed on what they come after.
  enum class Extent {
    kLeft,      // the cell to the left
    kColumns,   // After::columns
    kWholeRow,  // all columns
  };
  struct Dependence {
    uint32_t pass;
    After after;
    Extent extent;
  };
  // A dependence, seen from the pass that comes first.
  struct Link {
    uint32_t pass;   // the one that comes after
    int rows;        // After::rows
    uint32_t first;  // in intervals_: what comes after chunk 0, then 1, ...
  };
  struct Interval {  // chunks
    uint32_t begin = 0;
    uint32_t end = 0;
  };
  struct PassCells {
    uint32_t chunks = 0;  // of a row; 0: the pass is not there
    size_t first = 0;     // in conditions_, [row][chunk]
    uint32_t links_begin = 0;
    uint32_t links_end = 0;
  };

  void CutRows(const Shape& shape);
  void LayOutCells(const Shape& shape);
  void FindDependences(const Shape& shape);
  static Extent ExtentOf(const Pass& pass, const Pass& after);
  int FirstRow(const Shape& shape, const After& after) const;
  void Resolve(const Shape& shape, const Dependence& dependence);
  void LinkCells(const Shape& shape);
  void AddLink(const Shape& shape, const Dependence& dependence);
  bool FindNeeded(const Dependence& dependence, uint32_t chunk, bool by_tile,
                  uint32_t* needed) const;
  void CountConditions(const Shape& shape);

  uint32_t TileOf(uint32_t chunk) const { return chunk_tiles_[chunk]; }
  bool EndsTile(uint32_t chunk) const {
    return chunk + 1 == tile_chunks_[TileOf(chunk) + 1];
  }
  size_t Index(Cell cell) const {
    const PassCells& pass = passes_[cell.pass];
    return pass.first + size_t{cell.row} * pass.chunks + cell.chunk;
  }
  // Calls visit(Cell) for each that comes after <cell>.
  template <typename Visit>
  void ForEachAfter(Cell cell, const Visit& visit) const;

  uint32_t rows_ = 0;
  uint32_t first_pass_ = 0;
  uint32_t last_pass_ = 0;
  bool last_in_order_ = true;
  std::vector<uint32_t> chunk_begins_;  // columns, and the end of the last one
  std::vector<uint32_t> chunk_tiles_;
  std::vector<uint32_t> tile_chunks_;  // where tiles begin, and the last ends
  std::array<PassCells, kMaxPasses> passes_;
  std::vector<Dependence> dependences_;
  std::vector<Link> links_;  // by the pass that comes first
  std::vector<Interval> intervals_;
  std::unique_ptr<std::atomic<uint16_t>[]> conditions_;
  size_t capacity_ = 0;
};

template <typename Visit>
void CellGrid::ForEachAfter(Cell cell, const Visit& visit) const {
  const PassCells& pass = passes_[cell.pass];
  const int rows = int(rows_);
  for (uint32_t i = pass.links_begin; i < pass.links_end; ++i) {
    const Link& link = links_[i];
    const Interval interval = intervals_[link.first + cell.chunk];
    // The last row also frees rows whose offset leads below it.
    const int first = int(cell.row) - link.rows;
    const int end =
        int(cell.row) + 1 == rows ? rows : std::min(first + 1, rows);
    for (int row = std::max(first, 0); row < end; ++row) {
      for (uint32_t chunk = interval.begin; chunk < interval.end; ++chunk) {
        visit(Cell{link.pass, uint32_t(row), chunk});
      }
    }
  }
}

// After the last Meet() the frame may be over, and the grid another one's: so
// each cell waits until the next one is found.
template <typename Ready>
void CellGrid::End(Cell cell, const Ready& ready) {
  constexpr uint32_t kNone = UINT32_MAX;
  Cell found = {kNone, 0, 0};
  const auto meet = [&](Cell next) {
    if (found.pass != kNone && Meet(found)) ready(found);
    found = next;
  };
  ForEachAfter(cell, meet);
  if (!last_in_order_ && cell.pass == last_pass_ && EndsRow(cell)) meet(last());
  meet({kNone, 0, 0});
}

}  // namespace perdix

#endif  // PERDIX_ENGINE_CELL_GRID_H_
