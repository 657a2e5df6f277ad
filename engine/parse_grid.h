// SPDX-License-Identifier: BSD-2-Clause
// Which superblock rows of a frame's tile columns may be parsed: each after the
// one above it, once the work lists, which keep so many rows (TileLists), have
// room for it again, and once it need not wait for other frames.
#ifndef PERDIX_ENGINE_PARSE_GRID_H_
#define PERDIX_ENGINE_PARSE_GRID_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace perdix {

class ParseGrid {
 public:
  // No row is ready afterwards: the first one of each tile column waits for the
  // start of the work. waits: each row has one condition more. Throws
  // std::bad_alloc.
  void Reset(uint32_t rows, uint32_t tile_cols, uint32_t kept_rows,
             bool waits = false);

  uint32_t kept_rows() const { return kept_rows_; }
  // The row above is parsed, there is room, or it waits for no other frame any
  // more: whether the row may be parsed now. Once for each row of a tile column
  // and condition, from any thread.
  bool Meet(uint32_t tile_col, uint32_t sb_row);
  // The row is parsed in one more tile column: whether it is in all of them.
  bool EndRow(uint32_t sb_row);
  // One more tile column is parsed: whether all are.
  bool EndTile();

 private:
  uint32_t rows_ = 0;
  uint32_t kept_rows_ = 0;
  std::unique_ptr<std::atomic<uint8_t>[]> conditions_;  // [tile column][row]
  size_t conditions_size_ = 0;
  std::unique_ptr<std::atomic<uint32_t>[]> unparsed_tiles_;  // [row]
  size_t unparsed_tiles_size_ = 0;
  std::atomic<uint32_t> tiles_{0};  // being parsed
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_PARSE_GRID_H_
