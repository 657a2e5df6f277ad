// SPDX-License-Identifier: BSD-2-Clause
// In the order of VP9 6.3. Probabilities are told as deltas, so nothing here
// depends on the frames before.
#include "client/bitstream/vp9/compressed_header.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "codec/vp9/bool_decoder.h"

namespace perdix::client::vp9 {
namespace {

constexpr uint32_t kDiffUpdateProbability = 252;
constexpr int kInvMapSize = 255;
constexpr int kCoarseUpdates = 20;  // 7, 20, ... 254: cheap to code

// inv_map_table (VP9 6.3.5): the coarse values, then all others up to 253, and
// 253 once more.
constexpr std::array<uint8_t, kInvMapSize> MakeInvMapTable() {
  std::array<uint8_t, kInvMapSize> table = {};
  int size = 0;
  for (; size < kCoarseUpdates; ++size) table[size] = uint8_t(7 + 13 * size);
  for (int value = 1; value <= 253; ++value) {
    if (value % 13 != 7) table[size++] = uint8_t(value);
  }
  table[size] = 253;
  return table;
}
constexpr auto kInvMapTable = MakeInvMapTable();
static_assert(kInvMapTable[19] == 254 && kInvMapTable[20] == 1 &&
              kInvMapTable[253] == 253 && kInvMapTable[254] == 253);

class CompressedParser {
 public:
  CompressedParser(v4l2_ctrl_vp9_frame& control,
                   v4l2_ctrl_vp9_compressed_hdr& out)
      : control_(control), out_(out) {}

  Status Parse(std::span<const uint8_t> data) {
    if (!reader_.Init(data)) {
      return {StatusCode::kInvalidBitstream,
              "compressed header: marker bit is 1, allowed: 0"};
    }
    TxMode();
    CoefficientProbs();
    Updates(out_.skip);
    constexpr uint32_t kIntra =
        V4L2_VP9_FRAME_FLAG_KEY_FRAME | V4L2_VP9_FRAME_FLAG_INTRA_ONLY;
    if (!(control_.flags & kIntra)) InterProbs();
    if (reader_.Overrun()) {
      return {StatusCode::kInvalidBitstream,
              "compressed header needs more than its " +
                  std::to_string(data.size()) + " bytes"};
    }
    return Status::Ok();
  }

 private:
  // decode_term_subexp
  uint32_t TermSubexp() {
    if (!reader_.ReadBit()) return reader_.ReadLiteral(4);
    if (!reader_.ReadBit()) return reader_.ReadLiteral(4) + 16;
    if (!reader_.ReadBit()) return reader_.ReadLiteral(5) + 32;
    const uint32_t value = reader_.ReadLiteral(7);
    if (value < 65) return value + 64;
    return (value << 1) - 1 + uint32_t{reader_.ReadBit()};
  }

  // diff_update_prob for a probability, or an array of any rank of them
  void Updates(uint8_t& delta) {
    if (reader_.Read(kDiffUpdateProbability)) {
      delta = kInvMapTable[TermSubexp()];
    }
  }
  template <typename Element, size_t size>
  void Updates(Element (&deltas)[size]) {
    for (Element& delta : deltas) Updates(delta);
  }

  // update_mv_prob for a probability, or an array of any rank of them
  void MvUpdates(uint8_t& value) {
    if (reader_.Read(kDiffUpdateProbability)) {
      value = uint8_t(reader_.ReadLiteral(7) << 1 | 1);
    }
  }
  template <typename Element, size_t size>
  void MvUpdates(Element (&values)[size]) {
    for (Element& value : values) MvUpdates(value);
  }

  void TxMode() {
    const v4l2_vp9_quantization& quant = control_.quant;
    const bool lossless = quant.base_q_idx == 0 && quant.delta_q_y_dc == 0 &&
                          quant.delta_q_uv_dc == 0 && quant.delta_q_uv_ac == 0;
    if (lossless) return;  // V4L2_VP9_TX_MODE_ONLY_4X4
    out_.tx_mode = uint8_t(reader_.ReadLiteral(2));
    if (out_.tx_mode == V4L2_VP9_TX_MODE_ALLOW_32X32) {
      out_.tx_mode += reader_.ReadBit();
    }
    if (out_.tx_mode != V4L2_VP9_TX_MODE_SELECT) return;
    Updates(out_.tx8);
    Updates(out_.tx16);
    Updates(out_.tx32);
  }

  // read_coef_probs
  void CoefficientProbs() {
    const int largest =
        std::min<int>(out_.tx_mode, V4L2_VP9_TX_MODE_ALLOW_32X32);
    for (int size = 0; size <= largest; ++size) {
      if (!reader_.ReadBit()) continue;
      for (auto& plane : out_.coef[size]) {
        for (auto& inter : plane) CoefficientBands(inter);
      }
    }
  }
  void CoefficientBands(uint8_t (&bands)[6][6][3]) {
    constexpr int kFirstBandContexts = 3;
    for (int band = 0; band < 6; ++band) {
      const int contexts = band == 0 ? kFirstBandContexts : 6;
      for (int i = 0; i < contexts; ++i) Updates(bands[band][i]);
    }
  }

  void InterProbs() {
    Updates(out_.inter_mode);
    if (control_.interpolation_filter == V4L2_VP9_INTERP_FILTER_SWITCHABLE) {
      Updates(out_.interp_filter);
    }
    Updates(out_.is_inter);
    ReferenceMode();
    Updates(out_.y_mode);
    Updates(out_.partition);
    MvProbs();
  }

  // Error-resilient frames have no sign bias (libvpx).
  bool CompoundAllowed() const {
    const uint32_t bias = control_.ref_frame_sign_bias;
    const bool resilient = control_.flags & V4L2_VP9_FRAME_FLAG_ERROR_RESILIENT;
    constexpr uint32_t kAll = V4L2_VP9_SIGN_BIAS_LAST |
                              V4L2_VP9_SIGN_BIAS_GOLDEN |
                              V4L2_VP9_SIGN_BIAS_ALT;
    return !resilient && bias != 0 && bias != kAll;
  }

  // frame_reference_mode, frame_reference_mode_probs
  void ReferenceMode() {
    uint8_t mode = V4L2_VP9_REFERENCE_MODE_SINGLE_REFERENCE;
    if (CompoundAllowed() && reader_.ReadBit()) {
      mode = reader_.ReadBit() ? V4L2_VP9_REFERENCE_MODE_SELECT
                               : V4L2_VP9_REFERENCE_MODE_COMPOUND_REFERENCE;
    }
    control_.reference_mode = mode;
    if (mode == V4L2_VP9_REFERENCE_MODE_SELECT) Updates(out_.comp_mode);
    if (mode != V4L2_VP9_REFERENCE_MODE_COMPOUND_REFERENCE) {
      Updates(out_.single_ref);
    }
    if (mode != V4L2_VP9_REFERENCE_MODE_SINGLE_REFERENCE) {
      Updates(out_.comp_ref);
    }
  }

  void MvProbs() {
    v4l2_vp9_mv_probs& mv = out_.mv;
    MvUpdates(mv.joint);
    for (int i = 0; i < 2; ++i) {
      MvUpdates(mv.sign[i]);
      MvUpdates(mv.classes[i]);
      MvUpdates(mv.class0_bit[i]);
      MvUpdates(mv.bits[i]);
    }
    for (int i = 0; i < 2; ++i) {
      MvUpdates(mv.class0_fr[i]);
      MvUpdates(mv.fr[i]);
    }
    if (!(control_.flags & V4L2_VP9_FRAME_FLAG_ALLOW_HIGH_PREC_MV)) return;
    for (int i = 0; i < 2; ++i) {
      MvUpdates(mv.class0_hp[i]);
      MvUpdates(mv.hp[i]);
    }
  }

  v4l2_ctrl_vp9_frame& control_;
  v4l2_ctrl_vp9_compressed_hdr& out_;
  perdix::vp9::BoolDecoder reader_;
};

}  // namespace

Status ParseCompressedHeader(std::span<const uint8_t> data,
                             v4l2_ctrl_vp9_frame* control,
                             v4l2_ctrl_vp9_compressed_hdr* compressed) {
  const size_t begin = control->uncompressed_header_size;
  const size_t size = control->compressed_header_size;
  if (begin + size > data.size()) {
    return {StatusCode::kInvalidBitstream,
            "compressed header: bytes " + std::to_string(begin) + " to " +
                std::to_string(begin + size) + " of a frame of " +
                std::to_string(data.size())};
  }
  v4l2_ctrl_vp9_frame result = *control;
  v4l2_ctrl_vp9_compressed_hdr parsed = {};
  Status status =
      CompressedParser(result, parsed).Parse(data.subspan(begin, size));
  if (!status.ok()) return status;
  *control = result;
  *compressed = parsed;
  return Status::Ok();
}

}  // namespace perdix::client::vp9
