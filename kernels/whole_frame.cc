// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/whole_frame.h"

namespace perdix {

void RunWholeFrame(KernelId kernel, KernelFunction function, KernelArgs args,
                   std::span<const WorkLists> tiles) {
  const Range all = {0, args.params->sb_cols};
  for (uint32_t row = 0; row < args.params->sb_rows; ++row) {
    for (const WorkLists& tile : tiles) {
      const Range items = RowOf(kernel).Items(tile, *args.params, row, all);
      if (items.begin == items.end) continue;
      args.lists = tile;
      function(args, items);
    }
  }
}

}  // namespace perdix
