// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_MAKE_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_MAKE_H_

#include <cstdint>

#include "tests/conformance/make_stream/stream.h"

namespace perdix::make_stream::av1 {

// The AV1 stream of that seed: low-overhead OBUs (5.2).
Stream MakeStream(uint64_t seed);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_MAKE_H_
