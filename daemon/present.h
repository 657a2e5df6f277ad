// SPDX-License-Identifier: BSD-2-Clause
// From what kernels write to what a client's pixel format holds.
#ifndef PERDIX_DAEMON_PRESENT_H_
#define PERDIX_DAEMON_PRESENT_H_

#include <cstdint>
#include <span>

#include "codec/picture.h"
#include "kernels/plane.h"

namespace perdix {

// P010 has ten bits in the upper ones of sixteen, film grain is written to the
// lower ones: shifts a picture of 10 bit in place. monochrome: luma alone.
void ShiftToP010(const PictureView& view, bool monochrome);

// What a picture without chroma has in the chroma plane of a 4:2:0 buffer; no
// kernel writes there. All that the layout has room for.
void FillNeutralChroma(const PictureLayout& layout, bool p010,
                       std::span<uint8_t> buffer);

}  // namespace perdix

#endif  // PERDIX_DAEMON_PRESENT_H_
