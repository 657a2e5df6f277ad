// SPDX-License-Identifier: BSD-2-Clause
// The parsing of a stream's frames: which row of which frame is parsed when.
//
// A row of a tile column comes after the one above it, once the work lists have
// room for it (parse_grid.h). VP9's frames are parsed one at a time, because
// each starts from the probabilities that the one before left. Where all that
// parsing needs lies with pictures (CodecRow::frame_parallel_parsing), frames
// begin in order and are then parsed side by side, each behind those that it
// goes on from: after all of one, whose probabilities it takes, and row by row
// behind those whose vectors it looks at.
#ifndef PERDIX_ENGINE_PARSE_QUEUE_H_
#define PERDIX_ENGINE_PARSE_QUEUE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/frames_in_flight.h"
#include "engine/owners.h"
#include "engine/parse_grid.h"
#include "kernels/kernel.h"

namespace perdix {

class CodecState;
struct EngineParts;
class StreamMeter;
struct CodecRow;

class ParseQueue final : public ParseEvents {
 public:
  // The ParseQueue's part of a frame's job.
  class Frame {
    friend class ParseQueue;

    // The rows that wait for none of sources_ any more: each once.
    Range Release(const FrameJob& job);

    // Written while the frame begins.
    std::shared_ptr<CodecState> state_;  // the stream's, or its own
    bool started_ = false;
    std::atomic<bool> awaited_{false};  // by reconstruction

    ParseGrid grid_;  // of any worker

    // Under the queue's mutex.
    int lines_ = 0;                    // luma's, parsed in all tile columns
    const FrameJob* whole_ = nullptr;  // is parsed before this one goes on
    std::vector<const FrameJob*> sources_;  // whose rows come before its own
    uint32_t released_rows_ = 0;
  };

  // All must outlive this.
  ParseQueue(EngineParts& engine, const CodecRow& codec, StreamMeter& meter,
             const Owners& owners);

  Status Begin(FrameJob& job) override;
  void SetUp(FrameJob& job) override;
  void Start(FrameJob& job) override;
  void Abandon(FrameJob& job) override { End(job); }
  void GateOpens(FrameJob& job) override;
  void ListsRead(FrameJob& job, Range tile_cols, uint32_t sb_row) override;

 private:
  uint32_t RowsAhead(const FrameJob& job) const;
  bool FindSources(FrameJob& job);
  void Continue(FrameJob& job);
  void MeetRows(FrameJob& job, Range rows);
  void Meet(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void ParseRow(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  bool Parse(FrameJob& job, uint32_t tile_col, uint32_t sb_row);
  void ParsedUpTo(FrameJob& job, int lines);
  void End(FrameJob& job);

  EngineParts& engine_;
  const CodecRow& codec_;
  StreamMeter& meter_;
  const Owners& owners_;
  const bool frame_parallel_;
  const std::shared_ptr<CodecState> state_;  // null: each frame has its own

  std::mutex mutex_;
  // Frames that are being parsed.
  std::array<FrameJob*, kMostFramesInFlight> frames_ = {};
  size_t frame_count_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_PARSE_QUEUE_H_
