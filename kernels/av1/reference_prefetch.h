// SPDX-License-Identifier: BSD-2-Clause
// Asking for the references of a block that is about to be predicted.
#ifndef PERDIX_KERNELS_AV1_REFERENCE_PREFETCH_H_
#define PERDIX_KERNELS_AV1_REFERENCE_PREFETCH_H_

#include <cstdint>

#include "kernels/av1/lists.h"
#include "kernels/av1/reference_block.h"
#include "kernels/vp9/prefetch.h"

namespace perdix::av1 {

// Of smaller blocks prefetching is not worth the instructions.
inline constexpr int kLeastPrefetchedWidth = 16;  // luma pixels

// The pixels that a block reads in one direction, by six taps. position, size:
// its own, in luma pixels. mv: 1/8 luma pixel.
inline vp9::Extent ReadPixels(int position, int size, int mv, int subsampling) {
  const int begin = (position + (mv >> 3)) >> subsampling;
  const bool whole = (mv & ((8 << subsampling) - 1)) == 0;
  return whole ? vp9::Extent{begin, size >> subsampling}
               : vp9::Extent{begin - 2, (size >> subsampling) + 5};
}

// Scaled references and warps are left out, and where the block sticks out of
// the frame so are some of its pixels.
template <typename Sample>
[[gnu::always_inline]] inline void PrefetchReference(const KernelArgs& args,
                                                     const InterBlock& block,
                                                     uint32_t ref,
                                                     uint32_t mv) {
  constexpr int kSampleBytes = static_cast<int>(sizeof(Sample));
  const FrameParams& params = *args.params;
  if (!vp9::LeavesTheCaches(args.references[ref].planes[kLuma])) return;
  if (ParamsOf(args).references[ref].x_step != kNotScaledStep) return;
  const int x = static_cast<int>(PositionX4(block.position)) * 4;
  const int y = static_cast<int>(PositionY4(block.position)) * 4;
  const int width = 1 << InterWidthLog2(block.shape);
  const int height = 1 << InterHeightLog2(block.shape);
  for (const uint32_t index : {kLuma, kChroma}) {
    const bool luma = index == kLuma;
    if ((InterPlanes(block.shape) &
         (luma ? PERDIX_PLANES_LUMA : PERDIX_PLANES_CHROMA)) == 0) {
      continue;
    }
    if (!luma && ParamsOf(args).monochrome != 0) return;
    const int ss_x = luma ? 0 : static_cast<int>(params.subsampling_x);
    const int ss_y = luma ? 0 : static_cast<int>(params.subsampling_y);
    const int pixel_bytes = luma ? kSampleBytes : kMaxPixelStep * kSampleBytes;
    const vp9::Extent columns = ReadPixels(x, width, MvCol(mv), ss_x);
    vp9::Prefetch(args.references[ref].planes[index],
                  {columns.begin * pixel_bytes, columns.size * pixel_bytes},
                  ReadPixels(y, height, MvRow(mv), ss_y));
  }
}

template <typename Sample>
[[gnu::always_inline]] inline void PrefetchReferences(const KernelArgs& args,
                                                      const InterBlock& block) {
  if ((1 << InterWidthLog2(block.shape)) < kLeastPrefetchedWidth) return;
  PrefetchReference<Sample>(args, block, InterRef0(block.shape), block.mv0);
  if (InterIsCompound(block.shape)) {
    PrefetchReference<Sample>(args, block, InterRef1(block.shape), block.mv1);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_REFERENCE_PREFETCH_H_
