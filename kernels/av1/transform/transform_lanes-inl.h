// SPDX-License-Identifier: BSD-2-Clause
// The one-dimensional inverse transforms (7.13.2) of as many rows or columns as
// a vector has lanes.
//
// Lanes of 16 bits do what transform_1d.h does where r is 16 bits, and that
// for any input: every sum saturates, every product is rounded in 32 bits and
// then saturates. Lanes of 32 bits do what it does for any other r: products
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
#include <type_traits>
#include <utility>

#include "kernels/av1/transform/transform_1d.h"
#include "kernels/av1/transform/transform_shape.h"
#include "kernels/av1/transform/transform_steps.h"
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

// A vector's size, at most: few blocks would fill wider ones.
constexpr int kMostBytes = static_cast<int>(std::min(HWY_MAX_BYTES, 32));
// Lanes of wide and of narrow groups of columns, and of the widest, which only
// columns of 16 bits have, with AVX-512. Lanes of 32 bits are rare: all groups
// are of one width.
template <typename T>
constexpr int kWide = static_cast<int>(kMostBytes / sizeof(T));
template <typename T>
constexpr int kNarrow = sizeof(T) == 2 ? 8 : kWide<T>;
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
  if constexpr (kNarrow<T> < kWidest<T>) {
    if (width < kWide<T>) {
      return run(std::integral_constant<int, kNarrow<T>>());
    }
  }
  if constexpr (kWide<T> < kWidest<T>) {
    if (width < kWidest<T>) {
      return run(std::integral_constant<int, kWide<T>>());
    }
  }
  run(std::integral_constant<int, kWidest<T>>());
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

  static HWY_INLINE HWY_ATTR V Clamp(V x) { return x; }
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
  // Round2(x * kA + y * kB, 12)
  template <int kA, int kB>
  static HWY_INLINE HWY_ATTR V Rotated(V x, V y) {
    return Round(MulAdd(x, y, kA, kB));
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
  // Narrows halves that InterleaveLower and InterleaveUpper gave.
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
  template <int kA, int kB>
  static HWY_INLINE HWY_ATTR V Rotated(V x, V y) {
    return Round(MulAdd(x, y, kA, kB));
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
  template <int kA, int kB>
  static HWY_INLINE HWY_ATTR V Rotated(V x, V y) {
    if constexpr (kA == kB) {
      return MulRound(hn::Add(x, y), kA);
    } else if constexpr (kA == -kB) {
      return MulRound(hn::Sub(x, y), kA);
    } else {
      return RoundProduct(MulAdd(x, y, kA, kB));
    }
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
  // RoundProduct for any x, where its sum would wrap (7.13.2.6).
  static HWY_INLINE HWY_ATTR V RoundFullProduct(V x) {
    return hn::ShiftRight<1>(
        hn::Add(hn::ShiftRight<kProductBits - 1>(x), hn::Set(D(), 1)));
  }
};

template <typename T, int kN>
using Lanes = std::conditional_t<sizeof(T) == 2, Lanes16<kN>, Lanes32<kN>>;

// ---- 7.13.2: one dimension ----

// One rotation of T. What is zero has not been written.
template <Rotation kStep, class L>
HWY_INLINE HWY_ATTR void Rotate(const L& lanes, typename L::V* t) {
  using V = typename L::V;
  if constexpr (!kStep.hadamard) {
    V x, y;
    if constexpr (kStep.a_is_zero) {
      x = L::MulRound(t[kStep.b], -kStep.sin);
      y = L::MulRound(t[kStep.b], kStep.cos);
    } else if constexpr (kStep.b_is_zero) {
      x = L::MulRound(t[kStep.a], kStep.cos);
      y = L::MulRound(t[kStep.a], kStep.sin);
    } else {
      x = L::template Rotated<kStep.cos, -kStep.sin>(t[kStep.a], t[kStep.b]);
      y = L::template Rotated<kStep.sin, kStep.cos>(t[kStep.a], t[kStep.b]);
    }
    t[kStep.to_x] = x;
    t[kStep.to_y] = y;
  } else if constexpr (kStep.a_is_zero) {
    t[kStep.a] = lanes.Clamp(t[kStep.b]);
    t[kStep.b] = lanes.Clamp(L::Negate(t[kStep.b]));
  } else if constexpr (kStep.b_is_zero) {
    t[kStep.a] = t[kStep.b] = lanes.Clamp(t[kStep.a]);
  } else {
    const V sum = lanes.Add(t[kStep.a], t[kStep.b]);
    t[kStep.b] = lanes.Sub(t[kStep.a], t[kStep.b]);
    t[kStep.a] = sum;
  }
}

// The array T of a transform of 1 << kLog2 elements, of which those from
// kStored on are zero when it begins. Once all is inlined, elements are
// registers.
template <class L, TransformKind kKind, int kLog2, int kStored = 1 << kLog2>
class TransformArray {
 public:
  using T = typename L::T;
  using V = typename L::V;
  using D = typename L::D;
  static constexpr int kSize = 1 << kLog2;

  explicit HWY_INLINE HWY_ATTR TransformArray(const L& lanes) : lanes_(lanes) {}

  // In memory: from kStored vectors to all. flip: an ADST's results are stored
  // from the last to the first.
  HWY_INLINE HWY_ATTR void RunStored(T* t, bool flip) {
    Repeat<kStored>([&](auto i) HWY_ATTR {
      t_[InputOrder(kKind, kLog2)[i]] = hn::LoadU(D(), t + i * L::kCount);
    });
    Run();
    ptrdiff_t step = L::kCount;
    if (kKind == TransformKind::kAdst && flip) {
      t += (kSize - 1) * step;
      step = -step;
    }
    Repeat<kSize>([&](auto i) HWY_ATTR {
      hn::StoreU(Get<decltype(i)::value>(), D(), t + i * step);
    });
  }

  // In registers, from kStored vectors to all.
  HWY_INLINE HWY_ATTR void RunAll(V* v) {
    Repeat<kStored>([&](auto i)
                        HWY_ATTR { t_[InputOrder(kKind, kLog2)[i]] = v[i]; });
    Run();
    Repeat<kSize>([&](auto i) HWY_ATTR { v[i] = Get<decltype(i)::value>(); });
  }

 private:
  static constexpr TransformSteps kSteps{kKind, kLog2, kStored};

  HWY_INLINE HWY_ATTR void Run() {
    if constexpr (kKind == TransformKind::kAdst && kLog2 == 2) {
      Adst4();
    } else {
      RunSteps(std::make_index_sequence<kSteps.count()>());
    }
  }

  template <size_t... i>
  HWY_INLINE HWY_ATTR void RunSteps(std::index_sequence<i...>) {
    (Rotate<kSteps[i]>(lanes_, t_), ...);
  }

  // Output i.
  template <int i>
  HWY_INLINE HWY_ATTR V Get() const {
    if constexpr (kKind == TransformKind::kDct || kLog2 == 2) {
      return t_[i];
    } else {
      const V v = t_[AdstOutput(kLog2, i)];  // 7.13.2.5
      return (i & 1) ? L::Negate(v) : v;
    }
  }

  // 7.13.2.6
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

  const L lanes_;
  V t_[kSize];
};

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
