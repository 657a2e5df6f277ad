// SPDX-License-Identifier: BSD-2-Clause
// The last step of reconstruction (7.12.3) of the scalar kernel: rows of
// residual are added to samples.
#ifndef PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ROWS_H_
#define PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ROWS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/av1/transform/transform_shape.h"

namespace perdix::av1 {

// Loops over few samples must not be unrolled before they are vectorised, or
// they never are.
#if defined(__GNUC__) && !defined(__clang__)
#define PERDIX_KEEP_LOOP _Pragma("GCC unroll 1")
#else
#define PERDIX_KEEP_LOOP
#endif

// The residual in raster order, as many samples a row as the block has in the
// target: for chroma it lies between zeros for the other component, so that
// whole pixels are read and written. So small that a sum with a sample is
// within 16 bits.
inline constexpr int kResidualStride = 2 * 64;
using ResidualRow = int16_t[kResidualStride];

template <typename Sample, int kSamples>
void AddRowsOf(const int16_t* residual, Sample* line, ptrdiff_t stride,
               int rows, int16_t max) {
  for (int y = 0; y < rows; ++y) {
    // By way of copies: the compiler must not fear that lines overlap.
    Sample samples[kSamples];
    std::memcpy(samples, line, sizeof(samples));
    PERDIX_KEEP_LOOP
    for (int x = 0; x < kSamples; ++x) {
      const auto sum = static_cast<int16_t>(samples[x] + residual[x]);
      const int16_t floored = sum < 0 ? int16_t{0} : sum;
      samples[x] = static_cast<Sample>(floored > max ? max : floored);
    }
    std::memcpy(line, samples, sizeof(samples));
    residual += kResidualStride;
    line += stride;
  }
}

// Calls add with the number of samples a row has and the target, in pieces if
// the block sticks out.
template <typename Sample, typename Add>
void ForWidth(ResidualTarget<Sample> target, const Add& add) {
  switch (target.components * target.width) {
    case 4:
      return add(std::integral_constant<int, 4>(), target, 0);
    case 8:
      return add(std::integral_constant<int, 8>(), target, 0);
    case 16:
      return add(std::integral_constant<int, 16>(), target, 0);
    case 32:
      return add(std::integral_constant<int, 32>(), target, 0);
    case 64:
      return add(std::integral_constant<int, 64>(), target, 0);
    case 128:
      return add(std::integral_constant<int, 128>(), target, 0);
  }
  for (int x = 0; x < target.components * target.width; x += 4) {
    add(std::integral_constant<int, 4>(), target, x);
    target.pixels += 4;
  }
}

template <typename Sample>
void AddRows(const ResidualRow* residual, const ResidualTarget<Sample>& target,
             int bit_depth) {
  const auto max = static_cast<int16_t>((1 << bit_depth) - 1);
  ForWidth(target, [&](auto samples, const auto& part, int first) {
    AddRowsOf<Sample, decltype(samples)::value>(
        residual[0] + first, part.pixels, part.stride, part.height, max);
  });
}

// Samples as numbers of which any vector unit has the minimum and the maximum.
template <typename Sample>
using Comparable = std::conditional_t<sizeof(Sample) == 1, uint8_t, int16_t>;

// min(sample, limit) + delta.
template <typename Sample, int kSamples>
void RaiseRowsOf(const Comparable<Sample>* limit,
                 const Comparable<Sample>* delta, Sample* line,
                 ptrdiff_t stride, int rows) {
  for (int y = 0; y < rows; ++y) {
    Comparable<Sample> samples[kSamples];
    std::memcpy(samples, line, sizeof(samples));
    PERDIX_KEEP_LOOP
    for (int x = 0; x < kSamples; ++x) {
      const auto low = samples[x] < limit[x] ? samples[x] : limit[x];
      samples[x] = static_cast<Comparable<Sample>>(low + delta[x]);
    }
    std::memcpy(line, samples, sizeof(samples));
    line += stride;
  }
}

// max(sample, delta) - delta.
template <typename Sample, int kSamples>
void LowerRowsOf(const Comparable<Sample>* delta, Sample* line,
                 ptrdiff_t stride, int rows) {
  for (int y = 0; y < rows; ++y) {
    Comparable<Sample> samples[kSamples];
    std::memcpy(samples, line, sizeof(samples));
    PERDIX_KEEP_LOOP
    for (int x = 0; x < kSamples; ++x) {
      const auto high = samples[x] > delta[x] ? samples[x] : delta[x];
      samples[x] = static_cast<Comparable<Sample>>(high - delta[x]);
    }
    std::memcpy(line, samples, sizeof(samples));
    line += stride;
  }
}

// The same residual everywhere.
template <typename Sample>
void AddFlat(int32_t residual, const ResidualTarget<Sample>& target,
             int bit_depth) {
  const int32_t max = (1 << bit_depth) - 1;
  residual = std::clamp(residual, -max, max);
  // The other component's samples stay.
  Comparable<Sample> delta[kResidualStride];
  Comparable<Sample> limit[kResidualStride];
  const int samples = target.components * target.width;
  std::fill_n(delta, samples, Comparable<Sample>{0});
  std::fill_n(limit, samples, static_cast<Comparable<Sample>>(max));
  for (int x = target.component; x < samples; x += target.components) {
    delta[x] =
        static_cast<Comparable<Sample>>(residual < 0 ? -residual : residual);
    limit[x] = static_cast<Comparable<Sample>>(max - delta[x]);
  }
  ForWidth(target, [&](auto count, const auto& part, int first) {
    constexpr int kSamples = decltype(count)::value;
    if (residual < 0) {
      LowerRowsOf<Sample, kSamples>(delta + first, part.pixels, part.stride,
                                    part.height);
    } else {
      RaiseRowsOf<Sample, kSamples>(limit + first, delta + first, part.pixels,
                                    part.stride, part.height);
    }
  });
}

// Puts kLanes values at pixel x of a row of residual.
template <typename Value, size_t kLanes>
void PutResidual(const Value (&values)[kLanes], int x, int components,
                 int component, int16_t* row) {
  row += components * x;
  if (components == 1) {
    PERDIX_KEEP_LOOP
    for (size_t l = 0; l < kLanes; ++l)
      row[l] = static_cast<int16_t>(values[l]);
    return;
  }
  if (component == 0) {
    PERDIX_KEEP_LOOP
    for (size_t l = 0; l < kLanes; ++l) {
      row[2 * l] = static_cast<int16_t>(values[l]);
      row[2 * l + 1] = 0;
    }
  } else {
    PERDIX_KEEP_LOOP
    for (size_t l = 0; l < kLanes; ++l) {
      row[2 * l] = 0;
      row[2 * l + 1] = static_cast<int16_t>(values[l]);
    }
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_TRANSFORM_RESIDUAL_ROWS_H_
