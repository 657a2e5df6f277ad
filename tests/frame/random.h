// SPDX-License-Identifier: BSD-2-Clause
// Random numbers of tests.
#ifndef PERDIX_TESTS_FRAME_RANDOM_H_
#define PERDIX_TESTS_FRAME_RANDOM_H_

#include <cstdint>
#include <random>

namespace perdix {

// The same numbers for the same seed, everywhere.
class TestRandom {
 public:
  explicit TestRandom(uint32_t seed) : engine_(seed) {}

  // lowest..highest, both included.
  int Uniform(int lowest, int highest) {
    // Unsigned: the distance between two ints may not be one.
    const uint32_t first = static_cast<uint32_t>(lowest);
    const uint32_t count = static_cast<uint32_t>(highest) - first + 1;
    const uint32_t number = engine_();
    return static_cast<int>(first + (count == 0 ? number : number % count));
  }
  // 0..end - 1.
  uint32_t Below(uint32_t end) {
    return static_cast<uint32_t>(engine_()) % end;
  }
  bool OneIn(int n) { return Uniform(0, n - 1) == 0; }

 private:
  std::mt19937 engine_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_FRAME_RANDOM_H_
