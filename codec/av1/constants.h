// SPDX-License-Identifier: BSD-2-Clause
// AV1's symbolic constants (section 3) and enumerations (section 6), by the
// specification's names.
#ifndef PERDIX_CODEC_AV1_CONSTANTS_H_
#define PERDIX_CODEC_AV1_CONSTANTS_H_

#include <cstdint>

namespace perdix::av1 {

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
  BLOCK_64X128,
  BLOCK_128X64,
  BLOCK_128X128,
  BLOCK_4X16,
  BLOCK_16X4,
  BLOCK_8X32,
  BLOCK_32X8,
  BLOCK_16X64,
  BLOCK_64X16,
  BLOCK_INVALID
};
inline constexpr int kBlockSizes = BLOCK_INVALID;

enum Partition : uint8_t {
  PARTITION_NONE,
  PARTITION_HORZ,
  PARTITION_VERT,
  PARTITION_SPLIT,
  PARTITION_HORZ_A,
  PARTITION_HORZ_B,
  PARTITION_VERT_A,
  PARTITION_VERT_B,
  PARTITION_HORZ_4,
  PARTITION_VERT_4
};

enum PredictionMode : uint8_t {
  DC_PRED,
  V_PRED,
  H_PRED,
  D45_PRED,
  D135_PRED,
  D113_PRED,
  D157_PRED,
  D203_PRED,
  D67_PRED,
  SMOOTH_PRED,
  SMOOTH_V_PRED,
  SMOOTH_H_PRED,
  PAETH_PRED,
  UV_CFL_PRED,
  NEARESTMV = UV_CFL_PRED,  // as in the specification: the two share a value
  NEARMV,
  GLOBALMV,
  NEWMV,
  NEAREST_NEARESTMV,
  NEAR_NEARMV,
  NEAREST_NEWMV,
  NEW_NEARESTMV,
  NEAR_NEWMV,
  NEW_NEARMV,
  GLOBAL_GLOBALMV,
  NEW_NEWMV
};
inline constexpr int kIntraModes = 13;

enum TxSize : uint8_t {
  TX_4X4,
  TX_8X8,
  TX_16X16,
  TX_32X32,
  TX_64X64,
  TX_4X8,
  TX_8X4,
  TX_8X16,
  TX_16X8,
  TX_16X32,
  TX_32X16,
  TX_32X64,
  TX_64X32,
  TX_4X16,
  TX_16X4,
  TX_8X32,
  TX_32X8,
  TX_16X64,
  TX_64X16
};
inline constexpr int kTxSizesAll = 19;

enum TxMode : uint8_t { ONLY_4X4, TX_MODE_LARGEST, TX_MODE_SELECT };

enum TxType : uint8_t {
  DCT_DCT,
  ADST_DCT,
  DCT_ADST,
  ADST_ADST,
  FLIPADST_DCT,
  DCT_FLIPADST,
  FLIPADST_FLIPADST,
  ADST_FLIPADST,
  FLIPADST_ADST,
  IDTX,
  V_DCT,
  H_DCT,
  V_ADST,
  H_ADST,
  V_FLIPADST,
  H_FLIPADST,
  WHT_WHT  // PERDIX_TRANSFORM_WHT; not in the specification's list
};

enum RefFrame : int8_t {
  NONE = -1,
  INTRA_FRAME,
  LAST_FRAME,
  LAST2_FRAME,
  LAST3_FRAME,
  GOLDEN_FRAME,
  BWDREF_FRAME,
  ALTREF2_FRAME,
  ALTREF_FRAME
};
inline constexpr int kTotalRefs = 8;  // TOTAL_REFS_PER_FRAME
inline constexpr int kRefsPerFrame = 7;

enum InterpFilter : uint8_t {
  EIGHTTAP,
  EIGHTTAP_SMOOTH,
  EIGHTTAP_SHARP,
  BILINEAR,
  SWITCHABLE
};

enum MotionMode : uint8_t { SIMPLE, OBMC, LOCALWARP };

enum CompoundType : uint8_t {
  COMPOUND_WEDGE,
  COMPOUND_DIFFWTD,
  COMPOUND_AVERAGE,
  COMPOUND_INTRA,
  COMPOUND_DISTANCE
};

enum GmType : uint8_t { IDENTITY, TRANSLATION, ROTZOOM, AFFINE };

enum SegmentationFeature : uint8_t {
  SEG_LVL_ALT_Q,
  SEG_LVL_ALT_LF_Y_V,
  SEG_LVL_ALT_LF_Y_H,
  SEG_LVL_ALT_LF_U,
  SEG_LVL_ALT_LF_V,
  SEG_LVL_REF_FRAME,
  SEG_LVL_SKIP,
  SEG_LVL_GLOBALMV
};
inline constexpr int kSegmentFeatures = 8;
inline constexpr int kSegments = 8;

inline constexpr int kPrimaryRefNone = 7;
inline constexpr int kMaxTileCols = 64;
inline constexpr int kMaxTileRows = 64;
inline constexpr int kMaxSb4 = 32;       // 4x4 units of a 128x128 superblock
inline constexpr int kFrameLfCount = 4;  // FRAME_LF_COUNT
inline constexpr int kWarpedModelPrecBits = 16;
inline constexpr int kComponents = 3;  // Y, U, V

struct Mv {
  int16_t row = 0;  // 1/8 sample
  int16_t col = 0;
  bool operator==(const Mv&) const = default;
};

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_CONSTANTS_H_
