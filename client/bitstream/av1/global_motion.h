// SPDX-License-Identifier: BSD-2-Clause
// Global motion parameters (5.9.24, 5.9.25).
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_GLOBAL_MOTION_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_GLOBAL_MOTION_H_

#include <array>
#include <cstdint>

#include "client/bitstream/bit_reader.h"
#include "codec/av1/constants.h"
#include "codec/av1/v4l2_controls.h"

namespace perdix::client::av1 {

// gm_params: by reference name; that of INTRA_FRAME stays the identity.
using GmParams = std::array<std::array<int32_t, 6>, perdix::av1::kTotalRefs>;

// No motion: what setup_past_independence() (6.8.2) sets PrevGmParams to.
GmParams IdentityGmParams();

// Sets the control to no motion, with type IDENTITY.
void SetIdentity(v4l2_av1_global_motion& motion);

// global_motion_params() of an inter frame. previous: PrevGmParams. Any bits
// are valid.
void ReadGlobalMotion(BitReader& reader, bool allow_high_precision_mv,
                      const GmParams& previous, v4l2_av1_global_motion& motion);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_GLOBAL_MOTION_H_
