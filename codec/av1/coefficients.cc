// SPDX-License-Identifier: BSD-2-Clause
// The coefficients of one transform block: transform type (5.11.47), levels
// (5.11.39), dequantisation (7.12.3). This is the hottest part of parsing.
//
// Levels are read from the last coefficient to the first into the block of
// levels, where contexts look at them, and positions of those that are not 0
// into a list. Then it is known how large a corner holds all of these. From the
// first to the last, signs and large levels follow, and dequantised
// coefficients go straight to the arena.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "codec/av1/coefficient_contexts.h"
#include "codec/av1/fill_context.h"
#include "codec/av1/quantizer_matrices/tables.h"
#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kMaxCoefficients = 32 * 32;
constexpr uint32_t kBaseLevels = 3;    // NUM_BASE_LEVELS + 1: coeff_br follows
constexpr uint32_t kGolombLevel = 15;  // a Golomb code follows
constexpr int kNoMatrix = 15;          // qm_level
constexpr int kMaxChroma4 = 8;         // a transform block's, in 4x4 units

// txSzCtx of 5.11.39.
constexpr uint8_t kTxSizeContexts[kTxSizesAll] = {0, 1, 2, 3, 4, 1, 1, 2, 2, 3,
                                                  3, 4, 4, 1, 1, 2, 2, 3, 3};

// A byte in the block of levels: the level above, below it at most 3. Sums of
// five have their two parts apart, too. base: the level before coeff_br.
constexpr uint8_t PackLevel(uint32_t level, uint32_t base) {
  return uint8_t(level << 4 | base);
}
constexpr uint32_t UnpackLevel(uint8_t packed) { return packed >> 4; }

// What contexts depend on: sums of bytes.
struct Neighbours {
  uint32_t near;  // for coeff_br
  uint32_t all;   // for coeff_base
};

// Sig_Ref_Diff_Offset and Mag_Ref_Offset_With_Tx_Class.
template <int kClass>
[[gnu::always_inline]] inline Neighbours SumNeighbours(const uint8_t* at) {
  constexpr int kDown = kLevelStride;
  const uint32_t two = uint32_t(at[1]) + at[kDown];
  if constexpr (kClass == TX_CLASS_2D) {
    const uint32_t near = two + at[kDown + 1];
    return {near, near + at[2] + at[2 * kDown]};
  } else if constexpr (kClass == TX_CLASS_HORIZ) {
    const uint32_t near = two + at[2];
    return {near, near + at[3] + at[4]};
  } else {
    const uint32_t near = two + at[2 * kDown];
    return {near, near + at[3 * kDown] + at[4 * kDown]};
  }
}

constexpr uint8_t kMagnitudes[16] = {0, 1, 1, 2, 2, 3, 3, 4,
                                     4, 4, 4, 4, 4, 4, 4, 4};
[[gnu::always_inline]] inline uint32_t BaseMagnitude(uint32_t all) {
  return kMagnitudes[all & 15];
}
[[gnu::always_inline]] inline uint32_t BrMagnitude(uint32_t near) {
  return std::min(((near >> 4) + 1) >> 1, 6u);
}

// The level from coeff_br's on. Not unrolled, which would take four times the
// code at each place.
[[gnu::always_inline]] inline uint32_t ReadRange(SymbolDecoder& reader,
                                                 Cdf<4>& cdf) {
  uint32_t level = kBaseLevels;
#pragma GCC unroll 1
  for (int i = 0; i < 4; ++i) {
    const uint32_t more = reader.ReadInLine(cdf);
    level += more;
    if (more < 3) break;
  }
  return level;
}

// The level from the Golomb code on. No stream that conforms has one of more
// than 20 zeros.
[[gnu::always_inline]] inline uint32_t ReadGolombLevel(SymbolDecoder& reader) {
  int zeros = 0;
  while (reader.ReadBit() == 0 && zeros < 32) ++zeros;
  uint32_t x = 1;
  for (int i = 0; i < zeros; ++i) x = x << 1 | reader.ReadBit();
  return (x + (kGolombLevel - 1)) & 0xfffff;
}

// CDFs of a transform block, by context.
struct LevelCdfs {
  Cdf<3>* base_eob;
  Cdf<4>* base;
  Cdf<4>* br;
};

// Context of coeff_base_eob; last: that coefficient's place in the scan.
inline int EobContext(int last, int area_log2) {
  if (last == 0) return 0;
  return 1 + (last > 1 << (area_log2 - 3)) + (last > 1 << (area_log2 - 2));
}

// What becomes known of the list of positions while it is made.
struct Coded {
  // Takes the position that is behind the list, if its level is not 0.
  [[gnu::always_inline]] void Take(uint32_t position, uint32_t level) {
    const uint32_t taken = level != 0;
    count += taken;
    corner |= position & (0 - taken);
  }

  size_t count = 0;  // its length
  // All positions, or-ed: each coordinate has the highest bit of the largest.
  uint32_t corner = 0;
};

// <levels> has only zeros before. A function of its own, with all reads in line
// (flatten): so the symbol decoder is in registers.
template <int kClass>
[[gnu::flatten, gnu::noinline]] Coded ReadLevels(SymbolDecoder& symbol,
                                                 const LevelCdfs& cdfs,
                                                 const ScanStep* scan, int eob,
                                                 int area_log2, uint8_t* levels,
                                                 uint16_t* list) {
  SymbolDecoder reader = symbol;
  Cdf<4>* const base = cdfs.base;  // stores to levels do not change these
  Cdf<4>* const br = cdfs.br;
  const ScanStep* step = scan + (eob - 1);
  uint32_t level =
      1 + reader.ReadInLine(cdfs.base_eob[EobContext(eob - 1, area_log2)]);
  if (level == kBaseLevels) level = ReadRange(reader, br[step->br_context]);
  levels[step->position] = PackLevel(level, std::min(level, kBaseLevels));
  Coded coded;
  list[0] = step->position;
  coded.Take(step->position, level);

  while (--step > scan) {
    uint8_t* at = levels + step->position;
    const Neighbours sums = SumNeighbours<kClass>(at);
    level =
        reader.ReadInLine(base[step->base_context + BaseMagnitude(sums.all)]);
    uint8_t packed = PackLevel(level, level);
    if (level == kBaseLevels) {
      level = ReadRange(reader, br[step->br_context + BrMagnitude(sums.near)]);
      packed = PackLevel(level, kBaseLevels);
    }
    *at = packed;
    list[coded.count] = step->position;
    coded.Take(step->position, level);
  }

  if (eob > 1) {
    const Neighbours sums = SumNeighbours<kClass>(levels);
    const uint32_t context = kClass == TX_CLASS_2D
                                 ? 0
                                 : scan->base_context + BaseMagnitude(sums.all);
    level = reader.ReadInLine(base[context]);
    if (level == kBaseLevels) {
      level = ReadRange(reader, br[BrMagnitude(sums.near)]);
    }
    levels[0] = PackLevel(level, 0);
    list[coded.count] = 0;
    coded.Take(0, level);
  }
  symbol = reader;
  return coded;
}

// eob of 5.11.39. is_1d: of the transform class.
int ReadEob(SymbolDecoder& reader, CoefficientCdfs& cdfs, int area_log2,
            int size_context, bool chroma, bool is_1d) {
  uint32_t point;  // eobPt - 1
  switch (area_log2) {
    case 4:
      point = reader.Read(cdfs.eob_pt_16[chroma][is_1d]);
      break;
    case 5:
      point = reader.Read(cdfs.eob_pt_32[chroma][is_1d]);
      break;
    case 6:
      point = reader.Read(cdfs.eob_pt_64[chroma][is_1d]);
      break;
    case 7:
      point = reader.Read(cdfs.eob_pt_128[chroma][is_1d]);
      break;
    case 8:
      point = reader.Read(cdfs.eob_pt_256[chroma][is_1d]);
      break;
    case 9:
      point = reader.Read(cdfs.eob_pt_512[chroma]);
      break;
    default:
      point = reader.Read(cdfs.eob_pt_1024[chroma]);
  }
  if (point < 2) return int(point) + 1;
  const int bits = int(point) - 2;  // below the highest one of eob - 1 and next
  const uint32_t next = reader.Read(cdfs.eob_extra[size_context][chroma][bits]);
  return int((2 | next) << bits | reader.ReadLiteral(bits)) + 1;
}

// What dequantisation of a transform block needs.
struct Dequantiser {
  uint32_t dc, ac;
  const uint8_t* matrix;  // null: none
  int matrix_width_log2;
  uint32_t shift;  // log2 of dqDenom
  uint32_t max;    // of a coefficient
};

// The list's coefficients to <to>, rows of <row_width>, which was all zero.
// Clears their levels. Returns the context that the block leaves. Like
// ReadLevels, a function of its own.
template <typename Coefficient, bool kMatrix>
[[gnu::flatten, gnu::noinline]] uint8_t StoreCoefficients(
    SymbolDecoder& symbol, Cdf<2>& dc_sign, const Dequantiser& dequantiser,
    std::span<const uint16_t> coded, uint8_t* levels, Coefficient* to,
    uint32_t row_width) {
  const uint32_t shift = dequantiser.shift, max = dequantiser.max;
  uint32_t quantiser = dequantiser.dc;
  uint32_t sum = 0;
  uint8_t dc = kDcZero;
  uint32_t sign = 0;
  const uint16_t* const begin = coded.data();
  const uint16_t* end = begin + coded.size();
  const bool has_dc = end[-1] == 0;
  if (has_dc) {
    sign = symbol.ReadBool(dc_sign);
    dc = sign ? kDcNegative : kDcPositive;
  }
  SymbolDecoder reader = symbol;
  if (!has_dc) {
    sign = reader.ReadBit();
    quantiser = dequantiser.ac;
  }
  for (;;) {
    const uint32_t position = *--end;
    const uint32_t row = position >> kLevelStrideLog2;
    const uint32_t column = position & (kLevelStride - 1);
    uint32_t level = UnpackLevel(levels[position]);
    levels[position] = 0;
    if constexpr (kMatrix) {
      const uint32_t weight =
          dequantiser.matrix[(row << dequantiser.matrix_width_log2) + column];
      quantiser = (quantiser * weight + 16) >> 5;
    }
    // Without a matrix 14 times any quantiser (1828, 7312, 29247 by depth) is
    // within the limits.
    uint32_t value = level * quantiser >> shift;
    if constexpr (kMatrix) value = std::min(value, max + sign);
    if (level == kGolombLevel) [[unlikely]] {
      level = ReadGolombLevel(reader);
      value = std::min((level * quantiser & 0xffffff) >> shift, max + sign);
    }
    sum += level;
    to[row * row_width + column] = Coefficient((value ^ (0 - sign)) + sign);
    if (end == begin) break;
    sign = reader.ReadBit();
    quantiser = dequantiser.ac;
  }
  symbol = reader;
  return uint8_t(std::min(sum, 63u) | dc);
}

// The stored corner has 4 << this columns or rows.
inline int StoredLog2(uint32_t coordinates) {
  return std::bit_width(coordinates >> 2);
}

// get_tx_set (5.11.48).
int TxSet(bool is_inter, bool reduced, TxSize size) {
  const int sqr = kTxSizeSqr[size], sqr_up = kTxSizeSqrUp[size];
  if (sqr_up > TX_32X32) return 0;
  if (is_inter) {
    if (reduced || sqr_up == TX_32X32) return 3;
    return sqr == TX_16X16 ? 2 : 1;
  }
  if (sqr_up == TX_32X32) return 0;
  return reduced || sqr == TX_16X16 ? 2 : 1;
}

}  // namespace

// Reads the type of a luma transform block; 0 where none is coded.
inline int TileDecoder::ReadTxType(const Block& block, TxSize size) {
  const ModeInfo& info = *block.info;
  const int set = TxSet(info.is_inter, frame_->reduced_tx_set, size);
  if (set == 0 || frame_->segments[info.segment_id].qindex == 0) return DCT_DCT;
  const int sqr = kTxSizeSqr[size];
  if (info.is_inter) {
    switch (set) {
      case 1:
        return kTxTypeInterInvSet1[symbol_.Read(cdfs_.inter_tx_type_set1[sqr])];
      case 2:
        return kTxTypeInterInvSet2[symbol_.Read(cdfs_.inter_tx_type_set2)];
      default:
        return kTxTypeInterInvSet3[symbol_.Read(cdfs_.inter_tx_type_set3[sqr])];
    }
  }
  const int direction =
      block.use_filter_intra
          ? kFilterIntraModeToIntraDir[block.filter_intra_mode]
          : info.y_mode;
  if (set == 1) {
    return kTxTypeIntraInvSet1[symbol_.Read(
        cdfs_.intra_tx_type_set1[sqr][direction])];
  }
  return kTxTypeIntraInvSet2[symbol_.Read(
      cdfs_.intra_tx_type_set2[sqr][direction])];
}

// compute_tx_type (5.11.40) of chroma. x, y: as of ReadTransformBlock.
inline int TileDecoder::ChromaTxType(const Block& block,
                                     const BlockPlane& plane, TxSize size,
                                     int x, int y) const {
  const ModeInfo& info = *block.info;
  const int set = TxSet(info.is_inter, frame_->reduced_tx_set, size);
  if (!info.is_inter) {  // all that there can be is in each set but 0
    return set == 0 ? int(DCT_DCT) : int(kModeToTxfm[info.uv_mode]);
  }
  const int row = ((plane.y4 + y) << frame_->subsampling_y) - block.mi_row;
  const int col = ((plane.x4 + x) << frame_->subsampling_x) - block.mi_col;
  const int type = tx_types_[std::max(row, 0)][std::max(col, 0)];
  return kTxTypesInSetInter[set] >> type & 1 ? type : int(DCT_DCT);
}

// TxTypes of luma: only chroma of inter blocks looks at them, where its
// transform blocks begin. There one of luma begins, too, unless that is larger
// than any of chroma.
inline void TileDecoder::KeepTxType(const Block& block, TxSize size, int x,
                                    int y, int type) {
  if (!block.info->is_inter || !block.has_chroma) return;
  const int width4 = kTxWidth[size] >> 2, height4 = kTxHeight[size] >> 2;
  for (int row = y; row < y + height4; row += kMaxChroma4) {
    for (int col = x; col < x + width4; col += kMaxChroma4) {
      tx_types_[row][col] = uint8_t(type);
    }
  }
}

// Beyond the frame, contexts count as none.
inline void TileDecoder::SetCoefficientContexts(const BlockPlane& plane,
                                                TxSize size, int x, int y,
                                                uint8_t context) {
  const int width4 = kTxWidth[size] >> 2, height4 = kTxHeight[size] >> 2;
  FillContext(plane.above + x, context, width4);
  FillContext(plane.left + y, context, height4);
  for (int i = plane.visible_width4; i < x + width4; ++i) {
    plane.above[i] = kNoCoefficients;
  }
  for (int i = plane.visible_height4; i < y + height4; ++i) {
    plane.left[i] = kNoCoefficients;
  }
}

inline AllZeroContext TileDecoder::AllZeroContextOf(const BlockPlane& plane,
                                                    TxSize size, int x,
                                                    int y) const {
  const int width4_log2 = kTxWidthLog2[size] - 2;
  const int height4_log2 = kTxHeightLog2[size] - 2;
  const bool smaller =
      1 << width4_log2 != plane.width4 || 1 << height4_log2 != plane.height4;
  if (plane.component > 0) {
    return AllZeroContextChroma(plane.above + x, width4_log2, plane.left + y,
                                height4_log2, smaller);
  }
  if (!smaller) return {0, false};
  return AllZeroContextLuma(plane.above + x, width4_log2, plane.left + y,
                            height4_log2);
}

template <typename Coefficient>
[[gnu::always_inline]] inline void TileDecoder::ReadCoefficients(
    const Block& block, const BlockPlane& plane, TxSize size, int x, int y,
    int type, TransformBlock* record) {
  const bool chroma = plane.component > 0;
  const int width_log2 = kTxWidthLog2[size], height_log2 = kTxHeightLog2[size];
  const int size_context = kTxSizeContexts[size];
  const int tx_class = kTxClass[type];
  CoefficientCdfs& cdfs = cdfs_.coefficients;
  const int area_log2 = std::min(width_log2, 5) + std::min(height_log2, 5);
  const int eob = ReadEob(symbol_, cdfs, area_log2, size_context, chroma,
                          tx_class != TX_CLASS_2D);
  const LevelCdfs level_cdfs = {
      cdfs.coeff_base_eob[size_context][chroma],
      cdfs.coeff_base[size_context][chroma],
      cdfs.coeff_br[std::min(size_context, int(TX_32X32))][chroma]};
  const ScanStep* scan = kScanSteps[size][tx_class];
  uint16_t list[kMaxCoefficients];
  Coded coded;
  if (tx_class == TX_CLASS_2D) {
    coded = ReadLevels<TX_CLASS_2D>(symbol_, level_cdfs, scan, eob, area_log2,
                                    levels_, list);
  } else if (tx_class == TX_CLASS_HORIZ) {
    coded = ReadLevels<TX_CLASS_HORIZ>(symbol_, level_cdfs, scan, eob,
                                       area_log2, levels_, list);
  } else {
    coded = ReadLevels<TX_CLASS_VERT>(symbol_, level_cdfs, scan, eob, area_log2,
                                      levels_, list);
  }

  const std::span positions(list, coded.count);
  const int stored_width = StoredLog2(coded.corner & (kLevelStride - 1));
  const int stored_height = StoredLog2(coded.corner >> kLevelStrideLog2);
  constexpr size_t kUnits = sizeof(Coefficient) / sizeof(int16_t);
  const size_t stored = size_t{16} << (stored_width + stored_height);
  record->coefficients = uint32_t(lists_->coefficients().size());
  auto* to = reinterpret_cast<Coefficient*>(
      lists_->coefficients().Extend(kUnits * stored));
  std::memset(to, 0, stored * sizeof(Coefficient));

  Cdf<2>& dc_sign = cdfs.dc_sign[chroma][DcSignContext(
      plane.above + x, width_log2 - 2, plane.left + y, height_log2 - 2)];
  const int segment = block.info->segment_id;
  const Quantizers& quantizers = quantizers_[segment];
  Dequantiser dequantiser = {.dc = quantizers.dc[plane.component],
                             .ac = quantizers.ac[plane.component],
                             .matrix = nullptr,
                             .matrix_width_log2 = std::min(width_log2, 5),
                             .shift = uint32_t(std::max(0, size_context - 2)),
                             .max = (1u << (7 + frame_->bit_depth)) - 1};
  const int matrix_level = frame_->segments[segment].qm_level[plane.component];
  uint8_t context;
  if (matrix_level < kNoMatrix && type < IDTX) {
    dequantiser.matrix = QuantizerMatrix(matrix_level, chroma, size);
    context = StoreCoefficients<Coefficient, true>(
        symbol_, dc_sign, dequantiser, positions, levels_, to,
        4u << stored_width);
  } else {
    context = StoreCoefficients<Coefficient, false>(
        symbol_, dc_sign, dequantiser, positions, levels_, to,
        4u << stored_width);
  }
  SetCoefficientContexts(plane, size, x, y, context);
  record->shape = PackTransformShape(
      uint32_t(plane.component), uint32_t(width_log2), uint32_t(height_log2),
      uint32_t(type), uint32_t(stored_width), uint32_t(stored_height));
  record->eob = uint32_t(eob);
}

uint32_t TileDecoder::ReadTransformBlock(const Block& block,
                                         const BlockPlane& plane, TxSize size,
                                         int x, int y,
                                         ListWriter<TransformBlock> list) {
  const bool chroma = plane.component > 0;
  const AllZeroContext context = AllZeroContextOf(plane, size, x, y);
  if (symbol_.ReadBool(
          cdfs_.coefficients.txb_skip[kTxSizeContexts[size]][context.index])) {
    if (!chroma) KeepTxType(block, size, x, y, DCT_DCT);
    if (!context.none_around) {
      SetCoefficientContexts(plane, size, x, y, kNoCoefficients);
    }
    return PERDIX_NO_RESIDUAL;
  }
  int type = WHT_WHT;
  if (!block.lossless) {
    type = chroma ? ChromaTxType(block, plane, size, x, y)
                  : ReadTxType(block, size);
    if (!chroma) KeepTxType(block, size, x, y, type);
  }
  TransformBlock& record = list.Append();
  record.position =
      PackPosition(uint32_t(plane.x4 + x), uint32_t(plane.y4 + y));
  if (frame_->bit_depth > 8) {
    ReadCoefficients<int32_t>(block, plane, size, x, y, type, &record);
  } else {
    ReadCoefficients<int16_t>(block, plane, size, x, y, type, &record);
  }
  return uint32_t(list.size() - 1);
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
