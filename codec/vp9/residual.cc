// SPDX-License-Identifier: BSD-2-Clause
// Coefficients (VP9 6.4.24 to 6.4.26, 9.3.4) and the records of a block: what
// reconstruction is to predict and add.
#include <algorithm>
#include <cstring>
#include <limits>

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

void TileDecoder::ClearNonzeroContexts(const Block& block) {
  for (int i = 0; i < kComponents; ++i) {
    const int ss_x = i > 0 ? frame_->subsampling_x : 0;
    const int ss_y = i > 0 ? frame_->subsampling_y : 0;
    std::memset(&frame_->above_nonzero[i][size_t(block.mi_col * 2 >> ss_x)], 0,
                size_t(block.width * 2 >> ss_x));
    std::memset(&left_nonzero_[i][(block.mi_row & 7) * 2 >> ss_y], 0,
                size_t(block.height * 2 >> ss_y));
  }
}

// ---- intra ----

void TileDecoder::WriteIntraBlocks(const Block& block) {
  WriteIntraPlane(block, 0, lists_->intra_blocks.size());
  const size_t chroma = lists_->intra_blocks.size();
  WriteIntraPlane(block, 1, chroma);
  WriteIntraPlane(block, 2, chroma);
}

// The transform blocks of one component in raster order. Those of V complete
// the records that U began at <first_record>.
void TileDecoder::WriteIntraPlane(const Block& block, int component,
                                  size_t first_record) {
  const ModeInfo& info = *block.info;
  const bool chroma = component > 0;
  const int ss_x = chroma ? frame_->subsampling_x : 0;
  const int ss_y = chroma ? frame_->subsampling_y : 0;
  const int tx_size = chroma ? info.uv_tx_size : info.tx_size;
  const int step = 1 << tx_size;
  const int width4 = block.width * 2 >> ss_x;
  const int visible_width4 = block.visible_width * 2 >> ss_x;
  const int visible_height4 = block.visible_height * 2 >> ss_y;
  const int x0 = block.mi_col * 2 >> ss_x, y0 = block.mi_row * 2 >> ss_y;
  IntraBlock* record = lists_->intra_blocks.data() + first_record;

  for (int y = 0; y < visible_height4; y += step) {
    for (int x = 0; x < visible_width4; x += step) {
      const int mode =
          chroma ? info.uv_mode
                 : info.sub_modes[info.size < BLOCK_8X8 ? y * 2 + x : 0];
      uint32_t residual = PERDIX_NONE;
      if (!info.skip) {
        const int tx_type = chroma || frame_->lossless || tx_size == TX_32X32
                                ? int(DCT_DCT)
                                : int(mode2txfm_map[mode]);
        residual =
            DecodeTransformBlock(block, component, x0 + x, y0 + y, tx_size,
                                 tx_type, &lists_->intra_transforms);
      }
      if (component == 2) {
        (record++)->residual1 = residual;
        continue;
      }
      uint32_t have = 0;
      if (x > 0 || block.left) have |= PERDIX_INTRA_HAVE_LEFT;
      if (y > 0 || block.above) have |= PERDIX_INTRA_HAVE_ABOVE;
      if (tx_size == TX_4X4 && x + step < width4) {
        have |= PERDIX_INTRA_HAVE_ABOVE_RIGHT;
      }
      lists_->intra_blocks.Append(
          {PackPosition(uint32_t(x0 + x), uint32_t(y0 + y)),
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
    lists_->inter_blocks.Append(
        {PackPosition(x4 + x, y4 + y),
         PackInterShape(width4, height4, planes, info.interp_filter, ref0, ref1,
                        info.size < BLOCK_8X8),
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
  const ModeInfo& info = *block.info;
  const size_t before = lists_->inter_transforms.size();
  for (int component = 0; component < kComponents; ++component) {
    const int ss_x = component > 0 ? frame_->subsampling_x : 0;
    const int ss_y = component > 0 ? frame_->subsampling_y : 0;
    const int tx_size = component > 0 ? info.uv_tx_size : info.tx_size;
    const int step = 1 << tx_size;
    const int x0 = block.mi_col * 2 >> ss_x, y0 = block.mi_row * 2 >> ss_y;
    for (int y = 0; y < block.visible_height * 2 >> ss_y; y += step) {
      for (int x = 0; x < block.visible_width * 2 >> ss_x; x += step) {
        DecodeTransformBlock(block, component, x0 + x, y0 + y, tx_size, DCT_DCT,
                             &lists_->inter_transforms);
      }
    }
  }
  return lists_->inter_transforms.size() > before;
}

// ---- coefficients ----

// Reads one transform block at (x4, y4), 4x4 units of its plane, and appends
// its record unless it is empty. Returns the record's index or PERDIX_NONE.
uint32_t TileDecoder::DecodeTransformBlock(const Block& block, int component,
                                           int x4, int y4, int tx_size,
                                           int tx_type,
                                           Arena<TransformBlock>* list) {
  const int ss_x = component > 0 ? frame_->subsampling_x : 0;
  const int ss_y = component > 0 ? frame_->subsampling_y : 0;
  const int size4 = 1 << tx_size;
  uint8_t* above = &frame_->above_nonzero[component][size_t(x4)];
  uint8_t* left = &left_nonzero_[component][y4 & (15 >> ss_y)];
  const auto any = [size4](const uint8_t* flags) {
    return std::any_of(flags, flags + size4, [](uint8_t f) { return f != 0; });
  };
  const int context = any(above) + any(left);

  int last_row = 0, last_col = 0;
  const int eob =
      ReadCoefs(component, tx_size, tx_type, block.info->is_inter(),
                block.info->segment_id, context, &last_row, &last_col);
  // beyond the frame's edge nothing counts as coded
  const int visible_x = std::min(size4, (frame_->mi_cols * 2 >> ss_x) - x4);
  const int visible_y = std::min(size4, (frame_->mi_rows * 2 >> ss_y) - y4);
  for (int i = 0; i < size4; ++i) {
    above[i] = eob > 0 && i < visible_x;
    left[i] = eob > 0 && i < visible_y;
  }
  if (eob == 0) return PERDIX_NONE;

  int stored_log2 = 0;
  while (std::max(last_row, last_col) >= 4 << stored_log2) ++stored_log2;
  const uint32_t offset =
      frame_->bit_depth == 8
          ? StoreCoefficients<int16_t>(4 << stored_log2, 4 << tx_size)
          : StoreCoefficients<int32_t>(4 << stored_log2, 4 << tx_size);
  list->Append({PackPosition(uint32_t(x4), uint32_t(y4)),
                PackTransformShape(uint32_t(component), uint32_t(tx_size),
                                   uint32_t(tx_type), uint32_t(stored_log2)),
                offset, uint32_t(eob)});
  return uint32_t(list->size() - 1);
}

// Moves the top-left square of coefficients_ to the list and clears it.
template <typename Coefficient>
uint32_t TileDecoder::StoreCoefficients(int stored, int size) {
  constexpr size_t kUnits = sizeof(Coefficient) / sizeof(int16_t);
  const size_t offset = lists_->coefficients.size();
  auto* to = reinterpret_cast<Coefficient*>(
      lists_->coefficients.Extend(size_t(stored) * size_t(stored) * kUnits));
  for (int row = 0; row < stored; ++row) {
    int32_t* from = &coefficients_[row * size];
    for (int col = 0; col < stored; ++col) {
      *to++ = Coefficient(from[col]);
      from[col] = 0;
    }
  }
  return uint32_t(offset);
}

// Dequantised coefficients into coefficients_; returns the end of block.
int TileDecoder::ReadCoefs(int component, int tx_size, int tx_type,
                           bool is_inter, int segment_id, int context,
                           int* last_row, int* last_col) {
  const bool chroma = component > 0;
  const uint8_t(*probs)[kCoefContexts][3] =
      frame_->probabilities.coef[tx_size][chroma][is_inter];
  uint32_t(*tokens)[kCoefContexts][4] =
      counts_.token[tx_size][chroma][is_inter];
  uint32_t(*more_coefs)[kCoefContexts] =
      counts_.more_coefs[tx_size][chroma][is_inter];
  const int16_t* dequant = frame_->dequant[segment_id][chroma];
  const ScanOrder& order = scan_orders[tx_size][tx_type];
  const uint8_t* bands = CoefBands(tx_size);
  const int count = 16 << (2 * tx_size);
  const int size_log2 = tx_size + 2;
  const int shift = tx_size == TX_32X32;
  const int64_t limit = frame_->bit_depth == 8
                            ? std::numeric_limits<int16_t>::max()
                            : std::numeric_limits<int32_t>::max();
  BoolDecoder reader = bool_;  // in registers
  bool more_is_known = false;  // no end of block after a zero
  int n = 0;
  for (; n < count; ++n) {
    if (n > 0) {
      const uint16_t* pair = order.neighbours[n];
      context = (1 + token_cache_[pair[0]] + token_cache_[pair[1]]) >> 1;
    }
    const int band = bands[n];
    const uint8_t* p = probs[band][context];
    if (!more_is_known) {
      ++more_coefs[band][context];
      if (!reader.Read(p[0])) {
        ++tokens[band][context][3];
        break;
      }
    }
    const int position = order.scan[n];
    if (!reader.Read(p[1])) {
      ++tokens[band][context][0];
      token_cache_[position] = 0;
      more_is_known = true;
      continue;
    }
    more_is_known = false;
    int64_t value = 1;
    if (!reader.Read(p[2])) {
      ++tokens[band][context][1];
      token_cache_[position] = 1;
    } else {
      ++tokens[band][context][2];
      const uint32_t token =
          reader.ReadTree(large_token_tree, pareto_full[p[2] - 1]);
      if (token < 5) {
        value = token;
        token_cache_[position] = token == 2 ? 2 : 3;
      } else {
        const uint32_t category = token - 4;
        const bool last = category == 6;
        const int bits = last ? Cat6Bits(frame_->bit_depth) : int(category);
        const uint8_t* bit_probs =
            last ? Cat6Probs(frame_->bit_depth) : cat_probs[category - 1];
        uint32_t extra = 0;
        for (int i = 0; i < bits; ++i) {
          extra = extra << 1 | uint32_t{reader.Read(bit_probs[i])};
        }
        value = int64_t{cat_base[category - 1]} + extra;
        token_cache_[position] = category <= 2 ? 4 : 5;
      }
    }
    value = std::min(value * dequant[n > 0] >> shift, limit);
    coefficients_[position] = int32_t(reader.ReadBit() ? -value : value);
    *last_row = std::max(*last_row, position >> size_log2);
    *last_col = std::max(*last_col, position & ((1 << size_log2) - 1));
  }
  bool_ = reader;
  return n;
}

}  // namespace perdix::vp9
