// SPDX-License-Identifier: BSD-2-Clause
// How much of the daemon one client can take, so that it cannot take all of it.
// systemd/perdix.service has the limits of the whole process that fit these.
#ifndef PERDIX_DAEMON_LIMITS_H_
#define PERDIX_DAEMON_LIMITS_H_

#include <atomic>
#include <cstdint>

namespace perdix {

// Options of the daemon; docs/man/perdixd.conf.5.scd.
struct Limits {
  uint32_t sessions = 1024;       // open files of the node, of all clients
  uint32_t client_sessions = 64;  // of one process
  // Each is a descriptor and a mapping. Of mappings the kernel allows a process
  // 65,530 (vm.max_map_count), and threads and the heap need some.
  uint32_t buffers = 32768;        // of all clients
  uint32_t client_buffers = 4096;  // of one process
  // Mebibytes that one process takes here: its buffers, which are mapped, and
  // pictures of ours beside them.
  uint32_t client_memory = 8192;
};

// So much of something may be taken. Any thread.
class Quota {
 public:
  explicit Quota(uint64_t limit) : limit_(limit) {}

  bool Take(uint64_t amount) {  // false, and takes nothing: too much
    uint64_t taken = taken_;
    do {
      if (amount > limit_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + amount));
    return true;
  }
  void Return(uint64_t amount) { taken_ -= amount; }

  uint64_t limit() const { return limit_; }
  uint64_t taken() const { return taken_; }

 private:
  const uint64_t limit_;
  std::atomic<uint64_t> taken_{0};
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_LIMITS_H_
