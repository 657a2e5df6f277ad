// SPDX-License-Identifier: BSD-2-Clause
// Draws and writes sequence headers (5.5).
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_SEQUENCE_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_SEQUENCE_H_

#include <cstdint>
#include <vector>

#include "client/bitstream/av1/sequence_header.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

struct Sequence {
  client::av1::SequenceHeader header;  // what the client's parser reads
  std::vector<uint8_t> payload;        // the OBU's
  // The layers of the operating point that decodes all. 0: OBUs say no layers.
  int temporal_layers = 0, spatial_layers = 0;
};

// Throws std::logic_error where the client's parser refuses it.
Sequence DrawSequence(Random& random, Coverage* coverage);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_SEQUENCE_H_
