// SPDX-License-Identifier: BSD-2-Clause
// From the film grain control to the table that the kernel reads.
#ifndef PERDIX_CODEC_AV1_FILM_GRAIN_SETUP_H_
#define PERDIX_CODEC_AV1_FILM_GRAIN_SETUP_H_

#include "codec/av1/frame_state.h"
#include "codec/parsed_frame.h"
#include "kernels/status.h"

namespace perdix::av1 {

// Where the frame has a display picture: checks the control, and builds the
// table kFilmGrain (7.18.3.2 to .4).
Status SetUpFilmGrain(ParsedFrame& parsed, const FrameState& frame);

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_FILM_GRAIN_SETUP_H_
