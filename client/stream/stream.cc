// SPDX-License-Identifier: BSD-2-Clause
#include "client/stream/stream.h"

#include <string>
#include <utility>

namespace perdix::client {
namespace {

constexpr uint32_t kAllSlots = (1u << kReferenceSlots) - 1;

void Refresh(uint32_t refresh, const DecodedFramePtr& frame,
             std::array<DecodedFramePtr, kReferenceSlots>* slots) {
  for (size_t i = 0; i < slots->size(); ++i) {
    if (refresh >> i & 1) (*slots)[i] = frame;
  }
}

}  // namespace

Stream::Stream(Backend& backend, StreamEvents events,
               const ParserOptions& options)
    : backend_(backend),
      events_(std::move(events)),
      parser_(backend.codec().open()) {
  parser_->SetOptions(options);
}

bool Stream::Decode(std::span<const uint8_t> packet,
                    const std::shared_ptr<const void>& owner, bool output) {
  return Take({packet, owner, output});
}

bool Stream::Fail(const Status& status) {
  return Take({{}, nullptr, false, status});
}

bool Stream::GoOn() { return Advance(false); }

bool Stream::Flush() { return Advance(true); }

bool Stream::Take(Packet packet) {
  packets_.push_back(std::move(packet));
  return Advance(false);
}

// Decodes the packets that are there, and waits for frames until no more are
// left than the backend wants, which changes meanwhile; if it drains, none.
bool Stream::Advance(bool drains) {
  for (;;) {
    const size_t in_flight = drains ? 0 : backend_.depth();
    const bool decodes = decoded_packets_ < packets_.size();
    if (!entries_.empty() && entries_.size() + decodes > in_flight) {
      if (!CollectOldest()) return false;
    } else if (decodes) {
      DecodePacket(packets_[decoded_packets_++]);
    } else {
      return true;
    }
  }
}

void Stream::DecodePacket(Packet& packet) {
  packet.number = ++position_.packet;
  Entry missing;
  missing.status = packet.status;
  if (missing.status.ok()) {
    missing.status = DecodeFrames(packet);
    if (missing.status.ok()) return;
    // Nobody knows which slots the missing frames would have taken.
    backend_.FramesAreLost();
    missing.refresh = kAllSlots;
  } else {
    ++position_.frame;
  }
  Append(std::move(missing));
}

Status Stream::DecodeFrames(const Packet& packet) {
  if (packet.data.empty()) return Status::Ok();
  const bool all_shown = backend_.codec().outputs_all_shown;
  bool last_shown = false;
  parser_->Begin(packet.data);
  for (;;) {
    SubmittedFrame coded;
    bool end = false;
    Status status = parser_->Next(&coded, &end);
    if (end) {
      if (last_shown && !all_shown) entries_.back().output = packet.output;
      return Status::Ok();
    }
    ++position_.frame;
    if (!status.ok()) return status;
    coded.owner = packet.owner;
    const bool shown = coded.shown;
    last_shown = shown || coded.shows_slot;
    Entry entry =
        coded.shows_slot ? ShowExisting(coded) : Submit(std::move(coded));
    entry.output = packet.output && all_shown && shown;
    Append(std::move(entry));
  }
}

Stream::Entry Stream::ShowExisting(const CodedFrame& coded) {
  const uint8_t slot = *coded.shows_slot;
  Entry entry;
  entry.frame = slots_[slot];
  entry.refresh = coded.refresh;
  if (entry.frame == nullptr) {
    entry.status = {
        StatusCode::kMissingReference,
        "shows slot " + std::to_string(slot) + ", whose frame failed"};
  }
  if (coded.refresh != 0) backend_.CopySlot(slot, coded.refresh);
  return entry;
}

Stream::Entry Stream::Submit(SubmittedFrame coded) {
  for (size_t i = 0; i < coded.reference_slots.size(); ++i) {
    coded.references[i] = slots_[coded.reference_slots[i]];
  }
  Entry entry;
  entry.refresh = coded.refresh;
  // A frame that is refused leaves its slots empty.
  entry.status = backend_.Submit(coded, &entry.frame);
  entry.parser_behind = std::move(coded.parser_behind);
  return entry;
}

void Stream::Append(Entry entry) {
  entry.position = position_;
  Refresh(entry.refresh, entry.frame, &slots_);
  entries_.push_back(std::move(entry));
}

bool Stream::CollectOldest() {
  const Entry entry = std::move(entries_.front());
  entries_.pop_front();
  Refresh(entry.refresh, entry.frame, &collected_slots_);
  ForgetPacketsBefore(entry.position.packet);
  Status status = entry.status;
  if (status.ok()) status = entry.frame->Wait();
  const bool goes_on = entry.parser_behind != nullptr &&
                       entry.frame != nullptr && !entry.frame->rest().empty();
  if (goes_on) GoOnBehind(entry);
  // behind a frame that goes on another is the last of its packet
  const bool output = entry.output && !goes_on;
  Image image;
  if (status.ok() && output) status = entry.frame->Map(&image);
  if (!status.ok()) return events_.failed(entry.position, status);
  return !output || Show(entry.frame, image);
}

bool Stream::Show(const DecodedFramePtr& frame, const Image& image) {
  shown_frame_ = frame;
  const bool goes_on = events_.shown(image);
  shown_frame_ = nullptr;
  return goes_on;
}

void Stream::ForgetPacketsBefore(uint64_t number) {
  while (packets_.front().number < number) {
    packets_.pop_front();
    --decoded_packets_;
  }
}

// Another frame follows in the packet: what was decoded behind is to be decoded
// again, after that.
void Stream::GoOnBehind(const Entry& entry) {
  backend_.Rewind();
  entries_.clear();
  slots_ = collected_slots_;
  parser_ = entry.parser_behind->Clone();
  packets_.front().data = entry.frame->rest();
  decoded_packets_ = 0;
  position_ = {entry.position.packet - 1, entry.position.frame};
}

}  // namespace perdix::client
