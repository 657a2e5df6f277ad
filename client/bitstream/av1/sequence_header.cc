// SPDX-License-Identifier: BSD-2-Clause
// Functions are in the order of the syntax tables of 5.5.
#include "client/bitstream/av1/sequence_header.h"

#include <string>

#include "client/bitstream/av1/refusals.h"
#include "client/bitstream/av1/syntax.h"

namespace perdix::client::av1 {
namespace {

constexpr uint32_t kMaxProfile = 2;
// Values of 6.4.2 that mean sRGB together.
constexpr uint32_t kPrimariesBt709 = 1;
constexpr uint32_t kTransferSrgb = 13;
constexpr uint32_t kMatrixIdentity = 0;
constexpr uint32_t kUnspecified = 2;

class SequenceParser {
 public:
  SequenceParser(std::span<const uint8_t> payload, SequenceHeader& sequence)
      : size_(payload.size()), reader_(payload), sequence_(sequence) {}

  Status Parse();

 private:
  Status OperatingPoints();
  Status TimingInfo();
  void DecoderModelInfo();
  Status ReadOperatingPoint(OperatingPoint& point);
  void FrameSizes();
  void FrameIds();
  void Tools();
  void InterTools();
  void ForcedTools();
  Status ColorConfig();
  void BitDepth();
  Status Subsampling(bool srgb);

  void ReadFlag(uint32_t flag) {
    if (reader_.Flag()) sequence_.flags |= flag;
  }

  const size_t size_;
  BitReader reader_;
  SequenceHeader& sequence_;
  bool initial_display_delay_present_ = false;
  int buffer_delay_length_ = 0;
};

Status SequenceParser::Parse() {
  sequence_.seq_profile = uint8_t(reader_.Bits(3));
  if (sequence_.seq_profile > kMaxProfile) {
    return RefuseProfile(sequence_.seq_profile);
  }
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_STILL_PICTURE);
  sequence_.reduced_still_picture_header = reader_.Flag();
  if (sequence_.reduced_still_picture_header &&
      !sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_STILL_PICTURE)) {
    return Invalid("reduced_still_picture_header", 1,
                   "0 where still_picture is 0");
  }
  Status status = OperatingPoints();
  if (!status.ok()) return status;
  FrameSizes();
  FrameIds();
  Tools();
  status = ColorConfig();
  if (!status.ok()) return status;
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_FILM_GRAIN_PARAMS_PRESENT);
  return CheckEnd(reader_, "sequence header", size_, true);
}

Status SequenceParser::OperatingPoints() {
  if (sequence_.reduced_still_picture_header) {
    reader_.Bits(5);  // seq_level_idx[0]
    return Status::Ok();
  }
  if (reader_.Flag()) {  // timing_info_present_flag
    Status status = TimingInfo();
    if (!status.ok()) return status;
    sequence_.decoder_model_info_present = reader_.Flag();
    if (sequence_.decoder_model_info_present) DecoderModelInfo();
  }
  initial_display_delay_present_ = reader_.Flag();
  sequence_.operating_point_count = uint8_t(reader_.Bits(5) + 1);
  for (int i = 0; i < sequence_.operating_point_count; ++i) {
    Status status = ReadOperatingPoint(sequence_.operating_points[i]);
    if (!status.ok()) return status;
  }
  return Status::Ok();
}

// timing_info()
Status SequenceParser::TimingInfo() {
  ReadLong(reader_, 32);  // num_units_in_display_tick
  ReadLong(reader_, 32);  // time_scale
  sequence_.equal_picture_interval = reader_.Flag();
  if (sequence_.equal_picture_interval && ReadUvlc(reader_) == UINT32_MAX) {
    return Invalid("num_ticks_per_picture_minus_1", UINT32_MAX,
                   "0 to 4294967294");
  }
  return Status::Ok();
}

void SequenceParser::DecoderModelInfo() {
  buffer_delay_length_ = reader_.Bits(5) + 1;
  ReadLong(reader_, 32);  // num_units_in_decoding_tick
  sequence_.buffer_removal_time_length = uint8_t(reader_.Bits(5) + 1);
  sequence_.frame_presentation_time_length = uint8_t(reader_.Bits(5) + 1);
}

Status SequenceParser::ReadOperatingPoint(OperatingPoint& point) {
  constexpr uint32_t kTemporalLayers = 0x0ff;
  constexpr uint32_t kSpatialLayers = 0xf00;
  point.idc = reader_.Bits(12);
  if (point.idc != 0 && ((point.idc & kTemporalLayers) == 0 ||
                         (point.idc & kSpatialLayers) == 0)) {
    return Invalid("operating_point_idc", point.idc,
                   "0, or a temporal and a spatial layer");
  }
  const uint32_t level = reader_.Bits(5);  // seq_level_idx
  if (level > 7) reader_.Flag();           // seq_tier
  if (sequence_.decoder_model_info_present) {
    point.has_decoder_model = reader_.Flag();
    if (point.has_decoder_model) {  // operating_parameters_info()
      ReadLong(reader_, buffer_delay_length_);
      ReadLong(reader_, buffer_delay_length_);
      reader_.Flag();
    }
  }
  if (initial_display_delay_present_ && reader_.Flag()) reader_.Bits(4);
  return Status::Ok();
}

void SequenceParser::FrameSizes() {
  sequence_.frame_width_bits = uint8_t(reader_.Bits(4) + 1);
  sequence_.frame_height_bits = uint8_t(reader_.Bits(4) + 1);
  sequence_.max_frame_width = reader_.Bits(sequence_.frame_width_bits) + 1u;
  sequence_.max_frame_height = reader_.Bits(sequence_.frame_height_bits) + 1u;
}

void SequenceParser::FrameIds() {
  if (sequence_.reduced_still_picture_header) return;
  sequence_.frame_id_numbers_present = reader_.Flag();
  if (!sequence_.frame_id_numbers_present) return;
  sequence_.delta_frame_id_length = uint8_t(reader_.Bits(4) + 2);
  sequence_.frame_id_length =
      uint8_t(sequence_.delta_frame_id_length + reader_.Bits(3) + 1);
}

void SequenceParser::Tools() {
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_USE_128X128_SUPERBLOCK);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_FILTER_INTRA);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_INTRA_EDGE_FILTER);
  if (!sequence_.reduced_still_picture_header) InterTools();
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_SUPERRES);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_CDEF);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_RESTORATION);
}

void SequenceParser::InterTools() {
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_INTERINTRA_COMPOUND);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_MASKED_COMPOUND);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_WARPED_MOTION);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_DUAL_FILTER);
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_ORDER_HINT);
  const bool order_hint =
      sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_ENABLE_ORDER_HINT);
  if (order_hint) {
    ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_JNT_COMP);
    ReadFlag(V4L2_AV1_SEQUENCE_FLAG_ENABLE_REF_FRAME_MVS);
  }
  ForcedTools();
  if (order_hint) sequence_.order_hint_bits = uint8_t(reader_.Bits(3) + 1);
}

void SequenceParser::ForcedTools() {
  const bool choose_screen_content_tools = reader_.Flag();
  sequence_.force_screen_content_tools =
      choose_screen_content_tools ? kSelect : uint8_t(reader_.Flag());
  if (sequence_.force_screen_content_tools == 0) return;
  const bool choose_integer_mv = reader_.Flag();
  sequence_.force_integer_mv =
      choose_integer_mv ? kSelect : uint8_t(reader_.Flag());
}

Status SequenceParser::ColorConfig() {
  BitDepth();
  if (sequence_.seq_profile != 1) {
    ReadFlag(V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME);
  }
  uint32_t primaries = kUnspecified, transfer = kUnspecified;
  sequence_.matrix_coefficients = kUnspecified;
  if (reader_.Flag()) {  // color_description_present_flag
    primaries = reader_.Bits(8);
    transfer = reader_.Bits(8);
    sequence_.matrix_coefficients = uint8_t(reader_.Bits(8));
  }
  if (sequence_.Has(V4L2_AV1_SEQUENCE_FLAG_MONO_CHROME)) {
    ReadFlag(V4L2_AV1_SEQUENCE_FLAG_COLOR_RANGE);
    sequence_.samples.monochrome = true;
    sequence_.flags |= V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X |
                       V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y;
    return Status::Ok();
  }
  const bool srgb = primaries == kPrimariesBt709 && transfer == kTransferSrgb &&
                    sequence_.matrix_coefficients == kMatrixIdentity;
  Status status = Subsampling(srgb);
  if (!status.ok()) return status;
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_SEPARATE_UV_DELTA_Q);
  return Status::Ok();
}

void SequenceParser::BitDepth() {
  const bool high_bitdepth = reader_.Flag();
  sequence_.samples.bit_depth = high_bitdepth ? 10 : 8;
  if (sequence_.seq_profile == 2 && high_bitdepth && reader_.Flag()) {
    sequence_.samples.bit_depth = 12;
  }
}

Status SequenceParser::Subsampling(bool srgb) {
  FrameFormat& samples = sequence_.samples;
  const bool any = sequence_.seq_profile == 2 && samples.bit_depth == 12;
  if (srgb) {
    if (sequence_.seq_profile != 1 && !any) {
      return Invalid("seq_profile of an sRGB stream, which is 4:4:4,",
                     sequence_.seq_profile, "1, or 2 at 12 bit");
    }
    sequence_.flags |= V4L2_AV1_SEQUENCE_FLAG_COLOR_RANGE;
    samples.subsampling_x = samples.subsampling_y = 0;
    return Status::Ok();
  }
  ReadFlag(V4L2_AV1_SEQUENCE_FLAG_COLOR_RANGE);
  if (any) {
    samples.subsampling_x = reader_.Flag();
    samples.subsampling_y = samples.subsampling_x != 0 && reader_.Flag();
  } else {
    samples.subsampling_x = sequence_.seq_profile != 1;
    samples.subsampling_y = sequence_.seq_profile == 0;
  }
  if (samples.subsampling_x != 0) {
    sequence_.flags |= V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_X;
  }
  if (samples.subsampling_y != 0) {
    sequence_.flags |= V4L2_AV1_SEQUENCE_FLAG_SUBSAMPLING_Y;
    reader_.Bits(2);  // chroma_sample_position
  }
  return Status::Ok();
}

}  // namespace

Status ParseSequenceHeader(std::span<const uint8_t> payload,
                           SequenceHeader* sequence) {
  SequenceHeader result;
  Status status = SequenceParser(payload, result).Parse();
  if (status.ok()) *sequence = result;
  return status;
}

v4l2_ctrl_av1_sequence ToControl(const SequenceHeader& sequence) {
  v4l2_ctrl_av1_sequence control = {};
  control.flags = sequence.flags;
  control.seq_profile = sequence.seq_profile;
  control.order_hint_bits = sequence.order_hint_bits;
  control.bit_depth = uint8_t(sequence.samples.bit_depth);
  control.max_frame_width_minus_1 = uint16_t(sequence.max_frame_width - 1);
  control.max_frame_height_minus_1 = uint16_t(sequence.max_frame_height - 1);
  return control;
}

}  // namespace perdix::client::av1
