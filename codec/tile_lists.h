// SPDX-License-Identifier: BSD-2-Clause
// The work lists of one tile column while parsing writes them, grouped by
// superblock row.
#ifndef PERDIX_CODEC_TILE_LISTS_H_
#define PERDIX_CODEC_TILE_LISTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "codec/arena.h"
#include "kernels/work_lists.h"

namespace perdix {

// One list, as its writer sees it.
template <typename Record>
class ListWriter {
 public:
  explicit ListWriter(Arena<RecordBytes>& records) : records_(records) {}

  // A record that is filled in by the caller.
  Record& Append() { return *new (records_.Extend(1)) Record; }
  Record& Append(const Record& record) {
    return *new (records_.Extend(1)) Record(record);
  }
  size_t size() const { return records_.size(); }
  Record* data() { return reinterpret_cast<Record*>(records_.data()); }

 private:
  Arena<RecordBytes>& records_;
};

class TileLists {
 public:
  // The most that one superblock can hold, by list.
  struct Capacity {
    std::array<size_t, kMaxLists> records = {};
    size_t coefficients = 0;  // 16-bit units
  };

  // Empties the lists and makes room for any content of the tile column: <rows>
  // rows of superblocks in <columns>. All rows are kept. Throws std::bad_alloc.
  void Reset(uint32_t rows, Range columns, const Capacity& capacity);
  // The records of row r take the place of those of row r - <rows>.
  void KeepRows(uint32_t rows) { kept_rows_ = rows; }

  // Before the first record of the row.
  void BeginRow(uint32_t sb_row);
  // After the last record of the superblock at that column of the frame.
  void EndSuperblock(uint32_t sb_row, uint32_t sb_col);

  template <typename Record>
  ListWriter<Record> Of(List<Record> list) {
    return ListWriter<Record>(records_[list.index]);
  }
  Arena<int16_t>& coefficients() { return coefficients_; }

  Range columns() const { return columns_; }  // superblocks of the frame
  uint32_t width() const { return columns_.end - columns_.begin; }
  // The lists with all that they have room for: a reader knows from elsewhere
  // what is written.
  WorkLists View() const;
  // The lists with what was written: complete once the tile column is parsed.
  WorkLists Written() const;

 private:
  RecordEnds Ends() const;
  WorkLists Empty() const;

  Range columns_;
  std::array<Arena<RecordBytes>, kMaxLists> records_;
  Arena<int16_t> coefficients_;
  std::vector<RecordEnds> ends_;        // [row][column]
  std::vector<RecordEnds> row_begins_;  // [row]
  uint32_t kept_rows_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_TILE_LISTS_H_
