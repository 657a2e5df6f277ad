// SPDX-License-Identifier: BSD-2-Clause
// The kernels of VP9: scalar references, written from the specification. Sample
// is uint8_t (bit depth 8) or uint16_t (10, 12).
#ifndef PERDIX_KERNELS_VP9_KERNELS_H_
#define PERDIX_KERNELS_VP9_KERNELS_H_

#include "kernels/vp9/lists.h"

namespace perdix::vp9 {

// Item: one of kInterBlocks. Any order.
template <typename Sample>
void InterPred(const KernelArgs& args, Range range);

// Item: one of kInterTransforms. Any order, after InterPred of the block.
template <typename Sample>
void InverseTransform(const KernelArgs& args, Range range);

// Item: one of kIntraBlocks. List order, after its neighbours to the
// left, above and above left are reconstructed. Adds the residual itself.
template <typename Sample>
void IntraPred(const KernelArgs& args, Range range);

// Item: one superblock, all planes. Raster order, or any that respects
// (r, c) after (r, c - 1) and (r - 1, c + 1); after all its pixels and those of
// the superblocks right of and below it are reconstructed.
template <typename Sample>
void LoopFilter(const KernelArgs& args, Range range);

// The same on vectors (Google Highway), for the best target of this CPU.
template <typename Sample>
void InterPredSimd(const KernelArgs& args, Range range);
template <typename Sample>
void InverseTransformSimd(const KernelArgs& args, Range range);
template <typename Sample>
void IntraPredSimd(const KernelArgs& args, Range range);
template <typename Sample>
void LoopFilterSimd(const KernelArgs& args, Range range);

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_VP9_KERNELS_H_
