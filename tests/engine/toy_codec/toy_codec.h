// SPDX-License-Identifier: BSD-2-Clause
// A codec for the engine's tests that resembles no real one: superblocks of 128
// pixels, tile columns that begin anywhere, two lists, passes that look right,
// up and down, lines that one pass saves for another, and a picture that is
// shown beside the one that is referenced. Always 8 bits, 4:2:0.
#ifndef PERDIX_TESTS_ENGINE_TOY_CODEC_TOY_CODEC_H_
#define PERDIX_TESTS_ENGINE_TOY_CODEC_TOY_CODEC_H_

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
  // For kApartCodecRow: whose parsing this one's goes on from.
  uint8_t whole = 0;   // 1 + index of the reference; 0: none
  uint8_t by_row = 0;  // bit: index of the reference
};

// A failing_row: the frame fails to begin, when its picture has its data.
inline constexpr uint32_t kBegin = UINT32_MAX - 1;

extern const CodecRow kCodecRow;
// What parsing keeps lies with the pictures: frames are parsed side by side.
extern const CodecRow kApartCodecRow;

}  // namespace perdix::toy

#endif  // PERDIX_TESTS_ENGINE_TOY_CODEC_TOY_CODEC_H_
