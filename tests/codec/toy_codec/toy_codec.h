// SPDX-License-Identifier: BSD-2-Clause
// A codec for the engine's tests that resembles no real one: superblocks of 128
// pixels, tile columns that begin anywhere, two lists, passes that look right,
// up and down, lines that one pass saves for another, and a picture that is
// shown beside the one that is referenced. Always 8 bits, 4:2:0.
#ifndef PERDIX_TESTS_CODEC_TOY_CODEC_TOY_CODEC_H_
#define PERDIX_TESTS_CODEC_TOY_CODEC_TOY_CODEC_H_

#include <cstdint>

#include "codec/codec.h"

namespace perdix::toy {

enum PassIndex : uint32_t {
  kReconstruct,  // always needed
  kEdges,
  kSmooth,  // only after kEdges
  kSharpen,
  kPublish,
  kOutput,  // where there is a display
};

// A whole coded frame: all else follows from the seed.
struct CodedFrame {
  uint32_t seed;
  uint16_t width;        // luma samples
  uint16_t height;       // luma samples
  uint16_t tile_begins;  // bit: superblock column, the first one included
  uint8_t passes;        // bit: PassIndex
  uint8_t references;    // bit: index of the reference
  uint32_t failing_row;  // superblocks; parsing it fails
};

extern const CodecRow kCodecRow;

}  // namespace perdix::toy

#endif  // PERDIX_TESTS_CODEC_TOY_CODEC_TOY_CODEC_H_
