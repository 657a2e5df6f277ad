// SPDX-License-Identifier: BSD-2-Clause
// A program on a terminal that is the test's.
#ifndef PERDIX_TESTS_CTL_PSEUDO_TERMINAL_H_
#define PERDIX_TESTS_CTL_PSEUDO_TERMINAL_H_

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <cstdlib>
#include <string>

namespace perdix::ctl {

class PseudoTerminal {
 public:
  // <argument>: the only one.
  PseudoTerminal(const char* program, const char* argument, winsize size) {
    // The other end stays open, so that its settings outlive the program.
    if (openpty(&ours_, &theirs_, nullptr, nullptr, &size) != 0) return;
    first_modes_ = LocalModes();
    pid_ = fork();
    if (pid_ != 0) return;
    close(ours_);
    login_tty(theirs_);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    execl(program, program, argument, nullptr);
    _exit(127);
  }
  ~PseudoTerminal() {
    if (pid_ > 0 && !ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(ours_);
    close(theirs_);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  // Whether <text> is printed within 10 s; all that was is in output().
  bool WaitFor(const std::string& text) {
    const size_t start = output_.size();
    pollfd fd = {ours_, POLLIN, 0};
    while (output_.find(text, start) == std::string::npos) {
      char buffer[4096];
      if (poll(&fd, 1, 10'000) <= 0) return false;
      const ssize_t size = read(ours_, buffer, sizeof(buffer));
      if (size <= 0) return false;
      output_.append(buffer, size_t(size));
    }
    return true;
  }

  void Type(const std::string& text) {
    if (write(ours_, text.data(), text.size()) < 0) output_ += "(not typed)";
  }
  void Signal(int signal) { kill(pid_, signal); }
  void Resize(winsize size) { ioctl(ours_, TIOCSWINSZ, &size); }

  // How the program ended, as of waitpid().
  int Wait() {
    int status = -1;
    waitpid(pid_, &status, 0);
    ended_ = true;
    return status;
  }

  // What the program found.
  tcflag_t FirstModes() const { return first_modes_; }
  tcflag_t LocalModes() const {
    termios settings = {};
    tcgetattr(theirs_, &settings);
    return settings.c_lflag;
  }
  const std::string& output() const { return output_; }

 private:
  int ours_ = -1;
  int theirs_ = -1;
  tcflag_t first_modes_ = 0;
  pid_t pid_ = -1;
  bool ended_ = false;
  std::string output_;
};

}  // namespace perdix::ctl

#endif  // PERDIX_TESTS_CTL_PSEUDO_TERMINAL_H_
