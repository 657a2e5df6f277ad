// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/edge_levels.h"

#include <algorithm>

#include "codec/av1/frame_state.h"

namespace perdix::av1 {

EdgeLevels SelectEdgeLevels(const FrameState& frame, int segment_id,
                            int ref_frame, int mode_type,
                            const int8_t delta_lf[kFrameLfCount]) {
  const v4l2_av1_loop_filter& filter = frame.header.loop_filter;
  const SegmentParams& segment = frame.segments[segment_id];
  const int ref = std::max(ref_frame, int(INTRA_FRAME));
  EdgeLevels levels;
  for (int i = 0; i < kFrameLfCount; ++i) {
    if (i >= 2 && filter.level[i] == 0) {  // the plane is not filtered (7.14.1)
      levels.of[i] = 0;
      continue;
    }
    const int delta = delta_lf[frame.delta_lf_multi ? i : 0];
    int level = std::clamp(delta + filter.level[i], 0, 63);
    const int feature = SEG_LVL_ALT_LF_Y_V + i;
    if (frame.segmentation_enabled && segment.Active(feature)) {
      level = std::clamp(level + segment.feature_data[feature], 0, 63);
    }
    if (filter.flags & V4L2_AV1_LOOP_FILTER_FLAG_DELTA_ENABLED) {
      const int scale = 1 << (level >> 5);
      level += filter.ref_deltas[ref] * scale;
      if (ref != INTRA_FRAME) level += filter.mode_deltas[mode_type] * scale;
      level = std::clamp(level, 0, 63);
    }
    levels.of[i] = uint8_t(level);
  }
  return levels;
}

}  // namespace perdix::av1
