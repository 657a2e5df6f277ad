// SPDX-License-Identifier: BSD-2-Clause
// Random choices that a seed decides, the same on every machine.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_RANDOM_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace perdix::make_stream {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // Decides the part <part> of what <seed> decides.
  Random(uint64_t seed, uint64_t part) : state_(seed) {
    state_ = Next() + part;
  }

  uint64_t Next() {  // splitmix64
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // 0 to n - 1; n: 1 to 2^32 - 1
  uint32_t Below(uint32_t n) { return uint32_t((Next() >> 32) * n >> 32); }
  int Between(int least, int most) {
    return least + int(Below(uint32_t(most - least + 1)));
  }
  bool Percent(uint32_t percent) { return Below(100) < percent; }
  // count: 0 to 32
  uint32_t Bits(int count) { return uint32_t(Next() >> 32 >> (32 - count)); }
  template <typename T>
  T Of(std::initializer_list<T> values) {
    return values.begin()[Below(uint32_t(values.size()))];
  }

 private:
  uint64_t state_;
};

}  // namespace perdix::make_stream

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_RANDOM_H_
