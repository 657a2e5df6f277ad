// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/progress.h"

#include <unistd.h>

#include <cinttypes>
#include <cstdio>

namespace perdix::client {

Progress::Progress() : is_shown_(isatty(STDERR_FILENO) != 0) {}

void Progress::Count() {
  ++frames_;
  if (is_shown_) Print();
}

void Progress::Print() {
  constexpr std::chrono::milliseconds kInterval(200);
  const Clock::time_point now = Clock::now();
  if (now - last_print_ < kInterval) return;
  last_print_ = now;
  const std::chrono::duration<double> seconds = now - start_;
  std::fprintf(stderr, "\r%" PRIu64 " frames, %.1f fps ", frames_,
               double(frames_) / seconds.count());
  line_has_text_ = true;
}

void Progress::End() {
  if (line_has_text_) std::fputs("\r\033[K", stderr);
  line_has_text_ = false;
}

double Progress::seconds() const {
  const std::chrono::duration<double> seconds = Clock::now() - start_;
  return seconds.count();
}

}  // namespace perdix::client
