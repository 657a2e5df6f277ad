// SPDX-License-Identifier: BSD-2-Clause
#include "codec/tile_lists.h"

namespace perdix {

void TileLists::Reset(uint32_t rows, Range columns, const Capacity& capacity) {
  columns_ = columns;
  const size_t superblocks = size_t{rows} * width();
  for (size_t i = 0; i < kMaxLists; ++i) {
    records_[i].Reset(superblocks * capacity.records[i]);
  }
  coefficients_.Reset(superblocks * capacity.coefficients);
  ends_.assign(superblocks, {});
  row_begins_.assign(rows, {});
  kept_rows_ = rows;
}

void TileLists::BeginRow(uint32_t sb_row) {
  const size_t rows = row_begins_.size();
  if (kept_rows_ < rows) {
    const auto seek = [&](auto& list) {
      list.Seek(list.capacity() / rows * (sb_row % kept_rows_));
    };
    for (Arena<RecordBytes>& records : records_) seek(records);
    seek(coefficients_);
  }
  row_begins_[sb_row] = Ends();
}

void TileLists::EndSuperblock(uint32_t sb_row, uint32_t sb_col) {
  ends_[size_t{sb_row} * width() + sb_col - columns_.begin] = Ends();
}

RecordEnds TileLists::Ends() const {
  RecordEnds ends;
  for (size_t i = 0; i < kMaxLists; ++i) ends[i] = uint32_t(records_[i].size());
  return ends;
}

WorkLists TileLists::Empty() const {
  WorkLists lists;
  lists.columns = columns_;
  lists.row_begins = row_begins_;
  lists.ends = ends_;
  return lists;
}

WorkLists TileLists::View() const {
  WorkLists lists = Empty();
  for (size_t i = 0; i < kMaxLists; ++i) {
    const auto records = records_[i].Reserved();
    lists.lists[i] = {records.data(), records.size()};
  }
  lists.coefficients = coefficients_.Reserved();
  return lists;
}

WorkLists TileLists::Written() const {
  WorkLists lists = Empty();
  for (size_t i = 0; i < kMaxLists; ++i) {
    const auto records = records_[i].Written();
    lists.lists[i] = {records.data(), records.size()};
  }
  lists.coefficients = coefficients_.Written();
  return lists;
}

}  // namespace perdix
