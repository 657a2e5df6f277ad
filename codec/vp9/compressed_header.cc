// SPDX-License-Identifier: BSD-2-Clause
// The compressed header (VP9 6.3): modes of the frame and the forward updates
// of its probabilities.
#include <string>

#include "codec/vp9/bool_decoder.h"
#include "codec/vp9/probability.h"
#include "codec/vp9/tables.h"

namespace perdix::vp9 {
namespace {

constexpr int kDiffUpdateProbability = 252, kMvUpdateProbability = 252;

Status Error(const std::string& what) {
  return {StatusCode::kInvalidBitstream, "compressed header: " + what};
}

int InvRecenterNonneg(int v, int m) {
  if (v > 2 * m) return v;
  return v & 1 ? m - ((v + 1) >> 1) : m + (v >> 1);
}

// VP9 6.3.7. 1..255 for every probability 1..255 and delta 0..254.
uint8_t InvRemapProb(int delta, int probability) {
  const int v = inv_map_table[delta];
  const int m = probability - 1;
  if (2 * m <= 255) return uint8_t(1 + InvRecenterNonneg(v, m));
  return uint8_t(255 - InvRecenterNonneg(v, 254 - m));
}

// The syntax of VP9 6.3.1 to 6.3.20 over a bool decoder; remembers the first
// field that ran past the end.
class Reader {
 public:
  Reader(const BoolDecoder& decoder, FrameContext* context)
      : decoder_(decoder), context_(*context) {}

  CompressedHeader ReadHeader(const CompressedHeaderInput& input) {
    CompressedHeader header;
    if (!input.lossless) header.tx_mode = ReadTxMode();
    Finish("tx_mode");
    if (header.tx_mode == TxMode::kSelect) ReadTxModeProbs();
    Finish("tx_mode_probs");
    ReadCoefProbs(tx_mode_to_biggest_tx_size[int(header.tx_mode)]);
    Finish("read_coef_probs");
    DiffUpdate(context_.skip);
    Finish("read_skip_prob");
    if (!input.frame_is_intra) ReadInterFields(input, &header);
    return header;
  }

  const char* overrun_field() const { return overrun_field_; }

 private:
  void ReadInterFields(const CompressedHeaderInput& input,
                       CompressedHeader* header) {
    DiffUpdate(context_.inter_mode);
    Finish("read_inter_mode_probs");
    if (input.switchable_interp_filter) DiffUpdate(context_.interp_filter);
    Finish("read_interp_filter_probs");
    DiffUpdate(context_.is_inter);
    Finish("read_is_inter_probs");
    if (input.compound_reference_allowed) {
      header->reference_mode = ReadReferenceMode();
    }
    Finish("frame_reference_mode");
    ReadReferenceModeProbs(header->reference_mode);
    Finish("frame_reference_mode_probs");
    DiffUpdate(context_.y_mode);
    Finish("read_y_mode_probs");
    DiffUpdate(context_.partition);
    Finish("read_partition_probs");
    ReadMvProbs(input.allow_high_precision_mv);
    Finish("mv_probs");
  }

  TxMode ReadTxMode() {
    uint32_t tx_mode = decoder_.ReadLiteral(2);
    if (TxMode(tx_mode) == TxMode::kAllow32x32) tx_mode += decoder_.ReadBit();
    return TxMode(tx_mode);
  }

  void ReadTxModeProbs() {
    DiffUpdate(context_.tx_8x8);
    DiffUpdate(context_.tx_16x16);
    DiffUpdate(context_.tx_32x32);
  }

  void ReadCoefProbs(int max_tx_size) {
    for (int tx_size = 0; tx_size <= max_tx_size; ++tx_size) {
      if (!decoder_.ReadBit()) continue;
      for (auto& block_type : context_.coef[tx_size]) {
        for (auto& ref_type : block_type) {
          for (int band = 0; band < kCoefBands; ++band) {
            const int contexts = CoefContexts(band);
            for (int i = 0; i < contexts; ++i) DiffUpdate(ref_type[band][i]);
          }
        }
      }
    }
  }

  ReferenceMode ReadReferenceMode() {
    if (!decoder_.ReadBit()) return ReferenceMode::kSingle;
    return decoder_.ReadBit() ? ReferenceMode::kSelect
                              : ReferenceMode::kCompound;
  }

  void ReadReferenceModeProbs(ReferenceMode mode) {
    if (mode == ReferenceMode::kSelect) DiffUpdate(context_.comp_mode);
    if (mode != ReferenceMode::kCompound) DiffUpdate(context_.single_ref);
    if (mode != ReferenceMode::kSingle) DiffUpdate(context_.comp_ref);
  }

  void ReadMvProbs(bool allow_high_precision) {
    UpdateMv(context_.mv_joint);
    for (int i = 0; i < 2; ++i) {
      UpdateMv(context_.mv_sign[i]);
      UpdateMv(context_.mv_class[i]);
      UpdateMv(context_.mv_class0_bit[i]);
      UpdateMv(context_.mv_bits[i]);
    }
    for (int i = 0; i < 2; ++i) {
      UpdateMv(context_.mv_class0_fr[i]);
      UpdateMv(context_.mv_fr[i]);
    }
    if (!allow_high_precision) return;
    for (int i = 0; i < 2; ++i) {
      UpdateMv(context_.mv_class0_hp[i]);
      UpdateMv(context_.mv_hp[i]);
    }
  }

  // decode_term_subexp: 0..254.
  int ReadDelta() {
    if (!decoder_.ReadBit()) return int(decoder_.ReadLiteral(4));
    if (!decoder_.ReadBit()) return int(decoder_.ReadLiteral(4)) + 16;
    if (!decoder_.ReadBit()) return int(decoder_.ReadLiteral(5)) + 32;
    const int v = int(decoder_.ReadLiteral(7));
    if (v < 65) return v + 64;
    return 2 * v - 1 + int(decoder_.ReadBit());
  }

  // diff_update_prob, on one probability or on all of an array in order.
  void DiffUpdate(uint8_t& probability) {
    if (!decoder_.Read(kDiffUpdateProbability)) return;
    probability = InvRemapProb(ReadDelta(), probability);
  }
  template <typename T, size_t kCount>
  void DiffUpdate(T (&probabilities)[kCount]) {
    for (T& probability : probabilities) DiffUpdate(probability);
  }

  // update_mv_prob: the probability is coded as such, in seven bits.
  void UpdateMv(uint8_t& probability) {
    if (!decoder_.Read(kMvUpdateProbability)) return;
    probability = uint8_t(decoder_.ReadLiteral(7) << 1 | 1);
  }
  template <typename T, size_t kCount>
  void UpdateMv(T (&probabilities)[kCount]) {
    for (T& probability : probabilities) UpdateMv(probability);
  }

  void Finish(const char* field) {
    if (!overrun_field_ && decoder_.Overrun()) overrun_field_ = field;
  }

  BoolDecoder decoder_;
  FrameContext& context_;
  const char* overrun_field_ = nullptr;
};

}  // namespace

Status ReadCompressedHeader(std::span<const uint8_t> data,
                            const CompressedHeaderInput& input,
                            FrameContext* context, CompressedHeader* header) {
  if (data.empty()) return Error("0 bytes, at least 1 needed");
  BoolDecoder decoder;
  if (!decoder.Init(data)) return Error("marker bit is 1, must be 0");
  Reader reader(decoder, context);
  const CompressedHeader read = reader.ReadHeader(input);
  if (reader.overrun_field()) {
    return Error(std::to_string(data.size()) + " bytes end before " +
                 reader.overrun_field() + " does");
  }
  *header = read;
  return Status::Ok();
}

}  // namespace perdix::vp9
