// SPDX-License-Identifier: BSD-2-Clause
// What a frame has reached by its headers.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_FIELDS_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_FIELDS_H_

#include "codec/vp9/frame_state.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/vp9/draw_header.h"
#include "tests/conformance/make_stream/vp9/header.h"

namespace perdix::vp9 {

void AddFields(const Header& header, make_stream::Coverage& coverage);

// The features that the frame has together. frame: what the parser made of it;
// slots: before it refreshes them.
void AddFeatures(const Header& header, const FrameState& frame,
                 const Slots& slots, make_stream::Coverage& coverage);

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_FIELDS_H_
