// SPDX-License-Identifier: BSD-2-Clause
// Runs perdix-decode as a user would.
#ifndef PERDIX_TESTS_CONFORMANCE_DECODE_RUN_H_
#define PERDIX_TESTS_CONFORMANCE_DECODE_RUN_H_

#include <string>
#include <vector>

namespace perdix {

struct DecodeRun {
  int exit_code = -1;  // 124: took too long; above 128: killed by a signal
  std::vector<std::string> output;  // lines
  std::string errors;
};

// The perdix-decode beside this program: `output` says what it prints, `how`
// what decodes; $PERDIX_DECODE_OPTIONS (for example --device /dev/video0) takes
// the place of `how`. At most `seconds` to run.
DecodeRun RunDecode(const std::string& output, const std::string& how,
                    const std::string& path, int seconds);

}  // namespace perdix

#endif  // PERDIX_TESTS_CONFORMANCE_DECODE_RUN_H_
