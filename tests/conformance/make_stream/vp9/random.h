// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_RANDOM_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_RANDOM_H_

#include <cstdint>

#include "tests/conformance/make_stream/random.h"

namespace perdix::vp9 {

class Random : public make_stream::Random {
 public:
  using make_stream::Random::Random;

  bool OneIn(uint32_t count) { return Below(count) == 0; }
  bool Flag() { return OneIn(2); }
  // Small values are as frequent as each doubling of them.
  int Logarithmic(int least, int most) {
    const int count = most - least + 1;
    int top = 1;
    while (top < count && !OneIn(4)) top *= 2;
    return least + int(Below(uint32_t(top < count ? top : count)));
  }
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_RANDOM_H_
