// SPDX-License-Identifier: BSD-2-Clause
// A VP9 stream that a seed decides.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_MAKE_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_MAKE_H_

#include <cstdint>
#include <limits>

#include "tests/conformance/make_stream/stream.h"

// The maker's files call it vp9 (CMakeLists.txt).
namespace perdix::vp9_maker {

// most_frames: the stream ends after them. Throws std::logic_error where what
// was chosen does not conform, which is a fault of the maker.
make_stream::Stream MakeStream(
    uint64_t seed, uint32_t most_frames = std::numeric_limits<uint32_t>::max());

}  // namespace perdix::vp9_maker

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_MAKE_H_
