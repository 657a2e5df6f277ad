// SPDX-License-Identifier: BSD-2-Clause
// What a worker of the pool runs (thread_pool.h).
#ifndef PERDIX_ENGINE_TASK_H_
#define PERDIX_ENGINE_TASK_H_

#include <cstdint>

namespace perdix {

struct Task {
  void (*run)(void* context, void* job, uint32_t a, uint32_t b) = nullptr;
  void* context = nullptr;  // of a stream
  void* job = nullptr;      // a frame of it
  uint32_t a = 0;
  uint32_t b = 0;
  // The worker whose caches are likely to hold what the task needs.
  int home = kAnywhere;
  bool begins = false;  // the job

  static constexpr int kAnywhere = -1;
};

// Lower comes first: what other workers wait for, then what is hot in the cache
// before new work is begun. Within a level a worker goes on with the job it was
// at until that ends, and then with the stream's next one for a turn of a few;
// otherwise first come, first served, whatever the session.
enum class Priority { kAwaited, kReconstruct, kParse, kCount };

}  // namespace perdix

#endif  // PERDIX_ENGINE_TASK_H_
