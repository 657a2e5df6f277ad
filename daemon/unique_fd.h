// SPDX-License-Identifier: BSD-2-Clause
// Owns one file descriptor.
#ifndef PERDIX_DAEMON_UNIQUE_FD_H_
#define PERDIX_DAEMON_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace perdix {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.Release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() {
    if (fd_ >= 0) close(fd_);
  }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace perdix

#endif  // PERDIX_DAEMON_UNIQUE_FD_H_
