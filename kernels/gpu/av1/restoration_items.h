// SPDX-License-Identifier: BSD-2-Clause
// What loop restoration filters, in cells (kernels/shared/av1/dispatch.h), in
// lists by how.
#ifndef PERDIX_KERNELS_GPU_AV1_RESTORATION_ITEMS_H_
#define PERDIX_KERNELS_GPU_AV1_RESTORATION_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/plane.h"
#include "kernels/shared/av1/dispatch.h"

namespace perdix::av1 {

// Pixels of a plane that are shown, and so restored.
struct RestorationSize {
  uint32_t width;
  uint32_t height;
};
RestorationSize RestorationSizeOf(const FrameParams& params, const Params& av1,
                                  uint32_t plane);

// Keeps its memory from frame to frame.
class RestorationItems {
 public:
  // cell_lines: that a cell has at most, even. units: of kRestorationUnits, all
  // that the frame has.
  RestorationItems(uint32_t cell_lines) : cell_lines_(cell_lines) {}
  void Set(const FrameParams& params, const Params& av1,
           std::span<const RestorationUnit> units);

  // Those of a plane that are filtered so: PERDIX_RESTORATION_WIENER,
  // PERDIX_SELF_GUIDED_*.
  std::span<const RestorationItem> Of(uint32_t plane, uint32_t kind) const {
    return items_[plane][kind];
  }
  std::span<const RestorationCopy> copies(uint32_t plane) const {
    return copies_[plane];
  }
  size_t scratch_bytes() const { return scratch_bytes_; }

 private:
  struct Frame;  // what Set was called with
  struct Cell {
    uint32_t plane;
    uint32_t column;
    uint32_t stripe;
    uint32_t y;      // of the stripe in the plane
    uint32_t lines;  // PackRestorationLines
  };

  void Clear();
  void AddStripe(const Frame& frame, uint32_t plane, uint32_t stripe);
  void AddCell(const Frame& frame, const Cell& cell);
  uint32_t AddItem(const Frame& frame, const Cell& cell, uint32_t component);

  const uint32_t cell_lines_;
  std::vector<RestorationItem> items_[kPlaneCount][PERDIX_RESTORATION_KINDS];
  std::vector<RestorationCopy> copies_[kPlaneCount];
  size_t scratch_bytes_ = 0;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_RESTORATION_ITEMS_H_
