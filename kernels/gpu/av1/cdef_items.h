// SPDX-License-Identifier: BSD-2-Clause
// The 8x8 blocks that CDEF filters, in lists by what they need.
#ifndef PERDIX_KERNELS_GPU_AV1_CDEF_ITEMS_H_
#define PERDIX_KERNELS_GPU_AV1_CDEF_ITEMS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/plane.h"
#include "kernels/shared/av1/dispatch.h"

namespace perdix::av1 {

// 8x8 of luma that a frame's decoded area has.
struct CdefGrid {
  uint32_t columns;
  uint32_t rows;

  uint32_t cells() const { return columns * rows; }
};
CdefGrid CdefGridOf(const FrameParams& params);

// Keeps its memory from frame to frame.
class CdefItems {
 public:
  // blocks: of kCdefBlocks, as many as the frame has 64x64.
  void Set(const FrameParams& params, const Params& av1,
           std::span<const CdefBlock> blocks);

  // Those of a plane with such taps: PERDIX_CDEF_*. PackCdefItem.
  std::span<const uint32_t> Of(uint32_t plane, uint32_t taps) const {
    return items_[plane][taps];
  }
  uint32_t Count(uint32_t plane) const;
  // Those whose direction counts, in luma or in chroma.
  std::span<const uint32_t> directed() const { return directed_; }

 private:
  void Clear();
  void Add(uint32_t item, bool at_edge, const Params& av1);

  std::vector<uint32_t> items_[kPlaneCount][PERDIX_CDEF_KINDS];
  std::vector<uint32_t> directed_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_CDEF_ITEMS_H_
