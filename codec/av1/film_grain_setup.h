// SPDX-License-Identifier: BSD-2-Clause
// From the film grain control to the table that the kernel reads.
#ifndef PERDIX_CODEC_AV1_FILM_GRAIN_SETUP_H_
#define PERDIX_CODEC_AV1_FILM_GRAIN_SETUP_H_

#include "codec/av1/frame_state.h"
#include "codec/parsed_frame.h"
#include "kernels/status.h"

namespace perdix::av1 {

// What the control says, or the parameters of the frame that it names instead
// (load_grain_params, 6.8.20) if that is intact, with the control's seed. No
// flags: no grain.
v4l2_ctrl_av1_film_grain FindFilmGrain(const FrameRequest& request,
                                       const FrameState& frame);

// Where the frame has a display picture: checks frame.film_grain, and builds
// the table kFilmGrain (7.18.3.2 to .4).
Status SetUpFilmGrain(ParsedFrame& parsed, const FrameState& frame);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FILM_GRAIN_SETUP_H_
