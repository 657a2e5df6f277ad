// SPDX-License-Identifier: BSD-2-Clause
// The streams of an engine: their numbers, how many of them have work, and the
// sum of their clocks.
#ifndef PERDIX_ENGINE_STREAMS_H_
#define PERDIX_ENGINE_STREAMS_H_

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/recipe.h"
#include "engine/stage_clocks.h"

namespace perdix {

// Any thread may call anything here. No other lock is taken under its own.
class Streams {
 public:
  // measure: whether streams run their clocks.
  explicit Streams(bool measure) : measures_(measure) {}

  bool measures() const { return measures_; }
  // A stream begins, with its clocks. Returns its number, from 1 on.
  uint32_t Add(const StageClocks* clocks);
  // It ends, and its clocks are written no more: the sum keeps what they show.
  void Remove(const StageClocks* clocks);

  // The number of streams that have frames in flight.
  int busy() const { return busy_; }
  void BecomesBusy() { ++busy_; }
  void BecomesIdle() { --busy_; }

  // The times of all streams, also those that are gone, summed. recipe: names
  // the CPU's variants. Empty unless measuring.
  std::vector<StageTime> StageTimes(const Recipe& recipe) const;

 private:
  const bool measures_;
  std::atomic<int> busy_{0};

  mutable std::mutex mutex_;  // of the list, not of the clocks
  uint32_t count_ = 0;        // streams that ever began
  std::vector<const StageClocks*> clocks_;
  StageClocks gone_;  // the clocks of streams that are gone, summed
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_STREAMS_H_
