// SPDX-License-Identifier: BSD-2-Clause
// What a codec declares of its passes over a frame: which kernels a pass runs,
// and what each part of it comes after. cell_grid.h makes an order of it.
#ifndef PERDIX_CODEC_PASS_H_
#define PERDIX_CODEC_PASS_H_

#include <algorithm>
#include <cstdint>
#include <span>

#include "kernels/kernel.h"
#include "kernels/shared/dispatch.h"

namespace perdix {

class ParsedFrame;

// A codec asserts that its passes fit, and their stages (kMaxStages).
inline constexpr uint32_t kMaxPasses = 16;

// A superblock comes after another one, <rows> below and <columns> to the right
// of it, of pass <pass>, and after all to the left of that one. If that pass
// has its rows in any order, and <rows> is above 0: also after the rows
// between. What would lie above or to the left of the frame does not count;
// what would lie below or to the right of it is the last row or column.
struct After {
  uint32_t pass;  // index in the codec's passes
  int rows;       // superblocks
  int columns;    // superblocks
};

// The CPU works a pass off in cells, which are runs of superblocks of a row,
// from left to right, or in whole rows. Its rows go from top to bottom if it
// comes after rows of its own above, else in any order. A row comes after whole
// rows of other passes, and whatever comes after a row, after all of it.
//
// A pass that a frame does not need, or that runs elsewhere, hands on what it
// comes after to those that come after it, with the sum of the offsets. So that
// an order comes of every choice of passes:
//   - a pass comes after earlier ones, and after rows of its own above,
//   - every pass but the first comes after the one before it, with no offset
//     below 0,
//   - a pass of cells whose rows go from top to bottom comes after its own row
//     above, with no offset of columns below 0.
struct Pass {
  const char* name;                   // "filter"
  std::span<const KernelId> kernels;  // of a superblock, in this order
  std::span<const After> after;
  // Whether the frame needs the pass; null: every frame does.
  bool (*needed)(const ParsedFrame& frame) = nullptr;
  bool whole_rows = false;
  // The pass's cells look at no other tile column. Where tile columns go each
  // their own way, this pass goes from left to right in each of them, and
  // columns of it that others come after end at the tile's edges instead of the
  // frame's. So a pass that reads pixels of this one beyond a tile's right edge
  // must go by whole rows.
  bool within_tiles = false;
  // It writes the picture that is shown instead of the target, which is final
  // before.
  bool output = false;
  // Only frames need it whose target has its samples not in the low bits
  // (PictureView::shift). Pictures of Engine::NewPicture have them there.
  bool shifts = false;
  // Its kernels take turns superblock by superblock, because they read what
  // they have left of earlier ones. On a GPU each kernel goes over the whole
  // frame: this pass never runs there.
  bool on_cpu = false;

  bool ReadsLists() const {
    return std::ranges::any_of(
        kernels, [](KernelId kernel) { return RowOf(kernel).ReadsList(); });
  }
  // index: its own in the codec's passes.
  bool RowsInOrder(uint32_t index) const {
    return std::ranges::any_of(
        after, [index](const After& other) { return other.pass == index; });
  }
  // Whether its cells go from left to right in each tile, if tiles go their own
  // way.
  bool ByTile() const { return within_tiles && !whole_rows; }
};

// The kernels of all passes: no frame has more stages.
constexpr uint32_t StageCount(std::span<const Pass> passes) {
  uint32_t count = 0;
  for (const Pass& pass : passes) count += uint32_t(pass.kernels.size());
  return count;
}

}  // namespace perdix

#endif  // PERDIX_CODEC_PASS_H_
