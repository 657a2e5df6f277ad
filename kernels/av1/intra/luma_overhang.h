// SPDX-License-Identifier: BSD-2-Clause
// Luma beyond the decoded area, which chroma from luma needs (7.11.5):
// transform blocks may stick out of the target, and what they have there
// counts.
#ifndef PERDIX_KERNELS_AV1_INTRA_LUMA_OVERHANG_H_
#define PERDIX_KERNELS_AV1_INTRA_LUMA_OVERHANG_H_

#include <algorithm>
#include <cstring>

#include "kernels/av1/intra/intra_target.h"

namespace perdix::av1 {

// The samples of blocks up to 32x32, at their position modulo 32; larger ones
// have no chroma from luma. Chroma follows its luma at once, so that one such
// area is enough.
template <typename Sample>
class LumaOverhang {
 public:
  static constexpr int kSize = 32;

  static bool Keeps(int width, int height) {
    return width <= kSize && height <= kSize;
  }

  // Where the block at x, y is.
  Output<Sample> At(int x, int y) {
    return {&samples_[y % kSize][x % kSize], kSize};
  }

 private:
  Sample samples_[kSize][kSize] = {};
};

// Copies the part of a block that the target has.
template <typename Sample>
void CopyVisible(const IntraTarget<Sample>& target, int step,
                 Output<Sample> from, Output<Sample> to) {
  const size_t bytes =
      sizeof(Sample) * static_cast<size_t>(step * target.VisibleWidth());
  for (int y = 0; y < target.VisibleHeight(); ++y) {
    std::memcpy(to.Row(y), from.Row(y), bytes);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_LUMA_OVERHANG_H_
