// SPDX-License-Identifier: BSD-2-Clause
// Changes to AV1 frames between parser and decoder (ParserOptions::edit).
// Frames of other codecs stay as they are.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_EDITS_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_EDITS_H_

#include <cstdint>

#include "client/coded_frame.h"

namespace perdix::client::av1 {

// Without the grain that the stream describes.
void RemoveGrain(CodedFrame* frame);

// Without these in-loop filters, a sum of codec/av1/private_controls.h's
// kLeaveOut...: for tests, as later frames then differ from what was coded. No
// node is told.
void LeaveOut(uint32_t passes, CodedFrame* frame);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_EDITS_H_
