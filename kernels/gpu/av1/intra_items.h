// SPDX-License-Identifier: BSD-2-Clause
// Records of the ordered list in waves of those that do not wait for each
// other, and in a wave by the program that works them off.
#ifndef PERDIX_KERNELS_GPU_AV1_INTRA_ITEMS_H_
#define PERDIX_KERNELS_GPU_AV1_INTRA_ITEMS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/gpu/tile_input.h"
#include "kernels/gpu/wave_grid.h"
#include "kernels/shared/av1/intra_dispatch.h"
#include "kernels/status.h"

namespace perdix::av1 {

// Items of a wave that a program works off.
struct IntraBatch {
  uint32_t program;  // PERDIX_INTRA_PROGRAM_*, and PERDIX_INTRA_CHROMA
  uint32_t first;    // item
  uint32_t count;
  bool begins_wave;
};

// Keeps its memory from frame to frame.
class IntraItems {
 public:
  // Frames of chroma 4:2:0, or without chroma. kUnsupported where a block is
  // copied from the frame itself.
  Status Set(const FrameParams& params, const Params& av1,
             std::span<const gpu::TileInput> tiles);

  std::span<const IntraItem> items() const { return items_; }
  std::span<const IntraBatch> batches() const { return batches_; }
  // What PERDIX_INTRA_TABLES_WORDS and masks need; a multiple of 16 bytes.
  std::span<const uint8_t> tables() const { return tables_; }
  // Whether an item reads the coefficients.
  bool paints() const { return paints_; }

 private:
  struct Frame;  // what Set was called with

  IntraItem ItemOf(const Frame& frame, const gpu::TileInput& tile,
                   const IntraBlock& block);
  uint32_t MaskOf(const IntraBlock& block);
  uint32_t AddMask(const IntraBlock& block);
  void AddBatches(uint32_t waves);

  std::vector<IntraItem> items_;
  std::vector<IntraBatch> batches_;
  std::vector<uint8_t> tables_;
  bool paints_ = false;
  gpu::WaveGrid grid_;
  std::vector<uint32_t> list_of_;  // each record's: wave, then program
  std::vector<uint32_t> next_;     // of each list: its count, then an item
  // Where masks are in the tables, 32-bit words; 0: nowhere.
  static constexpr uint32_t kMaskKeys = 20 * kPlaneCount * 16;
  std::array<uint32_t, kMaskKeys> masks_ = {};
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_INTRA_ITEMS_H_
