// SPDX-License-Identifier: BSD-2-Clause
// The one-dimensional inverse transforms (VP9 8.7.1) of as many rows or columns
// as a vector has lanes.
//
// How many bits do they need? They add, subtract and rotate: every value on the
// way is a sum of the inputs, each times a factor, and rounding errors.
// - No factor exceeds 1, but sqrt(2) in front of a rotation by pi / 4.
// - The squares of a value's factors add up to at most 4 * 4.
// - The rounding errors come to less than 24.
// (Found by following each input through each transform.) Twice over, rows and
// then columns, no value of a block with coefficients c exceeds
//   sqrt(2) * (sum(|c|) + 32 * 24) + 24  nor
//   4 * (4 * sqrt(sum(c * c)) + sqrt(32) * 24) + 24,
// the second by Cauchy's inequality.
#if defined(PERDIX_KERNELS_VP9_TRANSFORM_LANES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_VP9_TRANSFORM_LANES_INL_H_
#undef PERDIX_KERNELS_VP9_TRANSFORM_LANES_INL_H_
#else
#define PERDIX_KERNELS_VP9_TRANSFORM_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "kernels/vp9/transform_block.h"
#include "kernels/vp9/transform_steps.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- lanes ----

// A vector's size, at most: few blocks would fill wider ones.
constexpr int kMostBytes = static_cast<int>(std::min(HWY_MAX_BYTES, 32));

// kN lanes of 16 bits. Of four, vectors are eight and the upper half is junk.
template <int kN>
struct Lanes16 {
  using T = int16_t;
  static constexpr int kCount = kN;
  static constexpr int kMost = kMostBytes / 2;

  using Half = Lanes16<kN / 2>;
  using Lane = hn::FixedTag<int16_t, kN>;
  using D = hn::FixedTag<int16_t, std::max(kN, 8)>;
  using V = hn::VFromD<D>;
  using Wide = hn::FixedTag<int32_t, std::max(kN, 8) / 2>;

  // A sum of 32 bits for each lane.
  struct Sums {
    HWY_INLINE HWY_ATTR Sums() {}
    hn::VFromD<Wide> lower;
    hn::VFromD<Wide> upper;
  };

  static HWY_INLINE HWY_ATTR V Load(const int16_t* from) {
    if constexpr (kN == 4) {
      return hn::ZeroExtendVector(D(), hn::LoadU(Lane(), from));
    } else {
      return hn::LoadU(D(), from);
    }
  }
  static HWY_INLINE HWY_ATTR void Store(V v, int16_t* to) {
    if constexpr (kN == 4) {
      hn::StoreU(hn::LowerHalf(Lane(), v), Lane(), to);
    } else {
      hn::StoreU(v, D(), to);
    }
  }

  // Round2(x * factor, 14), |factor| < 1 << 14.
  static HWY_INLINE HWY_ATTR V MulRound(V x, int factor) {
    return hn::MulFixedPoint15(x,
                               hn::Set(D(), static_cast<int16_t>(2 * factor)));
  }
  // Round2(x, kBits), by the same instruction
  template <int kBits>
  static HWY_INLINE HWY_ATTR V Round2(V x) {
    return hn::MulFixedPoint15(x, hn::Set(D(), int16_t{1 << (15 - kBits)}));
  }

  // x * a + y * b
#if HWY_ARCH_ARM_A64
  static HWY_INLINE HWY_ATTR Sums MulAdd(V x, V y, int a, int b) {
    const int16_t a16 = static_cast<int16_t>(a);
    const int16_t b16 = static_cast<int16_t>(b);
    Sums sums;
    sums.lower.raw = vmlal_n_s16(vmull_n_s16(vget_low_s16(x.raw), a16),
                                 vget_low_s16(y.raw), b16);
    if constexpr (kN > 4) {
      sums.upper.raw =
          vmlal_high_n_s16(vmull_high_n_s16(x.raw, a16), y.raw, b16);
    }
    return sums;
  }
  // Round2(sums, 14)
  static HWY_INLINE HWY_ATTR V Round(Sums sums) {
    const int16x4_t lower = vrshrn_n_s32(sums.lower.raw, kCosBits);
    if constexpr (kN == 4) {
      return V(vcombine_s16(lower, vdup_n_s16(0)));
    } else {
      return V(vrshrn_high_n_s32(lower, sums.upper.raw, kCosBits));
    }
  }
#else
  static HWY_INLINE HWY_ATTR Sums MulAdd(V x, V y, int a, int b) {
    const auto factors = hn::BitCast(
        D(), hn::Set(Wide(), static_cast<int32_t>(
                                 (static_cast<uint32_t>(b) << 16) |
                                 (static_cast<uint32_t>(a) & 0xffff))));
    Sums sums;
    sums.lower = MulPairs(hn::InterleaveLower(D(), x, y), factors);
    if constexpr (kN > 4) {
      sums.upper = MulPairs(hn::InterleaveUpper(D(), x, y), factors);
    }
    return sums;
  }
  static HWY_INLINE HWY_ATTR V Round(Sums sums) {
    const auto half = hn::Set(Wide(), 1 << (kCosBits - 1));
    const auto lower = hn::ShiftRight<kCosBits>(hn::Add(sums.lower, half));
    if constexpr (kN == 4) {
      return hn::ReorderDemote2To(D(), lower, lower);
    } else {
      const auto upper = hn::ShiftRight<kCosBits>(hn::Add(sums.upper, half));
      return hn::ReorderDemote2To(D(), lower, upper);
    }
  }
  // The sum of the products in each pair of lanes.
  static HWY_INLINE HWY_ATTR hn::VFromD<Wide> MulPairs(V pairs, V factors) {
    auto second = hn::Zero(Wide());
    const auto first = hn::ReorderWidenMulAccumulate(Wide(), pairs, factors,
                                                     hn::Zero(Wide()), second);
    return hn::RearrangeToOddPlusEven(first, second);
  }
#endif

  static HWY_INLINE HWY_ATTR Sums Add(Sums x, Sums y) {
    Sums sums;
    sums.lower = hn::Add(x.lower, y.lower);
    if constexpr (kN > 4) sums.upper = hn::Add(x.upper, y.upper);
    return sums;
  }
  static HWY_INLINE HWY_ATTR Sums Sub(Sums x, Sums y) {
    Sums sums;
    sums.lower = hn::Sub(x.lower, y.lower);
    if constexpr (kN > 4) sums.upper = hn::Sub(x.upper, y.upper);
    return sums;
  }
};

// kN lanes of 32 bits, as are the sums of products.
template <int kN>
struct Lanes32 {
  using T = int32_t;
  static constexpr int kCount = kN;
  static constexpr int kMost = kMostBytes / 4;

  using Half = Lanes32<kN / 2>;
  using D = hn::FixedTag<int32_t, kN>;
  using V = hn::VFromD<D>;
  using Sums = V;

  static HWY_INLINE HWY_ATTR V Load(const int32_t* from) {
    return hn::LoadU(D(), from);
  }
  static HWY_INLINE HWY_ATTR V Load(const int16_t* from) {  // lossless
    return hn::PromoteTo(D(), hn::LoadU(hn::FixedTag<int16_t, kN>(), from));
  }
  static HWY_INLINE HWY_ATTR void Store(V v, int32_t* to) {
    hn::StoreU(v, D(), to);
  }
  static HWY_INLINE HWY_ATTR V MulRound(V x, int factor) {
    return Round(hn::Mul(x, hn::Set(D(), factor)));
  }
  template <int kBits>
  static HWY_INLINE HWY_ATTR V Round2(V x) {
    return hn::ShiftRight<kBits>(hn::Add(x, hn::Set(D(), 1 << (kBits - 1))));
  }
  static HWY_INLINE HWY_ATTR Sums MulAdd(V x, V y, int a, int b) {
    return hn::Add(hn::Mul(x, hn::Set(D(), a)), hn::Mul(y, hn::Set(D(), b)));
  }
  static HWY_INLINE HWY_ATTR V Round(Sums sums) {
    return Round2<kCosBits>(sums);
  }
  static HWY_INLINE HWY_ATTR Sums Add(Sums x, Sums y) { return hn::Add(x, y); }
  static HWY_INLINE HWY_ATTR Sums Sub(Sums x, Sums y) { return hn::Sub(x, y); }
};

// ---- VP9 8.7.1: one dimension ----

// step(i) for i of kFirst..kCount - 1, each a constant.
template <int kCount, int kFirst = 0, class Step>
HWY_INLINE HWY_ATTR void Repeat(const Step& step) {
  if constexpr (kFirst < kCount) {
    step(std::integral_constant<int, kFirst>());
    Repeat<kCount, kFirst + 1>(step);
  }
}

// Round2(x * kA + y * kB, 14)
template <int kA, int kB, class L>
HWY_INLINE HWY_ATTR typename L::V Rotated(typename L::V x, typename L::V y) {
  if constexpr (kA == kB) {
    return L::MulRound(hn::Add(x, y), kA);
  } else if constexpr (kA == -kB) {
    return L::MulRound(hn::Sub(x, y), kA);
  } else {
    return L::Round(L::MulAdd(x, y, kA, kB));
  }
}

// One rotation of T; of a value and a zero it is only two products.
template <Rotation kStep, class L>
HWY_INLINE HWY_ATTR void Rotate(typename L::V* t) {
  using V = typename L::V;
  const V a = t[kStep.a];
  const V b = t[kStep.b];
  if constexpr (!kStep.hadamard) {
    V x, y;
    if constexpr (kStep.a_is_zero) {
      x = L::MulRound(b, -kStep.sin);
      y = L::MulRound(b, kStep.cos);
    } else if constexpr (kStep.b_is_zero) {
      x = L::MulRound(a, kStep.cos);
      y = L::MulRound(a, kStep.sin);
    } else {
      x = Rotated<kStep.cos, -kStep.sin, L>(a, b);
      y = Rotated<kStep.sin, kStep.cos, L>(a, b);
    }
    t[kStep.to_x] = x;
    t[kStep.to_y] = y;
  } else if constexpr (kStep.a_is_zero) {
    t[kStep.a] = b;
    t[kStep.b] = hn::Neg(b);
  } else if constexpr (kStep.b_is_zero) {
    t[kStep.b] = a;
  } else {
    t[kStep.a] = hn::Add(a, b);
    t[kStep.b] = hn::Sub(a, b);
  }
}

// The array T. Once all is inlined, elements are registers.
template <class L, int kLog2>
class TransformArray {
 public:
  using V = typename L::V;
  using D = typename L::D;
  static constexpr int kSize = 1 << kLog2;

  HWY_INLINE HWY_ATTR TransformArray() {
    Repeat<kSize>([&](auto i) HWY_ATTR { t_[i] = hn::Zero(D()); });
  }
  HWY_INLINE HWY_ATTR void Set(int i, V v) { t_[i] = v; }
  HWY_INLINE HWY_ATTR V Get(int i) const { return t_[i]; }

  // 8.7.1.2, 8.7.1.3. All but the first kStored elements are zero.
  template <int kStored>
  HWY_INLINE HWY_ATTR void InverseDct() {
    PermuteDct();
    RunSteps<kStored>(std::make_index_sequence<kSteps<kStored>.count()>());
  }

  // 8.7.1.6 to 8.7.1.9
  HWY_INLINE HWY_ATTR void InverseAdst() {
    if constexpr (kLog2 == 2) InverseAdst4();
    if constexpr (kLog2 == 3) InverseAdst8();
    if constexpr (kLog2 == 4) InverseAdst16();
  }

  // 8.7.1.10
  template <int kShift>
  HWY_INLINE HWY_ATTR void InverseWht() {
    V a = hn::ShiftRight<kShift>(t_[0]);
    V c = hn::ShiftRight<kShift>(t_[1]);
    V d = hn::ShiftRight<kShift>(t_[2]);
    V b = hn::ShiftRight<kShift>(t_[3]);
    a = hn::Add(a, c);
    d = hn::Sub(d, b);
    const V e = hn::ShiftRight<1>(hn::Sub(a, d));
    b = hn::Sub(e, b);
    c = hn::Sub(e, c);
    Set(0, hn::Sub(a, b));
    Set(1, b);
    Set(2, c);
    Set(3, hn::Add(d, c));
  }

 private:
  using Sums = typename L::Sums;

  template <int kStored>
  static constexpr DctSteps kSteps{kLog2, kStored};

  template <int kStored, size_t... i>
  HWY_INLINE HWY_ATTR void RunSteps(std::index_sequence<i...>) {
    (Rotate<kSteps<kStored>[i], L>(t_), ...);
  }

  // Butterfly rotation; flip exchanges the results.
  template <int kAngle>
  HWY_INLINE HWY_ATTR void B(int a, int b, int flip) {
    constexpr int kCos = Cos64(kAngle);
    constexpr int kSin = Sin64(kAngle);
    const V x = Rotated<kCos, -kSin, L>(t_[a], t_[b]);
    const V y = Rotated<kSin, kCos, L>(t_[a], t_[b]);
    t_[flip ? b : a] = x;
    t_[flip ? a : b] = y;
  }

  // Hadamard rotation.
  HWY_INLINE HWY_ATTR void H(int a, int b) {
    const V x = t_[a];
    const V y = t_[b];
    t_[a] = hn::Add(x, y);
    t_[b] = hn::Sub(x, y);
  }

  // Butterfly rotation into S, not yet rounded.
  HWY_INLINE HWY_ATTR void SB(int a, int b, int angle, int flip) {
    const int cos = Cos64(angle);
    const int sin = Sin64(angle);
    s_[flip ? b : a] = L::MulAdd(t_[a], t_[b], cos, -sin);
    s_[flip ? a : b] = L::MulAdd(t_[a], t_[b], sin, cos);
  }

  // Hadamard rotation of S, rounded into T.
  HWY_INLINE HWY_ATTR void SH(int a, int b) {
    const Sums x = s_[a];
    const Sums y = s_[b];
    t_[a] = L::Round(L::Add(x, y));
    t_[b] = L::Round(L::Sub(x, y));
  }

  HWY_INLINE HWY_ATTR void PermuteDct() {
    const TransformArray from = *this;
    Repeat<kSize>([&](auto i) HWY_ATTR { t_[i] = from.t_[Brev(kLog2, i)]; });
  }

  // Odd inputs from the start, even ones from the end.
  HWY_INLINE HWY_ATTR void PermuteAdstInput() {
    const TransformArray from = *this;
    Repeat<kSize>([&](auto i) HWY_ATTR {
      t_[i] = from.t_[(i & 1) ? i - 1 : kSize - 1 - i];
    });
  }

  HWY_INLINE HWY_ATTR void PermuteAdstOutput(const int (&order)[kSize]) {
    const TransformArray from = *this;
    Repeat<kSize>([&](auto i) HWY_ATTR {
      t_[i] = order[i] < 0 ? hn::Neg(from.t_[~order[i]]) : from.t_[order[i]];
    });
  }

  HWY_INLINE HWY_ATTR void InverseAdst4() {
    const V t0 = t_[0];
    const V t1 = t_[1];
    const V t2 = t_[2];
    const V t3 = t_[3];
    const auto sum = [&](int f0, int f1, int f2, int f3) HWY_ATTR {
      return L::Round(
          L::Add(L::MulAdd(t0, t2, f0, f2), L::MulAdd(t1, t3, f1, f3)));
    };
    t_[0] = sum(kSinpi1, kSinpi3, kSinpi4, kSinpi2);
    t_[1] = sum(kSinpi2, kSinpi3, -kSinpi1, -kSinpi4);
    t_[2] = L::MulRound(hn::Add(hn::Sub(t0, t2), t3), kSinpi3);
    t_[3] =
        sum(kSinpi1 + kSinpi2, -kSinpi3, kSinpi4 - kSinpi1, kSinpi2 - kSinpi4);
  }

  HWY_INLINE HWY_ATTR void InverseAdst8() {
    PermuteAdstInput();
    Repeat<4>([&](auto i) HWY_ATTR { SB(2 * i, 1 + 2 * i, 30 - 8 * i, 1); });
    Repeat<4>([&](auto i) HWY_ATTR { SH(i, 4 + i); });
    Repeat<2>([&](auto i) HWY_ATTR { SB(4 + 3 * i, 5 + i, 24 - 16 * i, 1); });
    Repeat<2>([&](auto i) HWY_ATTR { SH(4 + i, 6 + i); });
    Repeat<2>([&](auto i) HWY_ATTR { H(i, 2 + i); });
    Repeat<2>([&](auto i) HWY_ATTR { B<16>(2 + 4 * i, 3 + 4 * i, 1); });
    PermuteAdstOutput(kAdst8Order);
  }

  HWY_INLINE HWY_ATTR void InverseAdst16() {
    PermuteAdstInput();
    Repeat<8>([&](auto i) HWY_ATTR { SB(2 * i, 1 + 2 * i, 31 - 4 * i, 1); });
    Repeat<8>([&](auto i) HWY_ATTR { SH(i, 8 + i); });
    Repeat<2>([&](auto i) HWY_ATTR {
      SB(8 + 2 * i, 9 + 2 * i, 28 - 16 * i, 1);
      SB(13 + 2 * i, 12 + 2 * i, 4 + 16 * i, 1);
    });
    Repeat<4>([&](auto i) HWY_ATTR { SH(8 + i, 12 + i); });
    Repeat<4>([&](auto i) HWY_ATTR { H(i, 4 + i); });
    Repeat<2>([&](auto i) HWY_ATTR {
      SB(4 + 8 * i, 5 + 8 * i, 24, 1);
      SB(7 + 8 * i, 6 + 8 * i, 8, 1);
    });
    Repeat<4>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      SH(4 + 8 * i + j, 6 + 8 * i + j);
    });
    Repeat<4>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      H(8 * i + j, 2 + 8 * i + j);
    });
    B<48>(2, 3, 0);
    B<16>(7, 6, 0);
    B<16>(11, 10, 0);
    B<48>(14, 15, 0);
    PermuteAdstOutput(kAdst16Order);
  }

  V t_[kSize];
  Sums s_[kSize];
};

}  // namespace
}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
