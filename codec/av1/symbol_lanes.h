// SPDX-License-Identifier: BSD-2-Clause
// Vectors of 16-bit lanes for the symbol decoder, GCC's own: SSE2 and NEON are
// in every x86-64 and arm64, so that no dispatch is needed. Two operations that
// these vectors lack have a version for each and a plain one.
#ifndef PERDIX_CODEC_AV1_SYMBOL_LANES_H_
#define PERDIX_CODEC_AV1_SYMBOL_LANES_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace perdix::av1 {

typedef uint16_t Lanes8 __attribute__((vector_size(16)));
typedef uint64_t Halves __attribute__((vector_size(16)));  // of Lanes8

// 4 or 8 lanes; the others are 0.
template <int kLanes>
Lanes8 LoadLanes(const uint16_t* from) {
  if constexpr (kLanes == 8) {
    Lanes8 lanes;
    std::memcpy(&lanes, from, sizeof(lanes));
    return lanes;
  } else {
    uint64_t low;
    std::memcpy(&low, from, sizeof(low));
    return Lanes8(Halves{low, 0});
  }
}

// From an address that is a multiple of 16.
inline Lanes8 LoadAligned(const uint16_t* from) {
  return LoadLanes<8>(
      static_cast<const uint16_t*>(__builtin_assume_aligned(from, 16)));
}

// The lower 16 bits in every lane, or at least in the first kLanes; the others
// are 0 then.
template <int kLanes>
Lanes8 Broadcast(uint32_t value) {
#if defined(__SSE2__)
  if constexpr (kLanes <= 4) {
    return Lanes8(_mm_shufflelo_epi16(_mm_cvtsi32_si128(int(value)), 0));
  }
#endif
  return uint16_t(value) - Lanes8{};
}

// The highest 16 bits in every lane, or at least in the first kLanes; the
// others are 0 then.
template <int kLanes>
Lanes8 BroadcastHighest(uint64_t bits) {
#if defined(__SSE2__)
  const __m128i four =
      _mm_shufflelo_epi16(_mm_cvtsi64_si128(int64_t(bits)), 0xff);
  return Lanes8(kLanes <= 4 ? four : _mm_unpacklo_epi64(four, four));
#else
  return Broadcast<kLanes>(uint16_t(bits >> 48));
#endif
}

// How far ShiftRightSigned shifts, as instructions take it.
struct ShiftLanes {
  alignas(16) uint16_t lanes[8];
};
// count: 0..15.
constexpr ShiftLanes MakeShift(int count) {
#if defined(__SSE2__)
  return {{uint16_t(count)}};  // one number of 64 bits
#else
#if defined(__ARM_NEON) && defined(__aarch64__)
  count = -count;  // to the left
#endif
  ShiftLanes shift = {};
  for (uint16_t& lane : shift.lanes) lane = uint16_t(count);
  return shift;
#endif
}

// ShiftRight of signed lanes.
inline Lanes8 ShiftRightSigned(Lanes8 lanes, const ShiftLanes& shift) {
  const Lanes8 by = LoadAligned(shift.lanes);
#if defined(__SSE2__)
  return Lanes8(_mm_sra_epi16(__m128i(lanes), __m128i(by)));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  return std::bit_cast<Lanes8>(
      vshlq_s16(std::bit_cast<int16x8_t>(lanes), std::bit_cast<int16x8_t>(by)));
#else
  typedef int16_t Signed __attribute__((vector_size(16)));
  return Lanes8(Signed(lanes) >> Signed(by));
#endif
}

// The higher 16 bits of each product.
inline Lanes8 MultiplyHigh(Lanes8 a, Lanes8 b) {
#if defined(__SSE2__)
  return Lanes8(_mm_mulhi_epu16(__m128i(a), __m128i(b)));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  const uint16x8_t x = std::bit_cast<uint16x8_t>(a);
  const uint16x8_t y = std::bit_cast<uint16x8_t>(b);
  const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(y));
  const uint32x4_t high = vmull_high_u16(x, y);
  return std::bit_cast<Lanes8>(
      vuzp2q_u16(vreinterpretq_u16_u32(low), vreinterpretq_u16_u32(high)));
#else
  Lanes8 product;
  for (int i = 0; i < 8; ++i)
    product[i] = uint16_t(uint32_t{a[i]} * b[i] >> 16);
  return product;
#endif
}

// The first four lanes, the first one in the lowest bits (little endian).
inline uint64_t FirstFour(Lanes8 lanes) { return Halves(lanes)[0]; }

// Each lane less the one before it, which is <first> for lane 0; or at least of
// the first four lanes.
inline Lanes8 LessPrevious(Lanes8 lanes, uint32_t first) {
  return Lanes8(Halves(lanes) << 16 | Halves{first, 0}) - lanes;
}

// The first lane of a mask that is set: one is, and all after it. Each lane is
// 0 or 0xffff.
inline size_t FirstLane(Lanes8 mask) {
#if defined(__SSE2__)
  const auto bytes = unsigned(_mm_movemask_epi8(__m128i(mask)));
  return unsigned(__builtin_ctzll(bytes)) / 2;
#elif defined(__ARM_NEON) && defined(__aarch64__)
  return size_t(8 + vaddvq_s16(std::bit_cast<int16x8_t>(mask)));
#else
  size_t lane = 0;
  while (mask[lane] == 0) ++lane;
  return lane;
#endif
}
// The first lane that is set in a mask of 16 lanes, the first eight of which
// are mask0.
inline size_t FirstLane(Lanes8 mask0, Lanes8 mask1) {
#if defined(__SSE2__)
  const __m128i mask = _mm_packs_epi16(__m128i(mask0), __m128i(mask1));
  return unsigned(__builtin_ctzll(unsigned(_mm_movemask_epi8(mask))));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  // a sum of lanes, each 0, -1 or -2
  return size_t(16 + vaddvq_s16(std::bit_cast<int16x8_t>(mask0 + mask1)));
#else
  size_t lane = 0;
  while ((lane < 8 ? mask0[lane] : mask1[lane - 8]) == 0) ++lane;
  return lane;
#endif
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_SYMBOL_LANES_H_
