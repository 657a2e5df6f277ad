// SPDX-License-Identifier: BSD-2-Clause
// Coefficients (VP9 6.4.24 to 6.4.26, 9.3.4) and the records of a block: what
// reconstruction is to predict and add.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "codec/vp9/tile.h"

namespace perdix::vp9 {
namespace {

// Averages of motion vectors for the chroma of blocks below 8x8, rounded away
// from zero (VP9 8.5.2.1).
int RoundedAverage(int sum, int count_log2) {
  const int half = 1 << (count_log2 - 1);
  return sum < 0 ? -((-sum + half) >> count_log2) : (sum + half) >> count_log2;
}

uint32_t Pack(const Mv& mv) { return PackMv(mv.row, mv.col); }

}  // namespace

namespace {

// The flags of <kSize> 8x8 units from <position> on, in all components.
template <int kSize>
void ClearFlags(const std::array<uint8_t*, kComponents>& flags, int position,
                int subsampling) {
  std::memset(flags[0] + position * 2, 0, kSize * 2);
  for (size_t i = 1; i < kComponents; ++i) {
    if (subsampling) {
      std::memset(flags[i] + position, 0, kSize);
    } else {
      std::memset(flags[i] + position * 2, 0, kSize * 2);
    }
  }
}

void ClearFlags(const std::array<uint8_t*, kComponents>& flags, int position,
                int size, int subsampling) {
  switch (size) {
    case 1:
      return ClearFlags<1>(flags, position, subsampling);
    case 2:
      return ClearFlags<2>(flags, position, subsampling);
    case 4:
      return ClearFlags<4>(flags, position, subsampling);
    default:
      return ClearFlags<8>(flags, position, subsampling);
  }
}

}  // namespace

void TileDecoder::ClearNonzeroContexts(const Block& block) {
  ClearFlags({above_nonzero_[0], above_nonzero_[1], above_nonzero_[2]},
             block.mi_col - mi_col_begin_, block.width, frame_->subsampling_x);
  ClearFlags({left_nonzero_[0], left_nonzero_[1], left_nonzero_[2]},
             block.mi_row & 7, block.height, frame_->subsampling_y);
}

// ---- intra ----

void TileDecoder::WriteIntraBlocks(const Block& block) {
  ListWriter<IntraBlock> records = lists_->Of(kIntraBlocks);
  WriteIntraPlane(block, BlockPlane(*this, block, 0), records.size());
  const size_t first_record = records.size();
  BlockPlane chroma(*this, block, 1);
  WriteIntraPlane(block, chroma, first_record);
  chroma.TurnToV(*this);
  WriteIntraPlane(block, chroma, first_record);
}

// The transform blocks of one component in raster order. Those of V complete
// the records that U began at <first_record>.
void TileDecoder::WriteIntraPlane(const Block& block, const BlockPlane& plane,
                                  size_t first_record) {
  const ModeInfo& info = *block.info;
  const bool chroma = plane.component > 0;
  const int tx_size = plane.tx_size;
  const int step = 1 << tx_size;
  ListWriter<IntraBlock> records = lists_->Of(kIntraBlocks);
  IntraBlock* record = records.data() + first_record;

  for (int y = 0; y < plane.visible_height4; y += step) {
    for (int x = 0; x < plane.visible_width4; x += step) {
      const int mode =
          chroma ? info.uv_mode
                 : info.sub_modes[info.size < BLOCK_8X8 ? y * 2 + x : 0];
      uint32_t residual = PERDIX_NONE;
      if (!info.skip) {
        const int tx_type = chroma || frame_->lossless || tx_size == TX_32X32
                                ? int(DCT_DCT)
                                : int(mode2txfm_map[mode]);
        residual = DecodeTransformBlock(plane, x, y, tx_type,
                                        lists_->Of(kIntraTransforms));
      }
      if (plane.component == 2) {
        (record++)->residual1 = residual;
        continue;
      }
      uint32_t have = 0;
      if (x > 0 || block.left) have |= PERDIX_INTRA_HAVE_LEFT;
      if (y > 0 || block.above) have |= PERDIX_INTRA_HAVE_ABOVE;
      if (tx_size == TX_4X4 && x + step < plane.width4) {
        have |= PERDIX_INTRA_HAVE_ABOVE_RIGHT;
      }
      records.Append(
          {PackPosition(uint32_t(plane.x4 + x), uint32_t(plane.y4 + y)),
           PackIntraShape(chroma ? kChroma : kLuma, uint32_t(tx_size),
                          uint32_t(mode), have),
           residual, PERDIX_NONE});
    }
  }
}

// ---- inter ----

void TileDecoder::WriteInterBlocks(const Block& block) {
  const ModeInfo& info = *block.info;
  const uint32_t ref0 = uint32_t(info.ref_frame[0] - LAST_FRAME);
  const uint32_t ref1 = info.is_compound()
                            ? uint32_t(info.ref_frame[1] - LAST_FRAME)
                            : PERDIX_REF_NONE;
  const uint32_t x4 = uint32_t(block.mi_col * 2);
  const uint32_t y4 = uint32_t(block.mi_row * 2);
  const auto append = [&](uint32_t x, uint32_t y, uint32_t width4,
                          uint32_t height4, uint32_t planes, const Mv mv[2]) {
    lists_->Of(kInterBlocks)
        .Append({PackPosition(x4 + x, y4 + y),
                 PackInterShape(width4, height4, planes, info.interp_filter,
                                ref0, ref1, info.size < BLOCK_8X8),
                 Pack(mv[0]), Pack(mv[1])});
  };
  if (info.size >= BLOCK_8X8) {
    append(0, 0, uint32_t(block.width * 2), uint32_t(block.height * 2),
           PERDIX_PLANES_LUMA | PERDIX_PLANES_CHROMA, info.mv[0]);
    return;
  }

  for (uint32_t i = 0; i < 4; ++i) {
    append(i % 2, i / 2, 1, 1, PERDIX_PLANES_LUMA, info.mv[i]);
  }
  const int ss_x = frame_->subsampling_x, ss_y = frame_->subsampling_y;
  int index = 0;  // of the chroma block, in raster order
  for (uint32_t y = 0; y < 2; y += 1u << ss_y) {
    for (uint32_t x = 0; x < 2; x += 1u << ss_x, ++index) {
      // 4:2:2 averages blocks index and index + 1, although the lower chroma
      // block covers 2 and 3: every decoder does
      const int first = ss_x && ss_y ? 0 : index;
      Mv mv[2];
      for (int ref = 0; ref < 2; ++ref) {
        int row = 0, col = 0;
        for (int j = 0; j < 1 << (ss_x + ss_y); ++j) {
          const Mv& sub = info.mv[first + (ss_x ? j : j * 2)][ref];
          row += sub.row;
          col += sub.col;
        }
        if (ss_x + ss_y > 0) {
          row = RoundedAverage(row, ss_x + ss_y);
          col = RoundedAverage(col, ss_x + ss_y);
        }
        mv[ref] = {int16_t(row), int16_t(col)};
      }
      append(x, y, 1u << ss_x, 1u << ss_y, PERDIX_PLANES_CHROMA, mv);
    }
  }
}

// True if any coefficient was coded.
bool TileDecoder::WriteInterResidual(const Block& block) {
  const size_t before = lists_->Of(kInterTransforms).size();
  WriteInterPlane(BlockPlane(*this, block, 0));
  BlockPlane chroma(*this, block, 1);
  WriteInterPlane(chroma);
  chroma.TurnToV(*this);
  WriteInterPlane(chroma);
  return lists_->Of(kInterTransforms).size() > before;
}

void TileDecoder::WriteInterPlane(const BlockPlane& plane) {
  const int step = 1 << plane.tx_size;
  for (int y = 0; y < plane.visible_height4; y += step) {
    for (int x = 0; x < plane.visible_width4; x += step) {
      DecodeTransformBlock(plane, x, y, DCT_DCT, lists_->Of(kInterTransforms));
    }
  }
}

// ---- coefficients ----

namespace {

// A set's probabilities, in the order of FrameState::coef_probs.
enum CoefProb { kMoreThanZero, kMoreThanOne, kMoreCoefs };

// Twice the token classes: the larger a token, the more its neighbours expect.
constexpr uint8_t kEnergyOne = 2, kEnergyTwo = 4, kEnergyFour = 6,
                  kEnergyCat2 = 8, kEnergyCat6 = 10;

constexpr int kReadsAfterToken = 2;  // sign, more_coefs

struct Token {
  int value;
  uint8_t energy;
};

// The extra bits of a category, which none of them predicts.
[[gnu::always_inline]] inline int ReadExtraBits(BoolDecoder& reader,
                                                const uint8_t* probs,
                                                int count) {
  int extra = 0;
  for (int i = 0; i < count; ++i) {
    extra = extra << 1 | int(reader.ReadFilledFlat(probs[i]));
  }
  return extra;
}

// DCT_VAL_CAT6; leaves the reader filled for what follows a token.
[[gnu::always_inline]] inline int ReadCategory6(BoolDecoder& reader,
                                                int bit_depth) {
  const int bits = Cat6Bits(bit_depth);
  const uint8_t* probs = Cat6Probs(bit_depth);
  int extra = 0;
  for (int i = 0; i < bits; ++i) extra = extra << 1 | reader.Read(probs[i]);
  reader.Fill(kReadsAfterToken);
  return cat_base[5] + extra;
}

// token_tree below ONE_TOKEN; leaves the reader filled for what follows.
[[gnu::always_inline]] inline Token ReadLargeToken(BoolDecoder& reader,
                                                   const uint8_t* pareto,
                                                   int bit_depth) {
  reader.Fill(5 + kReadsAfterToken);  // of CAT2
  if (!reader.ReadFilled(pareto[0])) {
    if (!reader.ReadFilled(pareto[1])) return {2, kEnergyTwo};
    return {3 + int(reader.ReadFilledFlat(pareto[2])), kEnergyFour};
  }
  if (!reader.ReadFilled(pareto[3])) {
    const int bits = 1 + reader.ReadFilled(pareto[4]);
    return {
        cat_base[bits - 1] + ReadExtraBits(reader, cat_probs[bits - 1], bits),
        kEnergyCat2};
  }
  int bits = 3;
  if (!reader.ReadFilled(pareto[5])) {
    bits += reader.ReadFilled(pareto[6]);
  } else if (!reader.ReadFilled(pareto[7])) {
    bits = 5;
  } else {
    return {ReadCategory6(reader, bit_depth), kEnergyCat6};
  }
  reader.Fill(5 + kReadsAfterToken);  // of CAT5
  return {cat_base[bits - 1] + ReadExtraBits(reader, cat_probs[bits - 1], bits),
          kEnergyCat6};
}

}  // namespace

// Dequantised coefficients into <coefficients>, which was all zero as was
// <energy_sums>. <set>: the first coefficient's, whose more_coefs bit has been
// read and was 1.
template <typename Coefficient>
[[gnu::always_inline]] inline TileDecoder::CodedCoefs TileDecoder::ReadTokens(
    const BlockPlane& plane, const ScanStep* scan, size_t set,
    BoolDecoder& reader, uint8_t* energy_sums, Coefficient* coefficients) {
  // wide enough for the product of any token and any step
  using Wide = std::conditional_t<sizeof(Coefficient) == 2, int, int64_t>;
  constexpr Wide kLimit = std::numeric_limits<Coefficient>::max();
  const int shift = plane.tx_size == TX_32X32;
  const int ac_dequant = plane.dequant[1];
  int dequant = plane.dequant[0];
  size_t positions = 0;
  const ScanStep* next = scan + 1;  // behind the coefficient that is read
  const ScanStep* const end = scan + (16 << 2 * plane.tx_size);
  const auto next_set = [&] {
    const ScanStep& step = *next++;
    return size_t(step.set_base + energy_sums[step.position]) & ~size_t{3};
  };
  const uint8_t* const probs = plane.probs;
  uint8_t* const sums_right = energy_sums + 1;
  uint8_t* const sums_below = energy_sums + (4 << plane.tx_size);

  for (;;) {
    uint32_t* counts = plane.counts;
    reader.Fill(2 + kReadsAfterToken);
    if (!reader.ReadFilled(probs[set + kMoreThanZero])) {
      dequant = ac_dequant;
      ++counts[set];
      counts = plane.counts_after_zero;
      for (;;) {
        if (next == end) return {int(end - scan), uint32_t(positions)};
        set = next_set();
        reader.Fill(2 + kReadsAfterToken);
        if (reader.ReadFilled(probs[set + kMoreThanZero])) break;
        ++counts[set];
      }
    }
    const ScanStep& step = next[-1];
    const size_t position = step.position;
    positions |= position;
    Wide value;
    uint8_t energy = kEnergyOne;
    if (!reader.ReadFilled(probs[set + kMoreThanOne])) {
      ++counts[set + 1];
      value = dequant >> shift;
    } else {
      ++counts[set + 2];
      const Token token =
          ReadLargeToken(reader, pareto_full[probs[set + kMoreThanOne] - 1],
                         frame_->bit_depth);
      energy = token.energy;
      value = std::min(Wide{token.value} * dequant >> shift, kLimit);
    }
    sums_right[position] += uint8_t(energy * step.right);
    sums_below[position] += uint8_t(energy * step.below);
    const Wide sign = -Wide(reader.ReadFilledBit());
    coefficients[position] = Coefficient((value ^ sign) - sign);
    dequant = ac_dequant;
    if (next == end) break;
    set = next_set();
    if (!reader.ReadFilled(probs[set + kMoreCoefs])) {
      ++plane.counts[set + 3];
      --next;
      break;
    }
  }
  return {int(next - scan), uint32_t(positions)};
}

template <typename Coefficient>
TileDecoder::CodedCoefs TileDecoder::ReadCoefs(const BlockPlane& plane,
                                               const ScanStep* scan, size_t set,
                                               uint8_t* energy_sums,
                                               Coefficient* coefficients) {
  BoolDecoder reader = bool_;  // in registers
  const CodedCoefs coded =
      ReadTokens(plane, scan, set, reader, energy_sums, coefficients);
  bool_ = reader;
  return coded;
}

// ---- transform blocks ----

TileDecoder::BlockPlane::BlockPlane(TileDecoder& tile, const Block& block,
                                    int component)
    : component(component) {
  FrameState& frame = *tile.frame_;
  const ModeInfo& info = *block.info;
  const bool chroma = component > 0;
  const int ss_x = chroma ? frame.subsampling_x : 0;
  const int ss_y = chroma ? frame.subsampling_y : 0;
  tx_size = chroma ? info.uv_tx_size : info.tx_size;
  x4 = block.mi_col * 2 >> ss_x;
  y4 = block.mi_row * 2 >> ss_y;
  width4 = block.width * 2 >> ss_x;
  visible_width4 = block.visible_width * 2 >> ss_x;
  visible_height4 = block.visible_height * 2 >> ss_y;
  above_nonzero = tile.above_nonzero_[component] +
                  ((block.mi_col - tile.mi_col_begin_) * 2 >> ss_x);
  left_nonzero = &tile.left_nonzero_[component][y4 & (15 >> ss_y)];
  dequant = frame.dequant[info.segment_id][chroma];
  probs = frame.coef_probs[tx_size][chroma][info.is_inter()][0][0];
  auto& token_counts = tile.counts_.token[tx_size][chroma][info.is_inter()];
  counts = token_counts[0][0][0];
  counts_after_zero = token_counts[1][0][0];
}

void TileDecoder::BlockPlane::TurnToV(TileDecoder& tile) {
  component = 2;
  above_nonzero =
      tile.above_nonzero_[2] + (above_nonzero - tile.above_nonzero_[1]);
  left_nonzero = &tile.left_nonzero_[2][left_nonzero - tile.left_nonzero_[1]];
}

namespace {

// <flags>: those of a transform block's width or height, 4x4 units.
bool AnyNonzero(const uint8_t* flags, int tx_size) {
  uint64_t all = 0;
  switch (tx_size) {
    case TX_4X4:
      return flags[0];
    case TX_8X8:
      std::memcpy(&all, flags, 2);
      break;
    case TX_16X16:
      std::memcpy(&all, flags, 4);
      break;
    default:
      std::memcpy(&all, flags, 8);
  }
  return all != 0;
}

// The same flags, of which <visible> lie inside the frame: what does not,
// counts as empty.
void SetNonzero(uint8_t* flags, int tx_size, bool nonzero, int visible) {
  FillContext(flags, nonzero, 1 << tx_size);
  for (int i = visible; i < 1 << tx_size; ++i) flags[i] = 0;
}

// Moves a square from the top left corner of rows of <stride>; leaves zeros.
template <int kSize, typename Coefficient>
void MoveSquare(Coefficient* from, int stride, Coefficient* to) {
  for (int row = 0; row < kSize; ++row, from += stride, to += kSize) {
    std::memcpy(to, from, kSize * sizeof(Coefficient));
    std::memset(from, 0, kSize * sizeof(Coefficient));
  }
}

}  // namespace

// Reads the transform block at (x, y), 4x4 units in the block, and appends its
// record unless it is empty. Returns the record's index or PERDIX_NONE.
uint32_t TileDecoder::DecodeTransformBlock(const BlockPlane& plane, int x,
                                           int y, int tx_type,
                                           ListWriter<TransformBlock> list) {
  const int tx_size = plane.tx_size;
  uint8_t* above = plane.above_nonzero + x;
  uint8_t* left = plane.left_nonzero + y;
  const int visible_x = plane.visible_width4 - x;
  const int visible_y = plane.visible_height4 - y;
  const size_t set =
      4 * size_t(AnyNonzero(above, tx_size) + AnyNonzero(left, tx_size));
  if (!Read(plane.probs[set + kMoreCoefs])) {
    ++plane.counts[set + 3];
    if (set > 0) {
      SetNonzero(above, tx_size, false, visible_x);
      SetNonzero(left, tx_size, false, visible_y);
    }
    return PERDIX_NONE;
  }
  SetNonzero(above, tx_size, true, visible_x);
  SetNonzero(left, tx_size, true, visible_y);

  const ScanStep* scan = scan_orders[tx_size][tx_type];
  const bool wide = frame_->bit_depth > 8;
  const CodedCoefs coded =
      wide ? ReadCoefs(plane, scan, set, energy_sums_, coefficients32_)
           : ReadCoefs(plane, scan, set, energy_sums_, coefficients16_);
  // Being or-ed, positions have the highest bit of the largest column and row.
  const int size_log2 = tx_size + 2;
  const uint32_t rows = coded.positions >> size_log2;
  const uint32_t cols = coded.positions & ((1u << size_log2) - 1);
  const int stored_log2 = std::bit_width((rows | cols) >> 2);
  std::memset(energy_sums_, 0, ((4u << stored_log2) + 1) << size_log2);
  const uint32_t offset =
      wide ? StoreCoefficients(coefficients32_, stored_log2, 1 << size_log2)
           : StoreCoefficients(coefficients16_, stored_log2, 1 << size_log2);
  list.Append({PackPosition(uint32_t(plane.x4 + x), uint32_t(plane.y4 + y)),
               PackTransformShape(uint32_t(plane.component), uint32_t(tx_size),
                                  uint32_t(tx_type), uint32_t(stored_log2)),
               offset, uint32_t(coded.eob)});
  return uint32_t(list.size() - 1);
}

// Moves the square of 4 << stored_log2 rows to the list and clears it.
template <typename Coefficient>
uint32_t TileDecoder::StoreCoefficients(Coefficient* from, int stored_log2,
                                        int stride) {
  constexpr size_t kUnits = sizeof(Coefficient) / sizeof(int16_t);
  const size_t offset = lists_->coefficients().size();
  auto* to = reinterpret_cast<Coefficient*>(
      lists_->coefficients().Extend(kUnits * 16 << 2 * stored_log2));
  switch (stored_log2) {
    case 0:
      MoveSquare<4>(from, stride, to);
      break;
    case 1:
      MoveSquare<8>(from, stride, to);
      break;
    case 2:
      MoveSquare<16>(from, stride, to);
      break;
    default:
      MoveSquare<32>(from, stride, to);
  }
  return uint32_t(offset);
}

}  // namespace perdix::vp9
