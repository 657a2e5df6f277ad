// SPDX-License-Identifier: BSD-2-Clause
// What a client in this process can say of an AV1 frame beyond the kernel's
// controls: records of codec/controls.h with ids of our own. No node knows
// them.
#ifndef PERDIX_CODEC_AV1_PRIVATE_CONTROLS_H_
#define PERDIX_CODEC_AV1_PRIVATE_CONTROLS_H_

#include <cstdint>

#include "codec/av1/v4l2_controls.h"

namespace perdix::av1 {

// Far from the kernel's ids, which count up from BASE + 500.
inline constexpr uint32_t kColorConfigControl =
    V4L2_CID_CODEC_STATELESS_BASE + 0xf000;

// color_config() of 5.5.2, as far as it is not in v4l2_ctrl_av1_sequence. Where
// the record is absent: kMatrixUnspecified.
struct ColorConfigControl {
  uint32_t matrix_coefficients;  // 6.4.2
};

// Passes that the frame is decoded without, as a bit set of LeftOut: to compare
// half a decoder with another one. The pixels are wrong then.
inline constexpr uint32_t kLeaveOutControl = kColorConfigControl + 1;
enum LeftOut : uint32_t {
  kLeaveOutDeblock = 1,
  kLeaveOutCdef = 2,
  kLeaveOutRestoration = 4,
};
struct LeaveOutControl {
  uint32_t passes;
};

// context_update_tile_id (5.9.15) above 255, for which the kernel's control has
// no room. Where the record is absent that control's holds.
inline constexpr uint32_t kContextTileControl = kColorConfigControl + 2;
struct ContextTileControl {
  uint32_t id;
};

// Film grain clips chroma to luma's range if the matrix is the identity
// (7.18.3.5), which is allowed in 4:4:4 only.
inline constexpr uint32_t kMatrixIdentity = 0;
inline constexpr uint32_t kMatrixUnspecified = 2;

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_PRIVATE_CONTROLS_H_
