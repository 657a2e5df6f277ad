// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters as the shaders read them: 32 bits a tap.
#include "kernels/vp9/subpel_filters.h"

#include "kernels/vulkan/work_order.h"

namespace perdix::vulkan {

const SubpelTable& SubpelFilters() {
  static constexpr SubpelTable kFilters = [] {
    SubpelTable table = {};
    for (size_t filter = 0; filter < table.size(); ++filter) {
      for (size_t fraction = 0; fraction < table[filter].size(); ++fraction) {
        for (size_t tap = 0; tap < table[filter][fraction].size(); ++tap) {
          table[filter][fraction][tap] =
              vp9::kSubpelFilters[filter][fraction][tap];
        }
      }
    }
    return table;
  }();
  return kFilters;
}

}  // namespace perdix::vulkan
