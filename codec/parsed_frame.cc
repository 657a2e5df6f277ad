// SPDX-License-Identifier: BSD-2-Clause
#include "codec/parsed_frame.h"

#include <utility>

namespace perdix {

void ParsedFrame::Fail(Status status) {
  std::lock_guard lock(mutex_);
  if (failed_.load(std::memory_order_relaxed)) return;
  status_ = std::move(status);
  failed_.store(true, std::memory_order_release);
}

void ParsedFrame::MarkDamaged(Status status) {
  std::lock_guard lock(mutex_);
  if (!status_.ok()) return;
  status_ = std::move(status);
  damaged_.store(true, std::memory_order_release);
}

void ParsedFrame::Reset(FrameRequest next_request) {
  request = std::move(next_request);
  filter_lag = 0;
  coded_planes = kPlaneCount;
  parse_sources = {};
  used_references = kAllReferences;
  rest = {};
  status_ = Status::Ok();
  failed_.store(false, std::memory_order_relaxed);
  damaged_.store(false, std::memory_order_relaxed);
}

}  // namespace perdix
