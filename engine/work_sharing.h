// SPDX-License-Identifier: BSD-2-Clause
// How the workers share a frame: at which of them each task is at home, how
// many cells a row has, how far parsing may be ahead. docs/order-of-work.md
// says why.
#ifndef PERDIX_ENGINE_WORK_SHARING_H_
#define PERDIX_ENGINE_WORK_SHARING_H_

#include <cstdint>

#include "engine/task.h"

namespace perdix {

struct WorkSharing {
  uint32_t workers = 1;
  uint32_t rows = 1;     // superblocks
  uint32_t columns = 1;  // superblocks
  uint32_t tile_cols = 1;
  bool overlaps = false;  // with the frames beside it, on the CPU
  int home =
      TaskPlace::kAnywhere;  // of all tasks; kAnywhere: workers share them

  // Whether each worker has rows of the frame, the same in every one.
  bool ByRows() const;
  // Else, whether each has tile columns of it.
  bool ByColumns() const { return tile_cols >= workers; }

  int HomeOfParsing(uint32_t tile_col, uint32_t sb_row) const;
  // Of a cell; chunks: of its row.
  int HomeOf(uint32_t sb_row, uint32_t chunk, uint32_t chunks) const;
  // Of a cell that is a whole row: the same in all passes, whose pixels it is.
  int HomeOfRow(uint32_t sb_row) const;

  // Cells that a row may be cut into, where a pass does not go by whole rows.
  uint32_t Chunks() const;
  // Superblock rows that parsing may be ahead of reconstruction on the CPU.
  uint32_t RowsAhead() const;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_WORK_SHARING_H_
