// SPDX-License-Identifier: BSD-2-Clause
// Makes the frames of one stream, and keeps from frame to frame what a decoder
// does: the parser runs over choices instead of data.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_FRAME_MAKER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_FRAME_MAKER_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "client/bitstream/vp9/header.h"
#include "codec/parsed_frame.h"
#include "codec/vp9/frame_state.h"
#include "kernels/status.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/vp9/choices.h"
#include "tests/conformance/make_stream/vp9/draw_header.h"
#include "tests/conformance/make_stream/vp9/random.h"

namespace perdix::vp9 {

class FrameMaker {
 public:
  FrameMaker(Random& random, make_stream::Coverage& coverage)
      : random_(random), coverage_(coverage), choices_(random, coverage) {}

  // The coded frame. A failure is a fault of the maker: what it drew does not
  // conform.
  Status Make(Header header, const Style& style, std::vector<uint8_t>* frame);

  const Slots& slots() const { return slots_; }

 private:
  struct Parsed : ParsedFrame {
    using ParsedFrame::Reset;
  };

  Status Parse(const client::vp9::FrameHeader& header,
               std::span<const uint8_t> draft, const Style& style);
  Status ParseRows();
  std::vector<uint8_t> Assemble(Header& header,
                                const client::vp9::FrameHeader& parsed,
                                std::span<const uint8_t> draft);
  void Pad(uint32_t one_in, std::vector<uint8_t>* bytes);
  void Keep(const client::vp9::FrameHeader& header);

  Random& random_;
  make_stream::Coverage& coverage_;
  Choices choices_;
  client::vp9::HeaderParser headers_;
  Vp9State state_;
  Parsed parsed_;
  Slots slots_ = {};
  std::array<PicturePtr, 8> pictures_;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_FRAME_MAKER_H_
