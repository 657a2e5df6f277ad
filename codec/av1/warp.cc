// SPDX-License-Identifier: BSD-2-Clause
// Local warp: samples of the motion around a block (7.10.4) and the affine
// model that fits them (7.11.3.8). Shears of any warp (7.11.3.6).
#include "codec/av1/warp.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

#include "codec/av1/tables.h"
#include "codec/av1/tile.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {
namespace {

constexpr int kDivLutBits = 8;              // DIV_LUT_BITS
constexpr int kDivLutPrecBits = 14;         // DIV_LUT_PREC_BITS
constexpr int kWarpParamReduceBits = 6;     // WARP_PARAM_REDUCE_BITS
constexpr int kLsMvMax = 256;               // LS_MV_MAX
constexpr int kMaxSamples = 8;              // LEAST_SQUARES_SAMPLES_MAX
constexpr int64_t kTransClamp = 1 << 23;    // WARPEDMODEL_TRANS_CLAMP
constexpr int64_t kNonDiagClamp = 1 << 13;  // WARPEDMODEL_NONDIAGAFFINE_CLAMP
constexpr int kOne = 1 << kWarpedModelPrecBits;

// |value| + half of 1 << shift stays below 2^63.
int64_t Round2Signed(int64_t value, int shift) {
  const int64_t half = (int64_t{1} << shift) >> 1;
  return value < 0 ? -((half - value) >> shift) : (value + half) >> shift;
}

// Clipped to 16 bits and rounded as 7.11.3.6 does with each shear.
int ReduceShear(int64_t value) {
  const int64_t clipped = std::clamp<int64_t>(value, -32768, 32767);
  return int(Round2Signed(clipped, kWarpParamReduceBits)) *
         (1 << kWarpParamReduceBits);
}

int Pack(int low, int high) {
  return int((uint32_t(low) & 0xffff) | uint32_t(high) << 16);
}

}  // namespace

Divisor ResolveDivisor(int64_t d) {
  assert(d != 0);
  const uint64_t size = d < 0 ? -uint64_t(d) : uint64_t(d);
  const int n = int(std::bit_width(size)) - 1;
  const uint64_t e = size - (uint64_t{1} << n);
  const int excess = n - kDivLutBits;
  const uint64_t f =
      excess > 0 ? (e + (uint64_t{1} << (excess - 1))) >> excess : e << -excess;
  const int factor = kDivLut[f];
  return {n + kDivLutPrecBits, d < 0 ? -factor : factor};
}

bool SetUpShear(WarpMatrix* warp) {
  warp->alpha_beta = warp->gamma_delta = 0;
  const int* params = warp->params;
  const int alpha = ReduceShear(int64_t{params[2]} - kOne);
  const int beta = ReduceShear(params[3]);
  // Ends here unless params[2] is about 1 and params[3] is small: so the
  // products below fit.
  if (4 * std::abs(alpha) + 7 * std::abs(beta) >= kOne) return false;
  const Divisor divisor = ResolveDivisor(params[2]);
  const int64_t v = int64_t{params[4]} * kOne;
  const int64_t w = int64_t{params[3]} * params[4];
  const int gamma =
      ReduceShear(Round2Signed(v * divisor.factor, divisor.shift));
  const int delta = ReduceShear(
      params[5] - Round2Signed(w * divisor.factor, divisor.shift) - kOne);
  if (4 * std::abs(gamma) + 4 * std::abs(delta) >= kOne) return false;
  warp->alpha_beta = Pack(alpha, beta);
  warp->gamma_delta = Pack(gamma, delta);
  return true;
}

// ---- samples (7.10.4) ----

// 7.10.4.2, of the block that covers a 4x4 unit of the tile.
void TileDecoder::AddWarpSample(Block& block, int mi_row, int mi_col,
                                const ModeInfo* candidate) {
  if (block.num_samples_scanned >= kMaxSamples) return;
  const ModeInfo& info = *block.info;
  if (candidate->ref_frame[0] != info.ref_frame[0] ||
      candidate->ref_frame[1] != NONE) {
    return;
  }
  const int width4 = kNum4x4BlocksWide[candidate->size];
  const int height4 = kNum4x4BlocksHigh[candidate->size];
  const int mid_y = (mi_row & ~(height4 - 1)) * 4 + height4 * 2 - 1;
  const int mid_x = (mi_col & ~(width4 - 1)) * 4 + width4 * 2 - 1;
  const Mv mv = candidate->mv[0];
  const int threshold = std::clamp(4 * std::max(block.bw4, block.bh4), 16, 112);
  const bool valid =
      std::abs(mv.row - info.mv[0].row) + std::abs(mv.col - info.mv[0].col) <=
      threshold;
  ++block.num_samples_scanned;
  if (!valid && block.num_samples_scanned > 1) return;
  int* sample = cand_list_[block.num_samples];
  sample[0] = mid_y * 8;
  sample[1] = mid_x * 8;
  sample[2] = mid_y * 8 + mv.row;
  sample[3] = mid_x * 8 + mv.col;
  block.num_samples += valid;
}

void TileDecoder::FindWarpSamples(Block& block) {
  const int row = block.mi_row, col = block.mi_col;
  const auto add = [&](int mi_row, int mi_col) {
    AddWarpSample(block, mi_row, mi_col, frame_->At(mi_row, mi_col));
  };
  bool top_left = block.avail_u && block.avail_l;
  bool top_right = block.avail_u;
  block.num_samples = block.num_samples_scanned = 0;
  if (block.avail_u) {
    const int width4 = kNum4x4BlocksWide[block.above->size];
    if (block.bw4 <= width4) {
      const int offset = col & (width4 - 1);
      if (offset > 0) top_left = false;
      if (width4 - offset > block.bw4) top_right = false;
      add(row - 1, col);
    } else {
      const int end = std::min(col + block.bw4, frame_->mi_cols);
      for (int x = col; x < end;) {
        add(row - 1, x);
        x += kNum4x4BlocksWide[frame_->At(row - 1, x)->size];
      }
    }
  }
  if (block.avail_l) {
    const int height4 = kNum4x4BlocksHigh[block.left->size];
    if (block.bh4 <= height4) {
      if ((row & (height4 - 1)) > 0) top_left = false;
      add(row, col - 1);
    } else {
      const int end = std::min(row + block.bh4, frame_->mi_rows);
      for (int y = row; y < end;) {
        add(y, col - 1);
        y += kNum4x4BlocksHigh[frame_->At(y, col - 1)->size];
      }
    }
  }
  if (top_left) add(row - 1, col - 1);
  if (top_right && std::max(block.bw4, block.bh4) <= 16 &&
      TopRightIsDecoded(block)) {
    add(row - 1, col + block.bw4);
  }
  if (block.num_samples_scanned > 0)
    block.num_samples = std::max(block.num_samples, 1);
}

// ---- estimation (7.11.3.8) ----

namespace {

// The sums of the least squares. Samples lie next to the block and are at most
// kLsMvMax away from where its vector leads: all fit into 24 bits.
struct LeastSquares {
  int a[2][2] = {};  // [1][0] is not used
  int bx[2] = {};
  int by[2] = {};

  static int Product(int a, int b) { return ((a * b) >> 2) + (a + b); }

  void Add(int sy, int sx, int dy, int dx) {
    if (std::abs(sx - dx) >= kLsMvMax || std::abs(sy - dy) >= kLsMvMax) return;
    a[0][0] += Product(sx, sx) + 8;
    a[0][1] += Product(sx, sy) + 4;
    a[1][1] += Product(sy, sy) + 8;
    bx[0] += Product(sx, dx) + 8;
    bx[1] += Product(sy, dx) + 4;
    by[0] += Product(sx, dy) + 4;
    by[1] += Product(sy, dy) + 8;
  }
};

int64_t Multiply(int a, int b) { return int64_t{a} * b; }

// Sets params[2] to params[5]. False: the determinant is 0.
bool Solve(const LeastSquares& sums, int* params) {
  const auto& a = sums.a;
  const int64_t determinant =
      Multiply(a[0][0], a[1][1]) - Multiply(a[0][1], a[0][1]);
  if (determinant == 0) return false;
  Divisor divisor = ResolveDivisor(determinant);
  divisor.shift -= kWarpedModelPrecBits;
  if (divisor.shift < 0) {
    divisor.factor *= 1 << -divisor.shift;
    divisor.shift = 0;
  }
  const auto divide = [&](int64_t value, int64_t middle) {
    const int64_t quotient =
        Round2Signed(value * divisor.factor, divisor.shift);
    return int(std::clamp(quotient, middle - kNonDiagClamp + 1,
                          middle + kNonDiagClamp - 1));
  };
  const auto& bx = sums.bx;
  const auto& by = sums.by;
  params[2] = divide(Multiply(a[1][1], bx[0]) - Multiply(a[0][1], bx[1]), kOne);
  params[3] = divide(Multiply(a[0][0], bx[1]) - Multiply(a[0][1], bx[0]), 0);
  params[4] = divide(Multiply(a[1][1], by[0]) - Multiply(a[0][1], by[1]), 0);
  params[5] = divide(Multiply(a[0][0], by[1]) - Multiply(a[0][1], by[0]), kOne);
  return true;
}

}  // namespace

void TileDecoder::EstimateLocalWarp(Block& block) {
  const int mid_y = block.mi_row * 4 + block.bh4 * 2 - 1;
  const int mid_x = block.mi_col * 4 + block.bw4 * 2 - 1;
  const Mv mv = block.info->mv[0];
  LeastSquares sums;
  for (int i = 0; i < block.num_samples; ++i) {
    const int* sample = cand_list_[i];
    sums.Add(sample[0] - mid_y * 8, sample[1] - mid_x * 8,
             sample[2] - (mid_y * 8 + mv.row),
             sample[3] - (mid_x * 8 + mv.col));
  }
  int* params = block.local_warp.params;
  block.local_valid = Solve(sums, params);
  if (!block.local_valid) return;
  const int64_t to_params = 1 << (kWarpedModelPrecBits - 3);
  const int64_t vx = mv.col * to_params - (Multiply(mid_x, params[2] - kOne) +
                                           Multiply(mid_y, params[3]));
  const int64_t vy = mv.row * to_params - (Multiply(mid_x, params[4]) +
                                           Multiply(mid_y, params[5] - kOne));
  params[0] = int(std::clamp(vx, -kTransClamp, kTransClamp - 1));
  params[1] = int(std::clamp(vy, -kTransClamp, kTransClamp - 1));
  block.local_valid = SetUpShear(&block.local_warp);
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();
