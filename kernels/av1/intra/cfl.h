// SPDX-License-Identifier: BSD-2-Clause
// Chroma from luma (7.11.5) of the scalar kernel, U and V in one go.
#ifndef PERDIX_KERNELS_AV1_INTRA_CFL_H_
#define PERDIX_KERNELS_AV1_INTRA_CFL_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "kernels/av1/intra/intra_modes.h"

namespace perdix::av1 {

inline constexpr int kMaxCflSize = 32;

// The array L less lumaAvg, for one chroma block of up to 32x32.
class LumaDifference {
 public:
  // luma: of the block's first pixel; as much of it is read as <from> says, in
  // pixels of chroma; beyond that the last ones repeat.
  template <typename Sample, int kSubX, int kSubY>
  void Read(Output<const Sample> luma, BlockExtent from, BlockExtent extent) {
    width_ = extent.width;
    int32_t sum = 0;
    for (int y = 0; y < extent.height; ++y) {
      int16_t* row = &values_[y * width_];
      if (y < from.height) {
        ReadRow<Sample, kSubX, kSubY>(luma.Row(y << kSubY), luma.stride,
                                      from.width, row);
        std::fill(row + from.width, row + width_, row[from.width - 1]);
      } else {
        std::memcpy(row, row - width_, sizeof(*row) * RowSize());
      }
      for (int x = 0; x < width_; ++x) sum += row[x];
    }
    const int count = width_ * extent.height;
    const auto average = static_cast<int16_t>((sum + count / 2) / count);
    for (int i = 0; i < count; ++i) {
      values_[i] = static_cast<int16_t>(values_[i] - average);
    }
  }

  const int16_t* Row(int y) const { return &values_[y * width_]; }

 private:
  size_t RowSize() const { return static_cast<size_t>(width_); }

  // Sums of the luma samples of each pixel, 3 fractional bits.
  template <typename Sample, int kSubX, int kSubY>
  static void ReadRow(const Sample* line, ptrdiff_t stride, int width,
                      int16_t* row) {
    for (int x = 0; x < width; ++x) {
      const Sample* luma = line + (x << kSubX);
      int sum = luma[0];
      if constexpr (kSubX != 0) sum += luma[1];
      if constexpr (kSubY != 0) sum += luma[stride];
      if constexpr (kSubX != 0 && kSubY != 0) sum += luma[stride + 1];
      row[x] = static_cast<int16_t>(sum << (3 - kSubX - kSubY));
    }
  }

  int width_;
  int16_t values_[kMaxCflSize * kMaxCflSize];
};

// Round2Signed(alpha * difference, 6). 8-bit: 16 bits are enough.
template <typename Sample>
int ScaledLuma(int alpha, int difference) {
  using Value = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;
  const auto product = static_cast<Value>(alpha * difference);
  const auto rounded = static_cast<Value>((std::abs(product) + 32) >> 6);
  return product < 0 ? -rounded : rounded;
}

// Adds to the prediction, which is the same everywhere: dc, the pair U, V.
template <typename Sample>
void AddLuma(const LumaDifference& luma, int alpha_u, int alpha_v,
             const Sample* dc, BlockExtent extent, Depth<Sample> depth,
             Output<Sample> out) {
  const int max = depth.MaxSample();
  for (int y = 0; y < extent.height; ++y) {
    const int16_t* difference = luma.Row(y);
    Sample* row = out.Row(y);
    for (int x = 0; x < extent.width; ++x) {
      const int u = dc[0] + ScaledLuma<Sample>(alpha_u, difference[x]);
      const int v = dc[1] + ScaledLuma<Sample>(alpha_v, difference[x]);
      row[2 * x] = static_cast<Sample>(std::clamp(u, 0, max));
      row[2 * x + 1] = static_cast<Sample>(std::clamp(v, 0, max));
    }
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_CFL_H_
