// SPDX-License-Identifier: BSD-2-Clause
#include "client/bitstream/av1/packet_parser.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/av1/frame_header.h"
#include "client/bitstream/av1/obu.h"
#include "client/bitstream/av1/refusals.h"
#include "client/bitstream/av1/sequence_header.h"
#include "client/bitstream/av1/syntax.h"
#include "client/bitstream/av1/tile_group.h"
#include "codec/av1/film_grain_control.h"
#include "codec/av1/private_controls.h"
#include "codec/controls.h"

namespace perdix::client::av1 {
namespace {

template <typename Value>
std::span<const uint8_t> AsBytes(const std::vector<Value>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()),
          values.size() * sizeof(Value)};
}

// All of a packet's frames are parsed in Begin(): which of them are output is
// known when all layers are.
class Parser : public PacketParser {
  void BeginPacket(std::span<const uint8_t> packet) override {
    frames_.clear();
    layers_.clear();
    next_ = unit_ = 0;
    open_.reset();
    status_ = ParsePacket(packet);
    ChooseOutput();
  }

  Status NextFrame(CodedFrame* frame, bool* end) override {
    if (next_ < frames_.size()) {
      *frame = std::move(frames_[next_++]);
      return Status::Ok();
    }
    *end = status_.ok();
    return status_;
  }

  // A frame whose tiles are not all there yet: SeenFrameHeader is 1.
  struct OpenFrame {
    FrameHeader header;
    TileGroups tiles;
    std::span<const uint8_t> header_payload;
    uint8_t spatial_id = 0;
  };

  Status ParsePacket(std::span<const uint8_t> packet);
  Status ParseObu(const Obu& obu);
  Status NewSequence(const Obu& obu);
  Status NewFrameHeader(const Obu& obu);
  Status AddTiles(std::span<const uint8_t> group);
  Status EndOpenFrame();
  void Emit(const FrameHeader& header, uint8_t spatial_id, CodedFrame frame);
  CodedFrame ToCodedFrame(const FrameHeader& header,
                          const TileGroups& tiles) const;
  void AppendControls(const FrameHeader& header, const TileGroups& tiles,
                      std::vector<uint8_t>* controls) const;
  void ChooseOutput();

  std::optional<SequenceHeader> sequence_;
  uint32_t operating_point_idc_ = 0;
  Slots slots_;
  // What the packet holds:
  std::vector<CodedFrame> frames_;
  std::vector<uint8_t> layers_;  // the spatial_id of each of frames_
  size_t next_ = 0;              // index of the frame that comes next
  size_t unit_ = 0;              // of the temporal unit's first frame
  std::optional<OpenFrame> open_;
  Status status_;
};

Status Parser::ParsePacket(std::span<const uint8_t> packet) {
  if (packet.empty()) return Invalid("packet is empty");
  if (packet.size() > UINT32_MAX) {
    return Invalid("packet has " + std::to_string(packet.size()) +
                   " bytes, allowed: 1 to 4294967295");
  }
  while (!packet.empty()) {
    Obu obu;
    Status status = TakeObu(&packet, &obu);
    if (status.ok()) status = ParseObu(obu);
    if (!status.ok()) return status;
  }
  return EndOpenFrame();
}

Status Parser::ParseObu(const Obu& obu) {
  if (IsDropped(obu, operating_point_idc_)) return Status::Ok();
  switch (obu.type) {
    case ObuType::kSequenceHeader:
      return NewSequence(obu);
    case ObuType::kTemporalDelimiter: {
      Status status = EndOpenFrame();
      ChooseOutput();
      return status;
    }
    case ObuType::kRedundantFrameHeader:
      if (open_) return Status::Ok();
      [[fallthrough]];  // the first one is lost
    case ObuType::kFrameHeader:
    case ObuType::kFrame:
      return NewFrameHeader(obu);
    case ObuType::kTileGroup:
      if (!open_) return Invalid("OBU_TILE_GROUP without a frame header");
      return AddTiles(obu.payload);
    case ObuType::kTileList:
      return RefuseTileList();
    case ObuType::kMetadata:
    case ObuType::kPadding:
      break;
  }
  return Status::Ok();  // reserved types are ignored too
}

// A changed header begins a new sequence (7.5), which refers to nothing before.
Status Parser::NewSequence(const Obu& obu) {
  SequenceHeader sequence;
  Status status = ParseSequenceHeader(obu.payload, &sequence);
  if (!status.ok()) return status;
  // A sequence that lacks the one asked for is decoded by its first.
  const uint32_t asked = options().operating_point;
  const uint32_t point = asked < sequence.operating_point_count ? asked : 0;
  if (sequence_ == sequence) return status;
  status = EndOpenFrame();
  slots_ = {};
  sequence_ = sequence;
  operating_point_idc_ = sequence.operating_points[point].idc;
  return status;
}

Status Parser::NewFrameHeader(const Obu& obu) {
  if (!sequence_) return Invalid("frame before the first sequence header");
  if (open_ && obu.type == ObuType::kFrameHeader &&
      std::ranges::equal(obu.payload, open_->header_payload)) {
    return Status::Ok();  // frame_header_copy()
  }
  Status status = EndOpenFrame();
  if (!status.ok()) return status;
  OpenFrame frame;
  status = ParseFrameHeader(obu, *sequence_, slots_, &frame.header);
  if (!status.ok()) return status;
  if (frame.header.show_existing_frame) {
    if (obu.type == ObuType::kFrame) {
      return Invalid("show_existing_frame in OBU_FRAME", 1, "0");
    }
    CodedFrame shows;
    shows.shows_slot = frame.header.frame_to_show;
    Emit(frame.header, obu.spatial_id, std::move(shows));
    return status;
  }
  frame.tiles.Begin(frame.header.control.tile_info,
                    frame.header.tile_numbers.bits);
  frame.header_payload = obu.payload;
  frame.spatial_id = obu.spatial_id;
  const size_t header_bytes = frame.header.bytes;
  open_ = std::move(frame);
  if (obu.type != ObuType::kFrame) return status;
  return AddTiles(obu.payload.subspan(header_bytes));
}

Status Parser::AddTiles(std::span<const uint8_t> group) {
  Status status = open_->tiles.Add(group);
  if (!status.ok() || !open_->tiles.complete()) return status;
  const OpenFrame frame = std::move(*open_);
  open_.reset();
  Emit(frame.header, frame.spatial_id, ToCodedFrame(frame.header, frame.tiles));
  return status;
}

// A frame that is not complete fails; no other has begun.
Status Parser::EndOpenFrame() {
  if (!open_) return Status::Ok();
  const TileGroups& tiles = open_->tiles;
  Status status =
      Invalid("frame ends after " + std::to_string(tiles.entries().size()) +
              " of its " + std::to_string(tiles.tiles()) + " tiles");
  open_.reset();
  return status;
}

// The frame is complete: the slots take it (7.20).
void Parser::Emit(const FrameHeader& header, uint8_t spatial_id,
                  CodedFrame frame) {
  for (int i = 0; i < kReferenceSlots; ++i) {
    if (header.refresh >> i & 1) slots_[i] = header.saved;
  }
  frame.refresh = header.refresh;
  frame.shown = header.shown;
  frames_.push_back(std::move(frame));
  layers_.push_back(spatial_id);
}

CodedFrame Parser::ToCodedFrame(const FrameHeader& header,
                                const TileGroups& tiles) const {
  CodedFrame frame;
  frame.key_frame =
      header.control.frame_type == V4L2_AV1_KEY_FRAME && header.shown;
  frame.format = header.saved.format;
  if (!header.intra) {
    for (uint8_t i = 0; i < kReferenceSlots; ++i) {
      frame.reference_slots.push_back(i);
    }
  }
  frame.separate_display = perdix::av1::HasGrain(header.saved.film_grain);
  frame.needs_cpu = header.control.flags & V4L2_AV1_FRAME_FLAG_ALLOW_INTRABC;
  AppendControls(header, tiles, &frame.controls);
  frame.data = tiles.data();
  return frame;
}

void Parser::AppendControls(const FrameHeader& header, const TileGroups& tiles,
                            std::vector<uint8_t>* controls) const {
  AppendControl(V4L2_CID_STATELESS_AV1_SEQUENCE, ToControl(*sequence_),
                controls);
  AppendControl(V4L2_CID_STATELESS_AV1_FRAME, header.control, controls);
  AppendBytes(V4L2_CID_STATELESS_AV1_TILE_GROUP_ENTRY, AsBytes(tiles.entries()),
              controls);
  // A node keeps what it was told last: so no grain is told too.
  FilmGrain grain = header.saved.film_grain;
  if (!perdix::av1::HasGrain(grain)) grain = {};
  AppendControl(V4L2_CID_STATELESS_AV1_FILM_GRAIN, grain, controls);
  const perdix::av1::ColorConfigControl color = {
      .matrix_coefficients = sequence_->matrix_coefficients};
  AppendControl(perdix::av1::kColorConfigControl, color, controls);
  const uint32_t context_tile = header.tile_numbers.context;
  if (context_tile > UINT8_MAX) {
    AppendControl(perdix::av1::kContextTileControl,
                  perdix::av1::ContextTileControl{context_tile}, controls);
  }
}

// A temporal unit with spatial layers outputs the highest that is shown
// (7.18.1): that of the operating point or, if it is missing, the last.
void Parser::ChooseOutput() {
  const size_t begin = std::exchange(unit_, frames_.size());
  const uint32_t spatial_mask = operating_point_idc_ >> 8;
  if (options().all_layers || spatial_mask < 2) return;
  const int highest = std::bit_width(spatial_mask) - 1;
  bool found = false;  // behind this frame
  for (size_t i = frames_.size(); i > begin; --i) {
    CodedFrame& frame = frames_[i - 1];
    if (!frame.shown) continue;
    if (found && layers_[i - 1] < highest) frame.shown = false;
    found = true;
  }
}

}  // namespace

std::unique_ptr<PacketParser> OpenPacketParser() {
  return std::make_unique<Parser>();
}

}  // namespace perdix::client::av1
