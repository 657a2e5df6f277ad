// SPDX-License-Identifier: BSD-2-Clause
// Pairs of pictures that are measured side by side, each by a thread. A pair
// needs nothing of others but the picture before, so any thread may take any.
#ifndef PERDIX_TOOLS_DECODE_PAIR_QUEUE_H_
#define PERDIX_TOOLS_DECODE_PAIR_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/quality/quality.h"
#include "kernels/status.h"
#include "tools/decode/pair_meter.h"

namespace perdix::client {

// Measures one pair; a thread has its own.
using MeasurePair = std::function<Status(const QualityInput&, QualitySums*)>;

class PairQueue : public PairMeter {
 public:
  PairQueue(size_t threads, const std::function<MeasurePair()>& make_measure);
  ~PairQueue() override;

  void Add(Pair pair) override;
  size_t size() const override { return jobs_.size(); }
  // So many that no thread lacks one.
  bool IsFull() const override {
    return jobs_.size() >= threads_.size() + kWaiting;
  }
  Status Take(QualitySums* sums) override;

 private:
  static constexpr size_t kWaiting = 2;

  struct Job {
    Pair pair;
    QualitySums sums = {};
    Status status;
    bool is_done = false;
  };

  void Work(const MeasurePair& measure);

  std::mutex mutex_;
  std::condition_variable wake_;  // of the threads
  std::condition_variable done_;
  // Only the caller adds or removes; the threads find theirs with mutex_ held.
  std::deque<std::unique_ptr<Job>> jobs_;
  size_t begun_ = 0;  // how many of jobs_
  bool stops_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_PAIR_QUEUE_H_
