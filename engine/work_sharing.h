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
  // The home of all the frame's tasks; kAnywhere: workers share them.
  int home = TaskPlace::kAnywhere;

  // Whether each worker has rows of its own, the same ones in every frame.
  bool ByRows() const;
  // Where not ByRows(): whether each worker has tile columns of the frame.
  bool ByColumns() const { return tile_cols >= workers; }

  int HomeOfParsing(uint32_t tile_col, uint32_t sb_row) const;
  // The home of a cell in a row of <chunks> cells.
  int HomeOf(uint32_t sb_row, uint32_t chunk, uint32_t chunks) const;
  // The home of a cell that is a whole row: the same in all passes, because
  // they work on the same pixels.
  int HomeOfRow(uint32_t sb_row) const;

  // Cells that a row may be cut into, where a pass does not go by whole rows.
  uint32_t Chunks() const;
  // Superblock rows that parsing may be ahead of reconstruction on the CPU.
  uint32_t RowsAhead() const;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_WORK_SHARING_H_
