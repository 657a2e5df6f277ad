// SPDX-License-Identifier: BSD-2-Clause
// Transform blocks in parts, in lists by the program that takes them.
#ifndef PERDIX_KERNELS_GPU_AV1_RESIDUAL_ITEMS_H_
#define PERDIX_KERNELS_GPU_AV1_RESIDUAL_ITEMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/gpu/frame_input.h"
#include "kernels/gpu/tile_input.h"
#include "kernels/shared/av1/residual_dispatch.h"

namespace perdix::av1 {

// Which blocks, and what becomes of their residual.
enum class ResidualOf {
  kInter,  // kInterTransforms: added to the target
  kIntra,  // kIntraTransforms: left in the planes of ResidualLayout
};

enum class ResidualPass : uint32_t { kRows, kColumns, kDc };

// What a program is made for.
struct ResidualKind {
  ResidualPass pass;
  uint32_t length_log2;  // of its transform, 2..6; kDc: 0
  uint32_t kind;         // PERDIX_RESIDUAL_DCT ..; with CLAMPS
  uint32_t output;       // PERDIX_RESIDUAL_TO_*; kRows: 0

  bool operator==(const ResidualKind&) const = default;
};

// All there are, but those that write elsewhere.
std::vector<ResidualKind> ResidualKinds(ResidualOf which);

// Keeps its memory from frame to frame.
class ResidualItems {
 public:
  // Items that are in one list because one program takes them in one step.
  struct List {
    ResidualKind kind;
    // 0: rows. 1: what reads them, or only coefficients, without V. 2: V, which
    // shares words of the target with U.
    uint32_t step;
    std::vector<uint32_t> items;  // PackResidualItem
  };

  // values: words of the scratch memory, a multiple of 4, from where on the
  // blocks' values may lie.
  void Set(const gpu::FrameInput& input, std::span<const gpu::TileInput> tiles,
           ResidualOf which, uint32_t values);

  bool empty() const { return blocks_.size() == 1; }
  // Block 0 pads lists: it lies outside of any frame.
  std::span<const ResidualBlock> blocks() const { return blocks_; }
  // In the order of steps; some are empty.
  std::span<const List> lists() const { return lists_; }
  // Words of the scratch memory, from its beginning to the values' end.
  uint32_t scratch_words() const { return scratch_words_; }
  ResidualOf which() const { return which_; }

 private:
  struct Placed;

  void MakeLists();
  std::vector<uint32_t>& RowItems(uint32_t length_log2, uint32_t kind);
  std::vector<uint32_t>& ColumnItems(uint32_t component, uint32_t length_log2,
                                     uint32_t kind);
  std::vector<uint32_t>& DcItems(uint32_t component);
  void Add(const gpu::FrameInput& input, const gpu::TileInput& tile,
           const TransformBlock& block);
  void AddDc(const Placed& placed);
  void AddTransforms(const Placed& placed, uint32_t sum);

  ResidualOf which_ = ResidualOf::kInter;
  std::vector<ResidualBlock> blocks_;
  std::vector<List> lists_;
  uint32_t scratch_words_ = 0;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_RESIDUAL_ITEMS_H_
