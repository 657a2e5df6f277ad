// SPDX-License-Identifier: BSD-2-Clause
#include "engine/thread_pool.h"

#include <algorithm>
#include <iterator>

namespace perdix {
namespace {

thread_local int current_worker = -1;

}  // namespace

void ThreadPool::Ring::Push(const Posted& posted) {
  if (size_ == posted_.size()) {
    std::vector<Posted> larger(size_ ? 2 * size_ : 64);
    for (size_t i = 0; i < size_; ++i) larger[i] = At(i);
    posted_.swap(larger);
    first_ = 0;
  }
  At(size_++) = posted;
}

// size_: there is none.
size_t ThreadPool::Ring::Find(int home, const Worker& worker) {
  size_t first = size_;
  size_t next_job = size_;
  for (size_t i = 0; i < size_; ++i) {
    const TaskPlace& place = At(i).place;
    if (home != TaskPlace::kAnywhere && place.home != TaskPlace::kAnywhere &&
        place.home != home) {
      continue;
    }
    if (place.begins == nullptr) {
      if (place.job == worker.job) return i;
    } else if (place.begins == worker.stream) {
      next_job = std::min(next_job, i);
    }
    first = std::min(first, i);
  }
  return next_job != size_ ? next_job : first;
}

bool ThreadPool::Ring::Pop(int home, const Worker& worker, Posted* posted) {
  const size_t i = Find(home, worker);
  if (i == size_) return false;
  *posted = Remove(i);
  return true;
}

ThreadPool::Posted ThreadPool::Ring::Remove(size_t index) {
  const Posted posted = At(index);
  for (; index > 0; --index) At(index) = At(index - 1);
  first_ = (first_ + 1) % posted_.size();
  --size_;
  return posted;
}

ThreadPool::ThreadPool(int threads, uint32_t shuffle_seed)
    : shuffles_(shuffle_seed != 0), random_(shuffle_seed) {
  for (int i = 0; i < threads; ++i) {
    workers_.push_back(std::make_unique<Worker>());
  }
  for (int i = 0; i < threads; ++i) {
    workers_[size_t(i)]->thread = std::thread([this, i] { Work(i); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  for (auto& worker : workers_) worker->called.Release();
  for (auto& worker : workers_) worker->thread.join();
}

void ThreadPool::Post(Priority priority, const TaskPlace& place,
                      const Task& task) {
  Worker* worker = nullptr;
  {
    std::lock_guard lock(mutex_);
    queues_[size_t(priority)].Push({task, place});
    worker = CallIdle(place.home);
  }
  if (worker != nullptr) worker->called.Release();
}

// The one at home if it is idle, else any that is. Null: none, or one is called
// already.
ThreadPool::Worker* ThreadPool::CallIdle(int home) {
  if (calling_) return nullptr;
  auto found = workers_.begin() + std::max(home, 0);
  if (!(*found)->idle) {
    found = std::ranges::find_if(
        workers_, [](const auto& worker) { return worker->idle; });
  }
  if (found == workers_.end()) return nullptr;
  (*found)->idle = false;
  calling_ = true;
  return found->get();
}

// By a worker that was called and has a task now.
ThreadPool::Worker* ThreadPool::CallForTheRest() {
  const auto queue = std::ranges::find_if(
      queues_, [](const Ring& ring) { return ring.size() != 0; });
  return queue == std::end(queues_) ? nullptr : CallIdle(queue->FirstHome());
}

bool ThreadPool::Take(int number, Posted* posted) {
  if (shuffles_) return TakeAny(posted);
  Worker& worker = *workers_[size_t(number)];
  const auto take = [&](Priority priority, int home) {
    return queues_[size_t(priority)].Pop(home, worker, posted);
  };
  using enum Priority;
  if (!take(kAwaited, number) && !take(kReconstruct, number) &&
      !take(kParse, number) && !take(kParse, TaskPlace::kAnywhere) &&
      !take(kAwaited, TaskPlace::kAnywhere) &&
      !take(kReconstruct, TaskPlace::kAnywhere)) {
    return false;
  }
  worker.job = posted->place.job;
  if (posted->place.begins != nullptr) worker.CountTurn(posted->place.begins);
  return true;
}

bool ThreadPool::TakeAny(Posted* posted) {
  size_t count = 0;
  for (const Ring& queue : queues_) count += queue.size();
  if (count == 0) return false;
  size_t index = random_() % count;
  Ring* queue = queues_;
  while (index >= queue->size()) index -= (queue++)->size();
  *posted = queue->Remove(index);
  return true;
}

void ThreadPool::Worker::CountTurn(const void* next_stream) {
  if (stream != next_stream) turn_jobs = 0;
  ++turn_jobs;
  stream = turn_jobs < kTurnJobs ? next_stream : nullptr;
}

int ThreadPool::CurrentWorker() { return current_worker; }

void ThreadPool::Work(int number) {
  current_worker = number;
  Worker& self = *workers_[size_t(number)];
  Posted posted;
  bool was_called = false;
  std::unique_lock lock(mutex_);
  while (true) {
    if (Take(number, &posted)) {
      Worker* const next = was_called ? CallForTheRest() : nullptr;
      was_called = false;
      lock.unlock();
      if (next != nullptr) next->called.Release();
      posted.task();
      lock.lock();
    } else if (stopping_) {
      return;
    } else {
      self.idle = true;
      lock.unlock();
      self.called.Acquire();
      lock.lock();
      was_called = !self.idle;  // if not, the pool is stopping
      if (was_called) calling_ = false;
      self.idle = false;
    }
  }
}

}  // namespace perdix
