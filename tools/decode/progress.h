// SPDX-License-Identifier: BSD-2-Clause
// Frames counted, and on a terminal shown while it goes on.
#ifndef PERDIX_TOOLS_DECODE_PROGRESS_H_
#define PERDIX_TOOLS_DECODE_PROGRESS_H_

#include <chrono>
#include <cstdint>

namespace perdix::client {

class Progress {
 public:
  Progress();

  void Count();  // a frame more
  // Clears the terminal's line, for what is printed next.
  void End();

  uint64_t frames() const { return frames_; }
  double seconds() const;  // since the beginning

 private:
  using Clock = std::chrono::steady_clock;

  void Print();

  const bool is_shown_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_print_ = start_;
  bool line_has_text_ = false;
  uint64_t frames_ = 0;
};

}  // namespace perdix::client

#endif  // PERDIX_TOOLS_DECODE_PROGRESS_H_
