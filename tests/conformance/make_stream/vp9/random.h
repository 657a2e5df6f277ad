// SPDX-License-Identifier: BSD-2-Clause
// Random numbers that are the same everywhere, whatever the library.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_RANDOM_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_RANDOM_H_

#include <cstdint>
#include <initializer_list>

namespace perdix::vp9 {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // splitmix64
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // 0 to <end> - 1.
  uint32_t Below(uint32_t end) { return uint32_t((Next() >> 32) * end >> 32); }
  // Both included.
  int Between(int low, int high) {
    return low + int(Below(uint32_t(high - low + 1)));
  }
  bool OneIn(uint32_t count) { return Below(count) == 0; }
  bool Flag() { return OneIn(2); }
  // <low> to <high>; small ones are as frequent as each doubling of them.
  int Logarithmic(int low, int high) {
    int top = 1;
    while (top < high - low + 1 && !OneIn(4)) top *= 2;
    return low + int(Below(uint32_t(top < high - low + 1 ? top
                                                         : high - low + 1)));
  }
  template <typename T>
  T Of(std::initializer_list<T> list) {
    return list.begin()[Below(uint32_t(list.size()))];
  }

 private:
  uint64_t state_;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_RANDOM_H_
