// SPDX-License-Identifier: BSD-2-Clause
// Constant tables of VP9 (sections 9.3 and 10) under their names there. Trees
// have the form BoolDecoder::ReadTree expects.
#ifndef PERDIX_CODEC_VP9_TABLES_H_
#define PERDIX_CODEC_VP9_TABLES_H_

#include <algorithm>
#include <cstdint>

#include "codec/vp9/probability.h"

namespace perdix::vp9 {

inline constexpr int kBlockSizes = 13, kTxModes = 5, kTxTypes = 4,
                     kSegments = 8, kBlockModes = kIntraModes + kInterModes,
                     kMvRefNeighbours = 8, kBitDepths = 3, kQIndices = 256;

enum BlockSize : uint8_t {
  BLOCK_4X4,
  BLOCK_4X8,
  BLOCK_8X4,
  BLOCK_8X8,
  BLOCK_8X16,
  BLOCK_16X8,
  BLOCK_16X16,
  BLOCK_16X32,
  BLOCK_32X16,
  BLOCK_32X32,
  BLOCK_32X64,
  BLOCK_64X32,
  BLOCK_64X64,
  BLOCK_INVALID
};
enum Partition : uint8_t {
  PARTITION_NONE,
  PARTITION_HORZ,
  PARTITION_VERT,
  PARTITION_SPLIT
};
// Prediction modes of a block; an inter mode is kIntraModes plus the leaf of
// inter_mode_tree (not the values of the spec, which has NEARESTMV first).
enum BlockMode : uint8_t {
  DC_PRED,
  V_PRED,
  H_PRED,
  D45_PRED,
  D135_PRED,
  D117_PRED,
  D153_PRED,
  D207_PRED,
  D63_PRED,
  TM_PRED,
  ZEROMV,
  NEARESTMV,
  NEARMV,
  NEWMV
};
enum TxSize : uint8_t { TX_4X4, TX_8X8, TX_16X16, TX_32X32 };
// Vertical (columns) first: ADST_DCT is ADST on columns, DCT on rows.
enum TxType : uint8_t { DCT_DCT, ADST_DCT, DCT_ADST, ADST_ADST };
enum MvJoint : uint8_t {
  MV_JOINT_ZERO,
  MV_JOINT_HNZVZ,  // columns change, rows do not
  MV_JOINT_HZVNZ,  // rows change, columns do not
  MV_JOINT_HNZVNZ
};

// --- Trees (VP9 9.3.1) ---

inline constexpr int8_t partition_tree[2 * (kPartitionTypes - 1)] = {0, 2,  -1,
                                                                     4, -2, -3};
inline constexpr int8_t intra_mode_tree[2 * (kIntraModes - 1)] = {
    -DC_PRED,  2,  -TM_PRED,  4,  -V_PRED,    6,
    8,         12, -H_PRED,   10, -D135_PRED, -D117_PRED,
    -D45_PRED, 14, -D63_PRED, 16, -D153_PRED, -D207_PRED};
inline constexpr int8_t segment_tree[2 * (kSegments - 1)] = {
    2, 4, 6, 8, 10, 12, 0, -1, -2, -3, -4, -5, -6, -7};
// Leaves: 0 ZEROMV, 1 NEARESTMV, 2 NEARMV, 3 NEWMV.
inline constexpr int8_t inter_mode_tree[2 * (kInterModes - 1)] = {0, 2,  -1,
                                                                  4, -2, -3};
// Leaves: V4L2_VP9_INTERP_FILTER_*: 0 EIGHTTAP, 1 SMOOTH, 2 SHARP.
inline constexpr int8_t interp_filter_tree[2 * (kSwitchableFilters - 1)] = {
    0, 2, -1, -2};
// By the largest transform of the block; leaves: TxSize.
inline constexpr int8_t tx_size_8_tree[2] = {0, -1};
inline constexpr int8_t tx_size_16_tree[4] = {0, 2, -1, -2};
inline constexpr int8_t tx_size_32_tree[6] = {0, 2, -1, 4, -2, -3};
inline constexpr int8_t mv_joint_tree[2 * (kMvJoints - 1)] = {0, 2,  -1,
                                                              4, -2, -3};
inline constexpr int8_t mv_class_tree[2 * (kMvClasses - 1)] = {
    0, 2, -1, 4, 6, 8, -2, -3, 10, 12, -4, -5, -6, 14, 16, 18, -7, -8, -9, -10};
inline constexpr int8_t mv_fr_tree[2 * (kMvFractions - 1)] = {0, 2,  -1,
                                                              4, -2, -3};

// --- Probabilities (VP9 10.4, 10.5) ---

// What DefaultFrameContext() returns.
extern const FrameContext default_frame_context;

// No frame changes these.
extern const uint8_t kf_partition_probs[kPartitionContexts]
                                       [kPartitionTypes - 1];
// By mode of the above, then of the left block.
extern const uint8_t kf_y_mode_probs[kIntraModes][kIntraModes][kIntraModes - 1];
extern const uint8_t kf_uv_mode_probs[kIntraModes][kIntraModes - 1];

// Probabilities of the tokens above ONE_TOKEN by (third probability of the
// coefficient - 1), in the order of token_tree's nodes.
extern const uint8_t pareto_full[255][8];

// Extra bits of DCT_VAL_CATx, the highest bit first; the value is
// cat_base[x - 1] plus them. Category x below 6 has x bits.
extern const uint8_t cat_base[6];
extern const uint8_t cat_probs[5][5];
extern const uint8_t cat6_prob[18];
constexpr int Cat6Bits(int bit_depth) { return bit_depth + 6; }
inline const uint8_t* Cat6Probs(int bit_depth) {
  return cat6_prob + (12 - bit_depth);  // all depths share the low 14 bits'
}

// --- Coefficients (VP9 10.2, 10.3) ---

// Contexts of more_coefs and token in a band.
constexpr int CoefContexts(int band) { return band == 0 ? 3 : kCoefContexts; }
// The n-th coefficient of a scan. VP9 9.3.3 takes the context of a coefficient
// from the tokens of two neighbours, above and to the left: (1 + their token
// classes) >> 1. Turned round, each token adds its class to a sum at the
// coefficients that will look back at it.
struct ScanStep {
  uint16_t position;  // raster order
  // 2 * (2 * band * kCoefContexts + 1): that and the sum, of doubled classes,
  // is 4 * (band * kCoefContexts + context) but for its two lowest bits.
  uint16_t set_base;
  // How often the coefficient to the right and that below look at this one.
  uint16_t right, below;
};
// VP9 9.3.1 get_scan; 32x32 has the default scan for every type.
extern const ScanStep* const scan_orders[kTxSizes][kTxTypes];

// Transform type of an intra block by its (sub)block's BlockMode.
extern const uint8_t mode2txfm_map[kBlockModes];

// Steps by (bit depth - 8) / 2 and qindex.
extern const int16_t dc_qlookup[kBitDepths][kQIndices];
extern const int16_t ac_qlookup[kBitDepths][kQIndices];

// --- Block sizes (VP9 10.1) ---

extern const uint8_t b_width_log2_lookup[kBlockSizes];  // in 4-sample units
extern const uint8_t b_height_log2_lookup[kBlockSizes];
extern const uint8_t num_4x4_blocks_wide_lookup[kBlockSizes];
extern const uint8_t num_4x4_blocks_high_lookup[kBlockSizes];
extern const uint8_t mi_width_log2_lookup[kBlockSizes];  // in 8-sample units
extern const uint8_t mi_height_log2_lookup[kBlockSizes];
extern const uint8_t num_8x8_blocks_wide_lookup[kBlockSizes];
extern const uint8_t num_8x8_blocks_high_lookup[kBlockSizes];
extern const uint8_t size_group_lookup[kBlockSizes];
extern const uint8_t max_txsize_lookup[kBlockSizes];
// By Partition; BLOCK_INVALID unless the block is square and 8x8 or more (or
// the partition NONE).
extern const uint8_t subsize_lookup[kPartitionTypes][kBlockSizes];
// By TxMode; kSelect allows all that the block holds.
extern const uint8_t tx_mode_to_biggest_tx_size[kTxModes];

// VP9 get_uv_tx_size. By the chroma dimensions instead of ss_size_lookup, which
// has no entry for 4:4:0 and 4:2:2 shapes such as 64x16; equal elsewhere.
inline int GetUvTxSize(int block_size, int tx_size, int subsampling_x,
                       int subsampling_y) {
  if (block_size < BLOCK_8X8) return TX_4X4;
  return std::min({tx_size, b_width_log2_lookup[block_size] - subsampling_x,
                   b_height_log2_lookup[block_size] - subsampling_y});
}

// --- Motion vector candidates (VP9 6.4.22) ---

// Offsets in 8-sample units: [0] rows, [1] columns.
extern const int8_t mv_ref_blocks[kBlockSizes][kMvRefNeighbours][2];
// By BlockMode of a neighbour; the sum of two indexes counter_to_context.
extern const uint8_t mode_2_counter[kBlockModes];
// Context of inter_mode; 9 (BothInvalid) where no sum can be.
extern const uint8_t counter_to_context[19];

// --- Forward update (VP9 6.3.7) ---

// 255 entries: decode_term_subexp can yield 254, although no encoder needs it.
extern const uint8_t inv_map_table[255];

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_TABLES_H_
