// SPDX-License-Identifier: BSD-2-Clause
// From what kernels write to what a client's pixel format holds.
#ifndef PERDIX_DAEMON_PRESENT_H_
#define PERDIX_DAEMON_PRESENT_H_

#include <cstdint>
#include <span>

#include "codec/picture.h"

namespace perdix {

// What a picture without chroma has in the chroma plane of a 4:2:0 buffer; no
// kernel writes there. All that the layout has room for.
void FillNeutralChroma(const PictureLayout& layout, bool p010,
                       std::span<uint8_t> buffer);

// Shows a decoded picture that has more chroma samples than 4:2:0, in a buffer
// that has room for it: luma as it is, chroma as the mean of the samples that
// belong to 2x2 luma samples. Samples of more than 8 bit are shifted as the
// layout says; those of <from> are not shifted.
void ShowAs420(const PictureView& from, const PictureLayout& layout,
               std::span<uint8_t> buffer);

}  // namespace perdix

#endif  // PERDIX_DAEMON_PRESENT_H_
