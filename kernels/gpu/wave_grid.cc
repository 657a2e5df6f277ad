// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/wave_grid.h"

#include <algorithm>
#include <cstddef>

#include "kernels/decoded_area.h"

namespace perdix::gpu {

void WaveGrid::Resize(const FrameParams& params) {
  for (const uint32_t index : {kLuma, kChroma}) {
    Plane& plane = planes_[index];
    const DecodedArea area = PlaneDecodedArea(params, index);
    const int width = area.width / 4;
    const int height = area.height / 4;
    if (width == plane.width && height == plane.height) continue;
    plane.width = width;
    plane.height = height;
    plane.waves.assign(static_cast<size_t>(width) * static_cast<size_t>(height),
                       0);
  }
}

uint32_t WaveGrid::Place(std::span<const CellArea> read,
                         const CellArea& written) {
  uint32_t wave = 0;
  for (const CellArea& area : read) {
    ForEach(area, [&](uint32_t cell) { wave = std::max(wave, cell); });
  }
  ForEach(written, [after = wave + 1](uint32_t& cell) { cell = after; });
  return wave;
}

void WaveGrid::Clear(const CellArea& written) {
  ForEach(written, [](uint32_t& cell) { cell = 0; });
}

template <typename Visit>
void WaveGrid::ForEach(const CellArea& area, const Visit& visit) {
  Plane& plane = planes_[area.plane];
  const int end_x = std::min(area.x + area.width, plane.width);
  const int end_y = std::min(area.y + area.height, plane.height);
  for (int y = std::max(area.y, 0); y < end_y; ++y) {
    uint32_t* const row =
        plane.waves.data() +
        static_cast<size_t>(y) * static_cast<size_t>(plane.width);
    for (int x = std::max(area.x, 0); x < end_x; ++x) visit(row[x]);
  }
}

}  // namespace perdix::gpu
