// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/stream.h"

#include <string>
#include <utility>

namespace perdix::client {

Stream::Stream(Backend& backend, StreamEvents events,
               const ParserOptions& options)
    : backend_(backend),
      events_(std::move(events)),
      parser_(backend.codec().open()) {
  parser_->SetOptions(options);
}

bool Stream::Decode(std::span<const uint8_t> packet,
                    const std::shared_ptr<const void>& owner, bool output) {
  ++position_.packet;
  if (packet.empty()) return true;  // no frame, and no fault
  output_ = output;
  Status status = DecodePacket(packet, owner);
  if (stopped_) return false;
  if (!status.ok()) {
    entries_.push_back({position_, nullptr, status, false, false});
  }
  return CollectDownTo(backend_.depth());
}

bool Stream::Fail(const Status& status) {
  ++position_.packet;
  ++position_.frame;
  entries_.push_back({position_, nullptr, status, false, false});
  entries_.back().between_packets = true;
  return CollectDownTo(backend_.depth());
}

bool Stream::Flush() { return CollectDownTo(0); }

Status Stream::DecodePacket(std::span<const uint8_t> packet,
                            const std::shared_ptr<const void>& owner) {
  const bool all_shown = backend_.codec().outputs_all_shown;
  bool last_shown = false;
  parser_->Begin(packet);
  for (;;) {
    CodedFrame coded;
    bool end = false;
    Status status = parser_->Next(&coded, &end);
    if (end) {
      // The last frame waits still: only the next one's submission collects.
      if (!all_shown) entries_.back().output = output_ && last_shown;
      return Status::Ok();
    }
    ++position_.frame;
    if (!status.ok()) return status;
    last_shown = coded.shown || coded.shows_slot;
    if (coded.shows_slot) {
      status = ShowExisting(coded);
    } else {
      coded.owner = owner;
      status = Submit(std::move(coded));
    }
    if (!status.ok()) return status;
  }
}

Status Stream::ShowExisting(const CodedFrame& coded) {
  const uint8_t slot = *coded.shows_slot;
  const DecodedFramePtr frame = slots_[slot];
  if (frame == nullptr) {
    return {StatusCode::kMissingReference,
            "shows slot " + std::to_string(slot) + ", whose frame failed"};
  }
  if (coded.refresh != 0) backend_.CopySlot(slot, coded.refresh);
  Refresh(coded.refresh, frame);
  entries_.push_back({position_, frame, Status::Ok(), false, IsOutput(coded)});
  return Status::Ok();
}

Status Stream::Submit(CodedFrame coded) {
  if (!CollectDownTo(backend_.depth() - 1)) {
    stopped_ = true;
    return {StatusCode::kCancelled, "the stream was stopped"};
  }
  for (size_t i = 0; i < coded.reference_slots.size(); ++i) {
    coded.references[i] = slots_[coded.reference_slots[i]];
  }
  DecodedFramePtr frame;
  Status status = backend_.Submit(coded, &frame);
  // A frame that failed leaves its slots empty.
  Refresh(coded.refresh, frame);
  if (!status.ok()) return status;
  entries_.push_back(
      {position_, frame, Status::Ok(), coded.intra(), IsOutput(coded)});
  return Status::Ok();
}

// Of a codec that outputs one frame of a packet the packet's end decides.
bool Stream::IsOutput(const CodedFrame& coded) const {
  return output_ && backend_.codec().outputs_all_shown && coded.shown;
}

void Stream::Refresh(uint32_t slots, const DecodedFramePtr& frame) {
  for (int i = 0; i < kReferenceSlots; ++i) {
    if (slots >> i & 1) slots_[i] = frame;
  }
}

bool Stream::CollectDownTo(size_t count) {
  while (entries_.size() > count) {
    const Entry entry = std::move(entries_.front());
    entries_.pop_front();
    if (!Collect(entry)) return false;
  }
  return true;
}

bool Stream::Collect(const Entry& entry) {
  Status status = entry.status;
  if (status.ok()) status = entry.frame->Wait();
  if (status.ok() && entry.intra) failed_frame_ = 0;
  if (status.ok() && failed_frame_ != 0) {
    status = {StatusCode::kMissingReference,
              "follows frame " + std::to_string(failed_frame_) +
                  ", which failed, without an intra frame between"};
  }
  if (!status.ok()) {
    if (failed_frame_ == 0 && !entry.between_packets) {
      failed_frame_ = entry.position.frame;
    }
    return events_.failed(entry.position, status);
  }
  return !entry.output || events_.shown(entry.frame->image());
}

}  // namespace perdix::client
