// SPDX-License-Identifier: BSD-2-Clause
// Functions are in the order of the syntax tables of 5.9. RefValid is not kept:
// like dav1d, a frame that names a slot whose order hint or age is wrong is
// decoded from what the slot holds.
#include "client/bitstream/av1/frame_header.h"

#include <algorithm>
#include <optional>
#include <string>

#include "client/bitstream/av1/frame_params.h"
#include "client/bitstream/av1/references.h"
#include "client/bitstream/av1/syntax.h"

namespace perdix::client::av1 {
namespace {

constexpr uint8_t kAllFrames = 0xff;
constexpr uint8_t kPrimaryRefNone = perdix::av1::kPrimaryRefNone;

std::string Size(uint32_t width, uint32_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

std::string Samples(const FrameFormat& format) {
  return std::to_string(format.bit_depth) + " bit with subsampling " +
         std::to_string(format.subsampling_x) + "," +
         std::to_string(format.subsampling_y) +
         (format.monochrome ? ", monochrome" : "");
}

class FrameHeaderParser {
 public:
  FrameHeaderParser(const Obu& obu, const SequenceHeader& sequence,
                    const Slots& slots, FrameHeader& header)
      : obu_(obu),
        reader_(obu.payload),
        sequence_(sequence),
        slots_(slots),
        header_(header),
        control_(header.control) {}

  Status Parse();

 private:
  Status ShowExistingFrame();
  Status CodedFrame();
  void FrameTypes();
  void TemporalPointInfo();
  void CodingTools();
  void FrameId();
  void OrderHint();
  void BufferRemovalTimes();
  void RefreshFrameFlags();
  void IntraFrame();
  Status InterFrame();
  Status References();
  Status CheckFrameId(int reference);
  void FrameSize();
  void RenderSize();
  Status FrameSizeWithRefs();
  void SuperresParams();
  Status CheckReferences() const;
  void InterpolationFilter();
  void LoadPrevious();
  Status Tiles();
  void Filters();
  void Modes();
  void SkipMode();
  void Motion();
  Status Grain();
  void Save();

  bool Has(uint32_t flag) const { return (control_.flags & flag) != 0; }
  // Reads a flag, or sets it without.
  bool ReadFlag(uint32_t flag) {
    const bool on = reader_.Flag();
    SetFlag(flag, on);
    return on;
  }
  void SetFlag(uint32_t flag, bool on) {
    if (on) control_.flags |= flag;
  }
  bool is(v4l2_av1_frame_type type) const {
    return control_.frame_type == type;
  }
  bool error_resilient() const {
    return Has(V4L2_AV1_FRAME_FLAG_ERROR_RESILIENT_MODE);
  }
  const SavedFrame& Reference(int i) const {
    return slots_[uint8_t(control_.ref_frame_idx[i])];
  }

  const Obu& obu_;
  BitReader reader_;
  const SequenceHeader& sequence_;
  const Slots& slots_;
  FrameHeader& header_;
  v4l2_ctrl_av1_frame& control_;
  FilmGrain grain_ = {};
  OrderHints hints_;
  uint32_t frame_width_ = 0;  // FrameWidth; control_ has UpscaledWidth
  uint32_t frame_height_ = 0;
  bool lossless_ = false;  // CodedLossless
};

Status FrameHeaderParser::Parse() {
  const bool reduced = sequence_.reduced_still_picture_header;
  header_.show_existing_frame = !reduced && reader_.Flag();
  Status status =
      header_.show_existing_frame ? ShowExistingFrame() : CodedFrame();
  // What was read past the end is the reason of any failure.
  const bool trailing_bit = status.ok() && obu_.type != ObuType::kFrame;
  header_.bytes = reader_.bytes_read();
  const Status end =
      CheckEnd(reader_, "frame header", obu_.payload.size(), trailing_bit);
  return end.ok() ? status : end;
}

Status FrameHeaderParser::ShowExistingFrame() {
  header_.frame_to_show = uint8_t(reader_.Bits(3));
  TemporalPointInfo();
  const SavedFrame& frame = slots_[header_.frame_to_show];
  if (frame.format.width == 0) {
    return Invalid("frame_to_show_map_idx", header_.frame_to_show,
                   "a slot that holds a frame");
  }
  if (sequence_.frame_id_numbers_present) {
    const uint32_t id = ReadLong(reader_, sequence_.frame_id_length);
    if (id != frame.frame_id) {
      return Invalid("display_frame_id", id, std::to_string(frame.frame_id));
    }
  }
  header_.shown = true;
  header_.saved = frame;  // the reference frame loading process, 7.21
  if (frame.frame_type == V4L2_AV1_KEY_FRAME) header_.refresh = kAllFrames;
  return Status::Ok();
}

Status FrameHeaderParser::CodedFrame() {
  FrameTypes();
  CodingTools();
  FrameId();
  const bool override_size =
      is(V4L2_AV1_SWITCH_FRAME) ||
      (!sequence_.reduced_still_picture_header && reader_.Flag());
  SetFlag(V4L2_AV1_FRAME_FLAG_FRAME_SIZE_OVERRIDE, override_size);
  OrderHint();
  BufferRemovalTimes();
  RefreshFrameFlags();
  SetIdentity(control_.global_motion);
  if (header_.intra) {
    IntraFrame();
  } else {
    Status status = InterFrame();
    if (!status.ok()) return status;
  }
  const bool keep_cdfs = sequence_.reduced_still_picture_header ||
                         Has(V4L2_AV1_FRAME_FLAG_DISABLE_CDF_UPDATE) ||
                         reader_.Flag();
  SetFlag(V4L2_AV1_FRAME_FLAG_DISABLE_FRAME_END_UPDATE_CDF, keep_cdfs);
  LoadPrevious();
  Status status = Tiles();
  if (!status.ok()) return status;
  Filters();
  Modes();
  Motion();
  status = Grain();
  if (status.ok()) Save();
  return status;
}

void FrameHeaderParser::FrameTypes() {
  const bool reduced = sequence_.reduced_still_picture_header;
  control_.frame_type =
      reduced ? V4L2_AV1_KEY_FRAME : v4l2_av1_frame_type(reader_.Bits(2));
  header_.intra = is(V4L2_AV1_KEY_FRAME) || is(V4L2_AV1_INTRA_ONLY_FRAME);
  header_.shown = reduced || reader_.Flag();
  SetFlag(V4L2_AV1_FRAME_FLAG_SHOW_FRAME, header_.shown);
  if (!reduced) {
    if (header_.shown) TemporalPointInfo();
    const bool showable =
        header_.shown ? !is(V4L2_AV1_KEY_FRAME) : reader_.Flag();
    SetFlag(V4L2_AV1_FRAME_FLAG_SHOWABLE_FRAME, showable);
  }
  const bool shown_key = is(V4L2_AV1_KEY_FRAME) && header_.shown;
  SetFlag(V4L2_AV1_FRAME_FLAG_ERROR_RESILIENT_MODE,
          is(V4L2_AV1_SWITCH_FRAME) || shown_key || reader_.Flag());
}

// temporal_point_info(), if there is one
void FrameHeaderParser::TemporalPointInfo() {
  if (!sequence_.decoder_model_info_present) return;
  if (sequence_.equal_picture_interval) return;
  ReadLong(reader_, sequence_.frame_presentation_time_length);
}

void FrameHeaderParser::CodingTools() {
  ReadFlag(V4L2_AV1_FRAME_FLAG_DISABLE_CDF_UPDATE);
  const bool screen_content = sequence_.force_screen_content_tools == kSelect
                                  ? reader_.Flag()
                                  : sequence_.force_screen_content_tools != 0;
  SetFlag(V4L2_AV1_FRAME_FLAG_ALLOW_SCREEN_CONTENT_TOOLS, screen_content);
  bool integer_mv = header_.intra;
  if (screen_content) {
    const bool forced = sequence_.force_integer_mv == kSelect
                            ? reader_.Flag()
                            : sequence_.force_integer_mv != 0;
    integer_mv |= forced;
  }
  SetFlag(V4L2_AV1_FRAME_FLAG_FORCE_INTEGER_MV, integer_mv);
}

void FrameHeaderParser::FrameId() {
  if (!sequence_.frame_id_numbers_present) return;
  control_.current_frame_id = ReadLong(reader_, sequence_.frame_id_length);
}

// order_hint and primary_ref_frame
void FrameHeaderParser::OrderHint() {
  control_.order_hint = reader_.Bits(sequence_.order_hint_bits);
  hints_.bits = sequence_.order_hint_bits;
  hints_.current = control_.order_hint;
  for (int i = 0; i < kReferenceSlots; ++i) {
    hints_.slots[i] = slots_[i].order_hint;
  }
  control_.primary_ref_frame = header_.intra || error_resilient()
                                   ? kPrimaryRefNone
                                   : uint8_t(reader_.Bits(3));
}

void FrameHeaderParser::BufferRemovalTimes() {
  if (!sequence_.decoder_model_info_present) return;
  if (!ReadFlag(V4L2_AV1_FRAME_FLAG_BUFFER_REMOVAL_TIME_PRESENT)) return;
  for (int i = 0; i < sequence_.operating_point_count; ++i) {
    const OperatingPoint& point = sequence_.operating_points[i];
    if (!point.has_decoder_model) continue;
    const bool in_temporal = point.idc >> obu_.temporal_id & 1;
    const bool in_spatial = point.idc >> (obu_.spatial_id + 8) & 1;
    if (point.idc != 0 && !(in_temporal && in_spatial)) continue;
    control_.buffer_removal_time[i] =
        ReadLong(reader_, sequence_.buffer_removal_time_length);
  }
}

void FrameHeaderParser::RefreshFrameFlags() {
  const bool all =
      is(V4L2_AV1_SWITCH_FRAME) || (is(V4L2_AV1_KEY_FRAME) && header_.shown);
  header_.refresh = all ? kAllFrames : uint8_t(reader_.Bits(8));
  control_.refresh_frame_flags = header_.refresh;
  if (header_.intra && header_.refresh == kAllFrames) return;
  if (!error_resilient() || sequence_.order_hint_bits == 0) return;
  for (int i = 0; i < kReferenceSlots; ++i) {
    reader_.Bits(sequence_.order_hint_bits);  // ref_order_hint
  }
}

void FrameHeaderParser::IntraFrame() {
  FrameSize();
  RenderSize();
  if (Has(V4L2_AV1_FRAME_FLAG_ALLOW_SCREEN_CONTENT_TOOLS) &&
      control_.upscaled_width == frame_width_) {
    ReadFlag(V4L2_AV1_FRAME_FLAG_ALLOW_INTRABC);
  }
}

Status FrameHeaderParser::InterFrame() {
  Status status = References();
  if (!status.ok()) return status;
  if (Has(V4L2_AV1_FRAME_FLAG_FRAME_SIZE_OVERRIDE) && !error_resilient()) {
    status = FrameSizeWithRefs();
  } else {
    FrameSize();
    RenderSize();
  }
  if (status.ok()) status = CheckReferences();
  if (!status.ok()) return status;
  if (!Has(V4L2_AV1_FRAME_FLAG_FORCE_INTEGER_MV)) {
    ReadFlag(V4L2_AV1_FRAME_FLAG_ALLOW_HIGH_PRECISION_MV);
  }
  InterpolationFilter();
  ReadFlag(V4L2_AV1_FRAME_FLAG_IS_MOTION_MODE_SWITCHABLE);
  if (!error_resilient() &&
      sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_REF_FRAME_MVS)) {
    ReadFlag(V4L2_AV1_FRAME_FLAG_USE_REF_FRAME_MVS);
  }
  for (int i = 0; i < kRefsPerFrame; ++i) {
    control_.order_hints[i + 1] = Reference(i).order_hint;
  }
  return status;
}

Status FrameHeaderParser::References() {
  std::optional<SlotOfReference> derived;
  if (sequence_.order_hint_bits != 0 &&
      ReadFlag(V4L2_AV1_FRAME_FLAG_FRAME_REFS_SHORT_SIGNALING)) {
    const uint8_t last = uint8_t(reader_.Bits(3));
    const uint8_t gold = uint8_t(reader_.Bits(3));
    derived = SetFrameRefs(hints_, last, gold);
  }
  for (int i = 0; i < kRefsPerFrame; ++i) {
    const uint8_t slot = derived ? (*derived)[i] : uint8_t(reader_.Bits(3));
    control_.ref_frame_idx[i] = int8_t(slot);
    if (slots_[slot].format.width == 0) {
      return Invalid("ref_frame_idx[" + std::to_string(i) + "]", slot,
                     "a slot that holds a frame");
    }
    Status status = CheckFrameId(i);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// delta_frame_id_minus_1, expectedFrameId
Status FrameHeaderParser::CheckFrameId(int reference) {
  if (!sequence_.frame_id_numbers_present) return Status::Ok();
  const uint32_t delta = ReadLong(reader_, sequence_.delta_frame_id_length) + 1;
  const uint32_t mask = (1u << sequence_.frame_id_length) - 1;
  const uint32_t expected = (control_.current_frame_id - delta) & mask;
  const uint32_t got = Reference(reference).frame_id;
  if (got == expected) return Status::Ok();
  return Invalid("frame id of reference " + std::to_string(reference), got,
                 std::to_string(expected));
}

void FrameHeaderParser::FrameSize() {
  control_.upscaled_width = sequence_.max_frame_width;
  frame_height_ = sequence_.max_frame_height;
  if (Has(V4L2_AV1_FRAME_FLAG_FRAME_SIZE_OVERRIDE)) {
    control_.upscaled_width = reader_.Bits(sequence_.frame_width_bits) + 1u;
    frame_height_ = reader_.Bits(sequence_.frame_height_bits) + 1u;
  }
  SuperresParams();
}

void FrameHeaderParser::RenderSize() {
  control_.render_width_minus_1 = uint16_t(control_.upscaled_width - 1);
  control_.render_height_minus_1 = uint16_t(frame_height_ - 1);
  if (!reader_.Flag()) return;
  control_.render_width_minus_1 = reader_.Bits(16);
  control_.render_height_minus_1 = reader_.Bits(16);
}

Status FrameHeaderParser::FrameSizeWithRefs() {
  for (int i = 0; i < kRefsPerFrame; ++i) {
    if (!reader_.Flag()) continue;  // found_ref
    control_.upscaled_width = Reference(i).format.width;
    frame_height_ = Reference(i).format.height;
    control_.render_width_minus_1 = Reference(i).render_width_minus_1;
    control_.render_height_minus_1 = Reference(i).render_height_minus_1;
    SuperresParams();
    return Status::Ok();
  }
  FrameSize();
  RenderSize();
  return Status::Ok();
}

// In: upscaled_width. The least width, 16, is libaom's and dav1d's; 5.9.8 lacks
// it.
void FrameHeaderParser::SuperresParams() {
  constexpr uint32_t kNumerator = 8;  // SUPERRES_NUM
  constexpr uint32_t kLeastWidth = 16;
  const uint32_t width = control_.upscaled_width;
  control_.superres_denom = kNumerator;
  frame_width_ = width;
  if (sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_SUPERRES) &&
      ReadFlag(V4L2_AV1_FRAME_FLAG_USE_SUPERRES)) {
    const uint32_t denominator = reader_.Bits(3) + kNumerator + 1;
    control_.superres_denom = uint8_t(denominator);
    frame_width_ =
        std::max((width * kNumerator + denominator / 2) / denominator,
                 std::min(kLeastWidth, width));
  }
  control_.frame_width_minus_1 = frame_width_ - 1;
  control_.frame_height_minus_1 = frame_height_ - 1;
}

// 6.8.2, 6.8.6: of all references, used or not.
Status FrameHeaderParser::CheckReferences() const {
  for (int i = 0; i < kRefsPerFrame; ++i) {
    const FrameFormat& format = Reference(i).format;
    const std::string name = "reference " + std::to_string(i);
    if (!format.SameSamples(sequence_.samples)) {
      return Invalid(name + " has " + Samples(format) +
                     ", allowed: " + Samples(sequence_.samples));
    }
    const bool usable = 2 * frame_width_ >= format.width &&
                        2 * frame_height_ >= format.height &&
                        frame_width_ <= 16 * format.width &&
                        frame_height_ <= 16 * format.height;
    if (!usable) {
      return Invalid(name + " is " + Size(format.width, format.height) +
                     ", allowed: 1/16 to 2 times the frame's " +
                     Size(frame_width_, frame_height_));
    }
  }
  return Status::Ok();
}

void FrameHeaderParser::InterpolationFilter() {
  const bool switchable = reader_.Flag();
  control_.interpolation_filter =
      switchable ? V4L2_AV1_INTERPOLATION_FILTER_SWITCHABLE
                 : v4l2_av1_interpolation_filter(reader_.Bits(2));
}

// setup_past_independence(), or load_previous()
void FrameHeaderParser::LoadPrevious() {
  ResetLoopFilterDeltas(control_.loop_filter);
  if (control_.primary_ref_frame == kPrimaryRefNone) return;
  const SavedFrame& previous = Reference(control_.primary_ref_frame);
  const v4l2_av1_loop_filter& filter = previous.loop_filter;
  std::copy(std::begin(filter.ref_deltas), std::end(filter.ref_deltas),
            control_.loop_filter.ref_deltas);
  std::copy(std::begin(filter.mode_deltas), std::end(filter.mode_deltas),
            control_.loop_filter.mode_deltas);
  control_.segmentation = previous.segmentation;
}

Status FrameHeaderParser::Tiles() {
  return ReadTileInfo(reader_,
                      {.frame_width = frame_width_,
                       .frame_height = frame_height_,
                       .use_128x128_superblock = sequence_.Has(
                           V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK)},
                      control_.tile_info, &header_.tile_numbers);
}

// From quantization_params() to lr_params().
void FrameHeaderParser::Filters() {
  const bool monochrome = sequence_.samples.monochrome;
  const bool intrabc = Has(V4L2_AV1_FRAME_FLAG_ALLOW_INTRABC);
  ReadQuantization(reader_, sequence_, control_.quantization);
  ReadSegmentation(reader_, control_.primary_ref_frame != kPrimaryRefNone,
                   control_.segmentation);
  ReadDeltas(reader_, intrabc, control_.quantization, control_.loop_filter);
  lossless_ = IsCodedLossless(control_.quantization, control_.segmentation);
  const bool all_lossless =
      lossless_ && frame_width_ == control_.upscaled_width;
  ReadLoopFilter(reader_, lossless_ || intrabc, monochrome,
                 control_.loop_filter);
  if (!lossless_ && !intrabc &&
      sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_CDEF)) {
    ReadCdef(reader_, monochrome, control_.cdef);
  }
  if (!all_lossless && !intrabc &&
      sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_RESTORATION)) {
    ReadLoopRestoration(reader_, sequence_, control_.loop_restoration);
  }
}

// From read_tx_mode() to reduced_tx_set.
void FrameHeaderParser::Modes() {
  control_.tx_mode = V4L2_AV1_TX_MODE_ONLY_4X4;
  if (!lossless_) {
    control_.tx_mode =
        reader_.Flag() ? V4L2_AV1_TX_MODE_SELECT : V4L2_AV1_TX_MODE_LARGEST;
  }
  if (!header_.intra) {
    if (ReadFlag(V4L2_AV1_FRAME_FLAG_REFERENCE_SELECT)) SkipMode();
    if (!error_resilient() &&
        sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_WARPED_MOTION)) {
      ReadFlag(V4L2_AV1_FRAME_FLAG_ALLOW_WARPED_MOTION);
    }
  }
  ReadFlag(V4L2_AV1_FRAME_FLAG_REDUCED_TX_SET);
}

void FrameHeaderParser::SkipMode() {
  SlotOfReference ref_frame_idx;
  std::copy(std::begin(control_.ref_frame_idx),
            std::end(control_.ref_frame_idx), ref_frame_idx.begin());
  const auto frames = SkipModeFrames(hints_, ref_frame_idx);
  if (!frames) return;
  SetFlag(V4L2_AV1_FRAME_FLAG_SKIP_MODE_ALLOWED, true);
  std::copy(frames->begin(), frames->end(), control_.skip_mode_frame);
  ReadFlag(V4L2_AV1_FRAME_FLAG_SKIP_MODE_PRESENT);
}

void FrameHeaderParser::Motion() {
  if (header_.intra) return;
  const bool has_primary = control_.primary_ref_frame != kPrimaryRefNone;
  ReadGlobalMotion(reader_, Has(V4L2_AV1_FRAME_FLAG_ALLOW_HIGH_PRECISION_MV),
                   has_primary ? Reference(control_.primary_ref_frame).gm_params
                               : IdentityGmParams(),
                   control_.global_motion);
}

Status FrameHeaderParser::Grain() {
  if (!sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_FILM_GRAIN_PARAMS_PRESENT)) {
    return Status::Ok();
  }
  if (!header_.shown && !Has(V4L2_AV1_FRAME_FLAG_SHOWABLE_FRAME)) {
    return Status::Ok();
  }
  const auto load = [this](uint8_t slot) {
    const auto& named = control_.ref_frame_idx;
    const bool found =
        std::find(std::begin(named), std::end(named), slot) != std::end(named);
    return found ? &slots_[slot].film_grain : nullptr;
  };
  return ReadFilmGrain(reader_,
                       {.samples = sequence_.samples,
                        .may_refer = is(V4L2_AV1_INTER_FRAME),
                        .load = load},
                       &grain_);
}

// What the reference frame update process (7.20) will store.
void FrameHeaderParser::Save() {
  SavedFrame& saved = header_.saved;
  saved.format = sequence_.samples;
  saved.format.width = control_.upscaled_width;
  saved.format.height = frame_height_;
  saved.render_width_minus_1 = control_.render_width_minus_1;
  saved.render_height_minus_1 = control_.render_height_minus_1;
  saved.frame_type = control_.frame_type;
  saved.frame_id = control_.current_frame_id;
  saved.order_hint = control_.order_hint;
  for (size_t i = 0; i < saved.gm_params.size(); ++i) {
    const auto& params = control_.global_motion.params[i];
    std::copy(std::begin(params), std::end(params), saved.gm_params[i].begin());
  }
  saved.loop_filter = control_.loop_filter;
  saved.segmentation = control_.segmentation;
  saved.film_grain = grain_;
}

}  // namespace

Status ParseFrameHeader(const Obu& obu, const SequenceHeader& sequence,
                        const Slots& slots, FrameHeader* header) {
  FrameHeader result;
  Status status = FrameHeaderParser(obu, sequence, slots, result).Parse();
  if (status.ok()) *header = std::move(result);
  return status;
}

}  // namespace perdix::client::av1
