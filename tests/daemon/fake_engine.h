// SPDX-License-Identifier: BSD-2-Clause
// Stands in for engine/ at link time: a decoder whose frames end when the test
// says so. The first byte of a frame's controls says what becomes of it.
#ifndef PERDIX_TESTS_DAEMON_FAKE_ENGINE_H_
#define PERDIX_TESTS_DAEMON_FAKE_ENGINE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/decoder.h"
#include "engine/engine.h"

namespace perdix {

enum FakeFrame : uint8_t {
  kDecodes = 'd',  // fills the target with the first byte of the bitstream
  kFails = 'f',
  kHeld = 'h',            // does what kDecodes does, after ReleaseHeld()
  kReadsReference = 'r',  // is held, and reads the first reference
  kAccesses = 'a',        // begins another access to the target, and is held
};

struct SubmittedFrame {
  std::vector<uint8_t> controls;
  size_t bitstream_bytes = 0;
  bool has_memory = false;
  std::weak_ptr<Picture> target;
  std::array<std::weak_ptr<Picture>, kMaxReferences> references;
};

void ResetFakeEngine();
void ReleaseHeld();  // those waiting now, and all later ones
std::vector<SubmittedFrame> SubmittedFrames();
void WaitForSubmitted(size_t frames);

}  // namespace perdix

#endif  // PERDIX_TESTS_DAEMON_FAKE_ENGINE_H_
