// SPDX-License-Identifier: BSD-2-Clause
// AV1 OBUs made by hand, field by field.
#ifndef PERDIX_TESTS_CLIENT_AV1_STREAM_WRITER_H_
#define PERDIX_TESTS_CLIENT_AV1_STREAM_WRITER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "client/bitstream/av1/obu.h"
#include "tests/client/vp9/header_writer.h"

namespace perdix::client::av1 {

using Bytes = std::vector<uint8_t>;
using vp9::BitWriter;

// The fields that tests vary; the rest is as plain as can be: 64x48, order
// hints of 7 bits, no tool that a frame header would speak of.
struct TestSequence {
  uint32_t profile = 0;
  bool high_bitdepth = false;
  bool monochrome = false;
  bool film_grain = false;
  uint32_t width = 64, height = 48;
  std::vector<uint32_t> operating_points = {0};  // operating_point_idc
};

struct TestFrame {
  uint32_t type = 0;  // frame_type
  bool shown = true;
  bool showable = true;  // of a hidden frame
  uint32_t order_hint = 0;
  uint32_t refresh = 0xff;  // not of a shown key frame
  uint32_t primary_ref = 7;
  uint32_t references[7] = {};
  uint32_t base_q_idx = 100;
  std::function<void(BitWriter&)> tiles =
      nullptr;  // default: uniform, no increments
  std::function<void(BitWriter&)> segmentation =
      nullptr;  // default: not enabled
  std::function<void(BitWriter&)> loop_filter = nullptr;    // default: level 0
  std::function<void(BitWriter&)> global_motion = nullptr;  // default: none
  std::function<void(BitWriter&)> grain =
      nullptr;  // only if the sequence has it
};

// Payloads. That of a frame header is without trailing bits, so that tile data
// may follow.
Bytes WriteSequence(const TestSequence& sequence);
Bytes WriteFrameHeader(const TestSequence& sequence, const TestFrame& frame);
Bytes WriteShowExisting(uint32_t slot);

struct TestLayer {
  uint8_t temporal_id = 0, spatial_id = 0;
};
// An OBU with obu_size; layer: with an extension.
Bytes WriteObu(ObuType type, const Bytes& payload);
Bytes WriteObu(ObuType type, const Bytes& payload, TestLayer layer);

// OBU_FRAME of one tile of one byte.
Bytes WriteFrame(const TestSequence& sequence, const TestFrame& frame);

Bytes Join(std::initializer_list<Bytes> parts);

}  // namespace perdix::client::av1

#endif  // PERDIX_TESTS_CLIENT_AV1_STREAM_WRITER_H_
