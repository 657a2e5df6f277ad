// SPDX-License-Identifier: BSD-2-Clause
// What inter prediction's loops on vectors get (7.11.3): interpolations, warped
// blocks, pairs of predictions; and where pieces of a block lie.
//
// A compound block's two predictions are kept as int16_t, InterPostRound bits
// finer than samples, less a bias that makes them fit at 10 and 12 bits.
#ifndef PERDIX_KERNELS_AV1_INTER_PREDICTION_H_
#define PERDIX_KERNELS_AV1_INTER_PREDICTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "kernels/av1/inter/reference_block.h"
#include "kernels/decoded_area.h"
#include "kernels/kernel.h"
#include "kernels/shared/av1/work_lists.h"
#include "kernels/shared/frame_params.h"

namespace perdix::av1 {

// The rounding variables (7.11.3.2). At 8 bits constants for the compiler.
template <typename Sample>
class Rounding {
 public:
  explicit Rounding(uint32_t bit_depth)
      : bit_depth_(static_cast<int>(bit_depth)) {}

  int BitDepth() const { return sizeof(Sample) == 1 ? 8 : bit_depth_; }
  int MaxSample() const { return (1 << BitDepth()) - 1; }
  // InterRound0, and InterRound1 of a single prediction.
  int AfterHorizontal() const { return BitDepth() == 12 ? 5 : 3; }
  int AfterVertical() const { return 14 - AfterHorizontal(); }
  // InterPostRound of a compound one, whose InterRound1 is 7.
  int Post() const { return 7 - AfterHorizontal(); }
  // What is subtracted from compound predictions: they are -20600..37000 at 10
  // and 12 bits.
  static constexpr int Bias() { return sizeof(Sample) == 1 ? 0 : 1 << 13; }

 private:
  int bit_depth_;
};

inline constexpr int kCompoundRound1 = 7;  // InterRound1 of compound blocks

// Rows of samples. Each number in a register of its own: put together in one,
// as two int would be, it has to wait for what has just been stored.
struct Extent {
  ptrdiff_t samples;  // a multiple of 4
  ptrdiff_t rows;
};

// (sum + add) >> shift, then limited to max where samples are made of it.
struct Finish {
  int add;
  int shift;
  int max;
};

// What rounding leaves to do after each of the passes: filters have halved
// taps, a pass that is left out multiplies by 128.
template <typename Sample, typename Out>
struct Passes {
  explicit Passes(const Rounding<Sample>& rounding)
      : max(rounding.MaxSample()),
        first_shift(rounding.AfterHorizontal() - 1),
        bias(kSamples ? 0 : rounding.Bias()),
        both_shift(kSamples ? rounding.AfterVertical() - 1
                            : kCompoundRound1 - 1) {}

  // Before a second pass.
  Finish First() const { return {1 << (first_shift - 1), first_shift, 0}; }
  Finish Second() const { return Less(1 << (both_shift - 1), both_shift); }
  // Horizontal alone: what First() does, then the rest.
  Finish Across() const {
    return kSamples ? Finish{(1 << (first_shift - 1)) + 32, 6, max}
                    : Less(1 << (first_shift - 1), first_shift);
  }
  Finish Down() const {
    return kSamples ? Finish{32, 6, max}
                    : Less(1 << (first_shift - 1), first_shift);
  }
  // By how many bits a copy to int16_t is finer than samples.
  int CopyShift() const { return 6 - first_shift; }

  Finish Less(int add, int shift) const {
    return {add - (bias << shift), shift, max};
  }

  static constexpr bool kSamples = std::is_same_v<Sample, Out>;
  int max;
  int first_shift;
  int bias;
  int both_shift;
};

// What is predicted from one reference in one plane (7.11.3.4).
template <typename Sample>
struct Interpolation {
  Pixels<const Sample> source;  // at x.first, y.first
  Extent extent;
  Axis x;
  Axis y;
};

// Prediction from a scaled reference: filters change from pixel to pixel.
template <typename Sample>
struct ScaledInterpolation {
  Pixels<const Sample> source;
  ScaledAxis x;
  ScaledAxis y;
};

inline constexpr int kWarpBlock = 8;
inline constexpr int kWarpSource = 15;  // kWarpBlock + kTaps - 1
// A position, in pixels, where all samples are those of the frame's edge.
inline constexpr int64_t kFarOutside = 1 << 24;

// 8x8 pixels of a warped block (7.11.3.5).
template <typename Sample>
struct WarpedBlock {
  Pixels<const Sample> source;  // kWarpSource x kWarpSource pixels
  // Positions between samples, which choose the filters: 1/65536 sample.
  int x;  // sx of the first column in the first row of source
  int y;  // sy of the first pixel predicted
  int alpha, beta, gamma, delta;
  int width;  // pixels to predict, at most 8
  int height;
  Rounding<Sample> rounding;
};

// The two predictions of a compound block, rows without gaps.
struct Predictions {
  const int16_t* first;
  const int16_t* second;
};

// ---- records ----

// One prediction of a record.
struct PredictionSource {
  uint32_t ref;
  uint32_t mv;
  const WarpMatrix* warp;  // or null
};

// The part of a record's block that is predicted at once, luma samples.
struct Piece {
  int x;  // of the block
  int y;
  int block_width;
  int block_height;
  int offset_x;  // of the piece in it
  int offset_y;
  int width;  // of the piece
  int height;
};

// A plane to predict, as far as decoding may write.
template <typename Sample>
struct TargetPlane {
  TargetPlane(const KernelArgs& args, uint32_t index)
      : stride(static_cast<ptrdiff_t>(args.target.planes[index].stride_bytes /
                                      sizeof(Sample))),
        data(args.target.planes[index].template Row<Sample>(0)),
        area(PlaneDecodedArea(*args.params, index)),
        subsampling_x(
            index == kLuma ? 0 : static_cast<int>(args.params->subsampling_x)),
        subsampling_y(
            index == kLuma ? 0 : static_cast<int>(args.params->subsampling_y)) {
  }

  ptrdiff_t stride;  // samples
  Sample* data;
  DecodedArea area;
  int subsampling_x;
  int subsampling_y;
};

// The piece in a plane, pixels.
struct PlanePiece {
  PieceAxis x;
  PieceAxis y;

  bool IsEmpty() const { return x.size <= 0 || y.size <= 0; }
  int Left() const { return x.block + x.offset; }
  int Top() const { return y.block + y.offset; }
};

// block, offset, block_size, size: of a Piece. area: of the plane.
inline PieceAxis LocatePiece(int block, int offset, int block_size, int size,
                             int subsampling, int area) {
  PieceAxis axis;
  axis.block = block >> subsampling;
  axis.offset = offset >> subsampling;
  axis.block_size = block_size >> subsampling;
  axis.subsampling = subsampling;
  axis.size = std::min(size >> subsampling, area - axis.block - axis.offset);
  return axis;
}

// FwdWeight of 7.11.3.15; BckWeight is 16 less this. distance0, distance1: of
// the first and the second reference.
inline int DistanceWeight(uint32_t distance0, uint32_t distance1) {
  constexpr uint8_t kWeights[3][2] = {{2, 3}, {2, 5}, {2, 7}};
  constexpr uint8_t kLookup[4][2] = {{9, 7}, {11, 5}, {12, 4}, {13, 3}};
  const uint32_t d0 = distance1;
  const uint32_t d1 = distance0;
  const int order = d0 <= d1 ? 1 : 0;
  int i = 3;
  if (d0 != 0 && d1 != 0) {
    for (i = 0; i < 3; ++i) {
      const uint32_t product0 = d0 * kWeights[i][order];
      const uint32_t product1 = d1 * kWeights[i][1 - order];
      if (order != 0 ? product0 > product1 : product0 < product1) break;
    }
  }
  return kLookup[i][order];
}

// Whether the filters of a warp stay in their table (7.11.3.6, warpValid).
// Parsing lets no others pass.
inline bool IsValidShear(const WarpMatrix& warp) {
  const int alpha = std::abs(MvRow(warp.alpha_beta));
  const int beta = std::abs(MvCol(warp.alpha_beta));
  const int gamma = std::abs(MvRow(warp.gamma_delta));
  const int delta = std::abs(MvCol(warp.gamma_delta));
  return 4 * alpha + 7 * beta < (1 << 16) && 4 * gamma + 4 * delta < (1 << 16);
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_PREDICTION_H_
