// SPDX-License-Identifier: BSD-2-Clause
// Lines that a filter saves because others must see them as they are then; and
// how the in-loop filters, which all work in place in the target, share out the
// picture's lines.
//
// Stripes. Deblock works on superblock rows, the filters after it on stripes:
// stripe n is the luma lines 64n - 8 .. 64n + 55, clipped to the picture
// (7.17). Row r of 64x64 superblocks is stripe r, of 128x128 ones stripes 2r
// and 2r + 1; the last row also takes what is left, which is one stripe more
// where the height modulo 64 is 57..63 or 0. Lines of chroma are these halved
// where it is subsampled vertically.
//
// Saved: of each 64 luma lines from 64n on the last two of stripe n (64n + 54,
// 55) and the first two of stripe n + 1 (56, 57), in a slot of their own. In
// chroma they are the four around the stripes' border, too: 32n + 26 .. 29
// where it is subsampled vertically.
//   kCdefLines         by Deblock, deblocked. Cdef and LoopRestoration read the
//                      first two of slot n - 1 above stripe n and the last two
//                      of slot n below it.
//   kRestorationLines  by SuperRes, the same upscaled: LoopRestoration reads
//                      these instead in a frame with superresolution.
//
// What each pass touches of the target with row r, whose first line is y and
// whose last is e - 1 (luma; then chroma subsampled vertically, y and e halved;
// chroma with all lines is as luma but that Deblock changes 2 lines above and
// reads 3). Deblock goes from top to bottom, each of the others over its rows
// in any order: after the one before it of the same row, LoopRestoration also
// after SuperRes of the row above, which saves lines for it.
//   Deblock          writes y - 6 .. e - 1       y - 2 .. e - 1
//                    reads  y - 7 .. e - 1       y - 3 .. e - 1
//   the others       write and read y - 8 .. e - 9     y - 4 .. e - 5
// So no line is written by one that another may touch: Deblock of row r + 1
// reads from e - 7 (e - 3) on, where the others of row r have ended, and these
// touch no line of another row; what they need of others is saved.
// The saved lines e - 10 .. e - 7 are as Deblock of row r left them: edges at
// the top of row r + 1 change only what lies below. A slot is written once,
// before the passes that read it begin.
//
// A pass that a frame does not need is left out, but Deblock runs, to save the
// lines, wherever Cdef or LoopRestoration does, whatever the levels are.
#ifndef PERDIX_KERNELS_AV1_SAVED_LINES_H_
#define PERDIX_KERNELS_AV1_SAVED_LINES_H_

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
constexpr bool SavesLines(const Params& av1) {
  return av1.cdef_on != 0 || UsesRestoration(av1);
}

inline constexpr uint32_t kSavedLines = 4;  // of a plane in a slot

// A table of saved lines.
class SavedLines {
 public:
  // width: luma samples of a line.
  SavedLines(const FrameParams& params, const Params& av1, uint32_t width);

  size_t Bytes() const { return slot_bytes_ * slots_; }

  // line: 0..3, in the order of the picture. Room for the plane's samples (U
  // and V: pairs) of a picture of this width.
  template <typename Sample>
  Sample* Line(std::span<uint8_t> table, uint32_t plane, uint32_t slot,
               uint32_t line) const {
    const size_t offset =
        slot * slot_bytes_ + plane_begin_[plane] + line * line_bytes_[plane];
    return reinterpret_cast<Sample*>(table.data() + offset);
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
SavedLines DecodedLines(const FrameParams& params, const Params& av1);
// The table kRestorationLines, whose lines are as wide as what is shown.
SavedLines UpscaledLines(const FrameParams& params, const Params& av1);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_SAVED_LINES_H_
