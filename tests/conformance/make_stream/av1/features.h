// SPDX-License-Identifier: BSD-2-Clause
// What a frame has, by names, of which the table of what streams reach has
// every pair.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FEATURES_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FEATURES_H_

#include <set>
#include <string>

#include "client/bitstream/av1/frame_header.h"
#include "tests/conformance/make_stream/coverage.h"

namespace perdix::make_stream::av1 {

// slots: before the frame
std::set<std::string> FeaturesOf(const client::av1::SequenceHeader& sequence,
                                 const client::av1::FrameHeader& header,
                                 const client::av1::Slots& slots);
// Those of its blocks, by what its tiles have reached.
void AddFeaturesOf(const Coverage& tiles, std::set<std::string>* features);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FEATURES_H_
