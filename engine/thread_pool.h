// SPDX-License-Identifier: BSD-2-Clause
// The threads that all sessions of a process share. Tasks never wait for each
// other: a task is posted when everything it needs is done.
#ifndef PERDIX_ENGINE_THREAD_POOL_H_
#define PERDIX_ENGINE_THREAD_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "engine/semaphore.h"
#include "engine/task.h"

namespace perdix {

// A worker first takes tasks that are at home with it, or at home anywhere, of
// any priority; then it takes tasks of other workers, so no worker is idle
// while there is work. Of other workers it takes parsing first: the records of
// a row are a fraction of the memory of its pixels, with which its home goes on
// (docs/decisions/0015-homes.md). Where there are several streams, one stream
// has a worker for kTurnJobs frames, because each frame reads what the last one
// wrote (docs/decisions/0016-turns-of-four-frames.md).
//
// One idle worker at a time is called; once it has a task, it calls the next
// one if it leaves any. Where there are more workers than work, most of what is
// posted is taken by those that are awake.
class ThreadPool {
 public:
  // shuffle_seed: for tests; unless it is 0, workers take tasks in random
  // order.
  explicit ThreadPool(int threads, uint32_t shuffle_seed = 0);
  ~ThreadPool();  // runs what is posted, then joins
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void Post(Priority priority, const TaskPlace& place, const Task& task);
  int size() const { return int(workers_.size()); }
  bool shuffles() const { return shuffles_; }
  // The calling thread's number in the pool that it belongs to, from 0 on; -1:
  // it belongs to none.
  static int CurrentWorker();

 private:
  static constexpr int kTurnJobs = 4;

  struct Worker {
    // The worker begins a job of that stream.
    void CountTurn(const void* next_stream);

    Semaphore called;              // released with each call, and at the end
    bool idle = false;             // sleeps, or is about to
    const void* job = nullptr;     // of the task it took last
    const void* stream = nullptr;  // whose turn it is
    int turn_jobs = 0;             // begun in this turn
    std::thread thread;
  };

  struct Posted {
    Task task;
    TaskPlace place;
  };

  // A queue that keeps its memory.
  class Ring {
   public:
    void Push(const Posted& posted);
    // The first task that is at home there or anywhere (kAnywhere: of all), of
    // the worker's job or else stream if it has one. False: there is none.
    bool Pop(int home, const Worker& worker, Posted* posted);
    Posted Remove(size_t index);  // 0..size() - 1
    size_t size() const { return size_; }
    int FirstHome() { return At(0).place.home; }  // of a queue that has tasks

   private:
    size_t Find(int home, const Worker& worker);
    Posted& At(size_t index) {
      return posted_[(first_ + index) % posted_.size()];
    }

    std::vector<Posted> posted_;
    size_t first_ = 0;
    size_t size_ = 0;
  };

  void Work(int number);
  bool Take(int number, Posted* posted);
  bool TakeAny(Posted* posted);
  Worker* CallIdle(int home);
  Worker* CallForTheRest();

  std::mutex mutex_;
  Ring queues_[size_t(Priority::kCount)];
  bool stopping_ = false;
  bool calling_ = false;  // a worker that has not looked for a task since
  const bool shuffles_;
  std::minstd_rand random_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_THREAD_POOL_H_
