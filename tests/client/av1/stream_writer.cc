// SPDX-License-Identifier: BSD-2-Clause
#include "tests/client/av1/stream_writer.h"

namespace perdix::client::av1 {
namespace {

constexpr uint32_t kKeyFrame = 0, kIntraOnlyFrame = 2;
constexpr int kOrderHintBits = 7;

void WriteColorConfig(BitWriter& bits, const TestSequence& sequence) {
  bits.Bits(sequence.high_bitdepth, 1);
  if (sequence.profile == 2 && sequence.high_bitdepth) bits.Bits(0, 1);
  if (sequence.profile != 1) bits.Bits(sequence.monochrome, 1);
  bits.Bits(0, 1);  // color_description_present_flag
  bits.Bits(0, 1);  // color_range
  if (sequence.monochrome) return;
  if (sequence.profile == 0) bits.Bits(0, 2);  // chroma_sample_position
  bits.Bits(0, 1);                             // separate_uv_delta_q
}

void WriteQuantization(BitWriter& bits, const TestSequence& sequence,
                       const TestFrame& frame) {
  bits.Bits(frame.base_q_idx, 8);
  bits.Bits(0, sequence.monochrome ? 1 : 3);  // delta_coded
  bits.Bits(0, 1);                            // using_qmatrix
}

// Before the size and what follows it.
void WriteReferences(BitWriter& bits, const TestFrame& frame) {
  bits.Bits(0, 1);  // frame_refs_short_signaling
  for (const uint32_t slot : frame.references) bits.Bits(slot, 3);
}

void WriteOr(const std::function<void(BitWriter&)>& write, BitWriter& bits,
             uint32_t value, int count) {
  if (write) {
    write(bits);
  } else {
    bits.Bits(value, count);
  }
}

}  // namespace

Bytes WriteSequence(const TestSequence& sequence) {
  BitWriter bits;
  bits.Bits(sequence.profile, 3);
  bits.Bits(0, 4);  // still picture, reduced, timing, display delay
  bits.Bits(uint32_t(sequence.operating_points.size()) - 1, 5);
  for (const uint32_t idc : sequence.operating_points) {
    bits.Bits(idc, 12).Bits(0, 5);  // seq_level_idx
  }
  bits.Bits(15, 4).Bits(15, 4);
  bits.Bits(sequence.width - 1, 16).Bits(sequence.height - 1, 16);
  bits.Bits(0, 1);                        // frame_id_numbers_present_flag
  bits.Bits(0, 3);                        // superblocks, intra tools
  bits.Bits(0, 4).Bits(1, 1).Bits(0, 2);  // inter tools, enable_order_hint
  bits.Bits(0, 2);                        // no screen content tools
  bits.Bits(kOrderHintBits - 1, 3);
  bits.Bits(0, 3);  // superres, CDEF, restoration
  WriteColorConfig(bits, sequence);
  bits.Bits(sequence.film_grain, 1);
  bits.Bits(1, 1);  // trailing_one_bit
  return bits.bytes();
}

Bytes WriteFrameHeader(const TestSequence& sequence, const TestFrame& frame) {
  const bool intra = frame.type == kKeyFrame || frame.type == kIntraOnlyFrame;
  const bool shown_key = frame.type == kKeyFrame && frame.shown;
  BitWriter bits;
  bits.Bits(0, 1).Bits(frame.type, 2).Bits(frame.shown, 1);
  if (!frame.shown) bits.Bits(frame.showable, 1);
  if (!shown_key) bits.Bits(0, 1);  // error_resilient_mode
  bits.Bits(1, 1);                  // disable_cdf_update
  bits.Bits(0, 1);                  // frame_size_override_flag
  bits.Bits(frame.order_hint, kOrderHintBits);
  if (!intra) bits.Bits(frame.primary_ref, 3);
  if (!shown_key) bits.Bits(frame.refresh, 8);
  if (!intra) WriteReferences(bits, frame);
  bits.Bits(0, 1);                                    // render size differs
  if (!intra) bits.Bits(0, 1).Bits(1, 1).Bits(0, 1);  // hp, filter, motion
  WriteOr(frame.tiles, bits, 1, 1);
  WriteQuantization(bits, sequence, frame);
  WriteOr(frame.segmentation, bits, 0, 1);
  if (frame.base_q_idx > 0) bits.Bits(0, 1);  // delta_q_present
  WriteOr(frame.loop_filter, bits, 0, 6 + 6 + 3 + 1);
  bits.Bits(0, 1);              // tx_mode_select
  if (!intra) bits.Bits(0, 1);  // reference_select
  bits.Bits(0, 1);              // reduced_tx_set
  if (!intra) WriteOr(frame.global_motion, bits, 0, 7);
  if (sequence.film_grain && (frame.shown || frame.showable)) {
    WriteOr(frame.grain, bits, 0, 1);
  }
  return bits.bytes();
}

Bytes WriteShowExisting(uint32_t slot) {
  return BitWriter().Bits(1, 1).Bits(slot, 3).Bits(1, 1).bytes();
}

namespace {

// leb128(), 4.10.5
Bytes WriteSize(size_t size) {
  Bytes bytes;
  for (; size > 127; size >>= 7) bytes.push_back(uint8_t(size | 128));
  bytes.push_back(uint8_t(size));
  return bytes;
}

}  // namespace

Bytes WriteObu(ObuType type, const Bytes& payload) {
  return Join(
      {{uint8_t(uint8_t(type) << 3 | 2)}, WriteSize(payload.size()), payload});
}

Bytes WriteObu(ObuType type, const Bytes& payload, TestLayer layer) {
  const Bytes header = {
      uint8_t(uint8_t(type) << 3 | 4 | 2),
      uint8_t(layer.temporal_id << 5 | layer.spatial_id << 3)};
  return Join({header, WriteSize(payload.size()), payload});
}

Bytes WriteFrame(const TestSequence& sequence, const TestFrame& frame) {
  return WriteObu(ObuType::kFrame,
                  Join({WriteFrameHeader(sequence, frame), {0x80}}));
}

Bytes Join(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace perdix::client::av1
