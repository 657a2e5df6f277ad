// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/quality/motion.h"

#include <cstdint>
#include <cstdlib>

namespace perdix::quality {
namespace {

constexpr int kRadius = 2;

// One row of the difference, blurred vertically.
void BlurColumns(const Luma& previous, const Luma& current, int y,
                 int bit_depth, int32_t* row) {
  const uint16_t* from[2 * kRadius + 1];
  const uint16_t* to[2 * kRadius + 1];
  for (int k = -kRadius; k <= kRadius; ++k) {
    const int line = Mirrored(y + k, current.height);
    from[k + kRadius] = previous.Row(line);
    to[k + kRadius] = current.Row(line);
  }
  for (int x = 0; x < current.width; ++x) {
    int32_t sum = 0;
    for (int k = 0; k <= 2 * kRadius; ++k) {
      sum += kMotionFilter[k] * (from[k][x] - to[k][x]);
    }
    row[x] = static_cast<int32_t>(RoundShift(int64_t{sum}, bit_depth));
  }
}

// Sum of the absolute values of the row, blurred horizontally. Writes as many
// samples beyond its ends as the filter reaches.
int64_t BlurredSum(int32_t* row, int width) {
  for (int k = 1; k <= kRadius; ++k) {
    row[-k] = row[Mirrored(-k, width)];
    row[width - 1 + k] = row[Mirrored(width - 1 + k, width)];
  }
  int64_t sum = 0;
  for (int x = 0; x < width; ++x) {
    int64_t blurred = 0;
    for (int k = -kRadius; k <= kRadius; ++k) {
      blurred += int64_t{kMotionFilter[k + kRadius]} * row[x + k];
    }
    sum += std::abs(RoundShift(blurred, 16));
  }
  return sum;
}

}  // namespace

QualityWord MeasureMotion(const Luma& previous, const Luma& current,
                          int bit_depth, Arena& arena) {
  int32_t* const row =
      arena.Take<int32_t>(size_t(current.width) + 2 * kRadius) + kRadius;
  int64_t sum = 0;
  for (int y = 0; y < current.height; ++y) {
    BlurColumns(previous, current, y, bit_depth, row);
    sum += BlurredSum(row, current.width);
  }
  return sum;
}

}  // namespace perdix::quality
