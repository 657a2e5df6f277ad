// SPDX-License-Identifier: BSD-2-Clause
#include "codec/thread_pool.h"

namespace perdix {
namespace {

thread_local int current_worker = -1;

}  // namespace

void ThreadPool::Ring::Push(const Task& task) {
  if (size_ == tasks_.size()) {
    std::vector<Task> larger(size_ ? 2 * size_ : 64);
    for (size_t i = 0; i < size_; ++i) {
      larger[i] = tasks_[(first_ + i) % tasks_.size()];
    }
    tasks_.swap(larger);
    first_ = 0;
  }
  tasks_[(first_ + size_++) % tasks_.size()] = task;
}

Task ThreadPool::Ring::Pop() {
  const Task task = tasks_[first_];
  first_ = (first_ + 1) % tasks_.size();
  --size_;
  return task;
}

ThreadPool::ThreadPool(int threads) {
  threads_.reserve(size_t(threads));
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this, i] { Work(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  posted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Post(Priority priority, const Task& task) {
  {
    std::lock_guard lock(mutex_);
    queues_[size_t(priority)].Push(task);
  }
  posted_.notify_one();
}

ThreadPool::Ring* ThreadPool::Next() {
  for (Ring& queue : queues_) {
    if (!queue.empty()) return &queue;
  }
  return nullptr;
}

int ThreadPool::CurrentWorker() { return current_worker; }

void ThreadPool::Work(int worker) {
  current_worker = worker;
  std::unique_lock lock(mutex_);
  while (true) {
    Ring* queue = Next();
    if (queue == nullptr) {
      if (stopping_) return;
      posted_.wait(lock);
      continue;
    }
    const Task task = queue->Pop();
    lock.unlock();
    task.run(task.context, task.job, task.a, task.b);
    lock.lock();
  }
}

}  // namespace perdix
