// SPDX-License-Identifier: BSD-2-Clause
// What the film grain control says, for the engine and for clients.
#ifndef PERDIX_CODEC_AV1_FILM_GRAIN_CONTROL_H_
#define PERDIX_CODEC_AV1_FILM_GRAIN_CONTROL_H_

#include "codec/av1/v4l2_controls.h"

namespace perdix::av1 {

// Whether it changes a sample: there is grain to apply, and a plane that has a
// scaling function.
inline bool HasGrain(const v4l2_ctrl_av1_film_grain& grain) {
  if (!(grain.flags & V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN)) return false;
  return grain.num_y_points != 0 || grain.num_cb_points != 0 ||
         grain.num_cr_points != 0 ||
         (grain.flags & V4L2_AV1_FILM_GRAIN_FLAG_CHROMA_SCALING_FROM_LUMA);
}

// Whether another frame has its parameters (update_grain, 6.8.20), so that the
// control's own may be anything.
inline bool IsByReference(const v4l2_ctrl_av1_film_grain& grain) {
  return (grain.flags & V4L2_AV1_FILM_GRAIN_FLAG_APPLY_GRAIN) &&
         !(grain.flags & V4L2_AV1_FILM_GRAIN_FLAG_UPDATE_GRAIN);
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FILM_GRAIN_CONTROL_H_
