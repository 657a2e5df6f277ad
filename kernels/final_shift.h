// SPDX-License-Identifier: BSD-2-Clause
// The last pass over a picture whose samples are not in the low bits
// (PictureView::shift), as in P010.
#ifndef PERDIX_KERNELS_FINAL_SHIFT_H_
#define PERDIX_KERNELS_FINAL_SHIFT_H_

#include "kernels/kernel.h"

namespace perdix {

// Shifts the lines of the target that became final with the superblock rows in
// range, in place. Nothing of the frame may read them afterwards. Whole rows.
template <typename Sample>
void FinalShift(const KernelArgs& args, Range range);

}  // namespace perdix

#endif  // PERDIX_KERNELS_FINAL_SHIFT_H_
