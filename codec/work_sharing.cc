// SPDX-License-Identifier: BSD-2-Clause
#include "codec/work_sharing.h"

#include <algorithm>

namespace perdix {
namespace {

// The least superblocks of a cell, if there are so many in a row.
constexpr uint32_t kLeastChunkWidth = 4;

// Cells of a row that a worker has if they share the columns: while one of them
// waits for the other worker's next to it, there is another to go on with.
constexpr uint32_t kColumnChunks = 2;

// Rows that parsing may be ahead where workers share the rows: the lower ones
// are parsed while the upper ones are reconstructed, and then the next frame.
constexpr uint32_t kSharedRowsAhead = 12;

// Rows of a worker, if they share them: of fewer, what a row reads is mostly
// another one's.
constexpr uint32_t kLeastRows = 3;

}  // namespace

bool WorkSharing::ByRows() const {
  return home == Task::kAnywhere && overlaps && rows >= kLeastRows * workers;
}

int WorkSharing::HomeOfParsing(uint32_t tile_col, uint32_t sb_row) const {
  if (home != Task::kAnywhere) return home;
  if (ByRows()) return int(sb_row * workers / rows);
  if (!ByColumns()) return 0;
  return int(tile_col * workers / tile_cols);
}

int WorkSharing::HomeOf(const Cell& cell, uint32_t chunks) const {
  if (home != Task::kAnywhere) return home;
  if (ByRows()) return int(cell.row * workers / rows);
  if (ByColumns()) return int(cell.chunk * workers / chunks);
  return int(1 + cell.chunk * (workers - 1) / chunks);  // the first one parses
}

uint32_t WorkSharing::Chunks() const {
  uint32_t chunks = workers;
  if (ByRows()) {
    chunks = (workers + 1) / 2;  // of two frames at a time half have one
  } else if (workers > 1 && ByColumns()) {
    chunks *= kColumnChunks;
  }
  return std::min(chunks, std::max(columns / kLeastChunkWidth, 1u));
}

// Each worker has a row to work at, and one is to come. One worker alone is
// never ahead.
uint32_t WorkSharing::RowsAhead() const {
  if (ByRows()) return kSharedRowsAhead;
  return workers > 1 ? workers + 1 : 1;
}

}  // namespace perdix
