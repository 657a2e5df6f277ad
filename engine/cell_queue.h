// SPDX-License-Identifier: BSD-2-Clause
// The work on a stream's frames that the CPU does after parsing: cells
// (cell_grid.h), which run as soon as their conditions are met, from the first
// parsed row on.
//
// The records of a row make room for later ones after the last pass that reads
// lists; the row is final after the last pass that writes the target. Rows of a
// frame that follows another begin as soon as the lines that they read of that
// one are final (reference_rows.h).
#ifndef PERDIX_ENGINE_CELL_QUEUE_H_
#define PERDIX_ENGINE_CELL_QUEUE_H_

#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/cell_grid.h"
#include "engine/cell_runner.h"
#include "engine/owners.h"
#include "engine/reference_rows.h"
#include "kernels/kernel.h"

namespace perdix {

struct EngineParts;
class StreamMeter;
struct CodecRow;

class CellQueue final : public CellEvents {
 public:
  // The CellQueue's part of a frame's job.
  class Frame {
    friend class CellQueue;

    // Written between segments, when one task has the frame.
    CellGrid grid_;                      // of the segment at work
    std::vector<uint32_t> tile_begins_;  // CellGrid::Shape's
    Followed followed_;                  // written while the frame begins

    // Under the queue's mutex.
    FinalRows final_rows_;
    int final_lines_ = 0;           // see FinalLines()
    FrameJob* follower_ = nullptr;  // whose rows wait for final_lines_
    ReferenceRows reference_rows_;  // of a follower
  };

  // All must outlive this.
  CellQueue(EngineParts& engine, const CodecRow& codec, StreamMeter& meter,
            const Owners& owners)
      : engine_(engine),
        codec_(codec),
        owners_(owners),
        runner_(codec, meter) {}

  void SetUp(FrameJob& job, const Followed& followed) override;
  void GateOpens(FrameJob& job) override;
  void RowParsed(FrameJob& job, uint32_t tile_col, uint32_t sb_row,
                 bool row_ends) override;
  void FrameParsed(FrameJob& job) override;
  void StartSegment(FrameJob& job) override;

 private:
  void SetUpGrid(FrameJob& job, uint32_t row_conditions);
  void MeetRows(FrameJob& job, Range rows);
  void Meet(FrameJob& job, Cell cell);
  int HomeOf(const FrameJob& job, Cell cell) const;
  void Post(FrameJob& job, Cell cell);
  void Run(FrameJob& job, Cell first);
  void RowRead(FrameJob& job, Cell cell);
  void RowFinal(FrameJob& job, uint32_t sb_row);

  EngineParts& engine_;
  const CodecRow& codec_;
  const Owners& owners_;
  CellRunner runner_;
  std::mutex mutex_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_CELL_QUEUE_H_
