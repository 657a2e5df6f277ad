// SPDX-License-Identifier: BSD-2-Clause
// Intra blocks in waves: those of a wave read only pixels of earlier waves.
#include "kernels/gpu/vp9/intra_waves.h"

#include <algorithm>

#include "kernels/decoded_area.h"
#include "kernels/shared/vp9/dispatch.h"

namespace perdix::vp9 {

void WaveGrid::Resize(int width, int height) {
  if (width == width_ && height == height_) return;
  width_ = width;
  height_ = height;
  waves_.assign(static_cast<size_t>(width) * static_cast<size_t>(height), 0);
}

uint16_t WaveGrid::Place(const IntraBlock& block) {
  const int x = static_cast<int>(PositionX4(block.position));
  const int y = static_cast<int>(PositionY4(block.position));
  const int size = 1 << IntraSize(block.shape);
  const uint32_t have = IntraHave(block.shape);
  const bool left = (have & PERDIX_INTRA_HAVE_LEFT) != 0;
  uint16_t wave = 0;
  if (left) wave = std::max(wave, Highest(x - 1, y, 1, size));
  if (have & PERDIX_INTRA_HAVE_ABOVE) {
    const bool right = (have & PERDIX_INTRA_HAVE_ABOVE_RIGHT) != 0;
    wave = std::max(wave, Highest(x, y - 1, right ? 2 * size : size, 1));
    if (left) wave = std::max(wave, Highest(x - 1, y - 1, 1, 1));
  }
  const auto after = static_cast<uint16_t>(wave + 1);
  ForEach(x, y, size, size, [&](uint16_t& cell) { cell = after; });
  return wave;
}

void WaveGrid::Clear(const IntraBlock& block) {
  const int size = 1 << IntraSize(block.shape);
  ForEach(static_cast<int>(PositionX4(block.position)),
          static_cast<int>(PositionY4(block.position)), size, size,
          [](uint16_t& cell) { cell = 0; });
}

template <typename Visit>
void WaveGrid::ForEach(int x, int y, int width, int height,
                       const Visit& visit) {
  for (int j = y; j < std::min(y + height, height_); ++j) {
    uint16_t* const row =
        waves_.data() + static_cast<size_t>(j) * static_cast<size_t>(width_);
    for (int i = x; i < std::min(x + width, width_); ++i) visit(row[i]);
  }
}

uint16_t WaveGrid::Highest(int x, int y, int width, int height) {
  uint16_t highest = 0;
  ForEach(x, y, width, height,
          [&](uint16_t cell) { highest = std::max(highest, cell); });
  return highest;
}

void IntraWaves::Set(const FrameParams& params,
                     std::span<const TileInput> tiles) {
  for (const uint32_t plane : {kLuma, kChroma}) {
    const DecodedArea area = PlaneDecodedArea(params, plane);
    grids_[plane].Resize(area.width / 4, area.height / 4);
  }
  wave_of_.clear();
  waves_.clear();
  for (const TileInput& tile : tiles) {
    for (const IntraBlock& block : tile.lists.Of(kIntraBlocks)) {
      const uint16_t wave = grids_[IntraPlane(block.shape)].Place(block);
      if (wave >= waves_.size()) waves_.resize(wave + 1u);
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
      grids_[IntraPlane(block.shape)].Clear(block);
    }
  }
}

void IntraWaves::Write(IntraBlock* records) const {
  std::copy(records_.begin(), records_.end(), records);
}

}  // namespace perdix::vp9
