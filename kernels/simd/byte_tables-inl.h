// SPDX-License-Identifier: BSD-2-Clause
// Look-ups of samples in a table of bytes, for each Highway target:
// film_grain_simd.cc's.
#if defined(PERDIX_KERNELS_SIMD_BYTE_TABLES_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_SIMD_BYTE_TABLES_INL_H_
#undef PERDIX_KERNELS_SIMD_BYTE_TABLES_INL_H_
#else
#define PERDIX_KERNELS_SIMD_BYTE_TABLES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/simd/word_sums-inl.h"

#undef PERDIX_LANE_TABLES

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// found[0 .. half - 1]: where upper is set those behind them.
template <class M, class V>
HWY_INLINE HWY_ATTR void ChooseHalf(M upper, int half, V* found) {
#pragma GCC unroll 8
  for (int i = 0; i < half; ++i) {
    found[i] = hn::IfThenElse(upper, found[i + half], found[i]);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define PERDIX_LANE_TABLES 1

// 256 or 1024 entries for lanes of 16 bits.
template <int kEntries>
class LaneTable {
 public:
  static constexpr int kCount = 32;  // indices in a vector
  using D = hn::FixedTag<uint16_t, kCount>;
  using V = hn::VFromD<D>;

  explicit HWY_INLINE HWY_ATTR LaneTable(const uint8_t* table) {
    const hn::FixedTag<uint8_t, 2 * kCount> d;
#pragma GCC unroll 16
    for (int i = 0; i < kParts; ++i) {
      parts_[i] = hn::BitCast(D(), hn::LoadU(d, table + 2 * kCount * i));
    }
  }

  HWY_INLINE HWY_ATTR V Lookup(V index) const {
#if HWY_TARGET <= HWY_AVX3_DL
    if constexpr (kEntries == 256) return LookupBytes(index);
#endif
    return LookupLanes(index);
  }

 private:
  static constexpr int kParts = kEntries / (2 * kCount);

#if HWY_TARGET <= HWY_AVX3_DL
  // In two vectors of bytes at once.
  HWY_INLINE HWY_ATTR V LookupBytes(V index) const {
    constexpr __mmask64 kLowBytes = 0x5555555555555555;
    V found[2];
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      found[i] = V{_mm512_maskz_permutex2var_epi8(
          kLowBytes, parts_[2 * i].raw, index.raw, parts_[2 * i + 1].raw)};
    }
    ChooseHalf(hn::TestBit(index, hn::Set(D(), 128)), 1, found);
    return found[0];
  }
#endif

  // In two vectors of lanes at once, which have two entries each; what is found
  // in each such pair is chosen from.
  HWY_INLINE HWY_ATTR V LookupLanes(V index) const {
    const D d;
    const V lane = hn::ShiftRight<1>(index);  // its lower six bits count
    V found[kParts / 2];
#pragma GCC unroll 8
    for (int i = 0; i < kParts / 2; ++i) {
      found[i] = V{_mm512_permutex2var_epi16(parts_[2 * i].raw, lane.raw,
                                             parts_[2 * i + 1].raw)};
    }
    if constexpr (kEntries == 1024) {
      ChooseHalf(hn::TestBit(index, hn::Set(d, 512)), 4, found);
      ChooseHalf(hn::TestBit(index, hn::Set(d, 256)), 2, found);
    }
    ChooseHalf(hn::TestBit(index, hn::Set(d, 128)), 1, found);
    const V odd = hn::ShiftRight<8>(found[0]);
    return hn::IfThenElse(hn::TestBit(index, hn::Set(d, 1)), odd,
                          hn::And(found[0], hn::Set(d, 0xff)));
  }

  V parts_[kParts];
};

#else
#define PERDIX_LANE_TABLES 0
#endif

#if HWY_ARCH_ARM_A64
// Entries in tables of the look-up instruction, 64 in each. D: of the indices.
template <class D, int kEntries>
class ByteTable {
  using V = hn::VFromD<D>;

 public:
  explicit HWY_INLINE HWY_ATTR ByteTable(const uint8_t* table) {
#pragma GCC unroll 4
    for (int i = 0; i < kParts; ++i) parts_[i] = vld1q_u8_x4(table + 64 * i);
  }

  // An index that a part does not have leaves what another gave.
  HWY_INLINE HWY_ATTR V Lookup(V index) const {
    uint8x16_t at = index.raw;
    uint8x16_t found = vqtbl4q_u8(parts_[0], at);
#pragma GCC unroll 4
    for (int i = 1; i < kParts; ++i) {
      at = vsubq_u8(at, vdupq_n_u8(64));
      found = vqtbx4q_u8(found, parts_[i], at);
    }
    return V(found);
  }

 private:
  static constexpr int kParts = kEntries / 64;
  uint8x16x4_t parts_[kParts];
};
#else
// Entries in vectors of 16: each of them is looked up by the lower half of an
// index, the upper one chooses. D: of the indices.
template <class D, int kEntries>
class ByteTable {
  using V = hn::VFromD<D>;

 public:
  explicit HWY_INLINE HWY_ATTR ByteTable(const uint8_t* table) {
#pragma GCC unroll 16
    for (int i = 0; i < kParts; ++i) {
      parts_[i] = hn::LoadDup128(D(), table + 16 * i);
    }
  }

  HWY_INLINE HWY_ATTR V Lookup(V index) const {
    const D d;
    const hn::RebindToSigned<D> signs;
    const V lower = hn::And(index, hn::Set(d, 15));
    V found[kParts];
#pragma GCC unroll 16
    for (int i = 0; i < kParts; ++i) {
      found[i] = hn::TableLookupBytes(parts_[i], lower);
    }
    // The bit that chooses becomes the sign.
    V upper = index;
#pragma GCC unroll 8
    for (int i = kEntries; i < 256; i *= 2) upper = hn::Add(upper, upper);
#pragma GCC unroll 8
    for (int half = kParts / 2; half > 0; half /= 2) {
      const auto chosen =
          hn::RebindMask(d, hn::Lt(hn::BitCast(signs, upper), hn::Zero(signs)));
      ChooseHalf(chosen, half, found);
      upper = hn::Add(upper, upper);
    }
    return found[0];
  }

 private:
  static constexpr int kParts = kEntries / 16;
  V parts_[kParts];
};
#endif

#if !PERDIX_LANE_TABLES

using TableBytes = hn::Repartition<uint8_t, Words>;

// Looks up whole vectors of the samples; returns how many they were.
HWY_INLINE HWY_ATTR int LookUpVectors(const uint8_t* table, const uint8_t* from,
                                      int count, uint8_t* found) {
  const ByteTable<TableBytes, 256> whole(table);
  const TableBytes d;
  constexpr int kBytes = 2 * kWords;
  int x = 0;
  for (; x + kBytes <= count; x += kBytes) {
    hn::StoreU(whole.Lookup(hn::LoadU(d, from + x)), d, found + x);
  }
  return x;
}

// Two vectors of samples, and the entries of a table for them.
class WordPair {
 public:
  using D = hn::RebindToUnsigned<Words>;
  using V = hn::VFromD<D>;

  explicit HWY_INLINE HWY_ATTR WordPair(const uint16_t* from)
      : low_(hn::LoadU(D(), from)), high_(hn::LoadU(D(), from + kWords)) {}

  HWY_INLINE HWY_ATTR V Least() const { return Least(hn::Min(low_, high_)); }

  // False: some samples are not among the kPart ones that begin with the least;
  // then nothing is stored.
  template <int kPart, int kEntries>
  HWY_INLINE HWY_ATTR bool LookUp(const uint8_t* table, V least,
                                  uint16_t* found) const {
    const D d;
    const V first =
        hn::Min(least, hn::Set(d, static_cast<uint16_t>(kEntries - kPart)));
    const V low = hn::Sub(low_, first);
    const V high = hn::Sub(high_, first);
    const V outside =
        hn::And(hn::Or(low, high), hn::Set(d, static_cast<uint16_t>(-kPart)));
    if (!hn::AllTrue(d, hn::Eq(outside, hn::Zero(d)))) return false;
    const ByteTable<TableBytes, kPart> part(table + hn::GetLane(first));
    const V both =
        hn::BitCast(d, part.Lookup(hn::BitCast(
                           TableBytes(), hn::Or(low, hn::ShiftLeft<8>(high)))));
    hn::StoreU(hn::And(both, hn::Set(d, 0xff)), d, found);
    hn::StoreU(hn::ShiftRight<8>(both), d, found + kWords);
    return true;
  }

 private:
  // Highway's own is slow with more than 8 lanes.
  template <class V>
  static HWY_INLINE HWY_ATTR V Least(V v) {
    const hn::DFromV<V> d;
    if constexpr (hn::MaxLanes(d) == 8) {
      return hn::MinOfLanes(d, v);
    } else {
      const hn::Half<decltype(d)> half;
      const auto least =
          Least(hn::Min(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
      return hn::Combine(d, least, least);
    }
  }

  V low_;
  V high_;
};

// 1024 entries. Samples beside each other seldom differ by much: most vectors
// need only a small part of the table.
HWY_INLINE HWY_ATTR int LookUpVectors(const uint8_t* table,
                                      const uint16_t* from, int count,
                                      uint16_t* found) {
  constexpr int kCount = 2 * kWords;
  int x = 0;
  for (; x + kCount <= count; x += kCount) {
    const WordPair samples(from + x);
    const auto least = samples.Least();
    if (samples.LookUp<128, 1024>(table, least, found + x)) continue;
    if (samples.LookUp<256, 1024>(table, least, found + x)) continue;
#pragma GCC unroll 16
    for (int i = x; i < x + kCount; ++i) found[i] = table[from[i] & 1023];
  }
  return x;
}

#endif

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_SIMD_BYTE_TABLES_INL_H_
