// SPDX-License-Identifier: BSD-2-Clause
// The intra modes without a direction (7.11.2.2, .3, .5, .6) of the scalar
// kernel. Edges are read; every function predicts a whole block.
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "kernels/av1/intra/intra_edges.h"

namespace perdix::av1 {

// Width and height of a block, pixels.
struct BlockExtent {
  int width;
  int height;
};

// Copies row after row: their size is a constant for the compiler.
// bytes: 4..256, a power of two. source_stride: 0 to repeat one row.
template <size_t kBytes>
void CopyRowsOf(const uint8_t* from, ptrdiff_t from_stride, uint8_t* to,
                ptrdiff_t to_stride, int rows) {
  for (int i = 0; i < rows; ++i) {
    std::memcpy(to, from, kBytes);
    from += from_stride;
    to += to_stride;
  }
}

// Strides in samples.
template <typename Sample>
void CopyRows(const Sample* from, ptrdiff_t from_stride, Output<Sample> out,
              int samples, int rows) {
  const auto* source = reinterpret_cast<const uint8_t*>(from);
  auto* to = reinterpret_cast<uint8_t*>(out.data);
  from_stride *= sizeof(Sample);
  const ptrdiff_t stride = out.stride * static_cast<ptrdiff_t>(sizeof(Sample));
  const size_t bytes = static_cast<size_t>(samples) * sizeof(Sample);
  switch (bytes) {
    case 4:
      return CopyRowsOf<4>(source, from_stride, to, stride, rows);
    case 8:
      return CopyRowsOf<8>(source, from_stride, to, stride, rows);
    case 16:
      return CopyRowsOf<16>(source, from_stride, to, stride, rows);
    case 32:
      return CopyRowsOf<32>(source, from_stride, to, stride, rows);
    case 64:
      return CopyRowsOf<64>(source, from_stride, to, stride, rows);
    default:
      for (int i = 0; i < rows; ++i) {
        std::memcpy(to, source, bytes);
        source += from_stride;
        to += stride;
      }
  }
}

// Repeats a pixel to a row of width pixels.
template <typename Sample, int kStep>
void FillRow(const Sample* pixel, int width, Sample* row) {
  if constexpr (kStep == 1) {
    std::fill_n(row, width, *pixel);
  } else {
    const Sample u = pixel[0];
    const Sample v = pixel[1];
    for (int x = 0; x < width; ++x) {
      row[2 * x] = u;
      row[2 * x + 1] = v;
    }
  }
}

// A pixel for every sample of a row: [k] is the value for sample k. For U and
// V it takes a row of memory, from which vectors are read.
template <typename Sample, int kStep>
class RepeatedPixel {
 public:
  RepeatedPixel(const Sample* pixel, int width) {
    if constexpr (kStep == 1) {
      row_[0] = pixel[0];
    } else {
      FillRow<Sample, kStep>(pixel, width, row_);
    }
  }
  Sample operator[](int k) const { return row_[kStep == 1 ? 0 : k]; }

 private:
  Sample row_[kStep == 1 ? 1 : kStep * 64];
};

// 7.11.2.5. The sides that exist are read.
template <typename Sample, int kStep>
void PredictDc(const Edges<Sample, kStep>& edges, BlockExtent extent,
               Depth<Sample> depth, Output<Sample> out) {
  uint32_t sums[kStep] = {};
  uint32_t count = 0;
  if (edges.have_left()) {
    for (int i = 0; i < extent.height; ++i) {
      for (int c = 0; c < kStep; ++c) sums[c] += edges.Left()[kStep * i + c];
    }
    count += static_cast<uint32_t>(extent.height);
  }
  if (edges.have_above()) {
    for (int i = 0; i < extent.width; ++i) {
      for (int c = 0; c < kStep; ++c) sums[c] += edges.Above()[kStep * i + c];
    }
    count += static_cast<uint32_t>(extent.width);
  }
  Sample pixel[kStep];
  for (int c = 0; c < kStep; ++c) {
    pixel[c] = static_cast<Sample>(count == 0 ? 1u << (depth.Bits() - 1)
                                              : (sums[c] + count / 2) / count);
  }
  Sample row[64 * kStep];
  FillRow<Sample, kStep>(pixel, extent.width, row);
  CopyRows(row, 0, out, kStep * extent.width, extent.height);
}

// Angle 90 and 180.
template <typename Sample, int kStep>
void PredictVertical(const Edges<Sample, kStep>& edges, BlockExtent extent,
                     Output<Sample> out) {
  CopyRows(edges.Above(), 0, out, kStep * extent.width, extent.height);
}

template <typename Sample, int kStep>
void PredictHorizontal(const Edges<Sample, kStep>& edges, BlockExtent extent,
                       Output<Sample> out) {
  for (int y = 0; y < extent.height; ++y) {
    FillRow<Sample, kStep>(edges.Left() + kStep * y, extent.width, out.Row(y));
  }
}

// 7.11.2.2.
template <typename Sample, int kStep>
void PredictPaeth(const Edges<Sample, kStep>& edges, BlockExtent extent,
                  Output<Sample> out) {
  const int count = kStep * extent.width;
  const RepeatedPixel<Sample, kStep> corner(edges.Above() - kStep,
                                            extent.width);
  int16_t above[64 * kStep];
  // Above less corner, which is base less left.
  int16_t slope[64 * kStep];
  for (int k = 0; k < count; ++k) {
    above[k] = static_cast<int16_t>(edges.Above()[k]);
    slope[k] = static_cast<int16_t>(above[k] - corner[k]);
  }
  for (int y = 0; y < extent.height; ++y) {
    const RepeatedPixel<Sample, kStep> left(edges.Left() + kStep * y,
                                            extent.width);
    Sample row[64 * kStep];
    for (int k = 0; k < count; ++k) {
      const int16_t near_above = above[k];
      const auto near_left = static_cast<int16_t>(left[k]);
      const auto near_corner = static_cast<int16_t>(corner[k]);
      const auto rise = static_cast<int16_t>(near_left - near_corner);
      const auto across = static_cast<int16_t>(slope[k] + rise);
      const auto to_left = static_cast<int16_t>(std::abs(slope[k]));
      const auto to_above = static_cast<int16_t>(std::abs(rise));
      const auto to_corner = static_cast<int16_t>(std::abs(across));
      const int16_t other = to_above <= to_corner ? near_above : near_corner;
      const int16_t least = to_above < to_corner ? to_above : to_corner;
      row[k] = static_cast<Sample>(to_left <= least ? near_left : other);
    }
    CopyRows(row, 0, {out.Row(y), 0}, count, 1);
  }
}

// A weighted sum of two samples, 8 fractional bits.
template <typename Sample>
using SmoothSum = std::conditional_t<sizeof(Sample) == 1, uint16_t, uint32_t>;

// (a + b) / 2 of such sums, which may not fit when added.
template <typename Sum>
Sum HalfOfSum(Sum a, Sum b) {
  return static_cast<Sum>((a & b) + ((a ^ b) >> 1));
}

template <typename Sample>
SmoothSum<Sample> Weigh(uint32_t weight, Sample near, Sample far) {
  return static_cast<SmoothSum<Sample>>(weight * near + (256 - weight) * far);
}

// 7.11.2.6.
template <typename Sample, int kStep>
void PredictSmooth2d(const Edges<Sample, kStep>& edges, BlockExtent extent,
                     Output<Sample> out) {
  using Sum = SmoothSum<Sample>;
  const uint8_t* weights_x =
      kSmoothRowWeights<kStep>.data() + kStep * (extent.width - 4);
  const uint8_t* weights_y = kSmoothWeights.data() + extent.height - 4;
  const Sample* above = edges.Above();
  const Sample* right = above + kStep * (extent.width - 1);
  const Sample* bottom = edges.Left() + kStep * (extent.height - 1);
  for (int y = 0; y < extent.height; ++y) {
    const Sample* left = edges.Left() + kStep * y;
    const uint32_t weight = weights_y[y];
    Sample* row = out.Row(y);
    for (int x = 0; x < extent.width; ++x) {
      for (int c = 0; c < kStep; ++c) {
        const int k = kStep * x + c;
        const Sum down = Weigh<Sample>(weight, above[k], bottom[c]);
        const Sum across = Weigh<Sample>(weights_x[k], left[c], right[c]);
        row[k] = static_cast<Sample>((HalfOfSum(down, across) + 128) >> 8);
      }
    }
  }
}

template <typename Sample, int kStep>
void PredictSmoothV(const Edges<Sample, kStep>& edges, BlockExtent extent,
                    Output<Sample> out) {
  const uint8_t* weights = kSmoothWeights.data() + extent.height - 4;
  const Sample* above = edges.Above();
  const Sample* bottom = edges.Left() + kStep * (extent.height - 1);
  for (int y = 0; y < extent.height; ++y) {
    const uint32_t weight = weights[y];
    Sample* row = out.Row(y);
    for (int x = 0; x < extent.width; ++x) {
      for (int c = 0; c < kStep; ++c) {
        const int k = kStep * x + c;
        row[k] = static_cast<Sample>(
            (Weigh<Sample>(weight, above[k], bottom[c]) + 128) >> 8);
      }
    }
  }
}

template <typename Sample, int kStep>
void PredictSmoothH(const Edges<Sample, kStep>& edges, BlockExtent extent,
                    Output<Sample> out) {
  const uint8_t* weights =
      kSmoothRowWeights<kStep>.data() + kStep * (extent.width - 4);
  const Sample* right = edges.Above() + kStep * (extent.width - 1);
  for (int y = 0; y < extent.height; ++y) {
    const Sample* left = edges.Left() + kStep * y;
    Sample* row = out.Row(y);
    for (int x = 0; x < extent.width; ++x) {
      for (int c = 0; c < kStep; ++c) {
        const int k = kStep * x + c;
        row[k] = static_cast<Sample>(
            (Weigh<Sample>(weights[k], left[c], right[c]) + 128) >> 8);
      }
    }
  }
}

// 7.11.2.3, of luma. mode: filter_intra_mode.
template <typename Sample>
void PredictFilterIntra(const Edges<Sample, 1>& edges, uint32_t mode,
                        BlockExtent extent, Depth<Sample> depth,
                        Output<Sample> out) {
  using Sum = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;
  const auto& taps = kFilterIntraTaps[mode];
  const Sample* above = edges.Above();
  for (int y = 0; y < extent.height; y += 2) {
    // To the left of the 4x2: the corner, then the two rows.
    int corner = edges.Left()[y - 1];
    int left0 = edges.Left()[y];
    int left1 = edges.Left()[y + 1];
    Sample* row0 = out.Row(y);
    Sample* row1 = out.Row(y + 1);
    for (int x = 0; x < extent.width; x += 4) {
      const int p[7] = {corner,       above[x], above[x + 1], above[x + 2],
                        above[x + 3], left0,    left1};
      Sum sums[8];
      for (int o = 0; o < 8; ++o) sums[o] = 8;
      for (int i = 0; i < 7; ++i) {
        for (int o = 0; o < 8; ++o) {
          sums[o] = static_cast<Sum>(sums[o] + taps[i][o] * p[i]);
        }
      }
      corner = above[x + 3];
      for (int o = 0; o < 8; ++o) {
        (o < 4 ? row0 : row1)[x + (o & 3)] = static_cast<Sample>(
            std::clamp<int>(sums[o] >> 4, 0, depth.MaxSample()));
      }
      left0 = row0[x + 3];
      left1 = row1[x + 3];
    }
    above = row1;
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_MODES_H_
