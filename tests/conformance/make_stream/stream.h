// SPDX-License-Identifier: BSD-2-Clause
// A stream that was made, and how it is written.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_STREAM_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_STREAM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/conformance/make_stream/coverage.h"

namespace perdix::make_stream {

struct Stream {
  uint32_t width = 0, height = 0;  // as the file's header says it
  // What is between two output frames: AV1's temporal units, VP9's frames and
  // superframes. None depends on those behind it, so that a stream that is cut
  // between two is one, too.
  std::vector<std::vector<uint8_t>> packets;
  Coverage coverage;
};

// fourcc: as IVF has it. Throws std::runtime_error.
void WriteIvf(const std::string& path, const char* fourcc,
              const Stream& stream);

}  // namespace perdix::make_stream

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_STREAM_H_
