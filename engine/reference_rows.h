// SPDX-License-Identifier: BSD-2-Clause
// What a frame waits for that begins before the frame before it is over: each
// of its superblock rows, for the lines of that frame which it reads. Lines are
// luma's, counted from the first on; a line is final when all passes are
// through with its row and no later row changes it.
#ifndef PERDIX_ENGINE_REFERENCE_ROWS_H_
#define PERDIX_ENGINE_REFERENCE_ROWS_H_

#include <cstdint>
#include <vector>

#include "codec/codec.h"
#include "kernels/kernel.h"

namespace perdix {

// Rows of the frame, in order, each of which may go on once.
class ReferenceRows {
 public:
  // final_lines: of the frame before. Throws std::bad_alloc.
  void Reset(uint32_t rows, int final_lines);
  // The next row of the frame reads so many lines of the frame before. Returns
  // the rows of the frame that may go on now.
  Range Need(int lines);
  // So many lines of the frame before are final. Returns the rows of the frame
  // that may go on now.
  Range Have(int final_lines);

 private:
  Range Release();

  std::vector<int> needs_;  // [row]
  uint32_t released_ = 0;
  int final_lines_ = 0;
};

// Rows of a frame that become final, in any order.
class FinalRows {
 public:
  // Throws std::bad_alloc.
  void Reset(uint32_t rows);
  // Once for each row. Whether count() is another one now.
  bool Add(uint32_t row);
  // From the first row on, all of which are final.
  uint32_t count() const { return count_; }

 private:
  std::vector<bool> final_;  // [row]
  uint32_t count_ = 0;
};

// How many lines must be final of the references in <mask> (bit: index of the
// reference) before <sb_row>, which is parsed, can be predicted: 0 if it reads
// none, kAllRead if it reads one to its end.
int LinesRead(const CodecRow& codec, const ParsedFrame& frame, uint32_t sb_row,
              uint32_t mask);

// How many are final once the passes of the CPU are through with <sb_row> and
// all rows above: kAllRead after the last one.
int FinalLines(const ParsedFrame& frame, uint32_t sb_row);

}  // namespace perdix

#endif  // PERDIX_ENGINE_REFERENCE_ROWS_H_
