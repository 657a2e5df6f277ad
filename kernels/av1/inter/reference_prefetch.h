// SPDX-License-Identifier: BSD-2-Clause
// Asking for the references of a block that is about to be predicted.
#ifndef PERDIX_KERNELS_AV1_INTER_REFERENCE_PREFETCH_H_
#define PERDIX_KERNELS_AV1_INTER_REFERENCE_PREFETCH_H_

#include <cstdint>

#include "kernels/av1/inter/reference_block.h"
#include "kernels/av1/lists.h"
#include "kernels/simd/prefetch.h"

namespace perdix::av1 {

// Prefetching smaller blocks is not worth the instructions.
inline constexpr int kLeastPrefetchedWidth = 16;  // luma pixels

// The pixels that a block reads in one direction, by six taps. position, size:
// its own, in luma pixels. mv: 1/8 luma pixel.
inline simd::Extent ReadPixels(int position, int size, int mv,
                               int subsampling) {
  const int begin = (position + (mv >> 3)) >> subsampling;
  const bool whole = (mv & ((8 << subsampling) - 1)) == 0;
  return whole ? simd::Extent{begin, size >> subsampling}
               : simd::Extent{begin - 2, (size >> subsampling) + 5};
}

// Prefetches from all references of a frame. Scaled ones and warps are left
// out, and so are some pixels of a block that sticks out of the frame.
template <typename Sample>
class ReferencePrefetch {
 public:
  explicit ReferencePrefetch(const KernelArgs& args) : args_(args) {
    const FrameParams& params = *args.params;
    subsampling_x_ = static_cast<int>(params.subsampling_x);
    subsampling_y_ = static_cast<int>(params.subsampling_y);
    monochrome_ = ParamsOf(args).monochrome != 0;
    for (uint32_t ref = 0; ref < PERDIX_AV1_REFS; ++ref) {
      wanted_[ref] =
          simd::LeavesTheCaches(args.references[ref].planes[kLuma]) &&
          ParamsOf(args).references[ref].x_step == kNotScaledStep;
    }
  }

  [[gnu::always_inline]] void Ask(const InterBlock& block) const {
    if ((1 << InterWidthLog2(block.shape)) < kLeastPrefetchedWidth) return;
    AskReference(block, InterRef0(block.shape), block.mv0);
    if (InterIsCompound(block.shape))
      AskReference(block, InterRef1(block.shape), block.mv1);
  }

 private:
  [[gnu::always_inline]] void AskReference(const InterBlock& block,
                                           uint32_t ref, uint32_t mv) const {
    if (!wanted_[ref]) return;
    const Plane* const planes = args_.references[ref].planes;
    const uint32_t asked = InterPlanes(block.shape);
    if (asked & PERDIX_PLANES_LUMA) AskPlane<1>(planes[kLuma], block, mv, 0, 0);
    if ((asked & PERDIX_PLANES_CHROMA) && !monochrome_) {
      AskPlane<kMaxPixelStep>(planes[kChroma], block, mv, subsampling_x_,
                              subsampling_y_);
    }
  }

  template <int kPixelStep>
  [[gnu::always_inline]] static void AskPlane(const Plane& plane,
                                              const InterBlock& block,
                                              uint32_t mv, int subsampling_x,
                                              int subsampling_y) {
    constexpr int kPixelBytes = kPixelStep * static_cast<int>(sizeof(Sample));
    const simd::Extent columns =
        ReadPixels(static_cast<int>(PositionX4(block.position)) * 4,
                   1 << InterWidthLog2(block.shape), MvCol(mv), subsampling_x);
    const simd::Extent rows =
        ReadPixels(static_cast<int>(PositionY4(block.position)) * 4,
                   1 << InterHeightLog2(block.shape), MvRow(mv), subsampling_y);
    simd::Prefetch(
        plane, {columns.begin * kPixelBytes, columns.size * kPixelBytes}, rows);
  }

  const KernelArgs& args_;
  int subsampling_x_;
  int subsampling_y_;
  bool monochrome_;
  bool wanted_[PERDIX_AV1_REFS];
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_REFERENCE_PREFETCH_H_
