// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/present.h"

#include <algorithm>

namespace perdix {

void FillNeutralChroma(const PictureLayout& layout, bool p010,
                       std::span<uint8_t> buffer) {
  const size_t bytes =
      size_t{layout.chroma_stride_bytes} * (layout.max_height / 2);
  const auto chroma = buffer.subspan(layout.chroma_offset, bytes);
  if (!p010) {
    std::ranges::fill(chroma, uint8_t{0x80});
    return;
  }
  constexpr uint16_t kNeutral = 0x200 << 6;  // in the upper ten bits
  auto* const samples = reinterpret_cast<uint16_t*>(chroma.data());
  std::fill_n(samples, bytes / sizeof(uint16_t), kNeutral);
}

}  // namespace perdix
