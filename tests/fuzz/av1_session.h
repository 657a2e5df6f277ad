// SPDX-License-Identifier: BSD-2-Clause
// Frames straight into the engine, as perdixd does it: whatever the controls
// say, each must end once, decoded or with a reason.
#ifndef PERDIX_TESTS_FUZZ_AV1_SESSION_H_
#define PERDIX_TESTS_FUZZ_AV1_SESSION_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/decoder.h"
#include "engine/engine.h"
#include "tests/fuzz/damage.h"

namespace perdix {

// One frame that a client asks for.
struct Av1Request {
  std::vector<uint8_t> controls;
  Bytes data;
  // What the target is:
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t bit_depth = 8;
  uint32_t subsampling_x = 1;
  uint32_t subsampling_y = 1;
  bool monochrome = false;  // chroma does not count
  bool grain = false;       // there is a picture for it
  uint8_t refresh = 0;      // slots that take the frame
  uint8_t missing = 0;      // slots that the client does not name
};

// What came out of one frame.
struct Av1Result {
  bool ok = false;
  uint64_t hash = 0;  // what is referred to and what is shown
  bool operator==(const Av1Result&) const = default;
};

// Ends the process if a frame ends twice, not at all, or fails without saying
// why.
std::vector<Av1Result> DecodeRequests(Engine& engine,
                                      const std::vector<Av1Request>& requests);

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_AV1_SESSION_H_
