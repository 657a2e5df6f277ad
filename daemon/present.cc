// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/present.h"

#include <algorithm>

namespace perdix {
namespace {

constexpr int kP010Shift = 6;

void ShiftPlane(const Plane& plane, uint32_t samples) {
  for (uint32_t y = 0; y < plane.height; ++y) {
    uint16_t* const line = plane.Row<uint16_t>(y);
    for (uint32_t x = 0; x < samples; ++x)
      line[x] = uint16_t(line[x] << kP010Shift);
  }
}

}  // namespace

void ShiftToP010(const PictureView& view, bool monochrome) {
  ShiftPlane(view.planes[kLuma], view.planes[kLuma].width);
  if (monochrome) return;
  ShiftPlane(view.planes[kChroma], 2 * view.planes[kChroma].width);
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
