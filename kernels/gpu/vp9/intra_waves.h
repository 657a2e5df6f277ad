// SPDX-License-Identifier: BSD-2-Clause
// Intra blocks in waves of those that do not wait for each other.
#ifndef PERDIX_KERNELS_GPU_VP9_INTRA_WAVES_H_
#define PERDIX_KERNELS_GPU_VP9_INTRA_WAVES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/gpu/tile_input.h"
#include "kernels/gpu/wave_grid.h"
#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

using gpu::TileInput;

struct IntraWave {
  uint32_t first;  // record
  uint32_t count;  // with padding
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
  gpu::WaveGrid grid_;
  std::vector<uint32_t> wave_of_;  // each record, tile after tile
  std::vector<uint32_t> next_;     // record of each wave
};

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_INTRA_WAVES_H_
