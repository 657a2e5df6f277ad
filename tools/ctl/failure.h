// SPDX-License-Identifier: BSD-2-Clause
// How every command of perdixctl ends that cannot do what it was asked to.
#ifndef PERDIX_TOOLS_CTL_FAILURE_H_
#define PERDIX_TOOLS_CTL_FAILURE_H_

#include <stdexcept>
#include <string>

namespace perdix::ctl {

// what() says what happened and what to do about it; main prints it and exits.
class Failure : public std::runtime_error {
 public:
  Failure(int exit_code, const std::string& text)  // sysexits.h
      : std::runtime_error(text), exit_code_(exit_code) {}

  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_FAILURE_H_
