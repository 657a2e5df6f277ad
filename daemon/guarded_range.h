// SPDX-License-Identifier: BSD-2-Clause
// Where a mapping is, for a signal handler, which may read it at any moment.
#ifndef PERDIX_DAEMON_GUARDED_RANGE_H_
#define PERDIX_DAEMON_GUARDED_RANGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace perdix {

class GuardedRange {
 public:
  struct Values {
    uint8_t* begin = nullptr;  // null: nothing is mapped
    size_t bytes = 0;
    int protection = 0;  // PROT_...

    bool operator==(const Values&) const = default;
  };

  // One thread at a time.
  void Set(const Values& values) {
    ++changes_;
    begin_ = values.begin;
    bytes_ = values.bytes;
    protection_ = values.protection;
    ++changes_;
  }

  // Those of one moment; nothing while they change. Async-signal-safe, any
  // thread.
  Values Get() const {
    const uint32_t changes = changes_;
    const Values values = {begin_, bytes_, protection_};
    return changes % 2 == 0 && changes_ == changes ? values : Values();
  }

 private:
  std::atomic<uint32_t> changes_{0};  // odd during a change
  std::atomic<uint8_t*> begin_{nullptr};
  std::atomic<size_t> bytes_{0};
  std::atomic<int> protection_{0};

  static_assert(std::atomic<uint8_t*>::is_always_lock_free &&
                std::atomic<size_t>::is_always_lock_free);
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_GUARDED_RANGE_H_
