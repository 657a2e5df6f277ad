// SPDX-License-Identifier: BSD-2-Clause
// What a worker of the pool runs (thread_pool.h), and where that is best run.
#ifndef PERDIX_ENGINE_TASK_H_
#define PERDIX_ENGINE_TASK_H_

#include <cstddef>
#include <new>
#include <type_traits>

namespace perdix {

// A callable of a few words, kept without allocation.
class Task {
 public:
  Task() = default;
  template <typename Call>
  requires(!std::is_same_v<Call, Task>)
      // NOLINTNEXTLINE: whoever posts writes the callable alone
      Task(const Call& call)
      : run_([](void* storage) { (*static_cast<Call*>(storage))(); }) {
    static_assert(sizeof(Call) <= sizeof(storage_));
    static_assert(std::is_trivially_copyable_v<Call>);
    new (storage_) Call(call);
  }
  void operator()() { run_(storage_); }

 private:
  void (*run_)(void* storage) = nullptr;
  alignas(void*) std::byte storage_[4 * sizeof(void*)];
};

struct TaskPlace {
  static constexpr int kAnywhere = -1;

  const void* job = nullptr;  // what the task is part of: a frame
  // The worker whose caches are likely to hold what the task needs.
  int home = kAnywhere;
  // The stream whose next job the task begins; null: it begins none.
  const void* begins = nullptr;
};

// Lower comes first: what other workers wait for, then what is hot in the cache
// before new work is begun. Within a level a worker goes on with the job it was
// at until that ends, and then with the stream's next one for a turn of a few;
// otherwise first come, first served, whatever the session.
enum class Priority { kAwaited, kReconstruct, kParse, kCount };

}  // namespace perdix

#endif  // PERDIX_ENGINE_TASK_H_
