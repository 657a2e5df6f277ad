// SPDX-License-Identifier: BSD-2-Clause
// The edges above and to the left of a block (7.11.2), U and V together, for
// vectors; how they are filtered and upsampled is up to them.
//
// kStep: samples of a pixel, 1 for luma, 2 for chroma (U, V).
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_EDGES_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_EDGES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/intra/intra_target.h"

namespace perdix::av1 {

// Bit depth as a constant where it is one.
template <typename Sample>
struct Depth {
  explicit Depth(uint32_t depth) : bits_(static_cast<int>(depth)) {}
  int Bits() const { return sizeof(Sample) == 1 ? 8 : bits_; }
  int MaxSample() const { return (1 << Bits()) - 1; }

 private:
  int bits_;
};

// An unsigned integer as large as a pixel.
template <typename Sample, int kStep>
using PixelWord = std::conditional_t<
    sizeof(Sample) * kStep == 1, uint8_t,
    std::conditional_t<sizeof(Sample) * kStep == 2, uint16_t, uint32_t>>;

// AboveRow and LeftCol of 7.11.2. Pixel i is at kStep * i, i from -1 on, or
// from -2 on after upsampling; to the left both have the pixel of the corner.
template <typename Sample, int kStep>
class Edges {
 public:
  Edges(const IntraTarget<Sample>& target, uint32_t have, Depth<Sample> depth)
      : target_(target),
        depth_(depth),
        have_left_((have & PERDIX_INTRA_HAVE_LEFT) != 0),
        have_above_((have & PERDIX_INTRA_HAVE_ABOVE) != 0) {}

  const Sample* Above() const { return above_ + kOrigin; }
  const Sample* Left() const { return left_ + kOrigin; }
  bool have_left() const { return have_left_; }
  bool have_above() const { return have_above_; }

  // Fills pixels 0..count - 1. decoded: of these exist in the tile, whatever
  // lies outside the frame; the last one repeats.
  void ReadAbove(int count, int decoded) {
    Sample* above = above_ + kOrigin;
    if (have_above_) {
      decoded = std::min({count, decoded, target_.columns_left});
      std::memcpy(above, target_.pixels.Row(-1), PixelBytes(decoded));
      Repeat(above, decoded, count);
    } else {
      FillWithoutSide(above, count, have_left_, target_.pixels.data - kStep,
                      -1);
    }
  }

  void ReadLeft(int count, int decoded) {
    Sample* left = left_ + kOrigin;
    if (have_left_) {
      decoded = std::min({count, decoded, target_.rows_left});
      const Sample* column = target_.pixels.data - kStep;
      for (int i = 0; i < decoded; ++i) {
        std::memcpy(left + kStep * i, column, PixelBytes(1));
        column += target_.pixels.stride;
      }
      Repeat(left, decoded, count);
    } else {
      FillWithoutSide(left, count, have_above_, target_.pixels.Row(-1), 1);
    }
  }

  void ReadCorner() {
    Sample* above = above_ + kOrigin - kStep;
    const Sample* block = target_.pixels.data;
    if (have_above_) {
      block -= target_.pixels.stride;
      if (have_left_) block -= kStep;
      std::memcpy(above, block, PixelBytes(1));
    } else {
      FillWithoutSide(above, 1, have_left_, block - kStep, 0);
    }
    std::memcpy(left_ + kOrigin - kStep, above, PixelBytes(1));
  }

  // 7.11.2.7.
  void FilterCorner() {
    for (int c = 0; c < kStep; ++c) {
      Sample& above = above_[kOrigin - kStep + c];
      const int sum =
          left_[kOrigin + c] * 5 + above * 6 + above_[kOrigin + c] * 5;
      above = static_cast<Sample>((sum + 8) >> 4);
      left_[kOrigin - kStep + c] = above;
    }
  }

  // Repeats the last of count pixels up to wanted.
  void ExtendAbove(int count, int wanted) {
    Repeat(above_ + kOrigin, count, wanted);
  }

 protected:
  // A direction at 36 degrees gets to 64 + 64 * 90 / 64 + 1. Vectors reach 16
  // pixels further on either side.
  static constexpr int kOrigin = 16 * kStep;
  static constexpr int kPixels = 16 + 160 + 16;

  static size_t PixelBytes(int pixels) {
    return static_cast<size_t>(pixels * kStep) * sizeof(Sample);
  }

  static void Repeat(Sample* edge, int count, int wanted) {
    const Sample first = edge[kStep * (count - 1)];
    const Sample last = edge[kStep * count - 1];
    for (int i = kStep * count; i < kStep * wanted; i += kStep) {
      edge[i] = first;
      edge[i + kStep - 1] = last;
    }
  }

  // The other side's first pixel, or the middle value and offset.
  void FillWithoutSide(Sample* edge, int count, bool have_other,
                       const Sample* other, int offset) {
    for (int c = 0; c < kStep; ++c) {
      edge[c] = have_other
                    ? other[c]
                    : static_cast<Sample>((1 << (depth_.Bits() - 1)) + offset);
    }
    Repeat(edge, 1, count);
  }

  const IntraTarget<Sample>& target_;
  const Depth<Sample> depth_;
  const bool have_left_;
  const bool have_above_;
  alignas(64) Sample above_[kStep * kPixels];
  alignas(64) Sample left_[kStep * kPixels];
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_EDGES_H_
