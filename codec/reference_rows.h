// SPDX-License-Identifier: BSD-2-Clause
// What a frame waits for that begins before the frame before it is whole: each
// of its rows, for the rows of that frame which it reads. Rows are of
// superblocks; a row is final when it and all above it are filtered, but for
// the lines at its end that the filter of the next row changes (VP9 8.8.1).
#ifndef PERDIX_CODEC_REFERENCE_ROWS_H_
#define PERDIX_CODEC_REFERENCE_ROWS_H_

#include <cstdint>
#include <vector>

#include "kernels/kernel.h"

namespace perdix {

struct FrameJob;

// Rows of the frame, in order, each of which may go on once.
class ReferenceRows {
 public:
  // final_rows: of the frame before. Throws std::bad_alloc.
  void Reset(uint32_t rows, uint32_t final_rows);
  // The next row of the frame reads the first <rows> of the frame before.
  // Returns the rows of the frame that may go on now.
  Range Need(uint32_t rows);
  // So many rows of the frame before are final. Returns the same.
  Range Have(uint32_t final_rows);

 private:
  Range Release();

  std::vector<uint32_t> needs_;  // [row]
  uint32_t released_ = 0;
  uint32_t final_rows_ = 0;
};

// How many rows, from the first on, must be final of the references in <mask>
// (bit: index of the reference) before <sb_row>, which is parsed, can be
// predicted: 0 if it reads none, all of them if such a reference is scaled.
uint32_t RowsRead(const FrameJob& job, uint32_t sb_row, uint32_t mask);

}  // namespace perdix

#endif  // PERDIX_CODEC_REFERENCE_ROWS_H_
