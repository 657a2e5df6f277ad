// SPDX-License-Identifier: BSD-2-Clause
// Pairs of frames without pixels, which are told by their width.
#ifndef PERDIX_TESTS_TOOLS_NUMBERED_PAIRS_H_
#define PERDIX_TESTS_TOOLS_NUMBERED_PAIRS_H_

#include <cstdint>
#include <memory>

#include "client/frame_source.h"
#include "tools/decode/pair_meter.h"

namespace perdix::client {

// A frame whose width is its number.
inline ShownFrame FrameOf(uint32_t number) {
  ShownFrame frame;
  frame.image.view.width = number;
  frame.owner = std::make_shared<int>();
  return frame;
}

inline Pair PairOf(uint32_t number) {
  Pair pair;
  pair.reference = FrameOf(number);
  pair.decoded = FrameOf(number);
  if (number > 0) pair.previous = FrameOf(number - 1);
  return pair;
}

}  // namespace perdix::client

#endif  // PERDIX_TESTS_TOOLS_NUMBERED_PAIRS_H_
