// SPDX-License-Identifier: BSD-2-Clause
// What is derived of the order hints of the reference slots: references that a
// header leaves out (7.8) and those of skip mode (5.9.22).
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_REFERENCES_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_REFERENCES_H_

#include <array>
#include <cstdint>
#include <optional>

#include "client/base/coded_frame.h"
#include "codec/av1/constants.h"

namespace perdix::client::av1 {

using perdix::av1::kRefsPerFrame;

// RefOrderHint: by slot.
using SlotOrderHints = std::array<uint32_t, kReferenceSlots>;
// ref_frame_idx: by reference name, without INTRA_FRAME.
using SlotOfReference = std::array<uint8_t, kRefsPerFrame>;

// The order hints of a stream: numbers modulo 2^bits, or none (bits is 0).
struct OrderHints {
  uint8_t bits = 0;      // OrderHintBits
  uint32_t current = 0;  // OrderHint
  SlotOrderHints slots = {};

  // get_relative_dist (5.9.3): above 0 if a comes later than b in output order.
  int Distance(uint32_t a, uint32_t b) const;
};

// set_frame_refs() of 7.8.
SlotOfReference SetFrameRefs(const OrderHints& hints, uint8_t last_frame_idx,
                             uint8_t gold_frame_idx);

// SkipModeFrame of 5.9.22; none: skipModeAllowed is 0. The caller sees to the
// other conditions there.
std::optional<std::array<uint8_t, 2>> SkipModeFrames(
    const OrderHints& hints, const SlotOfReference& ref_frame_idx);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_REFERENCES_H_
