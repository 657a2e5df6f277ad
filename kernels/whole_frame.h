// SPDX-License-Identifier: BSD-2-Clause
// Kernels of the CPU over a whole frame, one after the other: what any other
// order of work must give.
#ifndef PERDIX_KERNELS_WHOLE_FRAME_H_
#define PERDIX_KERNELS_WHOLE_FRAME_H_

#include <span>

#include "kernels/kernel.h"

namespace perdix {

// Calls a function of <kernel> with every work item of the frame, superblock
// row by superblock row, in each from the left tile column to the right one.
// tiles: the whole lists of each tile column, left to right. args: but for the
// lists.
void RunWholeFrame(KernelId kernel, KernelFunction function, KernelArgs args,
                   std::span<const WorkLists> tiles);

}  // namespace perdix

#endif  // PERDIX_KERNELS_WHOLE_FRAME_H_
