// SPDX-License-Identifier: BSD-2-Clause
// Lines of coefficients into lanes and back.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LINES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LINES_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LINES_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_TRANSFORM_LINES_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "kernels/av1/transform/transform_lanes-inl.h"
#include "kernels/av1/transform/transform_shape.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Lines and columns of a block of 16 bytes a line.
template <class L>
constexpr int kBlock = static_cast<int>(16 / sizeof(typename L::T));

// Rounds of interleaving what is half of kCount vectors apart, within blocks of
// 16 bytes. If the vectors, one after the other, are 1 << kRounds lines, these
// become columns.
template <class L, int kCount = kBlock<L>, int kRounds = (kCount == 8 ? 3 : 2)>
HWY_INLINE HWY_ATTR void Transpose(typename L::V* v) {
  constexpr int kHalf = kCount / 2;
  const typename L::D d;
  Repeat<kRounds>([&](auto) HWY_ATTR {
    typename L::V next[kCount];
    Repeat<kHalf>([&](auto i) HWY_ATTR {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + kHalf]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kHalf]);
    });
    Repeat<kCount>([&](auto i) HWY_ATTR { v[i] = next[i]; });
  });
}

// kCount coefficients, then zeros up to 16 bytes. Those that have more bits
// than a lane are clamped.
template <class L, int kCount, typename C>
HWY_INLINE HWY_ATTR auto LoadLine(const C* from) {
  const hn::FixedTag<typename L::T, kBlock<L> > block;
  if constexpr (sizeof(C) > sizeof(typename L::T)) {
    const hn::FixedTag<C, 4> d;
    return hn::ReorderDemote2To(
        block, hn::LoadU(d, from),
        kCount > 4 ? hn::LoadU(d, from + kCount - 4) : hn::Zero(d));
  } else if constexpr (kCount < kBlock<L>) {
    return hn::ZeroExtendVector(
        block, hn::LoadU(hn::FixedTag<typename L::T, kCount>(), from));
  } else {
    return hn::LoadU(block, from);
  }
}

// Tells for rows in lanes of 16 bits whether these are enough, even between the
// steps of the transform. C: the coefficients' type.
template <class L, typename C>
class RowSums {
  using D = hn::RebindToUnsigned<typename L::D>;

 public:
  HWY_INLINE HWY_ATTR RowSums() : sums_(hn::Zero(D())) {}

  // v: of each row one coefficient.
  HWY_INLINE HWY_ATTR void Add(typename L::V v) {
    if constexpr (kCounts) {
      sums_ = hn::SaturatedAdd(sums_, hn::BitCast(D(), hn::Abs(v)));
    }
  }
  HWY_INLINE HWY_ATTR bool AreSmall() const {
    if constexpr (kCounts) {
      const auto beyond = hn::SaturatedSub(sums_, hn::Set(D(), kLimit));
      return hn::AllTrue(D(), hn::Eq(beyond, hn::Zero(D())));
    } else {
      return true;
    }
  }

 private:
  static constexpr bool kCounts = sizeof(C) > sizeof(typename L::T);
  // Identities, whose results may be larger, are clamped as columns are.
  static constexpr auto kLimit = static_cast<hn::TFromD<D> >(
      SumLimit(TransformKind::kDct, Limits::OfBits(16)));

  hn::VFromD<D> sums_;
};

// T[j] = column j of kLines lines of coefficients, kColumns or a multiple of
// them; the other lanes are zero. rectangle: scaled by 1 / sqrt(2). False if
// lanes are too small for the coefficients.
template <class L, int kLines, int kColumns, typename C>
HWY_NOINLINE HWY_ATTR bool LoadColumns(const C* from, int columns,
                                       bool rectangle, typename L::T* t) {
  const typename L::D d;
  RowSums<L, C> sums;
  for (int x = 0; x < columns; x += kColumns) {
    typename L::V v[kBlock<L>];
    Repeat<kBlock<L> >([&](auto i) HWY_ATTR {
      const auto* const line = from + i * columns + x;
      if constexpr (i >= kLines) {
        v[i] = hn::Zero(d);
      } else if constexpr (kLines > kBlock<L>) {
        v[i] = hn::Combine(d, LoadLine<L, kColumns>(line + kBlock<L> * columns),
                           LoadLine<L, kColumns>(line));
      } else if constexpr (L::kCount > kBlock<L>) {
        v[i] = hn::ZeroExtendVector(d, LoadLine<L, kColumns>(line));
      } else {
        v[i] = LoadLine<L, kColumns>(line);
      }
    });
    Transpose<L>(v);
    Repeat<kColumns>([&](auto i) HWY_ATTR { sums.Add(v[i]); });
    if (rectangle) {
      Repeat<kColumns>(
          [&](auto i) HWY_ATTR { v[i] = L::MulRound(v[i], kRectangleScale); });
    }
    Repeat<kColumns>(
        [&](auto i) HWY_ATTR { hn::StoreU(v[i], d, t + (x + i) * L::kCount); });
  }
  return sums.AreSmall();
}

// Vectors i, i + 4 .. of eight lanes in one of kCount.
template <int kCount, class Vector>
HWY_INLINE HWY_ATTR auto Joined(const Vector& vector, int i) {
  if constexpr (kCount == 8) {
    return vector(i);
  } else {
    return hn::Combine(hn::FixedTag<int16_t, kCount>(),
                       Joined<kCount / 2>(vector, i + kCount / 4),
                       Joined<kCount / 2>(vector, i));
  }
}

// The first four lanes of kCount vectors, 8, 16 or 32, become four lines.
template <int kCount, class V>
HWY_INLINE HWY_ATTR void TransposeFour(
    const V* v, hn::VFromD<hn::FixedTag<int16_t, kCount> >* lines) {
  const hn::FixedTag<int16_t, 8> d;
  const hn::FixedTag<int16_t, kCount> whole;
  const hn::RepartitionToWide<decltype(whole)> pairs;
  const hn::RepartitionToWide<decltype(pairs)> fours;
  const auto pair = [&](int i) HWY_ATTR {
    return hn::InterleaveLower(d, v[2 * i], v[2 * i + 1]);
  };
  hn::VFromD<decltype(pairs)> x[4];  // columns 2 * i, 2 * i + 1, 8 + 2 * i ..
  Repeat<4>([&](auto i) HWY_ATTR {
    x[i] = hn::BitCast(pairs, Joined<kCount>(pair, i));
  });
  const auto put = [&](int line, auto left, auto right) HWY_ATTR {
    const auto l = hn::BitCast(fours, left);
    const auto r = hn::BitCast(fours, right);
    lines[line] = hn::BitCast(whole, hn::InterleaveLower(fours, l, r));
    lines[line + 1] = hn::BitCast(whole, hn::InterleaveUpper(fours, l, r));
  };
  put(0, hn::InterleaveLower(pairs, x[0], x[1]),
      hn::InterleaveLower(pairs, x[2], x[3]));
  put(2, hn::InterleaveUpper(pairs, x[0], x[1]),
      hn::InterleaveUpper(pairs, x[2], x[3]));
}

// Round2( x, shift ), clamped to what columns may be. In lanes of 16 bits shift
// is not 0 if kRound.
template <bool kRound, class L>
HWY_INLINE HWY_ATTR typename L::V RoundRow(const L& limits, typename L::V x,
                                           int shift) {
  if constexpr (sizeof(typename L::T) == 2) {
    return kRound ? L::Round2(x, shift) : x;
  } else {
    return limits.Clamp(L::Round2(x, shift));
  }
}

template <class D, typename T>
HWY_INLINE HWY_ATTR void StoreLine(D d, hn::VFromD<D> v, T* to) {
  if constexpr (sizeof(T) < sizeof(hn::TFromD<D>)) {
    const hn::Rebind<T, D> narrow;
    hn::StoreU(hn::DemoteTo(narrow, v), narrow, to);
  } else {
    hn::StoreU(v, d, to);
  }
}

// The reverse, rounded: kLines lines, clamped to <bits>. rows: groups of kGroup
// columns side by side, each of group_size values, a line of it after the
// other. Two blocks of a group's line are stored at once: what is loaded from
// two stores waits for both to reach the cache.
template <class L, int kLines, int kGroup, bool kRound, typename T>
HWY_NOINLINE HWY_ATTR void StoreRounded(const typename L::T* t, int width,
                                        int shift, int bits, int group_size,
                                        T* rows) {
  constexpr bool kBoth =
      kGroup >= 2 * kBlock<L> && sizeof(T) == sizeof(typename L::T);
  constexpr int kColumns = kBoth ? 2 * kBlock<L> : kBlock<L>;
  const typename L::D d;
  const L limits(Limits::OfBits(bits));
  for (int x = 0; x < width; x += kColumns) {
    typename L::V v[kColumns];
    // The vectors behind a block narrower than kBlock are zero.
    Repeat<kColumns>([&](auto i) HWY_ATTR {
      v[i] = RoundRow<kRound>(limits, hn::LoadU(d, t + (x + i) * L::kCount),
                              shift);
    });
    Transpose<L>(v);
    if constexpr (kBoth) Transpose<L>(v + kBlock<L>);
    auto* const to = rows + x / kGroup * group_size + x % kGroup;
    Repeat<std::min(kLines, kBlock<L>)>([&](auto i) HWY_ATTR {
      auto* const line = to + i * kGroup;
      auto* const lower_line = line + kBlock<L> * kGroup;
      if constexpr (kBoth && L::kCount > kBlock<L>) {
        const auto next = v[i + kBlock<L>];
        hn::StoreU(hn::ConcatLowerLower(d, next, v[i]), d, line);
        if constexpr (kLines > kBlock<L>) {
          hn::StoreU(hn::ConcatUpperUpper(d, next, v[i]), d, lower_line);
        }
      } else if constexpr (kBoth) {
        const hn::Twice<typename L::D> both;
        hn::StoreU(hn::Combine(both, v[i + kBlock<L>], v[i]), both, line);
      } else if constexpr (L::kCount > kBlock<L>) {
        const hn::Half<typename L::D> half;
        StoreLine(half, hn::LowerHalf(half, v[i]), line);
        if constexpr (kLines > kBlock<L>) {
          StoreLine(half, hn::UpperHalf(half, v[i]), lower_line);
        }
      } else {
        StoreLine(d, v[i], line);
      }
    });
  }
}
template <class L, int kLines, int kGroup, typename T>
HWY_INLINE void StoreRows(const typename L::T* t, int width, int shift,
                          int bits, int group_size, T* rows) {
  if (sizeof(typename L::T) == 2 && shift == 0) {
    return StoreRounded<L, kLines, kGroup, false>(t, width, shift, bits,
                                                  group_size, rows);
  }
  StoreRounded<L, kLines, kGroup, true>(t, width, shift, bits, group_size,
                                        rows);
}

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
