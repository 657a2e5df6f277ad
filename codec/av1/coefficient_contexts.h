// SPDX-License-Identifier: BSD-2-Clause
// What transform blocks leave above and to the left of later ones (5.11.39):
// one byte for each 4x4 of a plane. The low 6 bits are AboveLevelContext
// (culLevel); the two above are AboveDcContext: 0 a negative DC, 1 none, 2 a
// positive one.
#ifndef PERDIX_CODEC_AV1_COEFFICIENT_CONTEXTS_H_
#define PERDIX_CODEC_AV1_COEFFICIENT_CONTEXTS_H_

#include <cstdint>
#include <cstring>

namespace perdix::av1 {

inline constexpr uint8_t kDcNegative = 0x00, kDcZero = 0x40, kDcPositive = 0x80;
inline constexpr uint8_t kNoCoefficients = kDcZero;

// How many bytes behind the contexts are read, whatever they hold.
inline constexpr int kContextPadding = 8;

// Whatever lies in the first 1 << count_log2 bytes, 0..3.
[[gnu::always_inline]] inline uint64_t OfContexts(uint64_t bytes,
                                                  int count_log2) {
  static constexpr uint64_t kBytes[] = {0xff, 0xffff, 0xffffffff, ~uint64_t{0}};
  return bytes & kBytes[count_log2];
}
[[gnu::always_inline]] inline uint64_t LoadContexts(const uint8_t* at) {
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

// In how far 1 << count_log2 bytes, 0..4, differ from kNoCoefficients: 0 where
// they do not. The low 6 bits of some byte are the levels, or-ed.
[[gnu::always_inline]] inline uint64_t CombineContexts(const uint8_t* at,
                                                       int count_log2) {
  constexpr uint64_t kNone = kNoCoefficients * 0x0101010101010101;
  const uint64_t first = LoadContexts(at) ^ kNone;
  if (count_log2 < 4) [[likely]]
    return OfContexts(first, count_log2);
  return first | (LoadContexts(at + 8) ^ kNone);
}

// ctx of all_zero (8.3.2).
struct AllZeroContext {
  int index;         // 0..12
  bool none_around;  // the contexts are those of no coefficients already
};

// In luma, unless the transform block is the whole block (index 0).
inline AllZeroContext AllZeroContextLuma(const uint8_t* above, int width4_log2,
                                         const uint8_t* left,
                                         int height4_log2) {
  // by whether top and left are 0, at most 3, or more
  static constexpr uint8_t kContexts[3][3] = {{1, 2, 3}, {2, 4, 5}, {3, 5, 6}};
  constexpr uint64_t kAny = 0x3f3f3f3f3f3f3f3f, kAbove3 = 0x3c3c3c3c3c3c3c3c;
  const uint64_t top = CombineContexts(above, width4_log2);
  const uint64_t side = CombineContexts(left, height4_log2);
  return {kContexts[((top & kAny) != 0) + ((top & kAbove3) != 0)]
                   [((side & kAny) != 0) + ((side & kAbove3) != 0)],
          (top | side) == 0};
}

// The context of all_zero in chroma. smaller: the transform block is smaller
// than the block.
inline AllZeroContext AllZeroContextChroma(const uint8_t* above,
                                           int width4_log2, const uint8_t* left,
                                           int height4_log2, bool smaller) {
  const uint64_t top = CombineContexts(above, width4_log2);
  const uint64_t side = CombineContexts(left, height4_log2);
  return {7 + 3 * smaller + (top != 0) + (side != 0), (top | side) == 0};
}

// Each byte's DC part, 0..2; of 16 bytes, sums of two of them.
[[gnu::always_inline]] inline uint64_t DcSigns(const uint8_t* at,
                                               int count_log2) {
  constexpr uint64_t kLow2 = 0x0303030303030303;
  const uint64_t first = LoadContexts(at) >> 6 & kLow2;
  if (count_log2 < 4) [[likely]]
    return OfContexts(first, count_log2);
  return first + (LoadContexts(at + 8) >> 6 & kLow2);
}

// ctx of dc_sign (8.3.2).
inline int DcSignContext(const uint8_t* above, int width4_log2,
                         const uint8_t* left, int height4_log2) {
  const uint64_t signs =
      DcSigns(above, width4_log2) + DcSigns(left, height4_log2);
  const int sum = int(signs * 0x0101010101010101 >> 56);
  const int neutral = (1 << width4_log2) + (1 << height4_log2);
  return sum < neutral ? 1 : sum > neutral ? 2 : 0;
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_COEFFICIENT_CONTEXTS_H_
