// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/pair_queue.h"

#include <new>
#include <system_error>
#include <utility>

namespace perdix::client {
namespace {

PictureView ViewOf(const ShownFrame& frame) {
  PictureView view = frame.image.view;
  view.shift = frame.image.shift;  // a node's picture has it there only
  // memory that nobody wrote
  if (frame.image.monochrome) view.planes[kChroma].height = 0;
  return view;
}

Status Measure(const Pair& pair, const MeasurePair& measure,
               QualitySums* sums) {
  const PictureView previous = ViewOf(pair.previous);
  QualityInput input;
  input.reference = ViewOf(pair.reference);
  input.decoded = ViewOf(pair.decoded);
  input.previous = pair.previous.owner == nullptr ? nullptr : &previous;
  input.limit_gain = pair.limit_gain;
  input.features = pair.features;
  try {
    return measure(input, sums);
  } catch (const std::bad_alloc&) {
    return {StatusCode::kOutOfMemory, "no memory to compare two pictures"};
  }
}

}  // namespace

PairQueue::PairQueue(size_t threads,
                     const std::function<MeasurePair()>& make_measure) {
  try {
    while (threads_.size() < threads) {
      threads_.emplace_back(
          [this, measure = make_measure()] { Work(measure); });
    }
  } catch (const std::system_error&) {  // those that there are will do
    if (threads_.empty()) throw;
  }
}

PairQueue::~PairQueue() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void PairQueue::Add(Pair pair) {
  auto job = std::make_unique<Job>();
  job->pair = std::move(pair);
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

Status PairQueue::Take(QualitySums* sums) {
  std::unique_ptr<Job> job;
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return jobs_.front()->is_done; });
    job = std::move(jobs_.front());
    jobs_.pop_front();
    --begun_;
  }
  if (job->status.ok()) *sums = job->sums;
  return std::move(job->status);
}

void PairQueue::Work(const MeasurePair& measure) {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stops_ || begun_ < jobs_.size(); });
    if (stops_) return;
    Job& job = *jobs_[begun_++];
    lock.unlock();
    job.status = Measure(job.pair, measure, &job.sums);
    lock.lock();
    job.is_done = true;
    done_.notify_one();
  }
}

}  // namespace perdix::client
