// SPDX-License-Identifier: BSD-2-Clause
// Memory of a client, mapped. It may be another driver's, whose device can go
// away: from then on touching it raises SIGBUS. The handler puts zeroed memory
// in its place, so that the daemon lives and one frame fails.
#ifndef PERDIX_DAEMON_MAPPING_H_
#define PERDIX_DAEMON_MAPPING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kernels/status.h"

namespace perdix {

struct GuardedMapping;

enum class BufferAccess { kRead, kReadWrite };

class Mapping {
 public:
  // The first one installs the process's handler of SIGBUS. A SIGBUS elsewhere
  // ends the process as without it.
  static Status Map(int fd, uint64_t size, BufferAccess access,
                    std::unique_ptr<Mapping>* mapping);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  // Only to be read, if it was mapped for that.
  std::span<uint8_t> bytes() const { return bytes_; }
  // Whether zeroed memory took its place. Any thread.
  bool faulted() const;

 private:
  Mapping(std::span<uint8_t> bytes, int protection);

  const std::span<uint8_t> bytes_;
  GuardedMapping& guarded_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_MAPPING_H_
