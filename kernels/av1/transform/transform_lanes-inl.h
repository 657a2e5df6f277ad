// SPDX-License-Identifier: BSD-2-Clause
// The one-dimensional inverse transforms (7.13.2) of as many rows or columns as
// a vector has lanes, for inverse_transform_simd.cc.
//
// Lanes of 16 bits do what transform_1d.h's Clamping::kAll does within 16 bits,
// for any input: every sum saturates, every product is rounded in 32 bits and
// then saturates. Lanes of 32 bits do what Clamping::kHadamard does: products
// wrap.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LANES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LANES_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LANES_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <utility>

#include "kernels/av1/transform/transform_1d.h"
#include "kernels/av1/transform/transform_shape.h"
#include "kernels/simd/lane_shifts-inl.h"
#include "kernels/simd/pair_products-inl.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// step(i) for i of 0..kCount - 1, each a constant.
template <class Step, int... i>
HWY_INLINE HWY_ATTR void RepeatEach(const Step& step,
                                    std::integer_sequence<int, i...>) {
  (step(std::integral_constant<int, i>()), ...);
}
template <int kCount, class Step>
HWY_INLINE HWY_ATTR void Repeat(const Step& step) {
  RepeatEach(step, std::make_integer_sequence<int, kCount>());
}

// ---- lanes ----

// Of a vector: few blocks would fill wider ones.
constexpr int kMostBytes = static_cast<int>(std::min(HWY_MAX_BYTES, 32));
// Lanes of narrow and of wide groups of columns, and of the widest, which only
// columns of 16 bits have, with AVX-512.
template <typename T>
constexpr int kNarrow = static_cast<int>(16 / sizeof(T));
template <typename T>
constexpr int kWide = static_cast<int>(kMostBytes / sizeof(T));
template <typename T>
constexpr int kWidest = sizeof(T) == 2 && HWY_MAX_BYTES == 64 ? 32 : kWide<T>;

// Columns in a group of a block's.
template <typename T>
constexpr int GroupOf(int width) {
  if (width >= kWidest<T>) return kWidest<T>;
  return width >= kWide<T> ? kWide<T> : kNarrow<T>;
}
// run(GroupOf<T>(width)), of a constant.
template <typename T, class Run>
HWY_INLINE void RunOnGroups(int width, const Run& run) {
  if (width >= kWidest<T>) {
    run(std::integral_constant<int, kWidest<T> >());
  } else if (width >= kWide<T>) {
    run(std::integral_constant<int, kWide<T> >());
  } else {
    run(std::integral_constant<int, kNarrow<T> >());
  }
}
constexpr int kProductBits = 12;

// kN lanes of 16 bits: 8, 16 or 32.
template <int kN>
struct Lanes16 {
  using T = int16_t;
  static constexpr int kCount = kN;
  using D = hn::FixedTag<int16_t, kN>;
  using V = hn::VFromD<D>;
  using Wide = hn::FixedTag<int32_t, kN / 2>;

  // A sum of 32 bits for each lane.
  struct Sums {
    hn::VFromD<Wide> lower;
    hn::VFromD<Wide> upper;
  };

  // Everything is clamped to 16 bits.
  explicit HWY_INLINE HWY_ATTR Lanes16(Limits) {}

  static HWY_INLINE HWY_ATTR V Add(V x, V y) { return hn::SaturatedAdd(x, y); }
  static HWY_INLINE HWY_ATTR V Sub(V x, V y) { return hn::SaturatedSub(x, y); }
  static HWY_INLINE HWY_ATTR V Negate(V x) {
    return hn::SaturatedSub(hn::Zero(D()), x);
  }
  // Round2(x * factor, 12), |factor| < 4096.
  static HWY_INLINE HWY_ATTR V MulRound(V x, int factor) {
    return hn::MulFixedPoint15(x,
                               hn::Set(D(), static_cast<int16_t>(8 * factor)));
  }
  // Round2(x, bits), bits not 0: by the same instruction.
  static HWY_INLINE HWY_ATTR V Round2(V x, int bits) {
    return hn::MulFixedPoint15(
        x, hn::Set(D(), static_cast<int16_t>(1 << (15 - bits))));
  }
  // Round2(x * a + y * b, 12)
  static HWY_INLINE HWY_ATTR V Rotated(V x, V y, int a, int b) {
    return Round(MulAdd(x, y, a, b));
  }
  // Round2(x * a + y * b + z * c + w * d, 12)
  static HWY_INLINE HWY_ATTR V Combined(V x, V y, V z, V w, int a, int b, int c,
                                        int d) {
    return Round(MulAdd(z, w, c, d, MulAdd(x, y, a, b)));
  }
  // Round2(x * factor, 12), then Round2 of it, both in 32 bits.
  static HWY_INLINE HWY_ATTR V ScaleAndRound(V x, int factor, int bits) {
    const Sums sums = MulAdd(x, hn::Zero(D()), factor, 0);
    const auto more = hn::Set(Wide(), (1 << bits) >> 1);
    const auto round = [&](hn::VFromD<Wide> v) HWY_ATTR {
      return ShiftRightBy(hn::Add(RoundProduct(v), more), bits);
    };
    return Narrow(round(sums.lower), round(sums.upper));
  }

 protected:
#if HWY_ARCH_ARM_A64
  static HWY_INLINE HWY_ATTR Sums MulAdd(V x, V y, int a, int b) {
    const int16_t a16 = static_cast<int16_t>(a);
    const int16_t b16 = static_cast<int16_t>(b);
    using Sum = hn::VFromD<Wide>;
    return {Sum(vmlal_n_s16(vmull_n_s16(vget_low_s16(x.raw), a16),
                            vget_low_s16(y.raw), b16)),
            Sum(vmlal_high_n_s16(vmull_high_n_s16(x.raw, a16), y.raw, b16))};
  }
  static HWY_INLINE HWY_ATTR Sums MulAdd(V x, V y, int a, int b, Sums sums) {
    const int16_t a16 = static_cast<int16_t>(a);
    const int16_t b16 = static_cast<int16_t>(b);
    using Sum = hn::VFromD<Wide>;
    return {
        Sum(vmlal_n_s16(vmlal_n_s16(sums.lower.raw, vget_low_s16(x.raw), a16),
                        vget_low_s16(y.raw), b16)),
        Sum(vmlal_high_n_s16(vmlal_high_n_s16(sums.upper.raw, x.raw, a16),
                             y.raw, b16))};
  }
  static HWY_INLINE HWY_ATTR hn::VFromD<Wide> RoundProduct(
      hn::VFromD<Wide> sum) {
    return hn::VFromD<Wide>(vrshrq_n_s32(sum.raw, kProductBits));
  }
  static HWY_INLINE HWY_ATTR V Round(Sums sums) {
    return V(vqrshrn_high_n_s32(vqrshrn_n_s32(sums.lower.raw, kProductBits),
                                sums.upper.raw, kProductBits));
  }
  static HWY_INLINE HWY_ATTR V Narrow(hn::VFromD<Wide> lower,
                                      hn::VFromD<Wide> upper) {
    return V(vqmovn_high_s32(vqmovn_s32(lower.raw), upper.raw));
  }
#else
  // a and b in each pair of lanes.
  static HWY_INLINE HWY_ATTR V Factors(int a, int b) {
    return hn::BitCast(
        D(), hn::Set(Wide(), static_cast<int32_t>(
                                 (static_cast<uint32_t>(b) << 16) |
                                 (static_cast<uint32_t>(a) & 0xffff))));
  }
  // Sums begin with what rounding adds.
  static HWY_INLINE HWY_ATTR hn::VFromD<Wide> Half() {
    return hn::Set(Wide(), 1 << (kProductBits - 1));
  }
  static HWY_INLINE HWY_ATTR Sums MulAdd(V x, V y, int a, int b,
                                         Sums sums = {Half(), Half()}) {
    const V factors = Factors(a, b);
    return {AddProducts(Wide(), hn::InterleaveLower(D(), x, y), factors,
                        sums.lower),
            AddProducts(Wide(), hn::InterleaveUpper(D(), x, y), factors,
                        sums.upper)};
  }
  static HWY_INLINE HWY_ATTR hn::VFromD<Wide> RoundProduct(
      hn::VFromD<Wide> sum) {
    return hn::ShiftRight<kProductBits>(sum);
  }
  static HWY_INLINE HWY_ATTR V Round(Sums sums) {
    return Narrow(RoundProduct(sums.lower), RoundProduct(sums.upper));
  }
  // Of halves as InterleaveLower and InterleaveUpper give them.
  static HWY_INLINE HWY_ATTR V Narrow(hn::VFromD<Wide> lower,
                                      hn::VFromD<Wide> upper) {
    return hn::ReorderDemote2To(D(), lower, upper);
  }
#endif
};

// The lower four of eight lanes of 16 bits: the others may be anything.
struct FourLanes16 : Lanes16<8> {
  explicit HWY_INLINE HWY_ATTR FourLanes16(Limits limits)
      : Lanes16<8>(limits) {}

#if !HWY_ARCH_ARM_A64  // whose upper lanes need no more instructions
  static HWY_INLINE HWY_ATTR V Rotated(V x, V y, int a, int b) {
    return Round(MulAdd(x, y, a, b));
  }
  static HWY_INLINE HWY_ATTR V Combined(V x, V y, V z, V w, int a, int b, int c,
                                        int d) {
    return Round(MulAdd(z, w, c, d, MulAdd(x, y, a, b)));
  }

 private:
  using Sum = hn::VFromD<Wide>;
  static HWY_INLINE HWY_ATTR Sum MulAdd(V x, V y, int a, int b,
                                        Sum sum = Half()) {
    return AddProducts(Wide(), hn::InterleaveLower(D(), x, y), Factors(a, b),
                       sum);
  }
  static HWY_INLINE HWY_ATTR V Round(Sum sum) {
    const Sum rounded = RoundProduct(sum);
    return Narrow(rounded, rounded);
  }
#endif
};

// kN lanes of 32 bits, as are the sums of products.
template <int kN>
struct Lanes32 {
  using T = int32_t;
  static constexpr int kCount = kN;
  using D = hn::FixedTag<int32_t, kN>;
  using V = hn::VFromD<D>;

  explicit HWY_INLINE HWY_ATTR Lanes32(Limits limits)
      : min(hn::Set(D(), limits.min)), max(hn::Set(D(), limits.max)) {}

  HWY_INLINE HWY_ATTR V Clamp(V x) const {
    return hn::Min(hn::Max(x, min), max);
  }
  HWY_INLINE HWY_ATTR V Add(V x, V y) const { return Clamp(hn::Add(x, y)); }
  HWY_INLINE HWY_ATTR V Sub(V x, V y) const { return Clamp(hn::Sub(x, y)); }
  static HWY_INLINE HWY_ATTR V Negate(V x) { return hn::Sub(hn::Zero(D()), x); }
  static HWY_INLINE HWY_ATTR V MulRound(V x, int factor) {
    return RoundProduct(hn::Mul(x, hn::Set(D(), factor)));
  }
  // Round2(x, bits)
  static HWY_INLINE HWY_ATTR V Round2(V x, int bits) {
    return ShiftRightBy(hn::Add(x, hn::Set(D(), (1 << bits) >> 1)), bits);
  }
  static HWY_INLINE HWY_ATTR V Rotated(V x, V y, int a, int b) {
    if (a == b) return MulRound(hn::Add(x, y), a);
    if (a == -b) return MulRound(hn::Sub(x, y), a);
    return RoundProduct(MulAdd(x, y, a, b));
  }
  static HWY_INLINE HWY_ATTR V Combined(V x, V y, V z, V w, int a, int b, int c,
                                        int d) {
    return RoundFullProduct(hn::Add(MulAdd(x, y, a, b), MulAdd(z, w, c, d)));
  }

  V min;
  V max;

 private:
  static HWY_INLINE HWY_ATTR V MulAdd(V x, V y, int a, int b) {
    return hn::Add(hn::Mul(x, hn::Set(D(), a)), hn::Mul(y, hn::Set(D(), b)));
  }
  static HWY_INLINE HWY_ATTR V RoundProduct(V x) {
    return hn::ShiftRight<kProductBits>(
        hn::Add(x, hn::Set(D(), 1 << (kProductBits - 1))));
  }
  // The same of any x, where that sum would wrap (7.13.2.6).
  static HWY_INLINE HWY_ATTR V RoundFullProduct(V x) {
    return hn::ShiftRight<1>(
        hn::Add(hn::ShiftRight<kProductBits - 1>(x), hn::Set(D(), 1)));
  }
};

// ---- 7.13.2: one dimension ----

// The array T. Once all is inlined, indices, angles and what is zero are
// constants: a rotation of a value and a zero is only two products.
template <class L, int kLog2>
class TransformArray {
 public:
  using T = typename L::T;
  using V = typename L::V;
  using D = typename L::D;
  static constexpr int kSize = 1 << kLog2;

  explicit HWY_INLINE HWY_ATTR TransformArray(const L& lanes) : lanes_(lanes) {
    Repeat<kSize>([&](auto i) HWY_ATTR {
      t_[i] = hn::Zero(D());
      zero_[i] = true;
    });
  }

  // In memory: from kStored vectors, the rest is zero, to all. flip: an ADST's
  // results are stored from the last to the first.
  template <TransformKind kKind, int kStored>
  HWY_INLINE HWY_ATTR void RunStored(T* t, bool flip) {
    Repeat<kStored>([&](auto i) HWY_ATTR {
      Set<kKind, decltype(i)::value>(hn::LoadU(D(), t + i * L::kCount));
    });
    Run<kKind>();
    ptrdiff_t step = L::kCount;
    if (kKind == TransformKind::kAdst && flip) {
      t += (kSize - 1) * step;
      step = -step;
    }
    Repeat<kSize>([&](auto i) HWY_ATTR {
      hn::StoreU(Get<kKind, decltype(i)::value>(), D(), t + i * step);
    });
  }

  // In registers, likewise.
  template <TransformKind kKind, int kStored = kSize>
  HWY_INLINE HWY_ATTR void RunAll(V* v) {
    Repeat<kStored>([&](auto i)
                        HWY_ATTR { Set<kKind, decltype(i)::value>(v[i]); });
    Run<kKind>();
    Repeat<kSize>([&](auto i)
                      HWY_ATTR { v[i] = Get<kKind, decltype(i)::value>(); });
  }

 private:
  // Input i.
  template <TransformKind kKind, int i>
  HWY_INLINE HWY_ATTR void Set(V v) {
    constexpr size_t at = kInputOrders[static_cast<size_t>(kKind)][kLog2 - 2]
                                      [static_cast<size_t>(i)];
    t_[at] = v;
    zero_[at] = false;
  }
  // Output i.
  template <TransformKind kKind, int i>
  HWY_INLINE HWY_ATTR V Get() const {
    if constexpr (kKind == TransformKind::kDct || kLog2 == 2) return t_[i];
    const V v = t_[AdstOutput(kLog2, i)];  // 7.13.2.5
    return (i & 1) ? L::Negate(v) : v;
  }

  template <TransformKind kKind>
  HWY_INLINE HWY_ATTR void Run() {
    if constexpr (kKind == TransformKind::kDct) {
      Dct4();
      if constexpr (kLog2 >= 3) Dct8();
      if constexpr (kLog2 >= 4) Dct16();
      if constexpr (kLog2 >= 5) Dct32();
      if constexpr (kLog2 >= 6) Dct64();
    } else {
      if constexpr (kLog2 == 2) Adst4();
      if constexpr (kLog2 == 3) Adst8();
      if constexpr (kLog2 == 4) Adst16();
    }
  }

  // Round2(T[a] * x + T[b] * y, 12)
  HWY_INLINE HWY_ATTR V Rotated(int a, int b, int x, int y) const {
    if (zero_[a]) return L::MulRound(t_[b], y);
    if (zero_[b]) return L::MulRound(t_[a], x);
    return L::Rotated(t_[a], t_[b], x, y);
  }

  // 7.13.2.1: butterfly rotation; flip exchanges the results.
  HWY_INLINE HWY_ATTR void B(int a, int b, int angle, int flip) {
    if (zero_[a] && zero_[b]) return;
    const int cos = Cos128(angle);
    const int sin = Sin128(angle);
    const V x = Rotated(a, b, cos, -sin);
    const V y = Rotated(a, b, sin, cos);
    t_[a] = flip ? y : x;
    t_[b] = flip ? x : y;
    zero_[a] = zero_[b] = false;
  }

  // 7.13.2.1: Hadamard rotation; flip is H(b, a).
  HWY_INLINE HWY_ATTR void H(int a, int b, int flip) {
    if (flip) std::swap(a, b);
    if (zero_[a] && zero_[b]) return;
    const V x = t_[a];
    const V y = t_[b];
    if (sizeof(T) == 2 && (zero_[a] || zero_[b])) {
      t_[a] = zero_[a] ? y : x;
      t_[b] = zero_[a] ? L::Negate(y) : x;
      zero_[a] = zero_[b] = false;
      return;
    }
    t_[a] = lanes_.Add(x, y);
    t_[b] = lanes_.Sub(x, y);
    zero_[a] = zero_[b] = false;
  }

  // ---- 7.13.2.3 ----
  // Each is what comes after the transform of half the length, as in
  // transform_1d.h.

  HWY_INLINE HWY_ATTR void Dct4() {
    B(0, 1, 32, 1);
    B(2, 3, 48, 0);
    H(0, 3, 0);
    H(1, 2, 0);
  }

  HWY_INLINE HWY_ATTR void Dct8() {
    Repeat<2>([&](auto i) HWY_ATTR { B(4 + i, 7 - i, 56 - 32 * i, 0); });
    Repeat<2>([&](auto i) HWY_ATTR { H(4 + 2 * i, 5 + 2 * i, i); });
    B(6, 5, 32, 1);
    Repeat<4>([&](auto i) HWY_ATTR { H(i, 7 - i, 0); });
  }

  HWY_INLINE HWY_ATTR void Dct16() {
    Repeat<4>([&](auto i) HWY_ATTR {
      B(8 + i, 15 - i, 12 + (BitReverse(2, 3 - i) << 4), 0);
    });
    Repeat<4>([&](auto i) HWY_ATTR { H(8 + 2 * i, 9 + 2 * i, i & 1); });
    Repeat<2>([&](auto i) HWY_ATTR { B(14 - i, 9 + i, 48 + 64 * i, 1); });
    Repeat<4>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      H(8 + 4 * i + j, 11 + 4 * i - j, i);
    });
    Repeat<2>([&](auto i) HWY_ATTR { B(13 - i, 10 + i, 32, 1); });
    Repeat<8>([&](auto i) HWY_ATTR { H(i, 15 - i, 0); });
  }

  HWY_INLINE HWY_ATTR void Dct32() {
    Repeat<8>([&](auto i) HWY_ATTR {
      B(16 + i, 31 - i, 6 + (BitReverse(3, 7 - i) << 3), 0);
    });
    Repeat<8>([&](auto i) HWY_ATTR { H(16 + 2 * i, 17 + 2 * i, i & 1); });
    Repeat<4>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      B(30 - 4 * i - j, 17 + 4 * i + j, 24 + (j << 6) + ((1 - i) << 5), 1);
    });
    Repeat<8>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      H(16 + 4 * i + j, 19 + 4 * i - j, i & 1);
    });
    Repeat<4>([&](auto i)
                  HWY_ATTR { B(29 - i, 18 + i, 48 + (i >> 1) * 64, 1); });
    Repeat<8>([&](auto k) HWY_ATTR {
      const int i = k >> 2, j = k & 3;
      H(16 + i * 8 + j, 23 + i * 8 - j, i);
    });
    Repeat<4>([&](auto i) HWY_ATTR { B(27 - i, 20 + i, 32, 1); });
    Repeat<16>([&](auto i) HWY_ATTR { H(i, 31 - i, 0); });
  }

  HWY_INLINE HWY_ATTR void Dct64() {
    Repeat<16>([&](auto i) HWY_ATTR {
      B(32 + i, 63 - i, 63 - 4 * BitReverse(4, i), 0);
    });
    Repeat<16>([&](auto i) HWY_ATTR { H(32 + i * 2, 33 + i * 2, i & 1); });
    Repeat<8>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      B(62 - i * 4 - j, 33 + i * 4 + j, 60 - 16 * BitReverse(2, i) + 64 * j, 1);
    });
    Repeat<16>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      H(32 + i * 4 + j, 35 + i * 4 - j, i & 1);
    });
    Repeat<8>([&](auto k) HWY_ATTR {
      const int i = k >> 2, j = k & 3;
      B(61 - i * 8 - j, 34 + i * 8 + j, 56 - i * 32 + (j >> 1) * 64, 1);
    });
    Repeat<16>([&](auto k) HWY_ATTR {
      const int i = k >> 2, j = k & 3;
      H(32 + 8 * i + j, 39 + 8 * i - j, i & 1);
    });
    Repeat<8>([&](auto i) HWY_ATTR { B(59 - i, 36 + i, i < 4 ? 48 : 112, 1); });
    Repeat<8>([&](auto i) HWY_ATTR {
      H(32 + i, 47 - i, 0);
      H(48 + i, 63 - i, 1);
    });
    Repeat<8>([&](auto i) HWY_ATTR { B(55 - i, 40 + i, 32, 1); });
    Repeat<32>([&](auto i) HWY_ATTR { H(i, 63 - i, 0); });
  }

  // ---- 7.13.2.6 to 7.13.2.8 ----

  HWY_INLINE HWY_ATTR void Adst4() {
    const V x = t_[0];
    const V y = t_[1];
    const V z = t_[2];
    const V w = t_[3];
    const auto put = [&](int i, int f0, int f1, int f2, int f3) HWY_ATTR {
      t_[i] = L::Combined(x, y, z, w, f0, f1, f2, f3);
    };
    put(0, kSinpi1, kSinpi3, kSinpi4, kSinpi2);
    put(1, kSinpi2, kSinpi3, -kSinpi1, -kSinpi4);
    put(2, kSinpi3, 0, -kSinpi3, kSinpi3);
    put(3, kSinpi1 + kSinpi2, -kSinpi3, kSinpi4 - kSinpi1, kSinpi2 - kSinpi4);
  }

  HWY_INLINE HWY_ATTR void Adst8() {
    Repeat<4>([&](auto i) HWY_ATTR { B(2 * i, 2 * i + 1, 60 - 16 * i, 1); });
    Repeat<4>([&](auto i) HWY_ATTR { H(i, 4 + i, 0); });
    Repeat<2>([&](auto i) HWY_ATTR { B(4 + 3 * i, 5 + i, 48 - 32 * i, 1); });
    Repeat<4>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      H(4 * j + i, 2 + 4 * j + i, 0);
    });
    Repeat<2>([&](auto i) HWY_ATTR { B(2 + 4 * i, 3 + 4 * i, 32, 1); });
  }

  HWY_INLINE HWY_ATTR void Adst16() {
    Repeat<8>([&](auto i) HWY_ATTR { B(2 * i, 2 * i + 1, 62 - 8 * i, 1); });
    Repeat<8>([&](auto i) HWY_ATTR { H(i, 8 + i, 0); });
    Repeat<2>([&](auto i) HWY_ATTR {
      B(8 + 2 * i, 9 + 2 * i, 56 - 32 * i, 1);
      B(13 + 2 * i, 12 + 2 * i, 8 + 32 * i, 1);
    });
    Repeat<8>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      H(8 * j + i, 4 + 8 * j + i, 0);
    });
    Repeat<4>([&](auto k) HWY_ATTR {
      const int i = k >> 1, j = k & 1;
      B(4 + 8 * j + 3 * i, 5 + 8 * j + i, 48 - 32 * i, 1);
    });
    Repeat<8>([&](auto k) HWY_ATTR {
      const int i = k >> 2, j = k & 3;
      H(4 * j + i, 2 + 4 * j + i, 0);
    });
    Repeat<4>([&](auto i) HWY_ATTR { B(2 + 4 * i, 3 + 4 * i, 32, 1); });
  }

  const L lanes_;
  V t_[kSize];
  bool zero_[kSize];
};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
