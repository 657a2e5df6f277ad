// SPDX-License-Identifier: BSD-2-Clause
// Changes to AV1 frames between parser and decoder (ParserOptions::edit).
// Frames of other codecs stay as they are.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_EDITS_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_EDITS_H_

#include <cstdint>
#include <span>

#include "client/base/coded_frame.h"

namespace perdix::client::av1 {

// Takes away the grain that the stream describes.
void RemoveGrain(CodedFrame* frame);

struct InLoopFilter {
  const char* name;
  uint32_t bit;
};
// All that can be left out.
std::span<const InLoopFilter> InLoopFilters();

// Leaves out these in-loop filters, a sum of their bits. For tests: the pixels
// are not what was coded. No node is told.
void LeaveOut(uint32_t filters, CodedFrame* frame);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_EDITS_H_
