// SPDX-License-Identifier: BSD-2-Clause
// Random headers that conform: what a frame may be, given the frames before it.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_DRAW_HEADER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_DRAW_HEADER_H_

#include <array>

#include "tests/conformance/make_stream/vp9/header.h"
#include "tests/conformance/make_stream/vp9/random.h"

namespace perdix::vp9 {

using Slots = std::array<Size, 8>;  // what the reference slots hold

// What the frames of a stream have in common.
struct StreamStyle {
  Format format;           // of the frames since the last key frame
  bool reformats = false;  // others may have another, of the same bit depth
  Size size;               // of the first frame
  uint32_t frames = 1;
  // How many of 16 frames are such, where they may be.
  uint32_t key = 0, intra_only = 0, hidden = 0, existing = 0, resilient = 0,
           resized = 0, segmented = 0;
};

StreamStyle DrawStream(Random& random);

// The next frame; the first is an intra frame.
Header DrawHeader(const StreamStyle& style, const Slots& slots, bool first,
                  Random& random);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_DRAW_HEADER_H_
