// SPDX-License-Identifier: BSD-2-Clause
// Lines that a filter saves because later filters must see them as they are
// then; and which lines of the picture each in-loop filter touches. All of them
// work in place, in the target.
//
// The rule: filters that may run at the same time touch different lines. What a
// filter needs of a line that another one may have changed was saved before.
//
// Rows and stripes. Deblock works on rows of superblocks. The filters after it
// work on stripes of 64 luma lines that begin 8 lines higher (7.17), because
// the deblocking of a row changes lines of the row above. Stripe n is the lines
// 64n - 8 .. 64n + 55, clipped to the picture. Row r of 64x64 superblocks is
// stripe r, of 128x128 ones stripes 2r and 2r + 1. The last row also takes what
// is left: one stripe more where the height modulo 64 is 57..63 or 0. In chroma
// that is subsampled vertically these numbers of lines are halved.
//
// Line buffers. Slot n of a table has the four lines around the border between
// stripes n and n + 1: the last two of stripe n, 64n + 54 and 55, and the first
// two of stripe n + 1, 64n + 56 and 57. In chroma they are four, too: 32n + 26
// to 29 where it is subsampled vertically. So what lies above stripe n is in
// the first two lines of slot n - 1, and what lies below it in the last two of
// slot n.
//   kCdefLines         saved by Deblock, deblocked. Read by Cdef and by
//                      LoopRestoration.
//   kRestorationLines  saved by SuperRes: the same lines, upscaled, which
//                      LoopRestoration reads instead where there are such.
//
// What each filter touches of the target for a row whose luma lines are
// y .. e - 1:
//                     luma              chroma (subsampled; y and e halved)
//   Deblock   writes  y - 6 .. e - 1    y - 2 .. e - 1
//             reads   y - 7 .. e - 1    y - 3 .. e - 1
//   others    both    y - 8 .. e - 9    y - 4 .. e - 5
// Chroma with all lines is like luma, but Deblock writes from y - 2 on and
// reads from y - 3 on.
//
// Order. Deblock goes from top to bottom. Each of the others takes the rows in
// any order, a row after the filter before it is through with that row;
// LoopRestoration also after SuperRes of the row above, which saves lines for
// it.
//
// Why that keeps the rule: Deblock of the next row reads from e - 7 (chroma
// e - 3) on, while the others of this row end at e - 9 (e - 5), and these touch
// no line of another row. Deblock of this row saves four lines from e - 10 on,
// and that of the next row writes from e - 6 on. A slot is written once, before
// the passes that read it begin.
//
// A pass that a frame does not need is left out, but Deblock runs, to save the
// lines, wherever Cdef or LoopRestoration does, whatever the levels are.
#ifndef PERDIX_KERNELS_AV1_LINE_BUFFERS_H_
#define PERDIX_KERNELS_AV1_LINE_BUFFERS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/av1/lists.h"

namespace perdix::av1 {

// Bytes of the two tables for a frame, 0 where it needs none.
size_t CdefLinesBytes(const FrameParams& params, const Params& av1);
size_t RestorationLinesBytes(const FrameParams& params, const Params& av1);

// Upscaled (7.16).
constexpr bool UsesSuperRes(const FrameParams& params, const Params& av1) {
  return av1.upscaled_width != params.width;
}
// FrameRestorationType of some plane is not NONE.
constexpr bool UsesRestoration(const Params& av1) {
  return av1.restoration[0].type != 0 || av1.restoration[1].type != 0 ||
         av1.restoration[2].type != 0;
}
// Cdef or LoopRestoration want lines of kCdefLines.
constexpr bool NeedsLineBuffers(const Params& av1) {
  return av1.cdef_on != 0 || UsesRestoration(av1);
}

inline constexpr uint32_t kBufferedLines = 4;  // of a plane in a slot

// A table of line buffers.
class LineBuffers {
 public:
  // width: luma samples of a line.
  LineBuffers(const FrameParams& params, const Params& av1, uint32_t width);

  size_t Bytes() const { return slot_bytes_ * slots_; }
  uint32_t slots() const { return slots_; }

  // Bytes of the table, where a line begins. line: 0..3, in the order of the
  // picture. Room for the plane's samples (U and V: pairs) of a picture of this
  // width.
  size_t Offset(uint32_t plane, uint32_t slot, uint32_t line) const {
    return slot * slot_bytes_ + plane_begin_[plane] + line * line_bytes_[plane];
  }
  template <typename Sample>
  Sample* Line(std::span<uint8_t> table, uint32_t plane, uint32_t slot,
               uint32_t line) const {
    return reinterpret_cast<Sample*>(table.data() + Offset(plane, slot, line));
  }

  // Line 0 of a slot in a plane.
  static uint32_t FirstLine(uint32_t slot, uint32_t subsampling_y) {
    return ((slot * 64 + 56) >> subsampling_y) - 2;
  }

 private:
  uint32_t slots_;
  size_t line_bytes_[kPlaneCount];
  size_t plane_begin_[kPlaneCount];
  size_t slot_bytes_;
};

// The table kCdefLines, whose lines are as wide as what is decoded.
LineBuffers DecodedLines(const FrameParams& params, const Params& av1);
// The table kRestorationLines, whose lines are as wide as what is shown.
LineBuffers UpscaledLines(const FrameParams& params, const Params& av1);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_LINE_BUFFERS_H_
