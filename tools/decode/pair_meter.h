// SPDX-License-Identifier: BSD-2-Clause
// Who measures pairs of pictures: threads of the CPU (pair_queue.h), or the GPU
// (gpu_pairs.h). Sums come out in the order of the pairs.
#ifndef PERDIX_TOOLS_DECODE_PAIR_METER_H_
#define PERDIX_TOOLS_DECODE_PAIR_METER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "client/frame_source.h"
#include "kernels/quality/quality.h"
#include "kernels/status.h"

namespace perdix::client {

struct Pair {
  ShownFrame reference;
  ShownFrame decoded;
  ShownFrame previous;  // the reference before; no owner: there is none
  uint32_t features = kAllQualityFeatures;
  bool limit_gain = false;
};

// All functions are the caller's, who is one thread. Pairs are let go there.
class PairMeter {
 public:
  // Pairs that are not begun are not measured.
  virtual ~PairMeter() = default;

  // Not when it is full.
  virtual void Add(Pair pair) = 0;
  // So many pairs that more would be measured no sooner.
  virtual bool IsFull() const = 0;
  virtual size_t size() const = 0;
  // Takes the sums of the oldest pair out; waits until they are there. After a
  // failure there are none.
  virtual Status Take(QualitySums* sums) = 0;

  // What it cost so far, for --stats; empty: that is not known.
  virtual std::string Cost() const { return {}; }
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_PAIR_METER_H_
