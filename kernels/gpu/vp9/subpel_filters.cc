// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters as the shaders read them: half floats of tap / 128.
#include "kernels/gpu/vp9/subpel_filters.h"

#include <bit>
#include <cstddef>

#include "kernels/gpu/half_float.h"
#include "kernels/vp9/subpel_filters.h"

namespace perdix::vp9 {
const SubpelTable& SubpelFilters() {
  static constexpr SubpelTable kFilters = [] {
    SubpelTable table = {};
    for (size_t filter = 0; filter < table.size(); ++filter) {
      for (size_t fraction = 0; fraction < table[filter].size(); ++fraction) {
        for (size_t pair = 0; pair < table[filter][fraction].size(); ++pair) {
          const int16_t* taps = &kSubpelFilters[filter][fraction][2 * pair];
          table[filter][fraction][pair] = gpu::HalfFloatOf(taps[0], 7) |
                                          (gpu::HalfFloatOf(taps[1], 7) << 16);
        }
      }
    }
    return table;
  }();
  return kFilters;
}

}  // namespace perdix::vp9
