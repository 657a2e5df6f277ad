// SPDX-License-Identifier: BSD-2-Clause
// The tiles of one frame, which the parser writes by reading what it chooses.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_TILES_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_TILES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/bitstream/av1/frame_header.h"
#include "codec/av1/frame_state.h"
#include "codec/picture.h"
#include "tests/conformance/make_stream/av1/style.h"
#include "tests/conformance/make_stream/av1/tile_writer.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

// What the parser has left with the frame in each slot. No pixels.
using Pictures = std::array<PicturePtr, client::kReferenceSlots>;

class TileMaker {
 public:
  TileMaker();
  ~TileMaker();

  // Chooses all symbols of the frame; choices that break a rule of the
  // specification are made anew. False: none was found that does not.
  // style: its bans and budget are set here.
  bool Make(const client::av1::SequenceHeader& sequence,
            const client::av1::FrameHeader& header, const Pictures& references,
            Random& random, Style* style);

  // ---- of the frame that was made ----
  const PicturePtr& picture() const { return picture_; }
  std::vector<std::vector<uint8_t>> Bytes(Random& random);
  void Count(Coverage* coverage) const;
  // Where it was not: the rule that was broken last.
  const std::string& failure() const { return failure_; }

 private:
  class Frame;

  void NewWriters(size_t tiles, Random& random, const Style* style,
                  const Style* calm);
  FrameRequest Request(const client::av1::SequenceHeader& sequence,
                       const client::av1::FrameHeader& header,
                       const Pictures& references);
  // Reads all tiles. The tile that failed, or -1.
  int Read(const client::av1::FrameHeader& header, FrameRequest request);

  perdix::av1::Av1State state_;
  std::unique_ptr<Frame> frame_;
  std::vector<std::unique_ptr<TileWriter>> writers_;  // by tile
  std::vector<TileWriter*> data_;  // what the parser takes for the tiles' data
  PicturePtr picture_;
  std::string failure_;
};

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_FRAME_TILES_H_
