// SPDX-License-Identifier: BSD-2-Clause
// Passes of the inverse transform as inverse_transform_simd.cc uses them: one
// dimension, in place, by kind, length and what is stored of it.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_PASSES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_PASSES_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_PASSES_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_PASSES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_shape.h"
#include "kernels/simd/lane_shifts-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Transforms kLanes rows or columns in place. bits: to which they are clamped.
template <typename T>
using Pass = void (*)(T* t, int bits, bool flip);

// By kind, by log2 of the length and by log2 of how many vectors are stored,
// both from 4 on: see KindOfLength. An identity is none of them.
template <typename T>
using PassTable = std::array<std::array<std::array<Pass<T>, 4>, 5>, 3>;

// The passes for kLanes lanes of T; made in transform_passes16_simd.cc and
// transform_passes32_simd.cc.
template <typename T, int kLanes>
struct Passes {
  static const PassTable<T> kTable;
};

namespace {

// Vectors stored .. count - 1 become zero. Not inlined: GCC would make `rep
// stos` of it, which is slow to start.
template <class L>
HWY_NOINLINE HWY_ATTR void Clear(typename L::T* t, int stored, int count) {
  const typename L::D d;
  for (int i = stored; i < count; ++i) {
    hn::StoreU(hn::Zero(d), d, t + i * L::kCount);
  }
}

// 7.13.2.15, of <count> vectors. Gives by how much is to be shifted yet.
template <class L>
HWY_NOINLINE HWY_ATTR int Identity(int16_t* t, int n, int count, int shift) {
  const typename L::D d;
  if (n & 1) {  // 2, 4
    const int left = shift - (n == 3 ? 1 : 2);
    if (left >= 0) return left;
    for (int i = 0; i < count; ++i) {
      const auto v = hn::LoadU(d, t + i * L::kCount);
      hn::StoreU(hn::SaturatedAdd(v, v), d, t + i * L::kCount);
    }
    return 0;
  }
  // sqrt(2), 2 * sqrt(2). Of columns half the shift by 4 is left to others, who
  // want to shift: it can be done twice.
  const int left = shift == kTransformColumnShift ? 1 : 0;
  for (int i = 0; i < count; ++i) {
    auto v = L::ScaleAndRound(hn::LoadU(d, t + i * L::kCount),
                              n == 2 ? 5793 : 11586, shift);
    if (left) v = hn::Add(v, v);
    hn::StoreU(v, d, t + i * L::kCount);
  }
  return left;
}
template <class L>
HWY_NOINLINE HWY_ATTR int Identity(int32_t* t, int n, int count, int shift) {
  const typename L::D d;
  for (int i = 0; i < count; ++i) {
    const auto v = hn::LoadU(d, t + i * L::kCount);
    auto scaled = ShiftLeftBy(v, (n - 1) / 2);
    if (n == 2) scaled = hn::Add(scaled, L::MulRound(v, 5793 - 4096));
    if (n == 4) scaled = hn::Add(scaled, L::MulRound(v, 11586 - 8192));
    hn::StoreU(scaled, d, t + i * L::kCount);
  }
  return shift;
}

// A dimension of a block.
struct Dimension {
  TransformKind kind;
  bool flip;
  int log2;         // of the length
  int stored_log2;  // of what is stored of it
};

// t: 1 << line.log2 vectors, of which those beyond what is stored are zero or
// not yet set. Gives by how much of <shift> is to be shifted yet.
template <class L>
HWY_INLINE int Transform(typename L::T* t, const Dimension& line, int bits,
                         int shift) {
  using T = typename L::T;
  const Pass<T> pass =
      Passes<T, L::kCount>::kTable[static_cast<size_t>(line.kind)]
                                  [static_cast<size_t>(line.log2 - 2)]
                                  [static_cast<size_t>(line.stored_log2 - 2)];
  if (pass != nullptr) {
    pass(t, bits, line.flip);
    return shift;
  }
  Clear<L>(t, 1 << line.stored_log2, 1 << line.log2);
  return Identity<L>(t, line.log2, 1 << line.stored_log2, shift);
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
