// SPDX-License-Identifier: BSD-2-Clause
#include "engine/reference_rows.h"

#include <algorithm>

#include "codec/codec.h"

namespace perdix {

void ReferenceRows::Reset(uint32_t rows, int final_lines) {
  needs_.clear();
  needs_.reserve(rows);
  released_ = 0;
  final_lines_ = final_lines;
}

Range ReferenceRows::Need(int lines) {
  needs_.push_back(lines);
  return Release();
}

Range ReferenceRows::Have(int final_lines) {
  final_lines_ = final_lines;
  return Release();
}

Range ReferenceRows::Release() {
  const uint32_t begin = released_;
  while (released_ < needs_.size() && needs_[released_] <= final_lines_) {
    ++released_;
  }
  return {begin, released_};
}

void FinalRows::Reset(uint32_t rows) {
  final_.assign(rows, false);
  count_ = 0;
}

bool FinalRows::Add(uint32_t row) {
  final_[row] = true;
  if (row != count_) return false;
  while (count_ < final_.size() && final_[count_]) ++count_;
  return true;
}

int LinesRead(const CodecRow& codec, const ParsedFrame& frame, uint32_t sb_row,
              uint32_t mask) {
  if (mask == 0) return 0;
  const LowestLines lowest = codec.lowest_lines(frame, sb_row);
  int lines = 0;
  for (uint32_t ref = 0; ref < lowest.size(); ++ref) {
    if ((mask >> ref & 1) == 0 || lowest[ref] == kNotRead) continue;
    const uint32_t height = frame.request.references[ref]->view.height;
    // What lies above the frame is predicted from its first line.
    lines = std::max(
        lines, lowest[ref] < int(height) ? std::max(lowest[ref], 1) : kAllRead);
  }
  return lines;
}

int FinalLines(const ParsedFrame& frame, uint32_t sb_row) {
  const FrameParams& params = frame.params;
  if (sb_row + 1 == params.sb_rows) return kAllRead;
  return int((sb_row + 1) << params.sb_log2) - int(frame.filter_lag);
}

}  // namespace perdix
