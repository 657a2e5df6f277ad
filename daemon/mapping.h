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

struct GuardedRange;

class Mapping {
 public:
  // The first one installs the process's handler of SIGBUS. A SIGBUS elsewhere
  // ends the process as without it.
  static Status Map(int fd, uint64_t size, std::unique_ptr<Mapping>* mapping);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<uint8_t> bytes() const { return bytes_; }
  // Whether zeroed memory took its place. Any thread.
  bool faulted() const;

 private:
  explicit Mapping(std::span<uint8_t> bytes);

  const std::span<uint8_t> bytes_;
  GuardedRange& range_;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_MAPPING_H_
