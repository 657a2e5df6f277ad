// SPDX-License-Identifier: BSD-2-Clause
// From what kernels write to what a client's pixel format holds.
#ifndef PERDIX_DAEMON_PRESENT_H_
#define PERDIX_DAEMON_PRESENT_H_

#include <cstdint>
#include <span>

#include "codec/picture.h"
#include "kernels/plane.h"

namespace perdix {

// P010 has ten bits in the upper ones of sixteen, kernels have them in the
// lower ones. <from> and <to>, of one size and 10 bit, may be the same picture.
// monochrome: luma alone.
void ShiftToP010(const PictureView& from, bool monochrome,
                 const PictureView& to);

// What a picture without chroma has in the chroma plane of a 4:2:0 buffer; no
// kernel writes there. All that the layout has room for.
void FillNeutralChroma(const PictureLayout& layout, bool p010,
                       std::span<uint8_t> buffer);

}  // namespace perdix

#endif  // PERDIX_DAEMON_PRESENT_H_
