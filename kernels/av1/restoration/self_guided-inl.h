// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration's self-guided filter (AV1 7.17.2) on vectors of 32-bit
// lanes: what restoration_block.h does, line by line. Lines have room for
// vectors that begin before a piece or end behind it.
#if defined(PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)  // once for each target
#ifdef PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_INL_H_
#undef PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_INL_H_
#else
#define PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

#include "kernels/av1/restoration/restoration_walk.h"
#include "kernels/av1/restoration/self_guided.h"
#include "kernels/simd/lane_shifts-inl.h"

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// ---- lanes ----

using Lanes = hn::FixedTag<int32_t, HWY_MAX_BYTES >= 32 ? 8 : 4>;
using VLanes = hn::VFromD<Lanes>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Lanes()));

HWY_INLINE HWY_ATTR VLanes SetLanes(int value) {
  return hn::Set(Lanes(), value);
}
// A product of factors from 0 to 32767.
HWY_INLINE HWY_ATTR VLanes SmallProduct(VLanes a, VLanes b) {
#if HWY_ARCH_X86  // where a product of all 32 bits takes longer
  const hn::Repartition<int16_t, Lanes> d;
  VLanes unused = hn::Zero(Lanes());
  return hn::ReorderWidenMulAccumulate(
      Lanes(), hn::BitCast(d, a), hn::BitCast(d, b), hn::Zero(Lanes()), unused);
#else
  return hn::Mul(a, b);
#endif
}
HWY_INLINE HWY_ATTR VLanes LoadSamples(const int16_t* from) {
  return hn::PromoteTo(Lanes(), hn::LoadU(hn::Rebind<int16_t, Lanes>(), from));
}

// ---- lines ----

// A line of boxes' middles or of what they are made of.
class GuidedLine {
 public:
  int32_t* at(int column) { return values_ + kMargin + column; }
  const int32_t* at(int column) const { return values_ + kMargin + column; }
  HWY_INLINE HWY_ATTR VLanes Load(int column) const {
    return hn::LoadU(Lanes(), at(column));
  }
  HWY_INLINE HWY_ATTR void Store(VLanes v, int column) {
    hn::StoreU(v, Lanes(), at(column));
  }

 private:
  static constexpr int kMargin = 8;
  alignas(32) int32_t values_[kRestorationPiece + 4 * kMargin];
};

// A and B of 7.17.3, weighted by column or not.
struct BoxLine {
  GuidedLine a;
  GuidedLine b;
};

// A and B of a line of boxes with radius kRadius around samples.
template <int kRadius>
class BoxLanes {
 public:
  BoxLanes(int eps, int bit_depth) : shift_(bit_depth - 8) {
    const uint32_t n2e = kN * kN * static_cast<uint32_t>(eps);
    scale_ = ((1u << 20) + n2e / 2) / n2e;
  }

  // Computes A and B of columns -1 to width.
  HWY_INLINE HWY_ATTR void Compute(const int16_t* samples, int width,
                                   BoxLine& to) const {
    BoxLine columns;  // sums and sums of squares
    for (int x = -1 - kRadius; x < width + 1 + kRadius; x += kLanes) {
      VLanes sum = hn::Zero(Lanes());
      VLanes square = sum;
#pragma GCC unroll 5
      for (int dy = -kRadius; dy <= kRadius; ++dy) {
        const VLanes c = LoadSamples(samples + dy * kRestorationPitch + x);
        sum = hn::Add(sum, c);
        square = hn::Add(square, SmallProduct(c, c));
      }
      columns.a.Store(sum, x);
      columns.b.Store(square, x);
    }
    for (int x = -1; x < width + 1; x += kLanes) {
      StoreBox(columns, x, to);
    }
  }

 private:
  using Unsigned = hn::RebindToUnsigned<Lanes>;
  using VUnsigned = hn::VFromD<Unsigned>;
  static constexpr uint32_t kN = (2 * kRadius + 1) * (2 * kRadius + 1);
  static constexpr uint32_t kOneOverN = ((1u << 12) + kN / 2) / kN;

  HWY_INLINE HWY_ATTR void StoreBox(const BoxLine& columns, int x,
                                    BoxLine& to) const {
    const Unsigned d;
    VLanes sum = columns.a.Load(x);
    VLanes square = columns.b.Load(x);
#pragma GCC unroll 2
    for (int dx = 1; dx <= kRadius; ++dx) {
      sum =
          hn::Add(sum, hn::Add(columns.a.Load(x - dx), columns.a.Load(x + dx)));
      square = hn::Add(square,
                       hn::Add(columns.b.Load(x - dx), columns.b.Load(x + dx)));
    }
    const VLanes a2 = A2Of(ZOf(hn::BitCast(d, sum), hn::BitCast(d, square)));
    const VUnsigned b2 = hn::Mul(
        hn::BitCast(
            d, SmallProduct(hn::Sub(SetLanes(256), a2), SetLanes(kOneOverN))),
        hn::BitCast(d, sum));
    to.a.Store(a2, x);
    to.b.Store(hn::BitCast(Lanes(), hn::ShiftRight<12>(
                                        hn::Add(b2, hn::Set(d, 1u << 11)))),
               x);
  }

  // z, at most 255. All products fit 32 bits (p <= n * n * 2^14).
  HWY_INLINE HWY_ATTR VLanes ZOf(VUnsigned sum, VUnsigned square) const {
    const Unsigned d;
    const VUnsigned rounded_sum =
        ShiftRightBy(hn::Add(sum, hn::Set(d, (1u << shift_) >> 1)), shift_);
    const VUnsigned rounded_square = ShiftRightBy(
        hn::Add(square, hn::Set(d, (1u << (2 * shift_)) >> 1)), 2 * shift_);
    const VLanes dd = SmallProduct(hn::BitCast(Lanes(), rounded_sum),
                                   hn::BitCast(Lanes(), rounded_sum));
    const VLanes an =
        hn::BitCast(Lanes(), hn::Mul(rounded_square, hn::Set(d, kN)));
    const VLanes p = hn::Max(hn::Sub(an, dd), hn::Zero(Lanes()));
    const VUnsigned z = hn::ShiftRight<20>(hn::Add(
        hn::Mul(hn::BitCast(d, p), hn::Set(d, scale_)), hn::Set(d, 1u << 19)));
    return hn::Min(hn::BitCast(Lanes(), z), SetLanes(255));
  }

  // a2 of 7.17.3: a quotient that is exact when cut off, as it is no closer to
  // the next integer than 1 / 256.
  static HWY_INLINE HWY_ATTR VLanes A2Of(VLanes z) {
    const hn::Rebind<float, Lanes> d;
    const VLanes numerator = hn::Add(hn::ShiftLeft<8>(z), hn::ShiftRight<1>(z));
    const VLanes quotient = hn::ConvertTo(
        Lanes(), hn::Div(hn::ConvertTo(d, numerator),
                         hn::ConvertTo(d, hn::Add(z, SetLanes(1)))));
    return hn::IfThenElse(hn::Eq(z, SetLanes(255)), SetLanes(256),
                          hn::Max(quotient, SetLanes(1)));
  }

  const int shift_;
  uint32_t scale_;  // s
};

// ((a * sample + b) rounded, kShift bits less) - 16 * sample.
template <int kShift>
HWY_INLINE HWY_ATTR VLanes DifferenceOf(VLanes a, VLanes b, VLanes sample) {
  const VLanes v =
      hn::Add(hn::Add(SmallProduct(a, sample), b), SetLanes(1 << (kShift - 1)));
  return hn::Sub(hn::ShiftRight<kShift>(v), hn::ShiftLeft<4>(sample));
}

// F of the second pass: all lines, weights 3 4 3, 4 4 4, 3 4 3.
class SecondPassLanes {
 public:
  SecondPassLanes(const RestorationPiece& piece, int eps)
      : piece_(piece), boxes_(eps, piece.bit_depth) {}

  // Before line 0.
  HWY_NOINLINE HWY_ATTR void Start() {
    Advance(-1);
    Advance(0);
  }

  // Before DifferencesAt of line y. Lines in order.
  HWY_INLINE HWY_ATTR void Prepare(int y) {
    Advance(y + 1);
    above_ = &outer_[(y + 2) % 3];
    at_ = &middle_[y % 2];
    below_ = &outer_[(y + 1) % 3];
  }
  // F less the sample, both with 4 more bits.
  HWY_INLINE HWY_ATTR VLanes DifferencesAt(int x, VLanes sample) const {
    const VLanes a =
        hn::Add(hn::Add(above_->a.Load(x), below_->a.Load(x)), at_->a.Load(x));
    const VLanes b =
        hn::Add(hn::Add(above_->b.Load(x), below_->b.Load(x)), at_->b.Load(x));
    return DifferenceOf<9>(a, b, sample);
  }

 private:
  HWY_INLINE HWY_ATTR void Advance(int line) {
    BoxLine boxes;
    boxes_.Compute(piece_.samples + line * kRestorationPitch, piece_.width,
                   boxes);
    BoxLine& outer = outer_[(line + 3) % 3];
    BoxLine& middle = middle_[(line + 2) % 2];
    for (int x = 0; x < piece_.width; x += kLanes) {
      Weigh(boxes.a, x, outer.a, middle.a);
      Weigh(boxes.b, x, outer.b, middle.b);
    }
  }

  static HWY_INLINE HWY_ATTR void Weigh(const GuidedLine& from, int x,
                                        GuidedLine& outer, GuidedLine& middle) {
    const VLanes sides = hn::Add(from.Load(x - 1), from.Load(x + 1));
    const VLanes all = hn::ShiftLeft<2>(hn::Add(sides, from.Load(x)));
    middle.Store(all, x);
    outer.Store(hn::Sub(all, sides), x);
  }

  const RestorationPiece& piece_;
  const BoxLanes<1> boxes_;
  const BoxLine* above_;
  const BoxLine* at_;
  const BoxLine* below_;
  BoxLine outer_[3];   // line modulo 3
  BoxLine middle_[2];  // line modulo 2
};

// F of the first pass: boxes around odd lines alone, weights 5 6 5.
class FirstPassLanes {
 public:
  FirstPassLanes(const RestorationPiece& piece, int eps)
      : piece_(piece), boxes_(eps, piece.bit_depth) {}

  // Start, Prepare and DifferencesAt mean what they mean in SecondPassLanes.
  HWY_NOINLINE HWY_ATTR void Start() { Advance(-1); }
  HWY_INLINE HWY_ATTR void Prepare(int y) {
    even_ = y % 2 == 0;
    if (even_) Advance(y + 1);
    at_ = &lines_[(y + 1) / 2 % 2];
  }
  HWY_INLINE HWY_ATTR VLanes DifferencesAt(int x, VLanes sample) const {
    if (even_) {
      return DifferenceOf<9>(hn::Add(lines_[0].a.Load(x), lines_[1].a.Load(x)),
                             hn::Add(lines_[0].b.Load(x), lines_[1].b.Load(x)),
                             sample);
    }
    return DifferenceOf<8>(at_->a.Load(x), at_->b.Load(x), sample);
  }

 private:
  HWY_INLINE HWY_ATTR void Advance(int line) {
    BoxLine boxes;
    boxes_.Compute(piece_.samples + line * kRestorationPitch, piece_.width,
                   boxes);
    BoxLine& to = lines_[(line + 1) / 2 % 2];
    for (int x = 0; x < piece_.width; x += kLanes) {
      Weigh(boxes.a, x, to.a);
      Weigh(boxes.b, x, to.b);
    }
  }

  static HWY_INLINE HWY_ATTR void Weigh(const GuidedLine& from, int x,
                                        GuidedLine& to) {
    const VLanes at = from.Load(x);
    const VLanes all = hn::Add(hn::Add(from.Load(x - 1), from.Load(x + 1)), at);
    to.Store(hn::Add(hn::Add(hn::ShiftLeft<2>(all), all), at), x);
  }

  const RestorationPiece& piece_;
  const BoxLanes<2> boxes_;
  bool even_;  // the line
  const BoxLine* at_;
  BoxLine lines_[2];  // of the last two odd lines
};

// 7.17.2: v is the sample times w0 + w1 + w2 = 128, and the differences times
// w0 and w2.
template <bool kFirst, bool kSecond>
HWY_NOINLINE HWY_ATTR void FilterGuided(const SelfGuidedPass* passes, int w0,
                                        int w2, const RestorationPiece& piece,
                                        uint16_t* to) {
  const hn::Rebind<uint16_t, Lanes> d16;
  const auto max_sample =
      hn::Set(d16, static_cast<uint16_t>((1 << piece.bit_depth) - 1));
  const VLanes weight0 = SetLanes(w0);
  const VLanes weight2 = SetLanes(w2);
  FirstPassLanes first(piece, kFirst ? passes[0].eps : 1);
  SecondPassLanes second(piece, kSecond ? passes[1].eps : 1);
  if constexpr (kFirst) first.Start();
  if constexpr (kSecond) second.Start();
  for (int y = 0; y < piece.height; ++y, to += kRestorationPiece) {
    const int16_t* samples = piece.samples + y * kRestorationPitch;
    if constexpr (kFirst) first.Prepare(y);
    if constexpr (kSecond) second.Prepare(y);
    for (int x = 0; x < piece.width; x += kLanes) {
      const VLanes sample = LoadSamples(samples + x);
      VLanes v = hn::Add(hn::ShiftLeft<11>(sample), SetLanes(1 << 10));
      if constexpr (kFirst) {
        v = hn::Add(v, hn::Mul(weight0, first.DifferencesAt(x, sample)));
      }
      if constexpr (kSecond) {
        v = hn::Add(v, hn::Mul(weight2, second.DifferencesAt(x, sample)));
      }
      hn::StoreU(hn::Min(hn::DemoteTo(d16, hn::ShiftRight<11>(v)), max_sample),
                 d16, to + x);
    }
  }
}

// SelfGuidedFilter on vectors.
inline void SelfGuidedOnLanes(const RestorationUnit& unit,
                              const RestorationPiece& piece, uint16_t* to) {
  const SelfGuidedPass* passes = kSelfGuidedSets[unit.vertical & 15];
  const int w0 = static_cast<int16_t>(unit.weights & 0xffff);
  const int w2 = 128 - w0 - static_cast<int16_t>(unit.weights >> 16);
  if (passes[1].radius == 0) {
    FilterGuided<true, false>(passes, w0, w2, piece, to);
  } else if (passes[0].radius == 0) {
    FilterGuided<false, true>(passes, w0, w2, piece, to);
  } else {
    FilterGuided<true, true>(passes, w0, w2, piece, to);
  }
}

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_RESTORATION_SELF_GUIDED_INL_H_
