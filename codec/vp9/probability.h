// SPDX-License-Identifier: BSD-2-Clause
// Probabilities of a VP9 frame context, the symbol counts gathered while
// decoding with them, and what changes them: forward update (VP9 6.3, in the
// compressed header) and backward adaptation (VP9 8.4).
#ifndef PERDIX_CODEC_VP9_PROBABILITY_H_
#define PERDIX_CODEC_VP9_PROBABILITY_H_

#include <cstdint>
#include <span>

#include "kernels/status.h"

namespace perdix::vp9 {

inline constexpr int kTxSizes = 4, kBlockTypes = 2, kRefTypes = 2,
                     kCoefBands = 6, kCoefContexts = 6, kIntraModes = 10,
                     kPartitionContexts = 16, kPartitionTypes = 4,
                     kBlockSizeGroups = 4, kInterModeContexts = 7,
                     kInterModes = 4, kInterpFilterContexts = 4,
                     kSwitchableFilters = 3, kIsInterContexts = 4,
                     kCompModeContexts = 5, kRefContexts = 5, kTxContexts = 2,
                     kSkipContexts = 3, kMvJoints = 4, kMvClasses = 11,
                     kMvBits = 10, kMvFractions = 4;

// Probabilities 1..255, in the order and under the names of VP9 10.5. Band 0
// of the coefficient tables uses contexts 0 to 2 only.
struct FrameContext {
  uint8_t tx_8x8[kTxContexts][1];
  uint8_t tx_16x16[kTxContexts][2];
  uint8_t tx_32x32[kTxContexts][3];
  uint8_t coef[kTxSizes][kBlockTypes][kRefTypes][kCoefBands][kCoefContexts][3];
  uint8_t skip[kSkipContexts];
  uint8_t inter_mode[kInterModeContexts][kInterModes - 1];
  uint8_t interp_filter[kInterpFilterContexts][kSwitchableFilters - 1];
  uint8_t is_inter[kIsInterContexts];
  uint8_t comp_mode[kCompModeContexts];
  uint8_t single_ref[kRefContexts][2];
  uint8_t comp_ref[kRefContexts];
  uint8_t y_mode[kBlockSizeGroups][kIntraModes - 1];
  uint8_t uv_mode[kIntraModes][kIntraModes - 1];
  uint8_t partition[kPartitionContexts][kPartitionTypes - 1];
  uint8_t mv_joint[kMvJoints - 1];
  uint8_t mv_sign[2];  // [0] rows, [1] columns, here and below
  uint8_t mv_class[2][kMvClasses - 1];
  uint8_t mv_class0_bit[2];
  uint8_t mv_bits[2][kMvBits];
  uint8_t mv_class0_fr[2][2][kMvFractions - 1];
  uint8_t mv_fr[2][kMvFractions - 1];
  uint8_t mv_class0_hp[2];
  uint8_t mv_hp[2];
};

// How often each symbol was decoded (VP9 8.4.2). Orders of the alternatives:
// inter_mode: 0 ZEROMV, 1 NEARESTMV, 2 NEARMV, 3 NEWMV (that of the tree's
// leaves); interp_filter: V4L2_VP9_INTERP_FILTER_*; token: 0 ZERO, 1 ONE, 2 all
// larger, 3 end of block (EOB_MODEL).
struct SymbolCounts {
  uint32_t tx_8x8[kTxContexts][2];
  uint32_t tx_16x16[kTxContexts][3];
  uint32_t tx_32x32[kTxContexts][4];
  // [1]: of tokens behind a zero, for which no more_coefs bit was read.
  uint32_t token[kTxSizes][kBlockTypes][kRefTypes][2][kCoefBands][kCoefContexts]
                [4];
  uint32_t skip[kSkipContexts][2];
  uint32_t inter_mode[kInterModeContexts][kInterModes];
  uint32_t interp_filter[kInterpFilterContexts][kSwitchableFilters];
  uint32_t is_inter[kIsInterContexts][2];
  uint32_t comp_mode[kCompModeContexts][2];
  uint32_t single_ref[kRefContexts][2][2];
  uint32_t comp_ref[kRefContexts][2];
  uint32_t y_mode[kBlockSizeGroups][kIntraModes];
  uint32_t uv_mode[kIntraModes][kIntraModes];
  uint32_t partition[kPartitionContexts][kPartitionTypes];
  uint32_t mv_joint[kMvJoints];
  uint32_t mv_sign[2][2];
  uint32_t mv_class[2][kMvClasses];
  uint32_t mv_class0_bit[2][2];
  uint32_t mv_bits[2][kMvBits][2];
  uint32_t mv_class0_fr[2][2][kMvFractions];
  uint32_t mv_fr[2][kMvFractions];
  uint32_t mv_class0_hp[2][2];
  uint32_t mv_hp[2][2];

  void Add(const SymbolCounts& other);
};

// tx_mode of the compressed header.
enum class TxMode : uint8_t {
  kOnly4x4,
  kAllow8x8,
  kAllow16x16,
  kAllow32x32,
  kSelect
};
enum class ReferenceMode : uint8_t { kSingle, kCompound, kSelect };

// What the compressed header depends on, from the uncompressed one.
struct CompressedHeaderInput {
  bool lossless;
  bool frame_is_intra;
  bool switchable_interp_filter;
  bool compound_reference_allowed;  // sign biases of the references differ
  bool allow_high_precision_mv;
};

// What it yields besides new probabilities.
struct CompressedHeader {
  TxMode tx_mode = TxMode::kOnly4x4;
  ReferenceMode reference_mode = ReferenceMode::kSingle;
};

// VP9 10.5: the defaults that setup_past_independence loads.
const FrameContext& DefaultFrameContext();

// VP9 6.3, 9.2: decodes <data> (the whole compressed header) and applies its
// forward updates to *context. Fails on a bad marker bit or an overrun; then
// *context must not be used.
Status ReadCompressedHeader(std::span<const uint8_t> data,
                            const CompressedHeaderInput& input,
                            FrameContext* context, CompressedHeader* header);

struct AdaptationInput {
  bool frame_is_intra;
  bool last_frame_was_key;  // LastFrameType is KEY_FRAME
  bool switchable_interp_filter;
  bool tx_mode_select;
  bool compound_select;          // reference_mode is REFERENCE_MODE_SELECT
  bool single_reference_used;    // reference_mode is not COMPOUND_REFERENCE
  bool compound_reference_used;  // reference_mode is not SINGLE_REFERENCE
  bool allow_high_precision_mv;
};

// VP9 8.4.2 to 8.4.4. <previous>: the saved context the frame started from,
// before its forward updates. <context>: in: probabilities the frame was
// decoded with; out: the adapted ones.
void AdaptProbabilities(const SymbolCounts& counts,
                        const FrameContext& previous,
                        const AdaptationInput& input, FrameContext* context);

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_PROBABILITY_H_
