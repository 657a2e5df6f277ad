// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters as inter_pred.comp reads them.
#ifndef PERDIX_KERNELS_GPU_VP9_SUBPEL_FILTERS_H_
#define PERDIX_KERNELS_GPU_VP9_SUBPEL_FILTERS_H_

#include <array>
#include <cstdint>

namespace perdix::vp9 {

// What the tables buffer holds: [filter][fraction][tap / 2], half floats.
using SubpelTable = std::array<std::array<std::array<uint32_t, 4>, 16>, 4>;
const SubpelTable& SubpelFilters();

}  // namespace perdix::vp9

#endif  // PERDIX_KERNELS_GPU_VP9_SUBPEL_FILTERS_H_
