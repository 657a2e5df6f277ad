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

}  // namespace perdix

#endif  // PERDIX_DAEMON_PRESENT_H_
