// SPDX-License-Identifier: BSD-2-Clause
// Vectors of 16-bit lanes for the symbol decoder, GCC's own: SSE2 and NEON are
// in every x86-64 and arm64, so that no dispatch is needed. Two operations that
// these vectors lack have a version for each and a plain one.
#ifndef PERDIX_CODEC_AV1_SYMBOL_LANES_H_
#define PERDIX_CODEC_AV1_SYMBOL_LANES_H_

#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace perdix::av1 {

template <int kLanes>
struct LaneTypes {
  typedef uint16_t Unsigned __attribute__((vector_size(2 * kLanes)));
  typedef int16_t Signed __attribute__((vector_size(2 * kLanes)));
};
using Lanes8 = LaneTypes<8>::Unsigned;

template <int kLanes>
typename LaneTypes<kLanes>::Unsigned LoadLanes(const uint16_t* from) {
  typename LaneTypes<kLanes>::Unsigned lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}

// The value in every lane.
template <typename Lanes>
Lanes Broadcast(uint16_t value) {
  return value - Lanes{};
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

// How many lanes of a mask are set. Each is 0 or 0xffff, and those that are set
// come first.
inline uint32_t CountLanes(Lanes8 mask) {
#if defined(__SSE2__)
  const int bytes = _mm_movemask_epi8(__m128i(mask));
  return uint32_t(std::countr_one(uint32_t(bytes))) / 2;
#elif defined(__ARM_NEON) && defined(__aarch64__)
  return uint32_t(-vaddvq_s16(std::bit_cast<int16x8_t>(mask)));
#else
  uint32_t count = 0;
  for (int i = 0; i < 8; ++i) count += mask[i] & 1;
  return count;
#endif
}
inline uint32_t CountLanes(Lanes8 mask0, Lanes8 mask1) {
#if defined(__SSE2__)
  const __m128i mask = _mm_packs_epi16(__m128i(mask0), __m128i(mask1));
  return uint32_t(std::countr_one(uint32_t(_mm_movemask_epi8(mask))));
#elif defined(__ARM_NEON) && defined(__aarch64__)
  return CountLanes(mask0 + mask1);  // a sum of lanes, each 0, -1 or -2
#else
  return CountLanes(mask0) + CountLanes(mask1);
#endif
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_SYMBOL_LANES_H_
