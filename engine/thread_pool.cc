// SPDX-License-Identifier: BSD-2-Clause
#include "engine/thread_pool.h"

#include <algorithm>
#include <iterator>

namespace perdix {
namespace {

thread_local int current_worker = -1;

}  // namespace

void ThreadPool::Ring::Push(const Task& task) {
  if (size_ == tasks_.size()) {
    std::vector<Task> larger(size_ ? 2 * size_ : 64);
    for (size_t i = 0; i < size_; ++i) larger[i] = At(i);
    tasks_.swap(larger);
    first_ = 0;
  }
  At(size_++) = task;
}

// size_: there is none.
size_t ThreadPool::Ring::Find(int home, const Worker& worker) {
  size_t first = size_;
  size_t next_job = size_;
  for (size_t i = 0; i < size_; ++i) {
    const Task& task = At(i);
    if (home != Task::kAnywhere && task.home != Task::kAnywhere &&
        task.home != home) {
      continue;
    }
    if (task.job == worker.job && !task.begins) return i;
    if (task.begins && task.context == worker.stream) {
      next_job = std::min(next_job, i);
    }
    first = std::min(first, i);
  }
  return next_job != size_ ? next_job : first;
}

bool ThreadPool::Ring::Pop(int home, const Worker& worker, Task* task) {
  const size_t i = Find(home, worker);
  if (i == size_) return false;
  *task = Remove(i);
  return true;
}

Task ThreadPool::Ring::Remove(size_t index) {
  const Task task = At(index);
  for (; index > 0; --index) At(index) = At(index - 1);
  first_ = (first_ + 1) % tasks_.size();
  --size_;
  return task;
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

void ThreadPool::Post(Priority priority, const Task& task) {
  Worker* worker = nullptr;
  {
    std::lock_guard lock(mutex_);
    queues_[size_t(priority)].Push(task);
    worker = CallIdle(task.home);
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

bool ThreadPool::Take(int number, Task* task) {
  if (shuffles_) return TakeAny(task);
  Worker& worker = *workers_[size_t(number)];
  const auto take = [&](Priority priority, int home) {
    return queues_[size_t(priority)].Pop(home, worker, task);
  };
  using enum Priority;
  if (!take(kAwaited, number) && !take(kReconstruct, number) &&
      !take(kParse, number) && !take(kParse, Task::kAnywhere) &&
      !take(kAwaited, Task::kAnywhere) &&
      !take(kReconstruct, Task::kAnywhere)) {
    return false;
  }
  worker.job = task->job;
  if (task->begins) worker.CountTurn(task->context);
  return true;
}

bool ThreadPool::TakeAny(Task* task) {
  size_t count = 0;
  for (const Ring& queue : queues_) count += queue.size();
  if (count == 0) return false;
  size_t index = random_() % count;
  Ring* queue = queues_;
  while (index >= queue->size()) index -= (queue++)->size();
  *task = queue->Remove(index);
  return true;
}

void ThreadPool::Worker::CountTurn(const void* context) {
  if (stream != context) turn_jobs = 0;
  ++turn_jobs;
  stream = turn_jobs < kTurnJobs ? context : nullptr;
}

int ThreadPool::CurrentWorker() { return current_worker; }

void ThreadPool::Work(int number) {
  current_worker = number;
  Worker& self = *workers_[size_t(number)];
  Task task;
  bool was_called = false;
  std::unique_lock lock(mutex_);
  while (true) {
    if (Take(number, &task)) {
      Worker* const next = was_called ? CallForTheRest() : nullptr;
      was_called = false;
      lock.unlock();
      if (next != nullptr) next->called.Release();
      task.run(task.context, task.job, task.a, task.b);
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
