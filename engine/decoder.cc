// SPDX-License-Identifier: BSD-2-Clause
#include "engine/decoder.h"

#include <utility>

#include "engine/engine.h"
#include "engine/scheduler.h"

namespace perdix {

Decoder::Decoder(Engine& engine, const CodecRow& codec)
    : scheduler_(std::make_unique<Scheduler>(*engine.parts_, codec)) {}

Decoder::~Decoder() = default;

void Decoder::Submit(FrameRequest request) {
  scheduler_->frames().Submit(std::move(request));
}

void Decoder::Drain() { scheduler_->frames().Drain(); }

StreamCounters Decoder::counters() const {
  return scheduler_->meter().counters();
}

uint32_t Decoder::number() const { return scheduler_->meter().stream(); }

}  // namespace perdix
