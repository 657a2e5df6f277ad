// SPDX-License-Identifier: BSD-2-Clause
// One frame of perdixctl top, as lines of text. Knows nothing of terminals but
// their size.
#ifndef PERDIX_TOOLS_CTL_TOP_FRAME_H_
#define PERDIX_TOOLS_CTL_TOP_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/ctl/snapshot.h"
#include "tools/ctl/text.h"

namespace perdix::ctl {

struct TopView {
  Style style;
  size_t width = 80;
  size_t height = 24;                // 0: as high as it gets
  std::optional<uint32_t> selected;  // id of a session; none: all of them
  std::string keys;                  // the last line; empty: none
};

// <now>, with histogram and stages counted from <since> on: a snapshot that was
// taken before, or an empty one for all that the daemon has counted.
std::vector<std::string> TopFrame(const Snapshot& now, const Snapshot& since,
                                  const TopView& view);

}  // namespace perdix::ctl

#endif  // PERDIX_TOOLS_CTL_TOP_FRAME_H_
