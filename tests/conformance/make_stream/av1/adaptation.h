// SPDX-License-Identifier: BSD-2-Clause
// How 8.2.6 adapts a CDF, to the letter, where CDFs lie as Cdf has them.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_ADAPTATION_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_ADAPTATION_H_

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codec/av1/cdf.h"

namespace perdix::make_stream::av1 {

// values: of a Cdf of n symbols
inline void Adapt(uint16_t* values, int n, uint32_t symbol) {
  uint16_t& count = values[perdix::av1::CdfLanes(n) - 1];
  const int log2 = int(std::bit_width(uint32_t(n))) - 1;
  const int rate = 3 + (count > 15) + (count > 31) + std::min(log2, 2);
  int target = 0;
  for (int i = 0; i < n - 1; ++i) {
    int cdf = 32768 - values[i];
    if (i == int(symbol)) target = 1 << 15;
    if (target < cdf) {
      cdf -= (cdf - target) >> rate;
    } else {
      cdf += (target - cdf) >> rate;
    }
    values[i] = uint16_t(32768 - cdf);
  }
  if (count < 32) ++count;
}

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_ADAPTATION_H_
