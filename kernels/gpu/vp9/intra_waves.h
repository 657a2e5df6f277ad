// SPDX-License-Identifier: BSD-2-Clause
// Intra blocks in waves of those that do not wait for each other.
#ifndef PERDIX_KERNELS_GPU_VP9_INTRA_WAVES_H_
#define PERDIX_KERNELS_GPU_VP9_INTRA_WAVES_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/tile_input.h"
#include "kernels/plane.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

using gpu::TileInput;

struct IntraWave {
  uint32_t first;  // record
  uint32_t count;  // with padding
};

// The wave after which each 4x4 cell of a plane is final; 0: from the start.
class WaveGrid {
 public:
  // All cells become 0; they must be 0 already unless the size changes.
  void Resize(int width, int height);
  // The block's own wave: the first after all cells that it reads.
  uint16_t Place(const IntraBlock& block);
  // Cells of the block become 0 again.
  void Clear(const IntraBlock& block);

 private:
  template <typename Visit>
  void ForEach(int x, int y, int width, int height, const Visit& visit);
  uint16_t Highest(int x, int y, int width, int height);

  int width_ = 0;  // 4x4 cells
  int height_ = 0;
  // 16 bits: a wave is at most the columns plus twice the rows of the grid.
  std::vector<uint16_t> waves_;
};

class IntraWaves {
 public:
  // blocks: of a workgroup. Waves are padded to whole ones.
  explicit IntraWaves(uint32_t blocks = 1) : blocks_(blocks) {}

  void Set(const FrameParams& params, std::span<const TileInput> tiles);
  uint32_t size() const { return static_cast<uint32_t>(records_.size()); }
  // A barrier before each.
  std::span<const IntraWave> waves() const { return waves_; }
  void Write(IntraBlock* records) const;

 private:
  const uint32_t blocks_;
  std::vector<IntraBlock> records_;
  std::vector<IntraWave> waves_;
  std::array<WaveGrid, kPlaneCount> grids_;
  std::vector<uint16_t> wave_of_;  // each record, tile after tile
  std::vector<uint32_t> next_;     // record of each wave
};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_INTRA_WAVES_H_
