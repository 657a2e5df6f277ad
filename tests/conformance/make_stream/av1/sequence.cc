// SPDX-License-Identifier: BSD-2-Clause
// Functions are in the order of the syntax tables of 5.5.
#include "tests/conformance/make_stream/av1/sequence.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "tests/conformance/make_stream/av1/field_writer.h"

namespace perdix::make_stream::av1 {
namespace {

// What profiles allow (6.4.1).
struct Samples {
  uint32_t profile;
  int bit_depth;
  int subsampling_x, subsampling_y;
  bool monochrome = false;
};
constexpr Samples kSamples[] = {
    {0, 8, 1, 1},        {0, 8, 1, 1},       {0, 10, 1, 1}, {0, 10, 1, 1},
    {0, 8, 1, 1, true},  {1, 8, 0, 0},       {1, 10, 0, 0}, {2, 8, 1, 0},
    {2, 10, 1, 0},       {2, 12, 1, 0},      {2, 12, 1, 1}, {2, 12, 0, 0},
    {0, 10, 1, 1, true}, {2, 12, 1, 1, true}};

class SequenceWriter {
 public:
  SequenceWriter(Random& random, Sequence& sequence)
      : random_(random), sequence_(sequence) {}

  void Write();
  const FieldWriter& fields() const { return to_; }

 private:
  void OperatingPoints();
  void TimingInfo();
  void DecoderModelInfo();
  void DrawLayers();
  void OperatingPoint(int index, int count);
  void FrameSizes();
  void FrameIds();
  void Tools();
  void InterTools();
  void ForcedTools();
  void ColorConfig();
  bool ColorDescription();

  bool Flag(const char* name, uint32_t percent) {
    return to_.Flag(name, random_.Percent(percent));
  }
  uint32_t AnyBits(const char* name, int count) {
    return to_.Bits(name, count, random_.Bits(count));
  }

  Random& random_;
  Sequence& sequence_;
  FieldWriter to_;
  Samples samples_ = {};
  bool reduced_ = false;
  bool decoder_model_ = false, display_delay_ = false;
  int buffer_delay_length_ = 0;
};

void SequenceWriter::Write() {
  samples_ = kSamples[random_.Below(std::size(kSamples))];
  to_.Bits("seq_profile", 3, samples_.profile);
  const bool still = Flag("still_picture", 6);
  reduced_ =
      to_.Flag("reduced_still_picture_header", still && random_.Percent(60));
  OperatingPoints();
  FrameSizes();
  FrameIds();
  Tools();
  ColorConfig();
  Flag("film_grain_params_present", 30);
}

// Levels that are not reserved (Annex A).
uint32_t DrawLevel(Random& random) {
  return random.Of(
      {0u, 1u, 4u, 5u, 8u, 9u, 12u, 13u, 14u, 15u, 16u, 17u, 18u, 19u, 31u});
}

void SequenceWriter::OperatingPoints() {
  if (reduced_) {
    to_.Bits("seq_level_idx", 5, DrawLevel(random_));
    return;
  }
  if (Flag("timing_info_present_flag", 20)) {
    TimingInfo();
    decoder_model_ = Flag("decoder_model_info_present_flag", 60);
    if (decoder_model_) DecoderModelInfo();
  }
  display_delay_ = Flag("initial_display_delay_present_flag", 15);
  DrawLayers();
  const int layers =
      std::max(sequence_.temporal_layers * sequence_.spatial_layers, 1);
  const int count = random_.Between(1, layers);
  to_.Bits("operating_points_cnt_minus_1", 5, uint32_t(count - 1));
  for (int i = 0; i < count; ++i) OperatingPoint(i, count);
}

void SequenceWriter::TimingInfo() {
  to_.Bits("num_units_in_display_tick", 32, 1 + random_.Bits(20));
  to_.Bits("time_scale", 32, 1 + random_.Bits(26));
  if (Flag("equal_picture_interval", 50)) {
    to_.Uvlc("num_ticks_per_picture_minus_1",
             random_.Bits(random_.Between(0, 31)));
  }
}

void SequenceWriter::DecoderModelInfo() {
  buffer_delay_length_ = int(AnyBits("buffer_delay_length_minus_1", 5)) + 1;
  to_.Bits("num_units_in_decoding_tick", 32, 1 + random_.Bits(20));
  AnyBits("buffer_removal_time_length_minus_1", 5);
  AnyBits("frame_presentation_time_length_minus_1", 5);
}

void SequenceWriter::DrawLayers() {
  if (!random_.Percent(15)) return;
  sequence_.temporal_layers = random_.Between(1, 3);
  sequence_.spatial_layers = random_.Percent(50) ? 1 : random_.Between(2, 3);
}

// The first one has all layers, later ones leave some out.
void SequenceWriter::OperatingPoint(int index, int count) {
  uint32_t idc = 0;
  if (sequence_.temporal_layers != 0) {
    const int drop = index * sequence_.temporal_layers / count;
    const uint32_t temporal = (1u << (sequence_.temporal_layers - drop)) - 1;
    const uint32_t spatial =
        index == 0 ? (1u << sequence_.spatial_layers) - 1
                   : (1u << random_.Between(1, sequence_.spatial_layers)) - 1;
    idc = spatial << 8 | temporal;
  }
  to_.Bits("operating_point_idc", 12, idc);
  const uint32_t level = to_.Bits("seq_level_idx", 5, DrawLevel(random_));
  if (level > 7) Flag("seq_tier", 30);
  if (decoder_model_ && Flag("decoder_model_present_for_this_op", 60)) {
    AnyBits("decoder_buffer_delay", buffer_delay_length_);
    AnyBits("encoder_buffer_delay", buffer_delay_length_);
    Flag("low_delay_mode_flag", 50);
  }
  if (display_delay_ && Flag("initial_display_delay_present_for_this_op", 60))
    to_.Bits("initial_display_delay_minus_1", 4, random_.Below(10));
}

uint32_t DrawSize(Random& random) {
  const uint32_t kind = random.Below(100);
  return uint32_t(kind < 12   ? random.Between(1, 16)
                  : kind < 40 ? random.Between(8, 72)
                  : kind < 85 ? random.Between(33, 208)
                              : random.Between(129, 520));
}

void SequenceWriter::FrameSizes() {
  const uint32_t width = DrawSize(random_), height = DrawSize(random_);
  const int width_bits =
      random_.Between(std::max(int(std::bit_width(width - 1)), 1), 16);
  const int height_bits =
      random_.Between(std::max(int(std::bit_width(height - 1)), 1), 16);
  to_.Bits("frame_width_bits_minus_1", 4, uint32_t(width_bits - 1));
  to_.Bits("frame_height_bits_minus_1", 4, uint32_t(height_bits - 1));
  to_.Bits("max_frame_width_minus_1", width_bits, width - 1);
  to_.Bits("max_frame_height_minus_1", height_bits, height - 1);
}

// 6.4.1: together at most 16 bits.
void SequenceWriter::FrameIds() {
  if (reduced_ || !Flag("frame_id_numbers_present_flag", 15)) return;
  const uint32_t delta = random_.Below(14);  // 0 is 2 bits, 13 is 15
  to_.Bits("delta_frame_id_length_minus_2", 4, delta);
  to_.Bits("additional_frame_id_length_minus_1", 3,
           random_.Below(std::min(14 - delta, 8u)));
}

void SequenceWriter::Tools() {
  Flag("use_128x128_superblock", 50);
  Flag("enable_filter_intra", 75);
  Flag("enable_intra_edge_filter", 75);
  if (!reduced_) InterTools();
  Flag("enable_superres", 35);
  Flag("enable_cdef", 75);
  Flag("enable_restoration", 70);
}

void SequenceWriter::InterTools() {
  Flag("enable_interintra_compound", 75);
  Flag("enable_masked_compound", 75);
  Flag("enable_warped_motion", 75);
  Flag("enable_dual_filter", 70);
  const bool order_hint = Flag("enable_order_hint", 90);
  if (order_hint) {
    Flag("enable_jnt_comp", 75);
    Flag("enable_ref_frame_mvs", 80);
  }
  ForcedTools();
  if (order_hint) to_.Bits("order_hint_bits_minus_1", 3, random_.Bits(3));
}

void SequenceWriter::ForcedTools() {
  bool screen_content = true;  // or a frame may have it
  if (!Flag("seq_choose_screen_content_tools", 75))
    screen_content = Flag("seq_force_screen_content_tools", 50);
  if (!screen_content) return;
  if (!Flag("seq_choose_integer_mv", 75)) Flag("seq_force_integer_mv", 50);
}

void SequenceWriter::ColorConfig() {
  const bool high = to_.Flag("high_bitdepth", samples_.bit_depth > 8);
  if (samples_.profile == 2 && high)
    to_.Flag("twelve_bit", samples_.bit_depth == 12);
  if (samples_.profile != 1) to_.Flag("mono_chrome", samples_.monochrome);
  const bool srgb = ColorDescription();
  if (samples_.monochrome) {
    Flag("color_range", 50);
    return;
  }
  if (!srgb) {
    Flag("color_range", 50);
    if (samples_.profile == 2 && samples_.bit_depth == 12) {
      to_.Flag("subsampling_x", samples_.subsampling_x != 0);
      if (samples_.subsampling_x != 0)
        to_.Flag("subsampling_y", samples_.subsampling_y != 0);
    }
    if (samples_.subsampling_x != 0 && samples_.subsampling_y != 0)
      to_.Bits("chroma_sample_position", 2, random_.Below(3));
  }
  Flag("separate_uv_delta_q", 50);
}

// Whether it is sRGB. The identity needs 4:4:4 (6.4.2).
bool SequenceWriter::ColorDescription() {
  if (!Flag("color_description_present_flag", 30)) return false;
  const bool is_444 = samples_.subsampling_x == 0 && !samples_.monochrome;
  const bool srgb = is_444 && random_.Percent(40);
  to_.Bits("color_primaries", 8, srgb ? 1 : random_.Of({1u, 2u, 5u, 9u, 22u}));
  to_.Bits("transfer_characteristics", 8,
           srgb ? 13 : random_.Of({1u, 2u, 6u, 16u, 18u}));
  const uint32_t matrix =
      is_444 ? random_.Of({0u, 1u, 2u, 9u}) : random_.Of({1u, 2u, 5u, 9u});
  to_.Bits("matrix_coefficients", 8, srgb ? 0 : matrix);
  return srgb;
}

}  // namespace

Sequence DrawSequence(Random& random, Coverage* coverage) {
  Sequence sequence;
  SequenceWriter writer(random, sequence);
  writer.Write();
  writer.fields().Count(coverage);
  sequence.payload = writer.fields().Bytes(true);
  const Status status =
      client::av1::ParseSequenceHeader(sequence.payload, &sequence.header);
  if (!status.ok()) throw std::logic_error(status.message());
  return sequence;
}

}  // namespace perdix::make_stream::av1
