// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/tile_input.h"

#include <algorithm>

namespace perdix::vulkan {
namespace {

constexpr uint32_t kCoefficientAlignment = 8;  // 16-bit units

uint32_t RoundedCoefficients(const WorkLists& lists) {
  const auto count = static_cast<uint32_t>(lists.coefficients.size());
  return (count + kCoefficientAlignment - 1) / kCoefficientAlignment *
         kCoefficientAlignment;
}

}  // namespace

uint32_t PlaceTiles(std::span<const WorkLists> tiles,
                    std::vector<TileInput>* placed) {
  placed->clear();
  uint32_t units = 0;
  for (const WorkLists& lists : tiles) {
    placed->push_back({lists, units});
    units += RoundedCoefficients(lists);
  }
  return units;
}

void WriteCoefficients(std::span<const TileInput> tiles, int16_t* units) {
  for (const TileInput& tile : tiles) {
    std::copy(tile.lists.coefficients.begin(), tile.lists.coefficients.end(),
              units + tile.coefficient_base);
  }
}

}  // namespace perdix::vulkan
