// SPDX-License-Identifier: BSD-2-Clause
#include "engine/work_sharing.h"

#include <algorithm>

namespace perdix {
namespace {

// The least superblocks of a cell, if there are so many in a row.
constexpr uint32_t kLeastChunkWidth = 4;

// Cells of a row that each worker has where workers share the columns. With
// two, a worker goes on with one while the other waits for a neighbour's cell.
constexpr uint32_t kColumnChunks = 2;

// How many rows parsing may be ahead where workers share the rows: enough that
// the lower rows, and then the next frame, are parsed while the upper rows are
// reconstructed.
constexpr uint32_t kSharedRowsAhead = 12;

// The fewest rows of a worker where workers share the rows. With fewer, most of
// what a row reads was made by another worker.
constexpr uint32_t kLeastRows = 3;

}  // namespace

bool WorkSharing::ByRows() const {
  return home == TaskPlace::kAnywhere && overlaps &&
         rows >= kLeastRows * workers;
}

int WorkSharing::HomeOfParsing(uint32_t tile_col, uint32_t sb_row) const {
  if (home != TaskPlace::kAnywhere) return home;
  if (ByRows()) return int(sb_row * workers / rows);
  if (!ByColumns()) return 0;
  return int(tile_col * workers / tile_cols);
}

int WorkSharing::HomeOf(uint32_t sb_row, uint32_t chunk,
                        uint32_t chunks) const {
  if (home != TaskPlace::kAnywhere) return home;
  if (ByRows()) return int(sb_row * workers / rows);
  if (ByColumns()) return int(chunk * workers / chunks);
  return int(1 + chunk * (workers - 1) / chunks);  // worker 0 parses
}

// Rows in turn where workers have no rows of their own: while one worker is at
// a pass of a row, the others are at the passes before it, of the rows below.
int WorkSharing::HomeOfRow(uint32_t sb_row) const {
  if (home != TaskPlace::kAnywhere || ByRows()) return HomeOf(sb_row, 0, 1);
  const uint32_t parsers = ByColumns() ? 0 : 1;
  return int(parsers + sb_row % (workers - parsers));
}

uint32_t WorkSharing::Chunks() const {
  uint32_t chunks = workers;
  if (ByRows()) {
    chunks = (workers + 1) / 2;  // half the workers are in the other frame
  } else if (workers > 1 && ByColumns()) {
    chunks *= kColumnChunks;
  }
  return std::min(chunks, std::max(columns / kLeastChunkWidth, 1u));
}

// Each worker has a row to work at, and one more is ready. One worker alone is
// never ahead.
uint32_t WorkSharing::RowsAhead() const {
  if (ByRows()) return kSharedRowsAhead;
  return workers > 1 ? workers + 1 : 1;
}

}  // namespace perdix
