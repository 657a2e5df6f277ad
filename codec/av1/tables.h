// SPDX-License-Identifier: BSD-2-Clause
// Constant tables of AV1 that parsing uses, under the specification's names
// (Num_4x4_Blocks_Wide is kNum4x4BlocksWide). Values are those of the
// specification unless a comment says otherwise.
#ifndef PERDIX_CODEC_AV1_TABLES_H_
#define PERDIX_CODEC_AV1_TABLES_H_

#include <cstdint>

#include "codec/av1/constants.h"

namespace perdix::av1 {

// --- Block sizes (9.3), by BlockSize ---

extern const uint8_t kMiWidthLog2[kBlockSizes];  // of 4x4 units
extern const uint8_t kMiHeightLog2[kBlockSizes];
extern const uint8_t kNum4x4BlocksWide[kBlockSizes];
extern const uint8_t kNum4x4BlocksHigh[kBlockSizes];
extern const uint8_t kBlockWidth[kBlockSizes];  // samples
extern const uint8_t kBlockHeight[kBlockSizes];
extern const uint8_t kBlockWidthLog2[kBlockSizes];
extern const uint8_t kBlockHeightLog2[kBlockSizes];
extern const uint8_t kSizeGroup[kBlockSizes];
extern const uint8_t kMaxTxSizeRect[kBlockSizes];  // TxSize
extern const uint8_t kMaxTxDepth[kBlockSizes];
extern const uint8_t kWedgeBits[kBlockSizes];  // 0: no wedges
// By Partition; BLOCK_INVALID unless the block is square, and 8x8 or more (or
// the partition NONE).
extern const uint8_t kPartitionSubsize[10][kBlockSizes];
// By subsampling_x and subsampling_y; BLOCK_INVALID where there is none.
extern const uint8_t kSubsampledSize[kBlockSizes][2][2];

// --- Transform sizes (9.3), by TxSize ---

extern const uint8_t kSplitTxSize[kTxSizesAll];
extern const uint8_t kTxSizeSqr[kTxSizesAll];
extern const uint8_t kTxSizeSqrUp[kTxSizesAll];
extern const uint8_t kTxWidth[kTxSizesAll];  // samples
extern const uint8_t kTxHeight[kTxSizesAll];
extern const uint8_t kTxWidthLog2[kTxSizesAll];
extern const uint8_t kTxHeightLog2[kTxSizesAll];
extern const uint8_t kAdjustedTxSize[kTxSizesAll];
// find_tx_size (5.11.36): the TxSize of log2 width and log2 height, 2..6;
// kTxSizesAll where there is none. Indices are less by 2.
extern const uint8_t kFindTxSize[5][5];

// --- Transform types ---

inline constexpr int TX_CLASS_2D = 0;
inline constexpr int TX_CLASS_HORIZ = 1;
inline constexpr int TX_CLASS_VERT = 2;
// get_tx_class (8.3.2), by TxType; WHT_WHT is of class 2D.
extern const uint8_t kTxClass[WHT_WHT + 1];
// By intra mode, UV_CFL_PRED included.
extern const uint8_t kModeToTxfm[kIntraModes + 1];

// 5.11.40, by set. Bit t: TxType t is in the set (Tx_Type_In_Set_Inter).
inline constexpr uint16_t kTxTypesInSetInter[4] = {0x0001, 0xffff, 0x0fff,
                                                   0x0201};
// 5.11.47: TxType by the coded symbol.
extern const uint8_t kTxTypeIntraInvSet1[7];
extern const uint8_t kTxTypeIntraInvSet2[5];
extern const uint8_t kTxTypeInterInvSet1[16];
extern const uint8_t kTxTypeInterInvSet2[12];
extern const uint8_t kTxTypeInterInvSet3[2];

// --- Intra modes ---

extern const uint8_t kIntraModeContext[kIntraModes];
extern const uint8_t kFilterIntraModeToIntraDir[5];

// --- Inter modes ---

extern const uint8_t kCompoundModeCtxMap[3][5];
extern const uint8_t kQuantDistWeight[4][2];
extern const uint8_t kQuantDistLookup[4][2];
extern const uint16_t kDivMult[32];
extern const uint16_t kDivLut[257];

// --- Coefficients ---

// get_scan (5.11.41) by TxSize and transform class, in which IDTX is
// TX_CLASS_2D (horizontal transforms have the column scan, vertical ones the
// row scan). Positions are of raster order in a block of at most 32x32: rows of
// min(width, 32). Where no 1-D type has the size it is the default scan.
extern const uint16_t* const kScans[kTxSizesAll][3];

// 8.3.2. Row, then column, each at most 4; of 2-D classes only.
extern const uint8_t kCoeffBaseCtxOffset[kTxSizesAll][5][5];
extern const uint8_t kCoeffBasePosCtxOffset[3];
// By transform class: rows, columns.
extern const uint8_t kMagRefOffsetWithTxClass[3][3][2];
extern const uint8_t kSigRefDiffOffset[3][5][2];

// --- Quantisers (7.12.2) ---

// By (bit depth - 8) / 2 and qindex.
extern const uint16_t kDcQlookup[3][256];
extern const uint16_t kAcQlookup[3][256];

// --- Palette ---

// Hash 0 and others that cannot be are -1.
extern const int8_t kPaletteColorContext[9];

// --- Loop restoration (5.11.58) ---

inline constexpr int8_t kWienerTapsMin[3] = {-5, -23, -17};
inline constexpr int8_t kWienerTapsMid[3] = {3, -7, 15};
inline constexpr int8_t kWienerTapsMax[3] = {10, 8, 46};
inline constexpr uint8_t kWienerTapsK[3] = {1, 2, 3};
inline constexpr int8_t kSgrprojXqdMin[2] = {-96, -32};
inline constexpr int8_t kSgrprojXqdMid[2] = {-32, 31};
inline constexpr int8_t kSgrprojXqdMax[2] = {31, 95};
// Radius 0, strength 0, radius 1, strength 1 (7.17.3).
extern const uint8_t kSgrParams[16][4];

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_TABLES_H_
