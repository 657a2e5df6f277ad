// SPDX-License-Identifier: BSD-2-Clause
// The interpolation filters as the shaders read them: half floats of tap / 128.
#include "kernels/gpu/vp9/subpel_filters.h"

#include <bit>
#include <cstddef>

#include "kernels/vp9/subpel_filters.h"

namespace perdix::vp9 {
namespace {

// tap / 128 is exact: at most 8 bits of its 11 are used.
constexpr uint32_t HalfOfTap(int tap) {
  if (tap == 0) return 0;
  const auto magnitude = static_cast<uint32_t>(tap < 0 ? -tap : tap);
  const auto top = static_cast<uint32_t>(std::bit_width(magnitude)) - 1;
  const uint32_t exponent = top + 15 - 7;  // 15: bias of the format
  const uint32_t mantissa = (magnitude << (10 - top)) & 0x3ff;
  return (tap < 0 ? 0x8000u : 0u) | (exponent << 10) | mantissa;
}
static_assert(HalfOfTap(128) == 0x3c00 && HalfOfTap(-3) == 0xa600);

}  // namespace

const SubpelTable& SubpelFilters() {
  static constexpr SubpelTable kFilters = [] {
    SubpelTable table = {};
    for (size_t filter = 0; filter < table.size(); ++filter) {
      for (size_t fraction = 0; fraction < table[filter].size(); ++fraction) {
        for (size_t pair = 0; pair < table[filter][fraction].size(); ++pair) {
          const int16_t* taps = &kSubpelFilters[filter][fraction][2 * pair];
          table[filter][fraction][pair] =
              HalfOfTap(taps[0]) | (HalfOfTap(taps[1]) << 16);
        }
      }
    }
    return table;
  }();
  return kFilters;
}

}  // namespace perdix::vp9
