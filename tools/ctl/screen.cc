// SPDX-License-Identifier: BSD-2-Clause
#include "tools/ctl/screen.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

#include <cstdio>

#include "tools/ctl/failure.h"

namespace perdix::ctl {
namespace {

// The other screen, no cursor, no wrapping; and back.
constexpr const char* kEnter = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr const char* kLeave = "\033[?7h\033[?25h\033[?1049l";

void Put(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// What one key has sent, which may be three bytes, beginning with an escape,
// that do not come at once. Empty: the terminal is gone.
std::string ReadKey() {
  constexpr int kSequenceMs = 50;
  std::string typed;
  pollfd more = {STDIN_FILENO, POLLIN, 0};
  char byte;
  do {
    if (read(STDIN_FILENO, &byte, 1) != 1) return "";
    typed += byte;
  } while (typed[0] == '\033' && typed.size() < 3 &&
           poll(&more, 1, kSequenceMs) > 0);
  return typed;
}

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

Screen::Screen() {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDOUT_FILENO) == 0 ||
      tcgetattr(STDIN_FILENO, &before_) != 0) {
    throw Failure(EX_USAGE,
                  "top needs a terminal; top --once prints one frame anywhere");
  }
  const sigset_t signals = Signals();
  // Unblocked again by nobody: what comes while we end is too late to matter.
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signals_ = signalfd(-1, &signals, SFD_CLOEXEC);
  termios raw = before_;
  raw.c_lflag &= ~tcflag_t(ICANON | ECHO);
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // the shell would get our screen
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  Put(kEnter);
}

Screen::~Screen() {
  Put(kLeave);
  tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  close(signals_);
}

// Written over the frame before, so that nothing flickers.
void Screen::Show(const std::vector<std::string>& lines) {
  std::string text = "\033[H";
  for (const std::string& line : lines) {
    if (&line != &lines.front()) text += "\r\n";
    text += line + "\033[K";
  }
  Put(text + "\033[J");
}

Key Screen::WaitForKey(std::chrono::milliseconds timeout) {
  pollfd fds[] = {{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}};
  if (poll(fds, 2, int(timeout.count())) <= 0) return Key::kNone;
  if (fds[1].revents != 0) {
    signalfd_siginfo signal = {};
    if (read(signals_, &signal, sizeof(signal)) != sizeof(signal))
      return Key::kQuit;
    return signal.ssi_signo == SIGWINCH ? Key::kOther : Key::kQuit;
  }
  return DecodeKey(ReadKey());
}

TerminalSize GetTerminalSize() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

Key DecodeKey(const std::string& typed) {
  if (typed.empty() || typed == "q" || typed == "Q") return Key::kQuit;
  if (typed == "\033[A" || typed == "\033OA" || typed == "k") return Key::kUp;
  if (typed == "\033[B" || typed == "\033OB" || typed == "j") return Key::kDown;
  if (typed == "+" || typed == "\033[C") return Key::kFaster;
  if (typed == "-" || typed == "\033[D") return Key::kSlower;
  if (typed == "r" || typed == "R") return Key::kReset;
  return Key::kOther;
}

}  // namespace perdix::ctl
