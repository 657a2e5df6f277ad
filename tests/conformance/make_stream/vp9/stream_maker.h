// SPDX-License-Identifier: BSD-2-Clause
// A whole stream: its frames in packets, as an IVF file has them.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_STREAM_MAKER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_STREAM_MAKER_H_

#include <cstdint>
#include <vector>

#include "kernels/status.h"
#include "tests/conformance/make_stream/vp9/coverage.h"

namespace perdix::vp9 {

// The bytes of the IVF file of <seed>, with at most <most_frames> frames: those
// that it begins with. Fails by a fault of the maker only.
Status MakeStream(uint64_t seed, uint32_t most_frames, Coverage& coverage,
                  std::vector<uint8_t>* file);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_STREAM_MAKER_H_
