// SPDX-License-Identifier: BSD-2-Clause
// Look-ups of samples in a table of bytes, for each Highway target:
// film_grain_simd.cc's.
#if defined(PERDIX_KERNELS_AV1_BYTE_TABLES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_BYTE_TABLES_INL_H_
#undef PERDIX_KERNELS_AV1_BYTE_TABLES_INL_H_
#else
#define PERDIX_KERNELS_AV1_BYTE_TABLES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstdint>

#include "kernels/av1/word_sums-inl.h"

#undef PERDIX_LANE_TABLES

HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {
namespace {

// found[0 .. kHalf - 1]: where upper is set those behind them.
template <int kHalf, class M, class V>
HWY_INLINE HWY_ATTR void ChooseHalf(M upper, V* found) {
#pragma GCC unroll 8
  for (int i = 0; i < kHalf; ++i) {
    found[i] = hn::IfThenElse(upper, found[i + kHalf], found[i]);
  }
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define PERDIX_LANE_TABLES 1

// 256 or 1024 entries, two in a lane of 16 bits: two vectors of lanes are
// looked up at once, and what is found in each such pair is chosen from.
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
    const D d;
    const V lane = hn::ShiftRight<1>(index);  // its lower six bits count
    V found[kParts / 2];
#pragma GCC unroll 8
    for (int i = 0; i < kParts / 2; ++i) {
      found[i] = V{_mm512_permutex2var_epi16(parts_[2 * i].raw, lane.raw,
                                             parts_[2 * i + 1].raw)};
    }
    if constexpr (kEntries == 1024) {
      ChooseHalf<4>(hn::TestBit(index, hn::Set(d, 512)), found);
      ChooseHalf<2>(hn::TestBit(index, hn::Set(d, 256)), found);
    }
    ChooseHalf<1>(hn::TestBit(index, hn::Set(d, 128)), found);
    const V odd = hn::ShiftRight<8>(found[0]);
    return hn::IfThenElse(hn::TestBit(index, hn::Set(d, 1)), odd,
                          hn::And(found[0], hn::Set(d, 0xff)));
  }

 private:
  static constexpr int kParts = kEntries / (2 * kCount);
  V parts_[kParts];
};

#else
#define PERDIX_LANE_TABLES 0

#if HWY_ARCH_ARM_A64
// 256 entries in four tables of the look-up instruction.
class ByteTable {
 public:
  using Bytes = hn::FixedTag<uint8_t, 16>;
  using VBytes = hn::VFromD<Bytes>;

  explicit HWY_INLINE HWY_ATTR ByteTable(const uint8_t* table)
      : parts_{vld1q_u8_x4(table), vld1q_u8_x4(table + 64),
               vld1q_u8_x4(table + 128), vld1q_u8_x4(table + 192)} {}

  // An index that a part does not have leaves what another gave.
  HWY_INLINE HWY_ATTR VBytes Lookup(VBytes index) const {
    const uint8x16_t step = vdupq_n_u8(64);
    uint8x16_t at = index.raw;
    uint8x16_t found = vqtbl4q_u8(parts_[0], at);
    at = vsubq_u8(at, step);
    found = vqtbx4q_u8(found, parts_[1], at);
    at = vsubq_u8(at, step);
    found = vqtbx4q_u8(found, parts_[2], at);
    return VBytes(vqtbx4q_u8(found, parts_[3], vsubq_u8(at, step)));
  }

 private:
  uint8x16x4_t parts_[4];
};
#else
// 256 entries in vectors of 16: each of them is looked up by the lower half of
// an index, the upper one chooses.
class ByteTable {
 public:
  using Bytes = hn::Repartition<uint8_t, Words>;
  using VBytes = hn::VFromD<Bytes>;

  explicit HWY_INLINE HWY_ATTR ByteTable(const uint8_t* table) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      parts_[i] = hn::LoadDup128(Bytes(), table + 16 * i);
    }
  }

  HWY_INLINE HWY_ATTR VBytes Lookup(VBytes index) const {
    const Bytes d;
    const VBytes lower = hn::And(index, hn::Set(d, 15));
    VBytes found[16];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) {
      found[i] = hn::TableLookupBytes(parts_[i], lower);
    }
    ChooseHalf<8>(hn::TestBit(index, hn::Set(d, 128)), found);
    ChooseHalf<4>(hn::TestBit(index, hn::Set(d, 64)), found);
    ChooseHalf<2>(hn::TestBit(index, hn::Set(d, 32)), found);
    ChooseHalf<1>(hn::TestBit(index, hn::Set(d, 16)), found);
    return found[0];
  }

 private:
  VBytes parts_[16];
};
#endif

// Looks up whole vectors of the samples; returns how many they were.
HWY_INLINE HWY_ATTR int LookUpVectors(const uint8_t* table, const uint8_t* from,
                                      int count, uint8_t* found) {
  const ByteTable parts(table);
  const ByteTable::Bytes d;
  constexpr int kBytes = 2 * kWords;
  int x = 0;
  for (; x + kBytes <= count; x += kBytes) {
    hn::StoreU(parts.Lookup(hn::LoadU(d, from + x)), d, found + x);
  }
  return x;
}

#endif

}  // namespace
}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // PERDIX_KERNELS_AV1_BYTE_TABLES_INL_H_
