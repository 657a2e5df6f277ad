// SPDX-License-Identifier: BSD-2-Clause
// One row for each codec: the only place that knows which codecs exist.
#ifndef PERDIX_CODEC_CODEC_H_
#define PERDIX_CODEC_CODEC_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "codec/parsed_frame.h"
#include "kernels/kernel.h"
#include "kernels/status.h"

namespace perdix {

// What a stream keeps from frame to frame. Touched by one frame's parsing at a
// time, never by reconstruction.
class CodecState {
 public:
  virtual ~CodecState() = default;

  // Checks controls, buffers and headers; fills frame.params, its codec_params,
  // the tiles, the target's view. After this ParseRow may run.
  virtual Status Begin(ParsedFrame& frame) = 0;

  // Entropy decoding of one superblock row of one tile column: appends to the
  // tile's work lists. Rows of a tile column in order; columns in parallel.
  virtual Status ParseRow(ParsedFrame& frame, uint32_t tile_col,
                          uint32_t sb_row) = 0;

  // After the last row of the last column, or after a failure (frame.failed()):
  // adaptation, and what the next frame's Begin needs.
  virtual void End(ParsedFrame& frame) = 0;
};

// What the controls say of a frame, unchecked: for statistics.
struct StreamFormat {
  uint32_t profile = 0;
  uint32_t width = 0;  // luma samples
  uint32_t height = 0;
  uint32_t bit_depth = 0;
};

struct CodecRow {
  const char* name;      // "vp9"
  uint32_t id;           // enum perdix_codec
  uint32_t pixelformat;  // V4L2 fourcc of the coded queue
  std::unique_ptr<CodecState> (*open)();
  // All 0 of controls that cannot be read.
  StreamFormat (*format)(std::span<const uint8_t> controls);
  // Run for a superblock as soon as its records and neighbours are there.
  std::span<const KernelId> reconstruct;
  // Run for a superblock row once the row below it is reconstructed.
  KernelId in_loop_filter;
};

std::span<const CodecRow> Codecs();
const CodecRow* FindCodec(uint32_t id);

}  // namespace perdix

#endif  // PERDIX_CODEC_CODEC_H_
