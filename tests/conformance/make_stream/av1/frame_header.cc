// SPDX-License-Identifier: BSD-2-Clause
// Functions are in the order of the syntax tables of 5.9.
#include "tests/conformance/make_stream/av1/frame_header.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "client/bitstream/av1/frame_params.h"
#include "client/bitstream/av1/references.h"
#include "tests/conformance/make_stream/av1/frame_params.h"

namespace perdix::make_stream::av1 {
namespace {

using client::kReferenceSlots;
using client::av1::kRefsPerFrame;
using client::av1::SavedFrame;
using client::av1::SequenceHeader;
using client::av1::SlotOfReference;

constexpr uint32_t kAllFrames = 0xff;
constexpr int kNone = 7;  // PRIMARY_REF_NONE

class HeaderWriter {
 public:
  HeaderWriter(Random& random, const HeaderInput& input)
      : random_(random),
        input_(input),
        habits_(input.habits),
        sequence_(input.sequence),
        slots_(input.slots) {}

  FieldWriter Write() &&;

 private:
  void ShowExistingFrame();
  void FrameTypes();
  void DrawType();
  void TemporalPointInfo();
  void CodingTools();
  void FrameId();
  void PlanFrame();
  void PlanReferences();
  bool PlanSize();
  bool IsUsable() const;
  void OrderHint();
  void BufferRemovalTimes();
  void RefreshFrameFlags();
  void IntraFrame();
  void InterFrame();
  void References();
  void ShortSignaling();
  void FrameSize();
  void RenderSize();
  void FrameSizeWithRefs();
  void SuperresParams();
  void Filters();
  void Modes();
  bool SkipModeAllowed() const;
  void Motion();
  void Grain();

  bool Flag(const char* name, uint32_t percent) {
    return to_.Flag(name, random_.Percent(percent));
  }
  uint32_t AnyBits(const char* name, int count) {
    return to_.Bits(name, count, random_.Bits(count));
  }
  bool Has(uint32_t flag) const { return sequence_.Has(flag); }
  const SavedFrame& Reference(int i) const { return slots_[refs_[size_t(i)]]; }
  bool IsCurrentId(int slot) const;

  Random& random_;
  const HeaderInput& input_;
  const Habits& habits_;
  const SequenceHeader& sequence_;
  const client::av1::Slots& slots_;
  FieldWriter to_;

  v4l2_av1_frame_type type_ = V4L2_AV1_KEY_FRAME;
  bool intra_ = true, shown_ = true, showable_ = false;
  bool error_resilient_ = true;
  bool frozen_cdfs_ = false;  // disable_cdf_update
  bool screen_content_ = false, integer_mv_ = false, high_precision_ = false;
  bool intrabc_ = false;
  uint32_t frame_id_ = 0;
  client::av1::OrderHints hints_;
  int primary_ = kNone;
  SlotOfReference refs_ = {};
  bool short_signaling_ = false;
  // The size, as it is planned.
  bool override_size_ = false;
  int found_ref_ = -1;
  uint32_t upscaled_width_ = 0, width_ = 0, height_ = 0;
  uint32_t superres_denom_ = 8;
  v4l2_av1_quantization quantization_ = {};
  v4l2_av1_segmentation segmentation_ = {};
  bool lossless_ = false;
};

FieldWriter HeaderWriter::Write() && {
  const bool reduced = sequence_.reduced_still_picture_header;
  if (!reduced) {
    const bool any = std::ranges::count(input_.showable, true) != 0;
    if (to_.Flag("show_existing_frame",
                 input_.may_show_existing && any && random_.Percent(25))) {
      ShowExistingFrame();
      return std::move(to_);
    }
  }
  FrameTypes();
  CodingTools();
  FrameId();
  PlanFrame();
  if (type_ != V4L2_AV1_SWITCH_FRAME && !reduced)
    to_.Flag("frame_size_override_flag", override_size_);
  OrderHint();
  BufferRemovalTimes();
  RefreshFrameFlags();
  if (intra_) {
    IntraFrame();
  } else {
    InterFrame();
  }
  if (!reduced && !frozen_cdfs_)
    Flag("disable_frame_end_update_cdf", habits_.frozen_cdfs);
  if (primary_ != kNone) segmentation_ = Reference(primary_).segmentation;
  WriteTileInfo(random_, to_, habits_.many_tiles,
                {.frame_width = width_,
                 .frame_height = height_,
                 .use_128x128_superblock =
                     Has(V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK)},
                superres_denom_ != 8);
  Filters();
  Modes();
  Motion();
  Grain();
  return std::move(to_);
}

void HeaderWriter::ShowExistingFrame() {
  uint32_t slot = random_.Below(kReferenceSlots);
  while (!input_.showable[slot]) slot = (slot + 1) % kReferenceSlots;
  to_.Bits("frame_to_show_map_idx", 3, slot);
  TemporalPointInfo();
  if (sequence_.frame_id_numbers_present)
    to_.Bits("display_frame_id", sequence_.frame_id_length,
             slots_[slot].frame_id);
}

void HeaderWriter::DrawType() {
  const uint32_t at = random_.Below(100);
  const uint32_t key = input_.may_be_key ? habits_.key : 0;
  const uint32_t intra_only = key + habits_.intra_only;
  const uint32_t switches = intra_only + habits_.switch_frame;
  type_ = V4L2_AV1_INTER_FRAME;
  if (at < switches) type_ = V4L2_AV1_SWITCH_FRAME;
  if (at < intra_only) type_ = V4L2_AV1_INTRA_ONLY_FRAME;
  if (at < key || input_.must_be_key) type_ = V4L2_AV1_KEY_FRAME;
  // what cannot be referred to because of its number
  bool any = false;
  for (int slot = 0; slot < kReferenceSlots; ++slot) any |= IsCurrentId(slot);
  if (!any && type_ != V4L2_AV1_KEY_FRAME) type_ = V4L2_AV1_INTRA_ONLY_FRAME;
}

void HeaderWriter::FrameTypes() {
  // first of all: what refers to frames needs it
  if (sequence_.frame_id_numbers_present) {
    const uint32_t mask = (1u << sequence_.frame_id_length) - 1;
    const uint32_t most = 1u << (sequence_.delta_frame_id_length - 1);
    const uint32_t step = 1 + random_.Below(std::min(most, 3u));
    frame_id_ = (input_.last_frame_id + step) & mask;
  }
  if (sequence_.reduced_still_picture_header) return;
  DrawType();
  intra_ = type_ == V4L2_AV1_KEY_FRAME || type_ == V4L2_AV1_INTRA_ONLY_FRAME;
  to_.Bits("frame_type", 2, type_);
  shown_ = input_.must_be_key || input_.must_be_shown ||
           !random_.Percent(habits_.hidden);
  to_.Flag("show_frame", shown_);
  if (shown_) TemporalPointInfo();
  showable_ = shown_ ? type_ != V4L2_AV1_KEY_FRAME : Flag("showable_frame", 75);
  error_resilient_ = type_ == V4L2_AV1_SWITCH_FRAME ||
                     (type_ == V4L2_AV1_KEY_FRAME && shown_) ||
                     Flag("error_resilient_mode", habits_.error_resilient);
}

void HeaderWriter::TemporalPointInfo() {
  if (!sequence_.decoder_model_info_present ||
      sequence_.equal_picture_interval) {
    return;
  }
  AnyBits("frame_presentation_time", sequence_.frame_presentation_time_length);
}

void HeaderWriter::CodingTools() {
  frozen_cdfs_ = Flag("disable_cdf_update", habits_.frozen_cdfs);
  screen_content_ =
      sequence_.force_screen_content_tools == client::av1::kSelect
          ? Flag("allow_screen_content_tools", habits_.screen_content)
          : sequence_.force_screen_content_tools != 0;
  if (!screen_content_) return;
  integer_mv_ = sequence_.force_integer_mv == client::av1::kSelect
                    ? Flag("force_integer_mv", 40)
                    : sequence_.force_integer_mv != 0;
}

void HeaderWriter::FrameId() {
  if (sequence_.frame_id_numbers_present)
    to_.Bits("current_frame_id", sequence_.frame_id_length, frame_id_);
}

// ---- references and size, which depend on each other ----

// Whether delta_frame_id can name the slot's frame.
bool HeaderWriter::IsCurrentId(int slot) const {
  if (!input_.valid[size_t(slot)]) return false;
  if (!sequence_.frame_id_numbers_present) return true;
  const uint32_t mask = (1u << sequence_.frame_id_length) - 1;
  const uint32_t delta = (frame_id_ - slots_[size_t(slot)].frame_id) & mask;
  return delta >= 1 && delta <= 1u << sequence_.delta_frame_id_length;
}

void HeaderWriter::PlanFrame() {
  hints_.bits = sequence_.order_hint_bits;
  hints_.current = random_.Bits(hints_.bits);
  for (int i = 0; i < kReferenceSlots; ++i)
    hints_.slots[size_t(i)] = slots_[size_t(i)].order_hint;
  for (int attempt = 0; attempt < 40; ++attempt) {
    if (!intra_) PlanReferences();
    if (PlanSize()) return;
  }
  // one frame for all names, and its size
  short_signaling_ = false;
  refs_.fill(refs_[0]);
  superres_denom_ = 8;
  override_size_ = true;
  found_ref_ = error_resilient_ ? -1 : 0;
  upscaled_width_ = width_ = Reference(0).format.width;
  height_ = Reference(0).format.height;
}

void HeaderWriter::PlanReferences() {
  std::vector<uint8_t> slots;
  for (int slot = 0; slot < kReferenceSlots; ++slot) {
    if (IsCurrentId(slot)) slots.push_back(uint8_t(slot));
  }
  const uint32_t kinds = random_.Percent(25) ? 1 : uint32_t(slots.size());
  const uint32_t first = random_.Below(uint32_t(slots.size()));
  for (uint8_t& ref : refs_)
    ref = slots[(first + random_.Below(kinds)) % slots.size()];
  short_signaling_ = false;
  if (hints_.bits != 0 && random_.Percent(20)) ShortSignaling();
}

// 7.8: both frames that are named come before this one.
void HeaderWriter::ShortSignaling() {
  const uint8_t last = refs_[0], gold = refs_[3];
  const auto is_before = [&](uint8_t slot) {
    return hints_.Distance(hints_.slots[slot], hints_.current) < 0;
  };
  if (!is_before(last) || !is_before(gold)) return;
  const SlotOfReference refs = client::av1::SetFrameRefs(hints_, last, gold);
  for (const uint8_t ref : refs) {
    if (!IsCurrentId(ref)) return;
  }
  refs_ = refs;
  short_signaling_ = true;
}

// False: not with these references.
bool HeaderWriter::PlanSize() {
  upscaled_width_ = sequence_.max_frame_width;
  height_ = sequence_.max_frame_height;
  found_ref_ = -1;
  const bool is_switch = type_ == V4L2_AV1_SWITCH_FRAME;
  override_size_ = is_switch || (!sequence_.reduced_still_picture_header &&
                                 random_.Percent(habits_.other_size));
  if (override_size_) {
    const auto draw = [&](uint32_t most) {
      const uint32_t least = random_.Percent(70) ? (most + 1) / 2 : 1;
      return random_.Percent(25)
                 ? most
                 : uint32_t(random_.Between(int(least), int(most)));
    };
    upscaled_width_ = draw(upscaled_width_);
    height_ = draw(height_);
    if (!intra_ && !error_resilient_ && random_.Percent(50)) {
      found_ref_ = random_.Between(0, kRefsPerFrame - 1);
      upscaled_width_ = Reference(found_ref_).format.width;
      height_ = Reference(found_ref_).format.height;
    }
  }
  superres_denom_ = 8;
  if (Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_SUPERRES) &&
      random_.Percent(habits_.superres) &&
      // decoders differ in pictures that superresolution makes no wider
      (upscaled_width_ > 16 || random_.Percent(5))) {
    superres_denom_ = uint32_t(random_.Between(9, 16));
  }
  // that a reference is not scaled although this frame is
  if (superres_denom_ != 8 && override_size_ && !intra_ && found_ref_ < 0 &&
      random_.Percent(40)) {
    const uint32_t wide = Reference(0).format.width * superres_denom_ / 8;
    if (wide <= sequence_.max_frame_width) upscaled_width_ = wide;
  }
  // 5.9.8, and at least 16 as in libaom and dav1d
  width_ = (upscaled_width_ * 8 + superres_denom_ / 2) / superres_denom_;
  width_ = std::max(width_, std::min(16u, upscaled_width_));
  return intra_ || IsUsable();
}

bool HeaderWriter::IsUsable() const {
  for (int i = 0; i < kRefsPerFrame; ++i) {
    const client::FrameFormat& format = Reference(i).format;
    if (2 * width_ < format.width || 2 * height_ < format.height ||
        width_ > 16 * format.width || height_ > 16 * format.height) {
      return false;
    }
  }
  return true;
}

// ---- on with the header ----

void HeaderWriter::OrderHint() {
  to_.Bits("order_hint", hints_.bits, hints_.current);
  if (intra_ || error_resilient_) return;
  primary_ =
      random_.Percent(70) ? random_.Between(0, kRefsPerFrame - 1) : kNone;
  to_.Bits("primary_ref_frame", 3, uint32_t(primary_));
}

void HeaderWriter::BufferRemovalTimes() {
  if (!sequence_.decoder_model_info_present) return;
  if (!Flag("buffer_removal_time_present_flag", 30)) return;
  for (int i = 0; i < sequence_.operating_point_count; ++i) {
    const client::av1::OperatingPoint& point =
        sequence_.operating_points[size_t(i)];
    if (!point.has_decoder_model) continue;
    const bool in_temporal = point.idc >> input_.temporal_id & 1;
    const bool in_spatial = point.idc >> (input_.spatial_id + 8) & 1;
    if (point.idc != 0 && !(in_temporal && in_spatial)) continue;
    AnyBits("buffer_removal_time", sequence_.buffer_removal_time_length);
  }
}

void HeaderWriter::RefreshFrameFlags() {
  uint32_t refresh = kAllFrames;
  if (type_ != V4L2_AV1_SWITCH_FRAME &&
      !(type_ == V4L2_AV1_KEY_FRAME && shown_)) {
    refresh = random_.Percent(50) ? 1u << random_.Below(8) : random_.Bits(8);
    // 6.8.2
    if (type_ == V4L2_AV1_INTRA_ONLY_FRAME && refresh == kAllFrames)
      refresh = 0x7f;
    to_.Bits("refresh_frame_flags", 8, refresh);
  }
  if (intra_ && refresh == kAllFrames) return;
  if (!error_resilient_ || hints_.bits == 0) return;
  for (const uint32_t hint : hints_.slots)
    to_.Bits("ref_order_hint", hints_.bits, hint);
}

void HeaderWriter::IntraFrame() {
  FrameSize();
  RenderSize();
  if (screen_content_ && upscaled_width_ == width_)
    intrabc_ = Flag("allow_intrabc", 75);
}

void HeaderWriter::InterFrame() {
  References();
  if (override_size_ && !error_resilient_) {
    FrameSizeWithRefs();
  } else {
    FrameSize();
    RenderSize();
  }
  if (!integer_mv_) high_precision_ = Flag("allow_high_precision_mv", 50);
  if (!Flag("is_filter_switchable", 60))
    to_.Bits("interpolation_filter", 2, random_.Bits(2));
  Flag("is_motion_mode_switchable", 75);
  if (!error_resilient_ && Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_REF_FRAME_MVS))
    Flag("use_ref_frame_mvs", 75);
}

void HeaderWriter::References() {
  if (hints_.bits != 0) {
    if (to_.Flag("frame_refs_short_signaling", short_signaling_)) {
      to_.Bits("last_frame_idx", 3, refs_[0]);
      to_.Bits("gold_frame_idx", 3, refs_[3]);
    }
  }
  for (const uint8_t ref : refs_) {
    if (!short_signaling_) to_.Bits("ref_frame_idx", 3, ref);
    if (!sequence_.frame_id_numbers_present) continue;
    const uint32_t mask = (1u << sequence_.frame_id_length) - 1;
    to_.Bits("delta_frame_id_minus_1", sequence_.delta_frame_id_length,
             ((frame_id_ - slots_[ref].frame_id) & mask) - 1);
  }
}

void HeaderWriter::FrameSize() {
  if (override_size_) {
    to_.Bits("frame_width_minus_1", sequence_.frame_width_bits,
             upscaled_width_ - 1);
    to_.Bits("frame_height_minus_1", sequence_.frame_height_bits, height_ - 1);
  }
  SuperresParams();
}

void HeaderWriter::RenderSize() {
  if (!Flag("render_and_frame_size_different", 10)) return;
  to_.Bits("render_width_minus_1", 16, random_.Below(1000));
  to_.Bits("render_height_minus_1", 16, random_.Below(1000));
}

void HeaderWriter::FrameSizeWithRefs() {
  for (int i = 0; i < kRefsPerFrame; ++i) {
    if (to_.Flag("found_ref", i == found_ref_)) return SuperresParams();
  }
  FrameSize();
  RenderSize();
}

void HeaderWriter::SuperresParams() {
  if (!Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_SUPERRES)) return;
  if (to_.Flag("use_superres", superres_denom_ != 8))
    to_.Bits("coded_denom", 3, superres_denom_ - 9);
}

void HeaderWriter::Filters() {
  const bool monochrome = sequence_.samples.monochrome;
  WriteQuantization(
      random_, to_, sequence_,
      {.lossless = habits_.lossless, .matrices = habits_.matrices},
      quantization_);
  WriteSegmentation(random_, to_, primary_ != kNone, habits_.segmentation,
                    quantization_.base_q_idx, segmentation_);
  WriteDeltas(random_, to_, intrabc_, habits_.deltas, quantization_);
  lossless_ = client::av1::IsCodedLossless(quantization_, segmentation_);
  const bool all_lossless = lossless_ && width_ == upscaled_width_;
  if (!lossless_ && !intrabc_) WriteLoopFilter(random_, to_, monochrome);
  if (!lossless_ && !intrabc_ && Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_CDEF))
    WriteCdef(random_, to_, monochrome);
  if (!all_lossless && !intrabc_ &&
      Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_RESTORATION)) {
    WriteLoopRestoration(random_, to_, sequence_);
  }
}

void HeaderWriter::Modes() {
  if (!lossless_) Flag("tx_mode_select", 70);
  if (!intra_) {
    if (Flag("reference_select", 70) && SkipModeAllowed())
      Flag("skip_mode_present", 70);
    if (!error_resilient_ && Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_WARPED_MOTION))
      Flag("allow_warped_motion", 75);
  }
  Flag("reduced_tx_set", 25);
}

bool HeaderWriter::SkipModeAllowed() const {
  return hints_.bits != 0 &&
         client::av1::SkipModeFrames(hints_, refs_).has_value();
}

void HeaderWriter::Motion() {
  if (intra_) return;
  WriteGlobalMotion(random_, to_, high_precision_, habits_.global_motion,
                    primary_ == kNone ? client::av1::IdentityGmParams()
                                      : Reference(primary_).gm_params);
}

void HeaderWriter::Grain() {
  if (!Has(V4L2_AV1_SEQUENCE_FLAG_FILM_GRAIN_PARAMS_PRESENT)) return;
  if (!shown_ && !showable_) return;
  WriteFilmGrain(random_, to_, sequence_.samples, habits_.grain,
                 type_ == V4L2_AV1_INTER_FRAME, refs_);
}

}  // namespace

Habits DrawHabits(Random& random) {
  const auto often = [&] { return random.Of({0u, 15u, 50u, 85u}); };
  const auto seldom = [&] { return random.Of({0u, 0u, 10u, 30u}); };
  return {.hidden = random.Of({0u, 20u, 40u}),
          .key = random.Of({0u, 3u, 15u}),
          .intra_only = random.Of({0u, 5u, 20u}),
          .switch_frame = random.Of({0u, 0u, 5u, 20u}),
          .error_resilient = seldom(),
          .other_size = random.Of({0u, 10u, 30u}),
          .superres = often(),
          .screen_content = often(),
          .segmentation = often(),
          .deltas = often(),
          .lossless = random.Of({0u, 0u, 10u, 60u}),
          .matrices = random.Of({0u, 0u, 50u}),
          .global_motion = random.Of({0u, 15u, 50u}),
          .grain = often(),
          .many_tiles = random.Of({0u, 30u, 80u}),
          .frozen_cdfs = random.Of({0u, 15u, 15u, 60u})};
}

FieldWriter DrawFrameHeader(Random& random, const HeaderInput& input) {
  return HeaderWriter(random, input).Write();
}

}  // namespace perdix::make_stream::av1
