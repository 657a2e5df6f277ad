// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/chroma_sampling.h"

#include "codec/av1/v4l2_controls.h"

namespace perdix {
namespace {

ChromaSampling FromFlags(uint64_t flags, uint64_t x, uint64_t y) {
  return {(flags & x) != 0, (flags & y) != 0};
}

}  // namespace

ChromaSampling ChromaSamplingOf(Controls controls) {
  v4l2_ctrl_vp9_frame frame;
  if (ReadControl(controls, V4L2_CID_STATELESS_VP9_FRAME, &frame).ok()) {
    return FromFlags(frame.flags, V4L2_VP9_FRAME_FLAG_X_SUBSAMPLING,
                     V4L2_VP9_FRAME_FLAG_Y_SUBSAMPLING);
  }
  v4l2_ctrl_av1_sequence sequence;
  if (ReadControl(controls, V4L2_CID_STATELESS_AV1_SEQUENCE, &sequence).ok() &&
      !(sequence.flags & V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME)) {
    return FromFlags(sequence.flags, V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X,
                     V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y);
  }
  return {};
}

}  // namespace perdix
