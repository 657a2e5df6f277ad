// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/present.h"

#include <algorithm>

namespace perdix {
namespace {

constexpr int kP010Shift = 6;

void ShiftPlane(const Plane& from, uint32_t samples, const Plane& to) {
  for (uint32_t y = 0; y < from.height; ++y) {
    const uint16_t* const source = from.Row<uint16_t>(y);
    uint16_t* const target = to.Row<uint16_t>(y);
    for (uint32_t x = 0; x < samples; ++x)
      target[x] = uint16_t(source[x] << kP010Shift);
  }
}

}  // namespace

void ShiftToP010(const PictureView& from, bool monochrome,
                 const PictureView& to) {
  ShiftPlane(from.planes[kLuma], from.planes[kLuma].width, to.planes[kLuma]);
  if (monochrome) return;
  ShiftPlane(from.planes[kChroma], 2 * from.planes[kChroma].width,
             to.planes[kChroma]);
}

void FillNeutralChroma(const PictureLayout& layout, bool p010,
                       std::span<uint8_t> buffer) {
  const size_t bytes =
      size_t{layout.chroma_stride_bytes} * (layout.max_height / 2);
  const auto chroma = buffer.subspan(layout.chroma_offset, bytes);
  if (!p010) {
    std::ranges::fill(chroma, uint8_t{0x80});
    return;
  }
  constexpr uint16_t kNeutral = 0x200 << kP010Shift;
  auto* const samples = reinterpret_cast<uint16_t*>(chroma.data());
  std::fill_n(samples, bytes / sizeof(uint16_t), kNeutral);
}

}  // namespace perdix
