// SPDX-License-Identifier: BSD-2-Clause
// The kernels of AV1: scalar references, written from the specification; Simd
// are their variants on vectors. Sample is uint8_t (bit depth 8) or uint16_t
// (10, 12).
#ifndef PERDIX_KERNELS_AV1_KERNELS_H_
#define PERDIX_KERNELS_AV1_KERNELS_H_

#include "kernels/av1/lists.h"

namespace perdix::av1 {

// Item: one of kInterBlocks. In list order: overlapping predictions follow
// their block's. Reads references only.
template <typename Sample>
void InterPred(const KernelArgs& args, Range range);

// Item: one of kInterTransforms. Any order, after InterPred of the block.
template <typename Sample>
void InverseTransform(const KernelArgs& args, Range range);

// Item: one of kIntraBlocks. List order, after InterPred and InverseTransform
// of the superblock, and after its neighbours to the left, above, above left
// and above right. Adds the residual itself.
template <typename Sample>
void IntraPred(const KernelArgs& args, Range range);

// The in-loop filters work in place, on whole rows of superblocks: an item is a
// superblock, a range all of a row. Deblock goes from top to bottom, the others
// in any order, as line_buffers.h says.

// All edges of the row, those at its top included: changes 6 lines above. Then
// saves what later filters must see as it is now (line_buffers.h). After the
// row below is reconstructed.
template <typename Sample>
void Deblock(const KernelArgs& args, Range range);

// From 8 luma lines above the row to 8 above its end; the last row to its end.
// After Deblock of the row.
template <typename Sample>
void Cdef(const KernelArgs& args, Range range);

// The same lines: from FrameWidth to UpscaledWidth. After Cdef of the row.
template <typename Sample>
void SuperRes(const KernelArgs& args, Range range);

// The same lines. After SuperRes of the row.
template <typename Sample>
void LoopRestoration(const KernelArgs& args, Range range);

// The same lines, from target to display (which may be the same picture). After
// LoopRestoration of the row.
template <typename Sample>
void FilmGrain(const KernelArgs& args, Range range);

// The same on vectors (Google Highway), for the best target of this CPU.
template <typename Sample>
void InterPredSimd(const KernelArgs& args, Range range);
template <typename Sample>
void InverseTransformSimd(const KernelArgs& args, Range range);
template <typename Sample>
void IntraPredSimd(const KernelArgs& args, Range range);
template <typename Sample>
void DeblockSimd(const KernelArgs& args, Range range);
template <typename Sample>
void CdefSimd(const KernelArgs& args, Range range);
template <typename Sample>
void SuperResSimd(const KernelArgs& args, Range range);
template <typename Sample>
void LoopRestorationSimd(const KernelArgs& args, Range range);
template <typename Sample>
void FilmGrainSimd(const KernelArgs& args, Range range);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_KERNELS_H_
