// SPDX-License-Identifier: BSD-2-Clause
// Film grain parameters (5.9.30).
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_FILM_GRAIN_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_FILM_GRAIN_H_

#include <functional>

#include "client/base/coded_frame.h"
#include "client/bitstream/bit_reader.h"
#include "codec/av1/v4l2_controls.h"
#include "kernels/status.h"

namespace perdix::client::av1 {

using FilmGrain = v4l2_ctrl_av1_film_grain;

struct FilmGrainInput {
  FrameFormat samples;
  // frame_type is INTER_FRAME: the parameters may be those of another frame.
  bool may_refer = false;
  // load_grain_params(): those of a slot; null if the frame does not refer to
  // it.
  std::function<const FilmGrain*(uint8_t slot)> load;
};

// film_grain_params() of a frame that has them: one that is shown, or may be.
// Fails on what the noise could not be made of.
Status ReadFilmGrain(BitReader& reader, const FilmGrainInput& input,
                     FilmGrain* grain);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_FILM_GRAIN_H_
