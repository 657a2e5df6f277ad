// SPDX-License-Identifier: BSD-2-Clause
// Intra blocks in waves: those of a wave read only pixels of earlier waves.
#include "kernels/gpu/vp9/intra_waves.h"

#include <algorithm>

#include "kernels/shared/vp9/dispatch.h"

namespace perdix::vp9 {

namespace {

using gpu::CellArea;

CellArea OwnArea(const IntraBlock& block) {
  const int size = 1 << IntraSize(block.shape);
  return {IntraPlane(block.shape), static_cast<int>(PositionX4(block.position)),
          static_cast<int>(PositionY4(block.position)), size, size};
}

// The block's wave.
uint32_t Place(const IntraBlock& block, gpu::WaveGrid& grid) {
  const CellArea own = OwnArea(block);
  const uint32_t have = IntraHave(block.shape);
  const bool left = (have & PERDIX_INTRA_HAVE_LEFT) != 0;
  CellArea read[2];
  size_t count = 0;
  if (left) read[count++] = {own.plane, own.x - 1, own.y, 1, own.height};
  if (have & PERDIX_INTRA_HAVE_ABOVE) {
    const bool right = (have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
    const int corner = left ? 1 : 0;
    read[count++] = {own.plane, own.x - corner, own.y - 1,
                     corner + (right ? 2 * own.width : own.width), 1};
  }
  return grid.Place({read, count}, own);
}

}  // namespace

void IntraWaves::Set(const FrameParams& params,
                     std::span<const TileInput> tiles) {
  grid_.Resize(params);
  wave_of_.clear();
  waves_.clear();
  for (const TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.Of(kIntraBlocks)) {
      const uint32_t wave = Place(block, grid_);
      if (wave >= waves_.size()) waves_.resize(wave + 1);
      ++waves_[wave].count;
      wave_of_.push_back(wave);
    }
  }

  next_.clear();
  uint32_t first = 0;
  for (IntraWave& wave : waves_) {
    wave.first = first;
    next_.push_back(first);
    wave.count = (wave.count + blocks_ - 1) / blocks_ * blocks_;
    first += wave.count;
  }
  static constexpr IntraBlock kPadding = {
      0, PackIntraShape(0, 0, PERDIX_INTRA_NO_BLOCK, 0), PERDIX_NONE,
      PERDIX_NONE};
  records_.assign(first, kPadding);
  size_t index = 0;
  for (const TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.Of(kIntraBlocks)) {
      records_[next_[wave_of_[index++]]++] = block;
      grid_.Clear(OwnArea(block));
    }
  }
}

void IntraWaves::Write(IntraBlock* records) const {
  std::copy(records_.begin(), records_.end(), records);
}

}  // namespace perdix::vp9
