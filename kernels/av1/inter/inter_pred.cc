// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (7.11.3): motion vector scaling, interpolation, warps,
// compound predictions with their masks, overlapping blocks. Neither residual
// nor the intra half of inter-intra blocks are added here.
//
// Reads: inter_blocks, warp matrices in the arena, the references' planes.
// Writes: the target's planes. Work item: one InterBlock, in list order.
#include "kernels/av1/inter/block_prediction.h"
#include "kernels/av1/inter/scalar_prediction.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {

template <typename Sample>
void InterPred(const KernelArgs& args, Range range) {
  PredictInterBlocks<Scalar, Sample>(args, range);
}

template void InterPred<uint8_t>(const KernelArgs&, Range);
template void InterPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
