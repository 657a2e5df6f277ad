// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/gpu/tile_input.h"

#include <algorithm>

namespace perdix::gpu {
namespace {

constexpr uint32_t kCoefficientAlignment = 8;  // 16-bit units

uint32_t RoundedCoefficients(const WorkLists& lists) {
  const auto count = static_cast<uint32_t>(lists.coefficients.size());
  return (count + kCoefficientAlignment - 1) / kCoefficientAlignment *
         kCoefficientAlignment;
}

}  // namespace

void PlaceTiles(std::span<const WorkLists> tiles,
                std::vector<TileInput>* placed) {
  placed->clear();
  uint32_t units = 0;
  for (const WorkLists& lists : tiles) {
    placed->push_back({lists, units});
    units += RoundedCoefficients(lists);
  }
}

void StageCoefficients(const std::vector<TileInput>& tiles, Work* work) {
  if (work->IsStaged(PERDIX_BINDING_COEFFICIENTS) || tiles.empty()) return;
  const size_t units =
      tiles.back().coefficient_base + RoundedCoefficients(tiles.back().lists);
  work->Stage(PERDIX_BINDING_COEFFICIENTS, sizeof(int16_t) * units,
              sizeof(int16_t), [&tiles](uint8_t* at) {
                auto* const units = reinterpret_cast<int16_t*>(at);
                for (const TileInput& tile : tiles) {
                  std::copy(tile.lists.coefficients.begin(),
                            tile.lists.coefficients.end(),
                            units + tile.coefficient_base);
                }
              });
}

}  // namespace perdix::gpu
