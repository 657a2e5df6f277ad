// SPDX-License-Identifier: BSD-2-Clause
// Draws and writes uncompressed headers (5.9).
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_HEADER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_HEADER_H_

#include <array>
#include <cstdint>

#include "client/bitstream/av1/frame_header.h"
#include "tests/conformance/make_stream/av1/field_writer.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

// How often a stream's frames have something, of 100.
struct Habits {
  uint32_t hidden, key, intra_only, switch_frame, error_resilient;
  uint32_t other_size, superres, screen_content, segmentation, deltas, lossless,
      matrices, global_motion, grain, many_tiles, frozen_cdfs;
};
Habits DrawHabits(Random& random);

// What the stream was so far.
struct HeaderInput {
  const Habits& habits;
  const client::av1::SequenceHeader& sequence;
  const client::av1::Slots& slots;
  // By slot. valid: its frame may be referred to (RefValid). showable:
  // show_existing_frame may show it.
  std::array<bool, client::kReferenceSlots> valid = {}, showable = {};
  uint32_t last_frame_id = 0;
  int temporal_id = 0, spatial_id = 0;
  bool must_be_key = false;  // and shown
  bool may_be_key = true;
  bool must_be_shown = false;
  bool may_show_existing = false;
};

FieldWriter DrawFrameHeader(Random& random, const HeaderInput& input);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_HEADER_H_
