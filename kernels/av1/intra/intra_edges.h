// SPDX-License-Identifier: BSD-2-Clause
// What all variants of intra prediction share: where a block lies in the target
// and the edges above and to the left of it (7.11.2), filtered or upsampled
// where the direction asks for it (7.11.2.7 to 7.11.2.12).
//
// kStep: samples of a pixel, 1 for luma, 2 for chroma (U, V).
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_EDGES_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_EDGES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/intra/intra_tables.h"
#include "kernels/av1/lists.h"
#include "kernels/decoded_area.h"

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

// Where predicted samples go.
template <typename Sample>
struct Output {
  Sample* data;      // of the first pixel
  ptrdiff_t stride;  // samples

  Sample* Row(int y) const { return data + y * stride; }
};

// A record's block in the target.
template <typename Sample>
struct IntraTarget {
  IntraTarget(const KernelArgs& args, const IntraBlock& block) {
    const uint32_t plane_index = IntraPlane(block.shape);
    const Plane& plane = args.target.planes[plane_index];
    const DecodedArea area = PlaneDecodedArea(*args.params, plane_index);
    x = static_cast<int>(PositionX4(block.position)) * 4;
    y = static_cast<int>(PositionY4(block.position)) * 4;
    width = 1 << IntraWidthLog2(block.shape);
    height = 1 << IntraHeightLog2(block.shape);
    columns_left = area.width - x;
    rows_left = area.height - y;
    pixels = {plane.Row<Sample>(static_cast<uint32_t>(y)) +
                  x * (plane_index == kLuma ? 1 : 2),
              static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample))};
  }

  bool SticksOut() const { return width > columns_left || height > rows_left; }
  int VisibleWidth() const { return std::min(width, columns_left); }
  int VisibleHeight() const { return std::min(height, rows_left); }

  Output<Sample> pixels;
  int x;  // pixels of the plane
  int y;
  int width;
  int height;
  // Pixels from the block's corner to the end of the decoded area (maxX + 1 - x
  // and maxY + 1 - y), at least 4.
  int columns_left;
  int rows_left;
};

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

  // The next three change what was read, in this order (7.11.2.4 step 4).

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

  // 7.11.2.12, size: numPx, the corner included.
  void FilterAbove(int size, int strength) {
    Filter(above_ + kOrigin, size, strength);
  }
  void FilterLeft(int size, int strength) {
    Filter(left_ + kOrigin, size, strength);
  }

  // 7.11.2.11, count: numPx, at most 16.
  void UpsampleAbove(int count) { Upsample(above_ + kOrigin, count); }
  void UpsampleLeft(int count) { Upsample(left_ + kOrigin, count); }

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

  static void Filter(Sample* edge, int size, int strength) {
    if (strength == 0) return;
    const uint8_t* taps = kEdgeFilter[strength - 1];
    // edge[-1..size - 2] with two more pixels at each end.
    Sample copy[kStep * (129 + 4)];
    for (int c = 0; c < 2 * kStep; ++c) copy[c] = edge[c % kStep - kStep];
    std::memcpy(copy + 2 * kStep, edge - kStep, PixelBytes(size));
    Repeat(copy, size + 2, size + 4);
    const Sample* in = copy + 3 * kStep;
    for (int i = 0; i < kStep * (size - 1); ++i) {
      const int sum = in[i] * taps[0] +
                      (in[i - kStep] + in[i + kStep]) * taps[1] +
                      (in[i - 2 * kStep] + in[i + 2 * kStep]) * taps[2];
      edge[i] = static_cast<Sample>((sum + 8) >> 4);
    }
  }

  void Upsample(Sample* edge, int count) {
    Sample dup[kStep * (16 + 3)];
    std::memcpy(dup, edge - kStep, PixelBytes(1));
    std::memcpy(dup + kStep, edge - kStep, PixelBytes(count + 1));
    Repeat(dup, count + 2, count + 3);
    std::memcpy(edge - 2 * kStep, dup, PixelBytes(1));
    for (int i = 0; i < count; ++i) {
      for (int c = 0; c < kStep; ++c) {
        const Sample* in = dup + kStep * i + c;
        const int sum = 9 * (in[kStep] + in[2 * kStep]) - in[0] - in[3 * kStep];
        edge[kStep * (2 * i - 1) + c] = static_cast<Sample>(
            std::clamp((sum + 8) >> 4, 0, depth_.MaxSample()));
        edge[kStep * 2 * i + c] = in[2 * kStep];
      }
    }
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
