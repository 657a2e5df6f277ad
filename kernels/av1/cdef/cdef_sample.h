// SPDX-License-Identifier: BSD-2-Clause
// CDEF of one block and of one sample, as the specification writes it (AV1
// 7.15.2, 7.15.3). Where samples are read is the caller's part.
#ifndef PERDIX_KERNELS_AV1_CDEF_CDEF_SAMPLE_H_
#define PERDIX_KERNELS_AV1_CDEF_CDEF_SAMPLE_H_

#include <algorithm>
#include <cstdlib>

#include "kernels/av1/cdef/cdef_walk.h"

namespace perdix::av1 {

// 7.15.2. at(i, j): the sample in line i and column j of an 8x8 of luma.
template <typename At>
CdefDirection FindDirection(const At& at, int bit_depth) {
  constexpr int kDivTable[9] = {0, 840, 420, 280, 210, 168, 140, 120, 105};
  int cost[8] = {};
  int partial[8][15] = {};
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      const int x = (at(i, j) >> (bit_depth - 8)) - 128;
      partial[0][i + j] += x;
      partial[1][i + j / 2] += x;
      partial[2][i] += x;
      partial[3][3 + i - j / 2] += x;
      partial[4][7 + i - j] += x;
      partial[5][3 - i / 2 + j] += x;
      partial[6][j] += x;
      partial[7][i / 2 + j] += x;
    }
  }
  const auto square = [&](int direction, int line) {
    return partial[direction][line] * partial[direction][line];
  };
  for (int direction : {2, 6}) {
    for (int i = 0; i < 8; ++i) cost[direction] += square(direction, i);
    cost[direction] *= kDivTable[8];
  }
  for (int direction : {0, 4}) {
    for (int i = 0; i < 7; ++i) {
      cost[direction] +=
          (square(direction, i) + square(direction, 14 - i)) * kDivTable[i + 1];
    }
    cost[direction] += square(direction, 7) * kDivTable[8];
  }
  for (int direction = 1; direction < 8; direction += 2) {
    for (int j = 0; j < 4 + 1; ++j) cost[direction] += square(direction, 3 + j);
    cost[direction] *= kDivTable[8];
    for (int j = 0; j < 4 - 1; ++j) {
      cost[direction] += (square(direction, j) + square(direction, 10 - j)) *
                         kDivTable[2 * j + 2];
    }
  }
  int best = 0;
  for (int direction = 0; direction < 8; ++direction) {
    if (cost[direction] > cost[best]) best = direction;
  }
  return {best, (cost[best] - cost[(best + 4) & 7]) >> 10};
}

// constrain of 7.15.3. damping_adj: dampingAdj.
inline int CdefConstrain(int diff, int threshold, int damping_adj) {
  const int size = std::abs(diff);
  const int limited =
      std::min(std::max(0, threshold - (size >> damping_adj)), size);
  return diff < 0 ? -limited : limited;
}

// 7.15.3 of one sample x. tap(turn, k, sign): the sample at tap k of the
// block's direction (turn 0) or of those two to its sides (1, 2), to either
// side of x (sign -1, 1); kCdefNotAvailable where there is none.
template <typename Tap>
int FilterCdefSample(const CdefFilter& filter, int x, const Tap& tap) {
  int sum = 0;
  int max = x;
  int min = x;
  const auto add = [&](int value, int weight, int strength, int damping_adj) {
    const bool available = value != kCdefNotAvailable;
    const int part = CdefConstrain(value - x, strength, damping_adj);
    sum += available ? weight * part : 0;
    max = std::max(max, available ? value : x);
    min = std::min(min, available ? value : x);
  };
  const auto add_primary = [&](int k, int sign) {
    add(tap(0, k, sign), filter.primary_taps[k], filter.primary,
        filter.primary_shift);
  };
  // weight: Cdef_Sec_Taps.
  const auto add_secondary = [&](int k, int sign, int weight) {
    add(tap(1, k, sign), weight, filter.secondary, filter.secondary_shift);
    add(tap(2, k, sign), weight, filter.secondary, filter.secondary_shift);
  };
  add_primary(0, -1);
  add_primary(0, 1);
  add_primary(1, -1);
  add_primary(1, 1);
  add_secondary(0, -1, 2);
  add_secondary(0, 1, 2);
  add_secondary(1, -1, 1);
  add_secondary(1, 1, 1);
  return std::clamp(x + ((8 + sum - (sum < 0)) >> 4), min, max);
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_CDEF_CDEF_SAMPLE_H_
