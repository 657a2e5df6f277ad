// SPDX-License-Identifier: BSD-2-Clause
// An AV1 stream: its temporal units and frames, and what they leave in the
// eight slots.
#include "tests/conformance/make_stream/av1/make.h"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/conformance/make_stream/av1/features.h"
#include "tests/conformance/make_stream/av1/frame_header.h"
#include "tests/conformance/make_stream/av1/frame_tiles.h"
#include "tests/conformance/make_stream/av1/obus.h"
#include "tests/conformance/make_stream/av1/sequence.h"
#include "tests/conformance/make_stream/av1/style.h"

namespace perdix::make_stream::av1 {
namespace {

using client::kReferenceSlots;
using client::av1::FrameHeader;
using client::av1::ObuType;

class StreamMaker {
 public:
  explicit StreamMaker(uint64_t seed) : random_(seed) {}

  Stream Make();

 private:
  struct Layer {
    int temporal_id = 0, spatial_id = 0;
  };

  void BeginSequence();
  void Unit(size_t index);
  void Frames(Layer layer, ObuWriter* obus);
  bool Frame(Layer layer, bool must_be_shown, ObuWriter* obus);
  HeaderInput InputOf(Layer layer, bool must_be_shown) const;
  FrameHeader Parse(const FieldWriter& fields, Layer layer) const;
  void Update(const FrameHeader& header, PicturePtr picture);
  bool HasLayers() const { return sequence_.temporal_layers != 0; }

  Random random_;
  Stream stream_;
  Habits habits_ = {};
  Style style_;
  Sequence sequence_;
  TileMaker tiles_;
  bool began_ = false;  // the sequence: a key frame was shown
  client::av1::Slots slots_;
  std::array<bool, kReferenceSlots> valid_ = {}, showable_ = {};
  Pictures pictures_;
  uint32_t last_frame_id_ = 0;
  size_t bytes_ = 0;  // in all units
};

Stream StreamMaker::Make() {
  constexpr size_t kMostBytes = 400000;
  BeginSequence();
  const size_t units =
      sequence_.header.Has(V4L2_AV1_SEQUENCE_FLAG_STILL_PICTURE)
          ? 1
          : random_.Of({1u, 2u, 3u, 5u, 8u, 12u});
  const bool changes = random_.Percent(6);
  for (size_t i = 0; i < units && bytes_ < kMostBytes; ++i) {
    if (changes && i > 0 && random_.Percent(30)) BeginSequence();
    Unit(i);
  }
  return std::move(stream_);
}

void StreamMaker::BeginSequence() {
  habits_ = DrawHabits(random_);
  style_ = DrawStyle(random_);
  sequence_ = DrawSequence(random_, &stream_.coverage);
  began_ = false;
  valid_.fill(false);
  showable_.fill(false);
  stream_.width = std::max(stream_.width, sequence_.header.max_frame_width);
  stream_.height = std::max(stream_.height, sequence_.header.max_frame_height);
}

// A temporal unit: for each spatial layer one frame that is shown, and hidden
// ones before it.
void StreamMaker::Unit(size_t index) {
  std::vector<uint8_t> unit;
  ObuWriter obus(random_, stream_.coverage, HasLayers(), &unit);
  obus.Append(ObuType::kTemporalDelimiter, {});
  if (!began_ || random_.Percent(10))
    obus.Append(ObuType::kSequenceHeader, sequence_.payload);
  if (random_.Percent(5)) obus.AppendPassedOver();
  Layer layer;
  if (HasLayers()) layer.temporal_id = int(index) % sequence_.temporal_layers;
  const int spatial_layers = std::max(sequence_.spatial_layers, 1);
  for (; layer.spatial_id < spatial_layers; ++layer.spatial_id)
    Frames(layer, &obus);
  bytes_ += unit.size();
  stream_.packets.push_back(std::move(unit));
}

void StreamMaker::Frames(Layer layer, ObuWriter* obus) {
  constexpr int kMostHidden = 3;
  obus->SetLayer(layer.temporal_id, layer.spatial_id);
  for (int hidden = 0; !Frame(layer, hidden == kMostHidden, obus); ++hidden) {
  }
}

HeaderInput StreamMaker::InputOf(Layer layer, bool must_be_shown) const {
  HeaderInput input = {
      .habits = habits_, .sequence = sequence_.header, .slots = slots_};
  input.valid = valid_;
  input.showable = showable_;
  input.last_frame_id = last_frame_id_;
  input.temporal_id = layer.temporal_id;
  input.spatial_id = layer.spatial_id;
  input.must_be_key =
      !began_ || sequence_.header.Has(V4L2_AV1_SEQUENCE_FLAG_STILL_PICTURE);
  input.may_be_key = layer.spatial_id == 0;
  input.must_be_shown = must_be_shown;
  input.may_show_existing = began_ && sequence_.spatial_layers < 2;
  return input;
}

// Whether it is shown.
bool StreamMaker::Frame(Layer layer, bool must_be_shown, ObuWriter* obus) {
  constexpr int kMostAttempts = 30;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const HeaderInput input = InputOf(layer, must_be_shown);
    const FieldWriter fields = DrawFrameHeader(random_, input);
    const FrameHeader header = Parse(fields, layer);
    Coverage coverage;
    fields.Count(&coverage);
    std::set<std::string> features =
        FeaturesOf(sequence_.header, header, slots_);
    if (header.show_existing_frame) {
      obus->Append(ObuType::kFrameHeader, fields.Bytes(true));
      Update(header, pictures_[header.frame_to_show]);
    } else {
      if (random_.Percent(30)) style_ = DrawStyle(random_);
      Style style = style_;
      if (!tiles_.Make(sequence_.header, header, pictures_, random_, &style) ||
          !obus->AppendFrame(fields, header, tiles_.Bytes(random_))) {
        continue;
      }
      tiles_.Count(&coverage);
      AddFeaturesOf(coverage, &features);
      Update(header, tiles_.picture());
    }
    coverage.Frame(features);
    stream_.coverage.Add(coverage);
    return header.shown;
  }
  throw std::logic_error("each frame breaks a rule: " + tiles_.failure());
}

FrameHeader StreamMaker::Parse(const FieldWriter& fields, Layer layer) const {
  const std::vector<uint8_t> payload = fields.Bytes(true);
  const client::av1::Obu obu = {.type = ObuType::kFrameHeader,
                                .has_extension = HasLayers(),
                                .temporal_id = uint8_t(layer.temporal_id),
                                .spatial_id = uint8_t(layer.spatial_id),
                                .payload = payload};
  FrameHeader header;
  const Status status =
      client::av1::ParseFrameHeader(obu, sequence_.header, slots_, &header);
  if (!status.ok()) throw std::logic_error(status.message());
  if (header.bytes != (fields.bits() + 7) / 8) {
    throw std::logic_error(
        "a frame header of " + std::to_string(fields.bits()) +
        " bits is read as one of " + std::to_string(header.bytes) + " bytes");
  }
  return header;
}

// 7.20, and 7.21 of a key frame that is shown again.
void StreamMaker::Update(const FrameHeader& header, PicturePtr picture) {
  const bool again = header.show_existing_frame;
  const client::av1::SequenceHeader& sequence = sequence_.header;
  if (again && header.refresh == 0) return;
  last_frame_id_ = header.saved.frame_id;
  if (sequence.frame_id_numbers_present) {  // mark_ref_frames of 5.9.4
    const uint32_t mask = (1u << sequence.frame_id_length) - 1;
    for (int i = 0; i < kReferenceSlots; ++i) {
      const uint32_t delta = (last_frame_id_ - slots_[i].frame_id) & mask;
      if (delta > 1u << sequence.delta_frame_id_length) valid_[i] = false;
    }
  }
  const bool showable =
      header.control.flags & V4L2_AV1_FRAME_FLAG_SHOWABLE_FRAME;
  for (int i = 0; i < kReferenceSlots; ++i) {
    if ((header.refresh >> i & 1) == 0) continue;
    slots_[i] = header.saved;
    pictures_[i] = picture;
    valid_[i] = true;
    showable_[i] = !again && showable;
  }
  began_ = true;
}

}  // namespace

Stream MakeStream(uint64_t seed) { return StreamMaker(seed).Make(); }

}  // namespace perdix::make_stream::av1
