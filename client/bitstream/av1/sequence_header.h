// SPDX-License-Identifier: BSD-2-Clause
// The sequence header (5.5, 6.4): what frame headers need of it, and what the
// V4L2 stateless API wants.
#ifndef PERDIX_CLIENT_BITSTREAM_AV1_SEQUENCE_HEADER_H_
#define PERDIX_CLIENT_BITSTREAM_AV1_SEQUENCE_HEADER_H_

#include <array>
#include <cstdint>
#include <span>

#include "client/base/coded_frame.h"
#include "codec/av1/v4l2_controls.h"
#include "kernels/status.h"

namespace perdix::client::av1 {

inline constexpr int kMaxOperatingPoints = 32;

// The value of seq_force_screen_content_tools and seq_force_integer_mv with
// which each frame says for itself.
inline constexpr uint8_t kSelect = 2;

struct OperatingPoint {
  uint16_t idc = 0;  // operating_point_idc; 0: all layers
  bool has_decoder_model = false;
  bool operator==(const OperatingPoint&) const = default;
};

// Names as in 5.5. What 7.5 lets change within a sequence
// (operating_parameters_info) is not here, so that equal headers mean one
// sequence.
struct SequenceHeader {
  uint32_t flags = 0;  // V4L2_AV1_SEQUENCE_FLAG_*
  uint8_t seq_profile = 0;
  bool reduced_still_picture_header = false;

  bool decoder_model_info_present = false;
  bool equal_picture_interval = false;
  uint8_t buffer_removal_time_length = 0;      // bits
  uint8_t frame_presentation_time_length = 0;  // bits
  uint8_t operating_point_count = 1;
  std::array<OperatingPoint, kMaxOperatingPoints> operating_points;

  uint8_t frame_width_bits = 0;
  uint8_t frame_height_bits = 0;
  uint32_t max_frame_width = 0;
  uint32_t max_frame_height = 0;
  bool frame_id_numbers_present = false;
  uint8_t delta_frame_id_length = 0;  // bits
  uint8_t frame_id_length = 0;        // bits: idLen of 5.9.2

  uint8_t force_screen_content_tools = kSelect;
  uint8_t force_integer_mv = kSelect;
  uint8_t order_hint_bits = 0;  // OrderHintBits; 0: no order hints

  FrameFormat samples;  // without a size
  uint8_t matrix_coefficients = 0;

  bool Has(uint32_t flag) const { return (flags & flag) != 0; }
  bool operator==(const SequenceHeader&) const = default;
};

// payload: of an OBU_SEQUENCE_HEADER
Status ParseSequenceHeader(std::span<const uint8_t> payload,
                           SequenceHeader* sequence);

v4l2_ctrl_av1_sequence ToControl(const SequenceHeader& sequence);

}  // namespace perdix::client::av1

#endif  // PERDIX_CLIENT_BITSTREAM_AV1_SEQUENCE_HEADER_H_
