// SPDX-License-Identifier: BSD-2-Clause
// The work lists of a frame's tile columns, with their coefficients in one
// buffer. Pure CPU code, no Vulkan.
#ifndef PERDIX_KERNELS_VULKAN_TILE_INPUT_H_
#define PERDIX_KERNELS_VULKAN_TILE_INPUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/work_lists.h"

namespace perdix::vulkan {

// The work lists of a tile column and where its coefficients begin in the
// coefficient buffer (16-bit units, a multiple of 8).
struct TileInput {
  WorkLists lists;
  uint32_t coefficient_base = 0;
};

// Lays the coefficients out, tile after tile. Returns the units of the buffer.
uint32_t PlaceTiles(std::span<const WorkLists> tiles,
                    std::vector<TileInput>* placed);

// Writes them, from the first to the last; units: those of PlaceTiles.
void WriteCoefficients(std::span<const TileInput> tiles, int16_t* units);

}  // namespace perdix::vulkan

#endif  // PERDIX_KERNELS_VULKAN_TILE_INPUT_H_
