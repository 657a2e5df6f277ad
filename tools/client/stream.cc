// SPDX-License-Identifier: BSD-2-Clause
#include "tools/client/stream.h"

#include <string>
#include <utility>

#include "tools/client/superframe.h"

namespace perdix::client {

Stream::Stream(Backend& backend, StreamEvents events)
    : backend_(backend), events_(std::move(events)) {}

bool Stream::Decode(std::span<const uint8_t> packet,
                    const std::shared_ptr<const void>& owner) {
  ++position_.packet;
  bool shown = false;
  Status status = DecodePacket(packet, owner, &shown);
  if (stopped_) return false;
  if (!status.ok()) {
    entries_.push_back({position_, nullptr, status, false, false});
  } else {
    entries_.back().output = shown;
  }
  return CollectDownTo(backend_.depth());
}

bool Stream::Fail(const Status& status) {
  ++position_.packet;
  ++position_.frame;
  entries_.push_back({position_, nullptr, status, false, false});
  return CollectDownTo(backend_.depth());
}

bool Stream::Flush() { return CollectDownTo(0); }

// *shown: of the last frame.
Status Stream::DecodePacket(std::span<const uint8_t> packet,
                            const std::shared_ptr<const void>& owner,
                            bool* shown) {
  std::vector<std::span<const uint8_t>> frames;
  Status status = SplitSuperframe(packet, &frames);
  if (!status.ok()) {
    ++position_.frame;
    return status;
  }
  const bool indexed = frames.size() > 1 || frames[0].size() < packet.size();
  for (std::span<const uint8_t> rest : frames) {
    // Without an index another frame may follow one that ends by itself, after
    // zeros (libvpx, decoder_decode).
    do {
      size_t used = 0;
      status = DecodeFrame(rest, owner, shown, &used);
      if (!status.ok()) return status;
      rest = rest.subspan(used);
      while (!rest.empty() && rest.front() == 0) rest = rest.subspan(1);
    } while (!rest.empty() && !indexed);
  }
  return Status::Ok();
}

Status Stream::DecodeFrame(std::span<const uint8_t> data,
                           const std::shared_ptr<const void>& owner,
                           bool* shown, size_t* used) {
  ++position_.frame;
  CodedFrame coded;
  Status status = parser_.Parse(data, &coded.header);
  if (!status.ok()) return status;
  if (coded.header.show_existing_frame) {
    *shown = true;
    *used = coded.header.uncompressed_bytes;
    return ShowExisting(coded.header.frame_to_show);
  }
  *shown = coded.header.shown;
  *used = data.size();
  coded.data = data;
  coded.owner = owner;
  return Submit(std::move(coded));
}

Status Stream::ShowExisting(int slot) {
  if (slots_[slot] == nullptr) {
    return {StatusCode::kMissingReference,
            "shows slot " + std::to_string(slot) + ", whose frame failed"};
  }
  entries_.push_back({position_, slots_[slot], Status::Ok(), false, false});
  return Status::Ok();
}

Status Stream::Submit(CodedFrame coded) {
  if (!CollectDownTo(backend_.depth() - 1)) {
    stopped_ = true;
    return {StatusCode::kCancelled, "the stream was stopped"};
  }
  const FrameHeader& header = coded.header;
  if (!header.intra) {
    for (int i = 0; i < kReferencesPerFrame; ++i) {
      coded.references[i] = slots_[header.references[i]];
    }
  }
  DecodedFramePtr frame;
  Status status = backend_.Submit(coded, &frame);
  // A frame that failed leaves its slots empty.
  for (int i = 0; i < kReferenceSlots; ++i) {
    if (header.refresh_frame_flags >> i & 1) slots_[i] = frame;
  }
  if (!status.ok()) return status;
  entries_.push_back({position_, frame, Status::Ok(), header.intra, false});
  return Status::Ok();
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
    if (failed_frame_ == 0) failed_frame_ = entry.position.frame;
    return events_.failed(entry.position, status);
  }
  return !entry.output || events_.shown(entry.frame->image());
}

}  // namespace perdix::client
