// SPDX-License-Identifier: BSD-2-Clause
// Inverse transforms (VP9 8.7) and reconstruction (VP9 8.6.2) on vectors: what
// inverse_transform.cc does, to as many rows or columns at once as a vector has
// lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/inverse_transform_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/vp9/inverse_transform.h"
#include "kernels/vp9/kernels.h"
#include "kernels/vp9/transform_block.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void AddResidual8(const KernelArgs& args, const TransformBlock& block) {
  AddResidual<uint8_t>(args, block);
}
void AddResidual16(const KernelArgs& args, const TransformBlock& block) {
  AddResidual<uint16_t>(args, block);
}
void InverseTransform8(const KernelArgs& args, Range range) {
  InverseTransform<uint8_t>(args, range);
}
void InverseTransform16(const KernelArgs& args, Range range) {
  InverseTransform<uint16_t>(args, range);
}

#else

namespace {

namespace hn = hwy::HWY_NAMESPACE;

// ---- lanes that a transform computes in ----
//
// The transforms add nothing but differences and sums, and rotate: each value
// on the way is a sum of coefficients times at most 1 (in front of a rotation
// by pi / 4: times at most sqrt(2)), and of rounding errors that come to less
// than 24 in each direction. So in either direction none exceeds
//   sqrt(2) * (sum + 32 * 24) + 24,
// where sum is that of all the block's coefficients, without their signs.

constexpr int kMostLanes = static_cast<int>(std::min(HWY_MAX_BYTES, 32));

// kN lanes of 16 bits. Of four, vectors are eight and the upper half is junk.
template <int kN>
struct Lanes16 {
  using T = int16_t;
  static constexpr int kCount = kN;
  static constexpr int kMost = kMostLanes / 2;
  static constexpr int32_t kLargestSum = 22000;  // all values fit

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

// kN lanes of 32 bits. Sums wrap at 32 bits, which is right for 8-bit samples.
template <int kN>
struct Lanes32 {
  using T = int32_t;
  static constexpr int kCount = kN;
  static constexpr int kMost = kMostLanes / 4;
  static constexpr int32_t kLargestSum = 127 << 10;  // and sums are exact

  using Half = Lanes32<kN / 2>;
  using D = hn::FixedTag<int32_t, kN>;
  using V = hn::VFromD<D>;
  using Sums = V;

  static HWY_INLINE HWY_ATTR V Load(const int32_t* from) {
    return hn::LoadU(D(), from);
  }
  static HWY_INLINE HWY_ATTR V Load(const int16_t* from) {
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

// The array T. Once all is inlined, indices, angles and what is zero are
// constants: a rotation of a value and a zero is only two products.
template <class L, int kLog2>
class TransformArray {
 public:
  using V = typename L::V;
  using D = typename L::D;
  static constexpr int kSize = 1 << kLog2;

  HWY_INLINE HWY_ATTR TransformArray() {
    Repeat<kSize>([&](auto i) HWY_ATTR { t_[i] = hn::Zero(D()); });
  }
  HWY_INLINE HWY_ATTR void Set(int i, V v) {
    t_[i] = v;
    zero_[i] = false;
  }
  HWY_INLINE HWY_ATTR V Get(int i) const { return t_[i]; }

  // 8.7.1.2, 8.7.1.3
  HWY_INLINE HWY_ATTR void InverseDct() {
    constexpr int n = kLog2;
    PermuteDct();
    if constexpr (n == 5) {
      Repeat<8>([&](auto i)
                    HWY_ATTR { B(16 + i, 31 - i, 3 + 4 * Brev(3, 7 - i), 0); });
    }
    if constexpr (n >= 4) {
      Repeat<4>([&](auto i)
                    HWY_ATTR { B(8 + i, 15 - i, 6 + 8 * Brev(2, 3 - i), 0); });
    }
    if constexpr (n == 5) {
      Repeat<8>([&](auto i) HWY_ATTR { H(16 + 2 * i, 17 + 2 * i, i & 1); });
    }
    if constexpr (n >= 3) {
      Repeat<2>([&](auto i) HWY_ATTR { B(4 + i, 7 - i, 28 - 16 * i, 0); });
    }
    if constexpr (n >= 4) {
      Repeat<4>([&](auto i) HWY_ATTR { H(8 + 2 * i, 9 + 2 * i, i & 1); });
    }
    if constexpr (n == 5) {
      Repeat<4>([&](auto k) HWY_ATTR {
        const int i = k >> 1, j = k & 1;
        B(30 - 4 * i - j, 17 + 4 * i + j, 28 - 16 * i + 32 * j, 1);
      });
    }
    Repeat<2>([&](auto i) HWY_ATTR { B(2 * i, 2 * i + 1, 16 + 8 * i, 1 - i); });
    if constexpr (n >= 3) {
      Repeat<2>([&](auto i) HWY_ATTR { H(4 + 2 * i, 5 + 2 * i, i); });
    }
    if constexpr (n >= 4) {
      Repeat<2>([&](auto i) HWY_ATTR { B(14 - i, 9 + i, 24 + 32 * i, 1); });
    }
    if constexpr (n == 5) {
      Repeat<8>([&](auto k) HWY_ATTR {
        const int i = k >> 1, j = k & 1;
        H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
      });
    }
    Repeat<2>([&](auto i) HWY_ATTR { H(i, 3 - i, 0); });
    if constexpr (n >= 3) B(6, 5, 16, 1);
    if constexpr (n >= 4) {
      Repeat<4>([&](auto k) HWY_ATTR {
        const int i = k >> 1, j = k & 1;
        H(8 + 4 * i + j, 11 + 4 * i - j, i);
      });
    }
    if constexpr (n == 5) {
      Repeat<4>([&](auto i)
                    HWY_ATTR { B(29 - i, 18 + i, 24 + 32 * (i >> 1), 1); });
    }
    if constexpr (n >= 3) {
      Repeat<4>([&](auto i) HWY_ATTR { H(i, 7 - i, 0); });
    }
    if constexpr (n >= 4) {
      Repeat<2>([&](auto i) HWY_ATTR { B(13 - i, 10 + i, 16, 1); });
    }
    if constexpr (n == 5) {
      Repeat<8>([&](auto k) HWY_ATTR {
        const int i = k >> 2, j = k & 3;
        H(16 + 8 * i + j, 23 + 8 * i - j, i);
      });
    }
    if constexpr (n >= 4) {
      Repeat<8>([&](auto i) HWY_ATTR { H(i, 15 - i, 0); });
    }
    if constexpr (n == 5) {
      Repeat<4>([&](auto i) HWY_ATTR { B(27 - i, 20 + i, 16, 1); });
      Repeat<16>([&](auto i) HWY_ATTR { H(i, 31 - i, 0); });
    }
  }

  // 8.7.1.6 to 8.7.1.9
  HWY_INLINE HWY_ATTR void InverseAdst() {
    Repeat<kSize>([&](auto i) HWY_ATTR { zero_[i] = false; });
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

  // Round2(T[a] * x + T[b] * y, 14)
  HWY_INLINE HWY_ATTR V Rotated(int a, int b, int x, int y) const {
    if (zero_[a]) return L::MulRound(t_[b], y);
    if (zero_[b]) return L::MulRound(t_[a], x);
    if (x == y) return L::MulRound(hn::Add(t_[a], t_[b]), x);
    if (x == -y) return L::MulRound(hn::Sub(t_[a], t_[b]), x);
    return L::Round(L::MulAdd(t_[a], t_[b], x, y));
  }

  // Butterfly rotation; flip exchanges the results.
  HWY_INLINE HWY_ATTR void B(int a, int b, int angle, int flip) {
    if (zero_[a] && zero_[b]) return;
    const V x = Rotated(a, b, Cos64(angle), -Sin64(angle));
    const V y = Rotated(a, b, Sin64(angle), Cos64(angle));
    Set(a, flip ? y : x);
    Set(b, flip ? x : y);
  }

  // Hadamard rotation; flip is H(b, a).
  HWY_INLINE HWY_ATTR void H(int a, int b, int flip) {
    if (flip) return H(b, a, 0);
    if (zero_[a] && zero_[b]) return;
    const V x = t_[a];
    const V y = t_[b];
    const V sum = zero_[a] ? y : zero_[b] ? x : hn::Add(x, y);
    const V difference = zero_[b] ? x : hn::Sub(x, y);
    Set(a, sum);
    Set(b, difference);
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
    Repeat<kSize>([&](auto i) HWY_ATTR {
      t_[i] = from.t_[Brev(kLog2, i)];
      zero_[i] = from.zero_[Brev(kLog2, i)];
    });
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
    Repeat<2>([&](auto i) HWY_ATTR { H(i, 2 + i, 0); });
    Repeat<2>([&](auto i) HWY_ATTR { B(2 + 4 * i, 3 + 4 * i, 16, 1); });
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
    Repeat<4>([&](auto i) HWY_ATTR { H(i, 4 + i, 0); });
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
      H(8 * i + j, 2 + 8 * i + j, 0);
    });
    B(2, 3, 48, 0);
    B(7, 6, 16, 0);
    B(11, 10, 16, 0);
    B(14, 15, 48, 0);
    PermuteAdstOutput(kAdst16Order);
  }

  V t_[kSize];
  Sums s_[kSize];
  bool zero_[kSize] = {};
};

// ---- lines of coefficients into lanes and back ----

// kRounds rounds of interleaving what is kN / 2 apart, within blocks of 16
// bytes. log2(kN) rounds turn kN lines of kN lanes into columns.
template <int kN, int kRounds, class D, class V>
HWY_INLINE HWY_ATTR void Interleave(D d, V* v) {
  Repeat<kRounds>([&](auto) HWY_ATTR {
    V next[kN];
    Repeat<kN / 2>([&](auto i) HWY_ATTR {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + kN / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kN / 2]);
    });
    Repeat<kN>([&](auto i) HWY_ATTR { v[i] = next[i]; });
  });
}

// Lines and columns of a block of 16 bytes a line.
template <class L>
constexpr int kBlock = static_cast<int>(16 / sizeof(typename L::T));
template <class L>
constexpr int kBlockLog2 = kBlock<L> == 8 ? 3 : 2;

// A line of the first block, and below it of the second if vectors are as wide.
template <class L, class From>
HWY_INLINE HWY_ATTR auto LoadLines(const From* from, int stride) {
  if constexpr (L::kCount > kBlock<L>) {
    return hn::Combine(typename L::D(),
                       L::Half::Load(from + kBlock<L> * stride),
                       L::Half::Load(from));
  } else {
    return L::Load(from);
  }
}
template <class L>
HWY_INLINE HWY_ATTR void StoreLines(typename L::V v, typename L::T* to,
                                    int stride) {
  if constexpr (L::kCount > kBlock<L>) {
    const typename L::Half::D half;
    L::Half::Store(hn::LowerHalf(half, v), to);
    L::Half::Store(hn::UpperHalf(half, v), to + kBlock<L> * stride);
  } else {
    hn::StoreU(v, typename L::D(), to);
  }
}

// T[j] = column j of L::kCount lines of kStored coefficients.
template <class L, int kStored, class Array, class From>
HWY_INLINE HWY_ATTR void LoadColumns(const From* from, Array& t) {
  const typename L::D d;
  if constexpr (L::kCount < kBlock<L>) {  // 4 x 4 in two vectors
    typename L::V v[2] = {hn::LoadU(d, from), hn::LoadU(d, from + 8)};
    Interleave<2, 2>(d, v);
    Repeat<2>([&](auto i) HWY_ATTR {
      t.Set(2 * i, v[i]);
      t.Set(2 * i + 1, hn::ShiftRightBytes<8>(d, v[i]));
    });
  } else {
    Repeat<kStored / kBlock<L> >([&](auto block) HWY_ATTR {
      typename L::V v[kBlock<L>];
      Repeat<kBlock<L> >([&](auto i) HWY_ATTR {
        v[i] = LoadLines<L>(from + i * kStored + block * kBlock<L>, kStored);
      });
      Interleave<kBlock<L>, kBlockLog2<L> >(d, v);
      Repeat<kBlock<L> >([&](auto i)
                             HWY_ATTR { t.Set(block * kBlock<L> + i, v[i]); });
    });
  }
}

// The reverse: L::kCount lines of kSize.
template <class L, class Array>
HWY_INLINE HWY_ATTR void StoreRows(const Array& t, typename L::T* to) {
  constexpr int kSize = Array::kSize;
  const typename L::D d;
  if constexpr (kSize < kBlock<L>) {  // 4 x 4 in two vectors
    typename L::V v[2] = {hn::ConcatLowerLower(d, t.Get(1), t.Get(0)),
                          hn::ConcatLowerLower(d, t.Get(3), t.Get(2))};
    Interleave<2, 2>(d, v);
    Repeat<2>([&](auto i) HWY_ATTR { hn::StoreU(v[i], d, to + 8 * i); });
  } else {
    constexpr int kLines = std::min(L::kCount, kBlock<L>);
    Repeat<kSize / kBlock<L> >([&](auto block) HWY_ATTR {
      const int first = block * kBlock<L>;
      typename L::V v[kBlock<L>];
      if constexpr (kLines < kBlock<L>) {  // the first round, without junk
        Repeat<kLines>([&](auto i) HWY_ATTR {
          v[i] = hn::InterleaveLower(d, t.Get(first + i),
                                     t.Get(first + i + kLines));
        });
      } else {
        Repeat<kLines>([&](auto i) HWY_ATTR { v[i] = t.Get(first + i); });
      }
      Interleave<kLines, kLines == 8 ? 3 : 2>(d, v);
      Repeat<kLines>([&](auto i) HWY_ATTR {
        StoreLines<L>(v[i], to + i * kSize + first, kSize);
      });
    });
  }
}

// ---- VP9 8.7.2: two dimensions ----

enum class Transform { kDct, kAdst, kWht };

// kStored rows of as many coefficients become rows of 1 << kLog2.
template <class L, int kLog2, int kStored, Transform kTransform, class From>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void InverseRows(const From* from,
                                                   typename L::T* rows) {
  for (int i = 0; i < kStored; i += L::kCount) {
    TransformArray<L, kLog2> t;
    LoadColumns<L, kStored>(from + i * kStored, t);
    if constexpr (kTransform == Transform::kDct) t.InverseDct();
    if constexpr (kTransform == Transform::kAdst) t.InverseAdst();
    if constexpr (kTransform == Transform::kWht) {
      t.template InverseWht<kWhtRowShift>();
    }
    StoreRows<L>(t, rows + (i << kLog2));
  }
}

// In place: kStored rows become 1 << kLog2 of the residual.
template <class L, int kLog2, int kStored, Transform kTransform>
HWY_NOINLINE HWY_FLATTEN HWY_ATTR void InverseColumns(typename L::T* rows) {
  constexpr int kSize = 1 << kLog2;
  constexpr int kShift = OutputShift(kLog2);
  for (int j = 0; j < kSize; j += L::kCount) {
    TransformArray<L, kLog2> t;
    Repeat<kStored>([&](auto i)
                        HWY_ATTR { t.Set(i, L::Load(rows + i * kSize + j)); });
    if constexpr (kTransform == Transform::kDct) t.InverseDct();
    if constexpr (kTransform == Transform::kAdst) t.InverseAdst();
    if constexpr (kTransform == Transform::kWht) t.template InverseWht<0>();
    Repeat<kSize>([&](auto i) HWY_ATTR {
      const auto value = t.Get(i);
      L::Store(kTransform == Transform::kWht
                   ? value
                   : L::template Round2<kShift>(value),
               rows + i * kSize + j);
    });
  }
}

// Residual of a block whose coefficients are stored as kStored or more rows.
template <template <int> class Lanes, int kLog2, int kStored, class From,
          typename T>
HWY_ATTR void InverseTransform2d(const From* from, int stored, uint32_t tx_type,
                                 T* rows) {
  constexpr int kSize = 1 << kLog2;
  if constexpr (kStored < kSize) {
    if (stored > kStored) {
      return InverseTransform2d<Lanes, kLog2, 2 * kStored>(from, stored,
                                                           tx_type, rows);
    }
  }
  using RowLanes = Lanes<std::min(kStored, Lanes<4>::kMost)>;
  using ColumnLanes = Lanes<std::min(kSize, Lanes<4>::kMost)>;
  if constexpr (kLog2 < 5) {
    if (tx_type & kAdstRows) {
      InverseRows<RowLanes, kLog2, kStored, Transform::kAdst>(from, rows);
    } else {
      InverseRows<RowLanes, kLog2, kStored, Transform::kDct>(from, rows);
    }
    if (tx_type & kAdstColumns) {
      InverseColumns<ColumnLanes, kLog2, kStored, Transform::kAdst>(rows);
    } else {
      InverseColumns<ColumnLanes, kLog2, kStored, Transform::kDct>(rows);
    }
  } else {
    InverseRows<RowLanes, kLog2, kStored, Transform::kDct>(from, rows);
    InverseColumns<ColumnLanes, kLog2, kStored, Transform::kDct>(rows);
  }
}

// ---- VP9 8.6.2: the addition ----

// Two samples in one number.
template <typename Sample>
using Pair = std::conditional_t<sizeof(Sample) == 1, uint16_t, uint32_t>;

// Lanes of samples, kComponents of them a pixel; the residual is of component
// kComponent.
template <int kComponents, int kComponent>
struct Pixels {
  // Adds kN lanes of residual to as many pixels.
  template <int kN, typename T, typename Sample>
  static HWY_INLINE HWY_ATTR void Add(const T* residual, int max_sample,
                                      Sample* pixels) {
    using Unsigned = std::make_unsigned_t<T>;
    const hn::FixedTag<T, kN> d;
    const auto max = hn::Set(d, static_cast<T>(max_sample));
    const auto clamp = [&](auto v) HWY_ATTR {
      return hn::Min(hn::Max(v, hn::Zero(d)), max);
    };
    const auto delta = hn::LoadU(d, residual);
    if constexpr (kComponents == 1) {
      const hn::FixedTag<Sample, kN> samples;
      const auto sum = hn::Add(Widen(d, hn::LoadU(samples, pixels)), delta);
      if constexpr (sizeof(Sample) == 1) {
        hn::StoreU(hn::DemoteTo(samples, sum), samples, pixels);
      } else {
        hn::StoreU(hn::DemoteTo(samples, clamp(sum)), samples, pixels);
      }
    } else {
      // a lane is a pair: the other component is kept as it is
      constexpr int kBits = 8 * sizeof(Sample);
      const hn::FixedTag<Pair<Sample>, kN> pair_tag;
      const hn::FixedTag<Unsigned, kN> du;
      auto* const at = reinterpret_cast<Pair<Sample>*>(pixels);
      const auto pairs = hn::BitCast(du, Widen(d, hn::LoadU(pair_tag, at)));
      const auto first = hn::Set(du, static_cast<Unsigned>((1u << kBits) - 1));
      if constexpr (kComponent == 0) {
        const auto sum =
            clamp(hn::Add(hn::BitCast(d, hn::And(pairs, first)), delta));
        Put(hn::Or(hn::AndNot(first, pairs), hn::BitCast(du, sum)), pair_tag,
            at);
      } else {
        const auto sum =
            clamp(hn::Add(hn::BitCast(d, hn::ShiftRight<kBits>(pairs)), delta));
        Put(hn::Or(hn::And(pairs, first),
                   hn::ShiftLeft<kBits>(hn::BitCast(du, sum))),
            pair_tag, at);
      }
    }
  }

 private:
  template <class D, class V>
  static HWY_INLINE HWY_ATTR auto Widen(D d, V samples) {
    if constexpr (sizeof(hn::TFromD<D>) == sizeof(hn::TFromV<V>)) {
      return hn::BitCast(d, samples);
    } else {
      return hn::PromoteTo(d, samples);
    }
  }
  template <class V, class D>
  static HWY_INLINE HWY_ATTR void Put(V pairs, D d, hn::TFromD<D>* to) {
    if constexpr (sizeof(hn::TFromV<V>) == sizeof(hn::TFromD<D>)) {
      hn::StoreU(hn::BitCast(d, pairs), d, to);
    } else {
      const hn::RebindToSigned<hn::DFromV<V> > signed_tag;
      hn::StoreU(hn::DemoteTo(d, hn::BitCast(signed_tag, pairs)), d, to);
    }
  }
};

template <class Kind, int kSize, typename T, typename Sample>
HWY_NOINLINE HWY_ATTR void AddRowsOf(const T* residual,
                                     const TargetBlock<Sample>& target,
                                     int max_sample) {
  constexpr int kMost = static_cast<int>(kMostLanes / sizeof(T));
  constexpr int kLanes = std::min(kSize, kMost);
  const bool whole = target.width == kSize;
  for (int i = 0; i < target.height; ++i, residual += kSize) {
    Sample* const row = target.pixels + i * target.stride;
    if (whole) {
      for (int j = 0; j < kSize; j += kLanes) {
        Kind::template Add<kLanes>(residual + j, max_sample,
                                   row + j * target.components);
      }
    } else {
      for (int j = 0; j < target.width; j += 4) {
        Kind::template Add<4>(residual + j, max_sample,
                              row + j * target.components);
      }
    }
  }
}

template <int kSize, typename T, typename Sample>
HWY_ATTR void AddRows(const T* residual, const TargetBlock<Sample>& target,
                      int max_sample) {
  if (target.components == 1) {
    AddRowsOf<Pixels<1, 0>, kSize>(residual, target, max_sample);
  } else if (target.component == 0) {
    AddRowsOf<Pixels<2, 0>, kSize>(residual, target, max_sample);
  } else {
    AddRowsOf<Pixels<2, 1>, kSize>(residual, target, max_sample);
  }
}

// Adds up to and subtracts down from pairs of samples, kSamples a row.
template <int kSamples, typename Sample>
HWY_NOINLINE HWY_ATTR void AddPairs(Pair<Sample> up, Pair<Sample> down,
                                    const TargetBlock<Sample>& target,
                                    int max_sample) {
  constexpr int kMost = static_cast<int>(kMostLanes / sizeof(Sample));
  constexpr int kLanes = std::min(kSamples, kMost);
  const auto add = [&](auto lanes, Sample* at) HWY_ATTR {
    const hn::FixedTag<Sample, lanes()> d;
    const hn::FixedTag<Pair<Sample>, lanes() / 2> pairs;
    const auto sum =
        hn::SaturatedAdd(hn::LoadU(d, at), hn::BitCast(d, hn::Set(pairs, up)));
    const auto clamped =
        hn::Min(sum, hn::Set(d, static_cast<Sample>(max_sample)));
    const auto difference =
        hn::SaturatedSub(clamped, hn::BitCast(d, hn::Set(pairs, down)));
    hn::StoreU(difference, d, at);
  };
  const int samples = target.width * target.components;
  for (int i = 0; i < target.height; ++i) {
    Sample* const row = target.pixels + i * target.stride;
    if (samples == kSamples) {
      for (int j = 0; j < kSamples; j += kLanes) {
        add(std::integral_constant<int, kLanes>(), row + j);
      }
    } else {
      for (int j = 0; j < samples; j += 4) {
        add(std::integral_constant<int, 4>(), row + j);
      }
    }
  }
}

// Adds one value to the whole block.
template <int kSize, typename Sample>
HWY_ATTR void AddValue(int value, const TargetBlock<Sample>& target,
                       int max_sample) {
  constexpr int kBits = 8 * sizeof(Sample);
  const auto pair = [&](int delta) {
    const int sample = std::clamp(delta, 0, max_sample);
    return static_cast<Pair<Sample> >(target.components == 1
                                          ? sample | sample << kBits
                                          : sample << kBits * target.component);
  };
  if (target.components == 1) {
    AddPairs<kSize>(pair(value), pair(-value), target, max_sample);
  } else {
    AddPairs<2 * kSize>(pair(value), pair(-value), target, max_sample);
  }
}

// ---- one record ----

// The sum of count coefficients without their signs is at most limit.
HWY_NOINLINE HWY_ATTR bool SumIsAtMost(int32_t limit, const int16_t* from,
                                       int count) {
  const hn::FixedTag<int16_t, kMostLanes / 2> d;
  const hn::FixedTag<uint16_t, kMostLanes / 2> du;
  const hn::FixedTag<uint32_t, kMostLanes / 4> sums;
  auto sum = hn::Zero(du);  // saturates far above any limit
  for (int i = 0; i < count; i += kMostLanes / 2) {
    const auto v = hn::LoadU(d, from + i);
    sum = hn::SaturatedAdd(sum, hn::BitCast(du, hn::Abs(v)));
  }
  const auto pairs = hn::BitCast(sums, sum);
  const auto total =
      hn::SumOfLanes(sums, hn::Add(hn::ShiftRight<16>(pairs),
                                   hn::And(pairs, hn::Set(sums, 0xffffu))));
  return hn::GetLane(total) <= static_cast<uint32_t>(limit);
}
HWY_NOINLINE HWY_ATTR bool SumIsAtMost(int32_t limit, const int32_t* from,
                                       int count) {
  const hn::FixedTag<int32_t, kMostLanes / 4> d;
  const hn::FixedTag<uint32_t, kMostLanes / 4> du;
  const auto most = hn::Set(du, static_cast<uint32_t>(limit) + 1);
  auto sum = hn::Zero(du);
  for (int i = 0; i < count; i += kMostLanes / 4) {
    const auto v = hn::LoadU(d, from + i);
    sum = hn::Add(sum, hn::Min(hn::BitCast(du, hn::Abs(v)), most));
  }
  return hn::GetLane(hn::SumOfLanes(du, sum)) <= static_cast<uint32_t>(limit);
}

// DCT_DCT of nothing but the DC: every output is the same.
int InverseDc(int32_t dc, int size_log2) {
  int64_t value = dc;
  for (int direction = 0; direction < 2; ++direction) {
    value = static_cast<int32_t>((value * Cos64(16) + (1 << (kCosBits - 1))) >>
                                 kCosBits);
  }
  const int shift = OutputShift(size_log2);
  return static_cast<int>((value + (1 << (shift - 1))) >> shift);
}

template <typename Sample, int kLog2>
HWY_ATTR void AddResidualOfSize(const KernelArgs& args,
                                const TransformBlock& block) {
  using Coefficient = std::conditional_t<sizeof(Sample) == 1, int16_t, int32_t>;
  constexpr int kSize = 1 << kLog2;
  const auto* const from = reinterpret_cast<const Coefficient*>(
      &args.lists.coefficients[block.coefficients]);
  const int stored = std::min(4 << TransformStoredLog2(block.shape), kSize);
  const uint32_t tx_type = TransformType(block.shape);
  const int max_sample = (1 << args.params->bit_depth) - 1;
  const TargetBlock<Sample> target = LocateBlock<Sample>(args, block, kSize);
  if constexpr (kLog2 == 2) {
    if (args.params->lossless) {
      HWY_ALIGN int32_t rows[kSize * kSize];
      InverseRows<Lanes32<4>, 2, 4, Transform::kWht>(from, rows);
      InverseColumns<Lanes32<4>, 2, 4, Transform::kWht>(rows);
      return AddRows<kSize>(rows, target, max_sample);
    }
  }
  if (block.eob == 1 && tx_type == 0) {
    return AddValue<kSize>(InverseDc(from[0], kLog2), target, max_sample);
  }
  if constexpr (sizeof(Sample) == 1) {
    if (SumIsAtMost(Lanes16<8>::kLargestSum, from, stored * stored)) {
      HWY_ALIGN int16_t rows[kSize * kSize];
      InverseTransform2d<Lanes16, kLog2, 4>(from, stored, tx_type, rows);
      return AddRows<kSize>(rows, target, max_sample);
    }
  } else if (!SumIsAtMost(Lanes32<4>::kLargestSum, from, stored * stored)) {
    return AddResidual<Sample>(args, block);
  }
  HWY_ALIGN int32_t rows[kSize * kSize];
  InverseTransform2d<Lanes32, kLog2, 4>(from, stored, tx_type, rows);
  AddRows<kSize>(rows, target, max_sample);
}

template <typename Sample>
HWY_ATTR void AddOne(const KernelArgs& args, const TransformBlock& block) {
  switch (TransformSize(block.shape)) {
    case 0:
      return AddResidualOfSize<Sample, 2>(args, block);
    case 1:
      return AddResidualOfSize<Sample, 3>(args, block);
    case 2:
      return AddResidualOfSize<Sample, 4>(args, block);
    default:
      return AddResidualOfSize<Sample, 5>(args, block);
  }
}

template <typename Sample>
HWY_ATTR void AddAll(const KernelArgs& args, Range range) {
  for (uint32_t i = range.begin; i < range.end; ++i) {
    AddOne<Sample>(args, args.lists.inter_transforms[i]);
  }
}

}  // namespace

void AddResidual8(const KernelArgs& args, const TransformBlock& block) {
  AddOne<uint8_t>(args, block);
}
void AddResidual16(const KernelArgs& args, const TransformBlock& block) {
  AddOne<uint16_t>(args, block);
}
void InverseTransform8(const KernelArgs& args, Range range) {
  AddAll<uint8_t>(args, range);
}
void InverseTransform16(const KernelArgs& args, Range range) {
  AddAll<uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

HWY_EXPORT(AddResidual8);
HWY_EXPORT(AddResidual16);
HWY_EXPORT(InverseTransform8);
HWY_EXPORT(InverseTransform16);

template <>
void AddResidualSimd<uint8_t>(const KernelArgs& args,
                              const TransformBlock& block) {
  HWY_DYNAMIC_DISPATCH(AddResidual8)(args, block);
}
template <>
void AddResidualSimd<uint16_t>(const KernelArgs& args,
                               const TransformBlock& block) {
  HWY_DYNAMIC_DISPATCH(AddResidual16)(args, block);
}
template <>
void InverseTransformSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InverseTransform8)(args, range);
}
template <>
void InverseTransformSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(InverseTransform16)(args, range);
}

}  // namespace perdix::vp9
#endif
