// SPDX-License-Identifier: BSD-2-Clause
// What the engine knows of a codec: its row. codec.cc, which has the table, is
// the only place that knows which codecs exist.
#ifndef PERDIX_CODEC_CODEC_H_
#define PERDIX_CODEC_CODEC_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include "codec/parsed_frame.h"
#include "codec/pass.h"
#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix {

// What parsing keeps: of a stream, or of one frame after the other where frames
// are parsed side by side (CodecRow::frame_parallel_parsing). Touched by one
// frame's parsing at a time, never by reconstruction.
class CodecState {
 public:
  virtual ~CodecState() = default;

  // Checks controls, buffers and headers; fills frame.params, its codec_params,
  // the tiles, the target's view. Frames of a stream in order, one at a time.
  virtual Status Begin(ParsedFrame& frame) = 0;

  // After Begin, and after the parsing of frame.parse_sources.whole, which may
  // have failed: then its picture is broken. After this ParseRow may run.
  virtual Status Continue(ParsedFrame& frame);

  // Entropy decoding of one superblock row of one tile column: appends to the
  // tile's work lists. Rows of a tile column in order; columns in parallel.
  virtual Status ParseRow(ParsedFrame& frame, uint32_t tile_col,
                          uint32_t sb_row) = 0;

  // The row is parsed in all tile columns. The last of them is not yet
  // reconstructed; others may be, where tile columns go each their own way.
  // Rows in order; not once frame.failed().
  virtual void EndRow(ParsedFrame& frame, uint32_t sb_row);

  // After the last row of the last column, or after a failure (frame.failed()):
  // adaptation, and what the next frame's Begin needs.
  virtual void End(ParsedFrame& frame) = 0;
};

// What the controls say of a frame, unchecked.
struct StreamFormat {
  uint32_t profile = 0;
  uint32_t width = 0;  // luma samples
  uint32_t height = 0;
  uint32_t bit_depth = 0;
  bool monochrome = false;
  bool film_grain = false;  // it is shown with noise: FrameRequest::display
  // log2 of luma samples to a chroma sample, across and down: 0 or 1.
  uint32_t subsampling_x = 1;
  uint32_t subsampling_y = 1;
  bool shown = false;  // ParsedFrame::shown
  // Or there is no chroma.
  bool Is420() const {
    return monochrome || (subsampling_x == 1 && subsampling_y == 1);
  }
};

// How far down a superblock row reads each reference (index), in lines from the
// top, with all that interpolation reads below the blocks and before anything
// is clamped: so it may be less than 1, or more than there are.
using LowestLines = std::array<int, kMaxReferences>;
inline constexpr int kNotRead = std::numeric_limits<int>::min();
inline constexpr int kAllRead = std::numeric_limits<int>::max();

struct CodecRow {
  const char* name;      // in lower case
  uint32_t id;           // enum perdix_codec
  uint32_t pixelformat;  // V4L2 fourcc of the coded queue
  std::unique_ptr<CodecState> (*open)();
  // All that a frame's parsing needs of other frames lies with their pictures:
  // frames are parsed side by side, each with a state of its own.
  bool frame_parallel_parsing = false;
  // What the controls say of a frame; all 0 if they cannot be read.
  StreamFormat (*format)(std::span<const uint8_t> controls);
  // The passes in the order in which a superblock goes through them; at most
  // kMaxPasses.
  std::span<const Pass> passes;
  // The lowest lines that a superblock row, which is parsed, reads.
  LowestLines (*lowest_lines)(const ParsedFrame& frame, uint32_t sb_row);
};

// Whether the predicate holds for some kernel that the codec's passes run on
// pictures of Engine::NewPicture.
template <typename Predicate>
bool AnyKernel(const CodecRow& codec, const Predicate& predicate) {
  return std::ranges::any_of(codec.passes, [&](const Pass& pass) {
    return !pass.shifts && std::ranges::any_of(pass.kernels, predicate);
  });
}

std::span<const CodecRow* const> Codecs();
const CodecRow* FindCodec(uint32_t id);

}  // namespace perdix

#endif  // PERDIX_CODEC_CODEC_H_
