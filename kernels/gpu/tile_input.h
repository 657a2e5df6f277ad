// SPDX-License-Identifier: BSD-2-Clause
// The work lists of a frame's tile columns, with their coefficients in one
// buffer.
#ifndef PERDIX_KERNELS_GPU_TILE_INPUT_H_
#define PERDIX_KERNELS_GPU_TILE_INPUT_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/work.h"
#include "kernels/work_lists.h"

namespace perdix::gpu {

// The work lists of a tile column and where its coefficients begin in the
// coefficient buffer (16-bit units, a multiple of 8).
struct TileInput {
  WorkLists lists;
  uint32_t coefficient_base = 0;
};

// Lays the coefficients out, tile after tile.
void PlaceTiles(std::span<const WorkLists> tiles,
                std::vector<TileInput>* placed);

// Stages the coefficients, unless another kernel has. tiles: those of
// PlaceTiles; they must stay.
void StageCoefficients(const std::vector<TileInput>& tiles, Work* work);

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_TILE_INPUT_H_
