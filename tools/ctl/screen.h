// SPDX-License-Identifier: BSD-2-Clause
// The terminal, taken over and given back as it was: on return, on an
// exception, and on SIGINT, SIGTERM, SIGHUP and SIGQUIT. Plain ANSI sequences,
// not ncurses: a frame is lines of text anyway (top --once prints the same
// ones), so that all that is wanted of a terminal is its other screen, its keys
// and its size.
#ifndef PERDIX_TOOLS_CTL_SCREEN_H_
#define PERDIX_TOOLS_CTL_SCREEN_H_

#include <termios.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace perdix::ctl {

enum class Key { kNone, kOther, kUp, kDown, kFaster, kSlower, kReset, kQuit };

struct TerminalSize {
  size_t width = 100;
  size_t height = 24;
};

class Screen {
 public:
  // Throws Failure when there is no terminal. Blocks signals: before the first
  // thread, which inherits that.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void Show(const std::vector<std::string>& lines);

  // kNone: the time is over; kOther: something has changed, such as the size;
  // kQuit also when a signal says so.
  Key WaitForKey(std::chrono::milliseconds timeout);

 private:
  termios before_ = {};
  int signals_ = -1;  // signalfd
};

// The size of standard output; 100x24 where that is no terminal.
TerminalSize GetTerminalSize();

// <typed>: what one key sends; empty: the terminal is gone.
Key DecodeKey(const std::string& typed);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_SCREEN_H_
