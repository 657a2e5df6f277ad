// SPDX-License-Identifier: BSD-2-Clause
// Section 7.11.3 of the specification written down word by word, sample by
// sample and without a thought of speed: what the kernel is compared with.
// Names are the specification's.
#ifndef PERDIX_TESTS_KERNELS_AV1_SPEC_INTER_H_
#define PERDIX_TESTS_KERNELS_AV1_SPEC_INTER_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <vector>

#include "kernels/av1/inter/subpel_filters.h"
#include "kernels/av1/inter/warp_filters.h"
#include "kernels/shared/av1/params.h"

namespace perdix::av1::spec {

using Array = std::vector<std::vector<int>>;

inline Array NewArray(int w, int h) {
  return Array(static_cast<size_t>(h), std::vector<int>(size_t(w)));
}

inline int64_t Round2(int64_t x, int n) {
  return n == 0 ? x : (x + (int64_t{1} << (n - 1))) >> n;
}
inline int64_t Round2Signed(int64_t x, int n) {
  return x >= 0 ? Round2(x, n) : -Round2(-x, n);
}
inline int Clip3(int low, int high, int x) {
  return x < low ? low : x > high ? high : x;
}

// Samples of a frame: plane 0..2, x, y.
using Samples = std::function<int(int, int, int)>;

struct Reference {
  int RefUpscaledWidth;
  int RefFrameHeight;
  Samples FrameStore;
};

// What syntax elements and earlier processes say of a block.
struct Block {
  int RefFrame[2];  // index of references
  int mv[2][2];     // [list][0 row, 1 column]
  int InterpFilter[2];
  bool isCompound;
  bool localWarp;    // motion_mode == LOCALWARP and LocalValid
  bool globalmv[2];  // GLOBALMV or GLOBAL_GLOBALMV, and of this reference
                     // GmType > TRANSLATION and globalValid
  const WarpMatrix* LocalWarpParams;
};

class Inter {
 public:
  int BitDepth;
  int FrameWidth;
  int FrameHeight;
  int subsampling_x;
  int subsampling_y;
  std::vector<Reference> references;
  std::vector<WarpMatrix> gm_params;

  // ---- 7.11.3.1, steps 1 to 14 ----

  std::vector<Array> Predictions(const Block& block, int plane, int x, int y,
                                 int w, int h) {
    Rounding(block.isCompound);
    std::vector<Array> preds;
    for (int refList = 0; refList < 1 + block.isCompound; ++refList) {
      const int refFrame = block.RefFrame[refList];
      int useWarp = 0;
      if (w < 8 || h < 8) {
        useWarp = 0;
      } else if (block.localWarp) {
        useWarp = 1;
      } else if (block.globalmv[refList] && !is_scaled(refFrame)) {
        useWarp = 2;
      }
      if (useWarp != 0) {
        const WarpMatrix& params =
            useWarp == 1 ? *block.LocalWarpParams
                         : gm_params[static_cast<size_t>(refFrame)];
        Array pred = NewArray(w, h);
        for (int i8 = 0; i8 <= (h - 1) >> 3; ++i8) {
          for (int j8 = 0; j8 <= (w - 1) >> 3; ++j8) {
            BlockWarp(params, plane, refFrame, x, y, i8, j8, w, h, pred);
          }
        }
        preds.push_back(pred);
      } else {
        preds.push_back(PredictUnwarped(block, refList, plane, x, y, w, h));
      }
    }
    return preds;
  }

  Array PredictUnwarped(const Block& block, int refList, int plane, int x,
                        int y, int w, int h) {
    const int refIdx = block.RefFrame[refList];
    int start[2];
    int step[2];
    MotionVectorScaling(plane, refIdx, x, y, block.mv[refList], start, step);
    return BlockInterPrediction(plane, refIdx, start, step, w, h,
                                block.InterpFilter);
  }

  // ---- 7.11.3.2 ----

  void Rounding(bool isCompound) {
    InterRound0 = 3;
    InterRound1 = isCompound ? 7 : 11;
    if (BitDepth == 12) InterRound0 += 2;
    if (BitDepth == 12 && !isCompound) InterRound1 -= 2;
    InterPostRound = 2 * 7 - (InterRound0 + InterRound1);
  }

  int Clip1(int64_t x) const {
    return static_cast<int>(
        std::clamp<int64_t>(x, 0, (int64_t{1} << BitDepth) - 1));
  }

  // ---- 7.11.3.3; start and step: x, y ----

  void MotionVectorScaling(int plane, int refIdx, int x, int y, const int* mv,
                           int* start, int* step) const {
    const Reference& ref = references[static_cast<size_t>(refIdx)];
    const int64_t xScale =
        ((int64_t{ref.RefUpscaledWidth} << 14) + FrameWidth / 2) / FrameWidth;
    const int64_t yScale =
        ((int64_t{ref.RefFrameHeight} << 14) + FrameHeight / 2) / FrameHeight;
    const int subX = plane == 0 ? 0 : subsampling_x;
    const int subY = plane == 0 ? 0 : subsampling_y;
    const int halfSample = 1 << 3;
    const int64_t origX =
        (int64_t{x} << 4) + ((2 * mv[1]) >> subX) + halfSample;
    const int64_t origY =
        (int64_t{y} << 4) + ((2 * mv[0]) >> subY) + halfSample;
    const int64_t baseX = origX * xScale - (halfSample << 14);
    const int64_t baseY = origY * yScale - (halfSample << 14);
    const int off = (1 << (10 - 4)) / 2;
    start[0] = static_cast<int>(Round2Signed(baseX, 14 + 4 - 10) + off);
    start[1] = static_cast<int>(Round2Signed(baseY, 14 + 4 - 10) + off);
    step[0] = static_cast<int>(Round2Signed(xScale, 14 - 10));
    step[1] = static_cast<int>(Round2Signed(yScale, 14 - 10));
  }

  // 5.11.27.
  bool is_scaled(int refFrame) const {
    const Reference& ref = references[static_cast<size_t>(refFrame)];
    const int xScale =
        ((ref.RefUpscaledWidth << 14) + (FrameWidth / 2)) / FrameWidth;
    const int yScale =
        ((ref.RefFrameHeight << 14) + (FrameHeight / 2)) / FrameHeight;
    const int noScale = 1 << 14;
    return xScale != noScale || yScale != noScale;
  }

  // ---- 7.11.3.4 ----

  static int TapSet(int interpFilter, int size) {
    if (size <= 4) {
      if (interpFilter == 0 || interpFilter == 2) return 4;
      if (interpFilter == 1) return 5;
    }
    return interpFilter;
  }

  // The table holds halves.
  static int Subpel_Filters(int set, int position, int t) {
    return 2 * kSubpelFilters[set][position][t];
  }

  int Sample(int plane, int refIdx, int x, int y) const {
    const Reference& ref = references[static_cast<size_t>(refIdx)];
    const int subX = plane == 0 ? 0 : subsampling_x;
    const int subY = plane == 0 ? 0 : subsampling_y;
    const int lastX = ((ref.RefUpscaledWidth + subX) >> subX) - 1;
    const int lastY = ((ref.RefFrameHeight + subY) >> subY) - 1;
    return ref.FrameStore(plane, Clip3(0, lastX, x), Clip3(0, lastY, y));
  }

  Array BlockInterPrediction(int plane, int refIdx, const int* start,
                             const int* step, int w, int h,
                             const int* InterpFilters) const {
    const int x = start[0];
    const int y = start[1];
    const int intermediateHeight =
        (((h - 1) * step[1] + (1 << 10) - 1) >> 10) + 8;
    Array intermediate = NewArray(w, intermediateHeight);
    int interpFilter = TapSet(InterpFilters[1], w);
    for (int r = 0; r < intermediateHeight; r++) {
      for (int c = 0; c < w; c++) {
        int s = 0;
        const int p = x + step[0] * c;
        for (int t = 0; t < 8; t++) {
          s += Subpel_Filters(interpFilter, (p >> 6) & 15, t) *
               Sample(plane, refIdx, (p >> 10) + t - 3, (y >> 10) + r - 3);
        }
        intermediate[size_t(r)][size_t(c)] =
            static_cast<int>(Round2(s, InterRound0));
      }
    }
    interpFilter = TapSet(InterpFilters[0], h);
    Array pred = NewArray(w, h);
    for (int r = 0; r < h; r++) {
      for (int c = 0; c < w; c++) {
        int64_t s = 0;
        const int p = (y & 1023) + step[1] * r;
        for (int t = 0; t < 8; t++) {
          s += Subpel_Filters(interpFilter, (p >> 6) & 15, t) *
               intermediate[size_t((p >> 10) + t)][size_t(c)];
        }
        pred[size_t(r)][size_t(c)] = static_cast<int>(Round2(s, InterRound1));
      }
    }
    return pred;
  }

  // ---- 7.11.3.5 ----

  void BlockWarp(const WarpMatrix& warp, int plane, int refIdx, int x, int y,
                 int i8, int j8, int w, int h, Array& pred) const {
    const int subX = plane == 0 ? 0 : subsampling_x;
    const int subY = plane == 0 ? 0 : subsampling_y;
    const int64_t srcX = (x + j8 * 8 + 4) << subX;
    const int64_t srcY = (y + i8 * 8 + 4) << subY;
    const int* warpParams = warp.params;
    const int64_t dstX =
        warpParams[2] * srcX + warpParams[3] * srcY + warpParams[0];
    const int64_t dstY =
        warpParams[4] * srcX + warpParams[5] * srcY + warpParams[1];
    const int alpha = static_cast<int16_t>(warp.alpha_beta & 0xffff);
    const int beta = static_cast<int16_t>(warp.alpha_beta >> 16);
    const int gamma = static_cast<int16_t>(warp.gamma_delta & 0xffff);
    const int delta = static_cast<int16_t>(warp.gamma_delta >> 16);
    const int64_t x4 = dstX >> subX;
    const int64_t y4 = dstY >> subY;
    const int ix4 = static_cast<int>(x4 >> 16);
    const int sx4 = static_cast<int>(x4 & 0xffff);
    const int iy4 = static_cast<int>(y4 >> 16);
    const int sy4 = static_cast<int>(y4 & 0xffff);
    Array intermediate = NewArray(8, 15);
    for (int i1 = -7; i1 < 8; i1++) {
      for (int i2 = -4; i2 < 4; i2++) {
        const int sx = sx4 + alpha * i2 + beta * i1;
        const int64_t offs = Round2(sx, 10) + 64;
        int s = 0;
        for (int i3 = 0; i3 < 8; i3++) {
          s += kWarpFilters[offs][i3] *
               Sample(plane, refIdx, ix4 + i2 - 3 + i3, iy4 + i1);
        }
        intermediate[size_t(i1 + 7)][size_t(i2 + 4)] =
            static_cast<int>(Round2(s, InterRound0));
      }
    }
    for (int i1 = -4; i1 < std::min(4, h - i8 * 8 - 4); i1++) {
      for (int i2 = -4; i2 < std::min(4, w - j8 * 8 - 4); i2++) {
        const int sy = sy4 + gamma * i2 + delta * i1;
        const int64_t offs = Round2(sy, 10) + 64;
        int64_t s = 0;
        for (int i3 = 0; i3 < 8; i3++) {
          s += kWarpFilters[offs][i3] *
               intermediate[size_t(i1 + i3 + 4)][size_t(i2 + 4)];
        }
        pred[size_t(i8 * 8 + i1 + 4)][size_t(j8 * 8 + i2 + 4)] =
            static_cast<int>(Round2(s, InterRound1));
      }
    }
  }

  // ---- 7.11.3.9 ----

  static std::vector<int> get_obmc_mask(int length) {
    switch (length) {
      case 2:
        return {45, 64};
      case 4:
        return {39, 50, 59, 64};
      case 8:
        return {36, 42, 48, 53, 57, 61, 64, 64};
      case 16:
        return {34, 37, 40, 43, 46, 49, 52, 54, 56, 58, 60, 61, 64, 64, 64, 64};
      default:
        return {33, 35, 36, 38, 40, 41, 43, 44, 45, 47, 48, 50, 51, 52, 53, 55,
                56, 57, 58, 59, 60, 60, 61, 62, 64, 64, 64, 64, 64, 64, 64, 64};
    }
  }

  // ---- 7.11.3.12 ----

  Array DifferenceWeightMask(const std::vector<Array>& preds, int w, int h,
                             int mask_type) const {
    Array Mask = NewArray(w, h);
    for (size_t i = 0; i < size_t(h); i++) {
      for (size_t j = 0; j < size_t(w); j++) {
        int diff = std::abs(preds[0][i][j] - preds[1][i][j]);
        diff = static_cast<int>(Round2(diff, (BitDepth - 8) + InterPostRound));
        const int m = Clip3(0, 64, 38 + diff / 16);
        Mask[i][j] = mask_type ? 64 - m : m;
      }
    }
    return Mask;
  }

  // ---- 7.11.3.14, not inter-intra: the weight of one sample ----

  int MaskWeight(const Array& Mask, int plane, int x, int y) const {
    const int subX = plane == 0 ? 0 : subsampling_x;
    const int subY = plane == 0 ? 0 : subsampling_y;
    const auto at = [&](int row, int column) {
      return Mask[size_t(row)][size_t(column)];
    };
    if (!subX && !subY) return at(y, x);
    if (subX && !subY) {
      return static_cast<int>(Round2(at(y, 2 * x) + at(y, 2 * x + 1), 1));
    }
    return static_cast<int>(Round2(at(2 * y, 2 * x) + at(2 * y, 2 * x + 1) +
                                       at(2 * y + 1, 2 * x) +
                                       at(2 * y + 1, 2 * x + 1),
                                   2));
  }

  int InterRound0 = 0;
  int InterRound1 = 0;
  int InterPostRound = 0;
};

// ---- 7.11.3.15; dist: clamped, by list. Returns FwdWeight, BckWeight ----

inline std::pair<int, int> DistanceWeights(const int (&dist)[2]) {
  const int Quant_Dist_Weight[4][2] = {{2, 3}, {2, 5}, {2, 7}, {1, 31}};
  const int Quant_Dist_Lookup[4][2] = {{9, 7}, {11, 5}, {12, 4}, {13, 3}};
  const int d0 = dist[1];
  const int d1 = dist[0];
  const int order = d0 <= d1;
  if (d0 == 0 || d1 == 0) {
    return {Quant_Dist_Lookup[3][order], Quant_Dist_Lookup[3][1 - order]};
  }
  int i = 0;
  for (; i < 3; i++) {
    const int c0 = Quant_Dist_Weight[i][order];
    const int c1 = Quant_Dist_Weight[i][1 - order];
    if (order) {
      if (d0 * c0 > d1 * c1) break;
    } else {
      if (d0 * c0 < d1 * c1) break;
    }
  }
  return {Quant_Dist_Lookup[i][order], Quant_Dist_Lookup[i][1 - order]};
}

// ---- 7.11.3.11: WedgeMasks[..][flip_sign][wedge_index] of w x h ----

Array WedgeMasks(int w, int h, int flip_sign, int wedge_index);

}  // namespace perdix::av1::spec

#endif  // PERDIX_TESTS_KERNELS_AV1_SPEC_INTER_H_
