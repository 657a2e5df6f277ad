// SPDX-License-Identifier: BSD-2-Clause
// Inter prediction (VP9 8.5.2): motion vector clamping and scaling, block
// interpolation, averaging of compound predictions. Residual is not added here.
//
// Reads: inter_blocks, the references' planes. Writes: the target's planes.
// Work item: one InterBlock. Order: any.
#include "kernels/vp9/block_interpolation.h"
#include "kernels/vp9/kernels.h"

namespace perdix::vp9 {

template <typename Sample>
void InterPred(const KernelArgs& args, Range range) {
  PredictInterBlocks<ScalarLines, Sample>(args, range);
}

template void InterPred<uint8_t>(const KernelArgs&, Range);
template void InterPred<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::vp9
