// SPDX-License-Identifier: BSD-2-Clause
// An inverse transform as a list of rotations that the compiler makes: code on
// vectors is generated from it. What is zero when it begins is followed through
// the list, so that the code does no more than it must and the compiler never
// sees what it would only remove.
#ifndef PERDIX_KERNELS_SIMD_ROTATIONS_H_
#define PERDIX_KERNELS_SIMD_ROTATIONS_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace perdix {

// Rotations of T[a] and T[b], of which one at most is zero. A Hadamard rotation
// puts the sum into T[a] and the difference into T[b]; a butterfly rotation
// puts T[a] * cos - T[b] * sin into T[to_x] and T[a] * sin + T[b] * cos into
// T[to_y].
struct Rotation {
  bool hadamard;
  bool a_is_zero;
  bool b_is_zero;
  uint8_t a;
  uint8_t b;
  uint8_t to_x;
  uint8_t to_y;
  int16_t cos;
  int16_t sin;
};

// At most kMost rotations of at most 64 elements.
template <size_t kMost>
class Rotations {
 public:
  constexpr size_t count() const { return count_; }
  constexpr Rotation operator[](size_t i) const { return list_[i]; }

 protected:
  constexpr Rotations() {
    for (bool& zero : zero_) zero = true;
  }

  // T[i] may be other than zero.
  constexpr void SetInput(int i) { zero_[static_cast<size_t>(i)] = false; }

  // Butterfly rotation; flip exchanges the results.
  constexpr void AddButterfly(int a, int b, int cos, int sin, bool flip) {
    Rotation rotation = {};
    rotation.a = static_cast<uint8_t>(a);
    rotation.b = static_cast<uint8_t>(b);
    rotation.to_x = static_cast<uint8_t>(flip ? b : a);
    rotation.to_y = static_cast<uint8_t>(flip ? a : b);
    rotation.cos = static_cast<int16_t>(cos);
    rotation.sin = static_cast<int16_t>(sin);
    Add(rotation);
  }

  // Hadamard rotation; flip exchanges a and b.
  constexpr void AddHadamard(int a, int b, bool flip) {
    Rotation rotation = {};
    rotation.hadamard = true;
    rotation.a = static_cast<uint8_t>(flip ? b : a);
    rotation.b = static_cast<uint8_t>(flip ? a : b);
    Add(rotation);
  }

 private:
  constexpr void Add(Rotation rotation) {
    rotation.a_is_zero = zero_[rotation.a];
    rotation.b_is_zero = zero_[rotation.b];
    if (rotation.a_is_zero && rotation.b_is_zero) return;
    zero_[rotation.a] = zero_[rotation.b] = false;
    list_[count_++] = rotation;
  }

  std::array<bool, 64> zero_ = {};  // of T, after the rotations so far
  std::array<Rotation, kMost> list_ = {};
  size_t count_ = 0;
};

}  // namespace perdix

#endif  // PERDIX_KERNELS_SIMD_ROTATIONS_H_
