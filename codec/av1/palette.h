// SPDX-License-Identifier: BSD-2-Clause
// Palettes: what depends on nothing but its arguments.
#ifndef PERDIX_CODEC_AV1_PALETTE_H_
#define PERDIX_CODEC_AV1_PALETTE_H_

#include <algorithm>
#include <cstdint>
#include <span>

namespace perdix::av1 {

// get_palette_cache (5.11.46): the neighbours' colours, both in ascending
// order, merged in that order, each once. Room for 16. Returns how many.
inline int MergePalettes(std::span<const uint16_t> above,
                         std::span<const uint16_t> left, uint16_t* cache) {
  uint16_t* end =
      std::merge(above.begin(), above.end(), left.begin(), left.end(), cache);
  return int(std::unique(cache, end) - cache);
}

// get_palette_color_context (5.11.50) of a pixel's neighbours. Its ColorOrder
// begins with their different indices; the others follow in ascending order.
struct ColourContext {
  uint8_t context;   // 0..4
  uint8_t count;     // of different indices: 1..3
  uint8_t first[3];  // by weight, equal ones in ascending order
};

// The context in the first row or column, where there is one neighbour.
constexpr ColourContext ColourContextOf(uint8_t neighbour) {
  return {0, 1, {neighbour, 0, 0}};
}

// The left and the upper index weigh 2, the one between them 1.
constexpr ColourContext ColourContextOf(uint8_t left, uint8_t above_left,
                                        uint8_t above) {
  if (left == above) {
    if (left == above_left) return {4, 1, {left, 0, 0}};
    return {3, 2, {left, above_left, 0}};
  }
  if (above_left == left) return {2, 2, {left, above, 0}};
  if (above_left == above) return {2, 2, {above, left, 0}};
  return {1, 3, {std::min(left, above), std::max(left, above), above_left}};
}

// ColorOrder[ position ].
constexpr uint8_t ColourAt(const ColourContext& context, uint32_t position) {
  if (position < context.count) return context.first[position];
  // the (position - count)th that is none of the first
  uint32_t used = 0;
  for (int i = 0; i < context.count; ++i) used |= 1u << context.first[i];
  uint32_t colour = 0;
  for (uint32_t left = position - context.count;; ++colour) {
    if ((used >> colour & 1) == 0 && left-- == 0) return uint8_t(colour);
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_PALETTE_H_
