// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/edits.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "codec/av1/private_controls.h"
#include "codec/av1/v4l2_controls.h"
#include "codec/controls.h"

namespace perdix::client::av1 {
namespace {

// The value of the frame's control <id>; empty: it has none.
std::span<uint8_t> FindValue(uint32_t id, CodedFrame* frame) {
  std::span<const uint8_t> value;
  if (!FindControl(frame->controls, id, &value).ok()) return {};
  const auto offset = size_t(value.data() - frame->controls.data());
  return std::span(frame->controls).subspan(offset, value.size());
}

}  // namespace

void RemoveGrain(CodedFrame* frame) {
  std::ranges::fill(FindValue(V4L2_CID_STATELESS_AV1_FILM_GRAIN, frame),
                    uint8_t{0});
  frame->separate_display = false;
}

std::span<const InLoopFilter> InLoopFilters() {
  static constexpr InLoopFilter kFilters[] = {
      {"deblock", perdix::av1::kLeaveOutDeblock},
      {"cdef", perdix::av1::kLeaveOutCdef},
      {"restoration", perdix::av1::kLeaveOutRestoration}};
  return kFilters;
}

void LeaveOut(uint32_t filters, CodedFrame* frame) {
  if (FindValue(V4L2_CID_STATELESS_AV1_FRAME, frame).empty()) return;
  const perdix::av1::LeaveOutControl control = {.passes = filters};
  AppendControl(perdix::av1::kLeaveOutControl, control, &frame->controls);
}

}  // namespace perdix::client::av1
