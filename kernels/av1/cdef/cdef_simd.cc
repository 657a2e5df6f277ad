// SPDX-License-Identifier: BSD-2-Clause
// CDEF (AV1 7.15) on vectors: what cdef.cc does, to up to 64 bytes at once, of
// a line or of several.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/av1/cdef/cdef_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/av1/cdef/cdef_walk.h"
#include "kernels/av1/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/av1/cdef/cdef_direction-inl.h"
#include "kernels/simd/lane_shifts-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void Cdef8(const KernelArgs& args, Range range) { Cdef<uint8_t>(args, range); }
void Cdef16(const KernelArgs& args, Range range) {
  Cdef<uint16_t>(args, range);
}

#else

namespace {

// ---- lines ----

template <int kLines, class D>
HWY_INLINE HWY_ATTR hn::VFromD<D> LoadLines(D d, const hn::TFromD<D>* from) {
  if constexpr (kLines == 1) {
    return hn::LoadU(d, from);
  } else {
    constexpr int kHalf = kLines / 2;
    const hn::Half<D> half;
    return hn::Combine(d, LoadLines<kHalf>(half, from + kHalf * kCdefPitch),
                       LoadLines<kHalf>(half, from));
  }
}
template <int kLines, class D>
HWY_INLINE HWY_ATTR void StoreLines(D d, hn::VFromD<D> v, hn::TFromD<D>* to,
                                    ptrdiff_t stride) {
  if constexpr (kLines == 1) {
    hn::StoreU(v, d, to);
  } else {
    constexpr int kHalf = kLines / 2;
    const hn::Half<D> half;
    StoreLines<kHalf>(half, hn::LowerHalf(half, v), to, stride);
    StoreLines<kHalf>(half, hn::UpperHalf(half, v), to + kHalf * stride,
                      stride);
  }
}

// ---- 7.15.3, 16 bits a sample ----

constexpr int kMostLanes = kMostBytes / 2;
using Samples = hn::FixedTag<uint16_t, kMostLanes>;
using VSamples = hn::VFromD<Samples>;
using Differences = hn::RebindToSigned<Samples>;
using VDifferences = hn::VFromD<Differences>;

// Taps of one strength.
struct Strength {
  VSamples limit;
  int shift;

  // constrain.
  HWY_INLINE HWY_ATTR VDifferences Constrain(VSamples p, VSamples x) const {
    const Differences d;
    const VDifferences difference = hn::BitCast(d, hn::Sub(p, x));
    const VSamples size = hn::BitCast(Samples(), hn::Abs(difference));
    const VSamples room = hn::SaturatedSub(limit, ShiftRightBy(size, shift));
    const VDifferences most = hn::BitCast(d, room);
    return hn::Max(hn::Min(difference, most), hn::Neg(most));
  }
};

// What the taps add to samples x, and the range of them all.
struct Sum {
  VSamples x;
  VDifferences sum;
  VSamples low;
  VDifferences high;

  // Both samples of a tap.
  template <int kLines, bool kRange>
  HWY_INLINE HWY_ATTR VDifferences Tap(const uint16_t* at, ptrdiff_t offset,
                                       const Strength& strength) {
    const VSamples p = LoadLines<kLines>(Samples(), at + offset);
    const VSamples q = LoadLines<kLines>(Samples(), at - offset);
    if constexpr (kRange) {
      const Differences d;
      low = hn::Min(low, hn::Min(p, q));
      high = hn::Max(high, hn::Max(hn::BitCast(d, p), hn::BitCast(d, q)));
    }
    return hn::Add(strength.Constrain(p, x), strength.Constrain(q, x));
  }

  template <bool kRange>
  HWY_INLINE HWY_ATTR VDifferences Result() const {
    const Differences d;
    const VDifferences rounded = hn::Add(
        hn::Add(sum, hn::BroadcastSignBit(sum)), hn::Set(d, int16_t{8}));
    const VDifferences value =
        hn::Add(hn::BitCast(d, x), hn::ShiftRight<4>(rounded));
    if constexpr (!kRange) return value;
    return hn::Min(hn::Max(value, hn::BitCast(d, low)), high);
  }
};

// With one strength alone the range of the samples is never left.
template <int kLines, bool kPrimary, bool kSecondary>
HWY_NOINLINE HWY_ATTR void FilterColumns(const CdefFilter& filter,
                                         const uint16_t* block, uint16_t* to,
                                         ptrdiff_t stride, int height) {
  constexpr bool kRange = kPrimary && kSecondary;
  const Samples d16;
  const Differences d;
  const Strength primary = {hn::Set(d16, static_cast<uint16_t>(filter.primary)),
                            filter.primary_shift};
  const Strength secondary = {
      hn::Set(d16, static_cast<uint16_t>(filter.secondary)),
      filter.secondary_shift};
  const auto first = hn::Set(d, static_cast<int16_t>(filter.primary_taps[0]));
  const auto second = hn::Set(d, static_cast<int16_t>(filter.primary_taps[1]));
  const auto& offsets = filter.offsets;
  for (int y = 0; y < height; y += kLines) {
    const VSamples x = LoadLines<kLines>(d16, block);
    Sum sum = {x, hn::Zero(d), x, hn::BitCast(d, x)};
    if constexpr (kSecondary) {
      const VDifferences near =
          hn::Add(sum.Tap<kLines, kRange>(block, offsets[1][0], secondary),
                  sum.Tap<kLines, kRange>(block, offsets[2][0], secondary));
      const VDifferences far =
          hn::Add(sum.Tap<kLines, kRange>(block, offsets[1][1], secondary),
                  sum.Tap<kLines, kRange>(block, offsets[2][1], secondary));
      sum.sum = hn::Add(hn::Add(near, near), far);
    }
    if constexpr (kPrimary) {
      const VDifferences near =
          sum.Tap<kLines, kRange>(block, offsets[0][0], primary);
      const VDifferences far =
          sum.Tap<kLines, kRange>(block, offsets[0][1], primary);
      sum.sum =
          hn::Add(sum.sum, hn::Add(hn::Mul(near, first), hn::Mul(far, second)));
    }
    StoreLines<kLines>(d16, hn::BitCast(d16, sum.Result<kRange>()), to, stride);
    block += kLines * kCdefPitch;
    to += kLines * stride;
  }
}

// ---- 7.15.3, 8 bits a sample ----

template <int kBytes>
using BytesOf = hn::FixedTag<uint8_t, kBytes>;

template <class D>
HWY_INLINE HWY_ATTR hn::VFromD<D> SetBytes(D d, int value) {
  return hn::Set(d, static_cast<uint8_t>(value));
}

// Bytes shifted right by up to 7 bits.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
template <class D>
class ByteShift {
 public:
  using V = hn::VFromD<D>;
  // A row of 8 bits for each bit of a result: which bits it is the sum of.
  explicit HWY_INLINE HWY_ATTR ByteShift(int bits)
      : matrix_(hn::BitCast(D(), hn::Set(hn::Repartition<uint64_t, D>(),
                                         0x0102040810204080 << (8 * bits)))) {}
  HWY_INLINE HWY_ATTR V operator()(V v) const {
    V shifted;  // Debian 12's Highway does not let GCC take the intrinsic
    asm("vgf2p8affineqb $0, %2, %1, %0"
        : "=v"(shifted.raw)
        : "v"(v.raw), "v"(matrix_.raw));
    return shifted;
  }

 private:
  V matrix_;
};
#else
template <class D>
class ByteShift {
 public:
  using V = hn::VFromD<D>;
  explicit HWY_INLINE HWY_ATTR ByteShift(int bits)
      : mask_(SetBytes(D(), 255 >> bits)), bits_(bits) {}
  HWY_INLINE HWY_ATTR V operator()(V v) const {
    const hn::Repartition<uint16_t, D> d16;
    return hn::And(hn::BitCast(D(), ShiftRightBy(hn::BitCast(d16, v), bits_)),
                   mask_);
  }

 private:
  V mask_;
  int bits_;
};
#endif

// What taps add to samples, and what they take. All taps come to 228 at most.
template <class V>
struct ByteSum {
  V up;
  V down;

  HWY_INLINE HWY_ATTR ByteSum operator+(const ByteSum& other) const {
    return {hn::Add(up, other.up), hn::Add(down, other.down)};
  }
};

template <class D>
struct ByteStrength {
  using V = hn::VFromD<D>;

  HWY_ATTR ByteStrength(int strength, int damping_shift)
      : limit(SetBytes(D(), strength)), shift(damping_shift) {}

  HWY_INLINE HWY_ATTR ByteSum<V> Constrain(V p, V x) const {
    const V above = hn::SaturatedSub(p, x);
    const V below = hn::SaturatedSub(x, p);
    const V room = hn::SaturatedSub(limit, shift(hn::Or(above, below)));
    return {hn::Min(above, room), hn::Min(below, room)};
  }

  V limit;
  ByteShift<D> shift;
};

// Samples x and the range of them and their taps. kEdge: those that are not
// available count as x, which changes nothing.
template <class D, bool kRange, bool kEdge>
struct ByteRange {
  using V = hn::VFromD<D>;
  V x;
  V low;
  V high;

  explicit HWY_INLINE HWY_ATTR ByteRange(V samples)
      : x(samples), low(samples), high(samples) {}

  // Both samples of a tap. there: 255 for each sample that is available.
  template <int kLines>
  HWY_INLINE HWY_ATTR ByteSum<V> Tap(const uint8_t* at, const uint8_t* there,
                                     ptrdiff_t offset,
                                     const ByteStrength<D>& strength) {
    const V p = Load<kLines>(at, there, offset);
    const V q = Load<kLines>(at, there, -offset);
    if constexpr (kRange) {
      low = hn::Min(low, hn::Min(p, q));
      high = hn::Max(high, hn::Max(p, q));
    }
    return strength.Constrain(p, x) + strength.Constrain(q, x);
  }

  // Rounded as 7.15.3 does, whose halves go away from 0.
  HWY_INLINE HWY_ATTR V Result(const ByteSum<V>& sum) const {
    const D d;
    const V half = SetBytes(d, 8);
    const ByteShift<D> shift(4);
    const V up = hn::Add(hn::SaturatedSub(sum.up, sum.down), half);
    const V down = hn::Add(hn::SaturatedSub(sum.down, sum.up), half);
    const V value =
        hn::SaturatedSub(hn::SaturatedAdd(x, shift(up)), shift(down));
    return kRange ? hn::Min(hn::Max(value, low), high) : value;
  }

 private:
  template <int kLines>
  HWY_INLINE HWY_ATTR V Load(const uint8_t* at, const uint8_t* there,
                             ptrdiff_t offset) const {
    const V samples = LoadLines<kLines>(D(), at + offset);
    if constexpr (kEdge) {
      return hn::IfVecThenElse(LoadLines<kLines>(D(), there + offset), samples,
                               x);
    } else {
      return samples;
    }
  }
};

// FilterColumns for bytes. kBytes: a vector's size. there: which of block's
// samples are available; read where kEdge says so only.
template <int kBytes, int kLines, bool kPrimary, bool kSecondary, bool kEdge>
HWY_NOINLINE HWY_ATTR void FilterBytes(const CdefFilter& filter,
                                       const uint8_t* block,
                                       const uint8_t* there, uint8_t* to,
                                       ptrdiff_t stride, int height) {
  using D = BytesOf<kBytes>;
  using Sum = ByteSum<hn::VFromD<D> >;
  const D d;
  const ByteStrength<D> primary(filter.primary, filter.primary_shift);
  const ByteStrength<D> secondary(filter.secondary, filter.secondary_shift);
  const auto four_two = SetBytes(d, filter.primary_taps[0] == 4 ? 255 : 0);
  const CdefOffsets& offsets = filter.offsets;
  for (int y = 0; y < height; y += kLines) {
    const auto x = LoadLines<kLines>(d, block);
    ByteRange<D, kPrimary && kSecondary, kEdge> range(x);
    Sum sum = {hn::Zero(d), hn::Zero(d)};
    if constexpr (kSecondary) {
      const Sum near =
          range.template Tap<kLines>(block, there, offsets[1][0], secondary) +
          range.template Tap<kLines>(block, there, offsets[2][0], secondary);
      const Sum far =
          range.template Tap<kLines>(block, there, offsets[1][1], secondary) +
          range.template Tap<kLines>(block, there, offsets[2][1], secondary);
      sum = near + near + far;
    }
    if constexpr (kPrimary) {  // taps 4, 2 or 3, 3
      const Sum near =
          range.template Tap<kLines>(block, there, offsets[0][0], primary);
      const Sum both = near + range.template Tap<kLines>(
                                  block, there, offsets[0][1], primary);
      const Sum twice = near + near;
      sum = sum + both + both +
            Sum{hn::IfVecThenElse(four_two, twice.up, both.up),
                hn::IfVecThenElse(four_two, twice.down, both.down)};
    }
    StoreLines<kLines>(d, range.Result(sum), to, stride);
    block += kLines * kCdefPitch;
    if constexpr (kEdge) there += kLines * kCdefPitch;
    to += kLines * stride;
  }
}

// there: 255 for what is available around an area.
HWY_INLINE HWY_ATTR void MarkAvailable(const CdefArea& area, uint8_t* there) {
  const BytesOf<16> d;
  for (int y = -2; y < area.height + 2; ++y) {
    uint8_t* const line = there + y * kCdefPitch;
    const bool is_there = y < 0 ? area.above : y < area.height || area.below;
    const auto value = SetBytes(d, is_there ? 255 : 0);
    for (int x = -16; x < area.width + 16; x += 16) {
      hn::StoreU(value, d, line + x);
    }
    if (!area.left) hn::StoreU(hn::Zero(d), d, line - 16);
    if (!area.right) hn::StoreU(hn::Zero(d), d, line + area.width);
  }
}

// ---- both ----

struct Vectors {
  template <typename Sample>
  static void Directions(const Sample* blocks, uint32_t wanted, int bit_depth,
                         CdefDirection* found) {
    for (int i = 0; i < 8; i += kBlocks) {
      if (((wanted >> i) & ((1u << kBlocks) - 1)) == 0) continue;
      FindDirections(blocks + 8 * i, bit_depth, found + i);
    }
  }

  template <typename Sample>
  static void Filter(const CdefFilter& filter, const Sample* block, Sample* to,
                     ptrdiff_t stride, int width, int height) {
    FilterStrips<false>(
        Strip<Sample>{filter, block, nullptr, to, stride, height}, width);
  }

  static HWY_NOINLINE HWY_ATTR void FilterAtEdge(const CdefFilter& filter,
                                                 const uint8_t* block,
                                                 const CdefArea& area,
                                                 uint8_t* to,
                                                 ptrdiff_t stride) {
    alignas(64) uint8_t there[12 * kCdefPitch + kCdefMargin];
    uint8_t* const at = there + 2 * kCdefPitch + kCdefMargin;
    MarkAvailable(area, at);
    FilterStrips<true>(
        Strip<uint8_t>{filter, block, at, to, stride, area.height}, area.width);
  }

 private:
  // Columns to filter.
  template <typename Sample>
  struct Strip {
    const CdefFilter& filter;
    const Sample* block;
    const uint8_t* there;  // at the edges
    Sample* to;
    ptrdiff_t stride;
    int height;
  };

  // Samples in a vector.
  template <typename Sample>
  static constexpr int kMost = sizeof(Sample) == 1 ? kMostBytes : kMostLanes;

  template <bool kEdge, typename Sample>
  static void FilterStrips(Strip<Sample> strip, int width) {
    const auto filter = [&](auto columns) {
      constexpr int kColumns = decltype(columns)::value;
      if constexpr (kColumns <= kMost<Sample>) {
        for (; width >= kColumns; width -= kColumns) {
          FilterStrip<kEdge, kColumns>(strip);
          strip.block += kColumns;
          if (kEdge) strip.there += kColumns;
          strip.to += kColumns;
        }
      }
    };
    filter(std::integral_constant<int, 64>());
    filter(std::integral_constant<int, 32>());
    filter(std::integral_constant<int, 16>());
    filter(std::integral_constant<int, 8>());
  }

  // In vectors of as many lines as they have room for.
  template <bool kEdge, int kColumns, typename Sample>
  static void FilterStrip(const Strip<Sample>& strip) {
    constexpr int kLines = kMost<Sample> / kColumns;
    if constexpr (kLines > 4) {
      if (strip.height == 4) {
        return FilterVectors<kEdge, 4 * kColumns, 4>(strip);
      }
    }
    FilterVectors<kEdge, kMost<Sample>, kLines>(strip);
  }

  template <bool kEdge, int kLanes, int kLines, typename Sample>
  static void FilterVectors(const Strip<Sample>& strip) {
    if (strip.filter.secondary == 0) {
      FilterOf<kEdge, kLanes, kLines, true, false>(strip);
    } else if (strip.filter.primary == 0) {
      FilterOf<kEdge, kLanes, kLines, false, true>(strip);
    } else {
      FilterOf<kEdge, kLanes, kLines, true, true>(strip);
    }
  }

  template <bool kEdge, int kLanes, int kLines, bool kPrimary, bool kSecondary,
            typename Sample>
  static void FilterOf(const Strip<Sample>& strip) {
    if constexpr (sizeof(Sample) == 1) {
      FilterBytes<kLanes, kLines, kPrimary, kSecondary, kEdge>(
          strip.filter, strip.block, strip.there, strip.to, strip.stride,
          strip.height);
    } else {
      FilterColumns<kLines, kPrimary, kSecondary>(
          strip.filter, strip.block, strip.to, strip.stride, strip.height);
    }
  }
};

}  // namespace

void Cdef8(const KernelArgs& args, Range range) {
  CdefRows<uint8_t, Vectors>(args, range);
}
void Cdef16(const KernelArgs& args, Range range) {
  CdefRows<uint16_t, Vectors>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::av1 {

HWY_EXPORT(Cdef8);
HWY_EXPORT(Cdef16);

template <>
void CdefSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(Cdef8)(args, range);
}
template <>
void CdefSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(Cdef16)(args, range);
}

}  // namespace perdix::av1
#endif
