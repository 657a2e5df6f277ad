// SPDX-License-Identifier: BSD-2-Clause
// The threads that all sessions of a process share. Tasks never wait for each
// other: a task is posted when everything it needs is done.
#ifndef PERDIX_CODEC_THREAD_POOL_H_
#define PERDIX_CODEC_THREAD_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace perdix {

struct Task {
  void (*run)(void* context, void* job, uint32_t a, uint32_t b) = nullptr;
  void* context = nullptr;
  void* job = nullptr;
  uint32_t a = 0;
  uint32_t b = 0;
};

// Lower comes first: what is hot in the cache is finished before new work is
// begun. Within a level first come, first served, whatever the session.
enum class Priority { kReconstruct, kParse, kCount };

class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();  // runs what is posted, then joins
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Post(Priority priority, const Task& task);
  int size() const { return int(threads_.size()); }
  // Of the pool that the calling thread belongs to, from 0 on; -1: to none.
  static int CurrentWorker();

 private:
  // A queue that keeps its memory.
  class Ring {
   public:
    void Push(const Task& task);
    Task Pop();
    bool empty() const { return size_ == 0; }

   private:
    std::vector<Task> tasks_;
    size_t first_ = 0;
    size_t size_ = 0;
  };

  void Work(int worker);
  Ring* Next();

  std::mutex mutex_;
  std::condition_variable posted_;
  Ring queues_[size_t(Priority::kCount)];
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_THREAD_POOL_H_
