// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration's two filters of one block, as the specification writes them
// (AV1 7.17.2 to 7.17.5). Where samples are read is the caller's part.
#ifndef PERDIX_KERNELS_AV1_RESTORATION_RESTORATION_BLOCK_H_
#define PERDIX_KERNELS_AV1_RESTORATION_RESTORATION_BLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/av1/restoration/restoration_walk.h"
#include "kernels/av1/restoration/self_guided.h"

namespace perdix::av1 {

// A block's size, and how many bits its samples have.
struct RestorationBlock {
  int width;   // up to kWienerPiece, or kRestorationPiece if self-guided
  int height;  // up to kRestorationPiece
  int bit_depth;
};

// Round2( x, n ), n not 0.
template <typename Number>
constexpr Number RestorationRound(Number x, int n) {
  return (x + (Number{1} << (n - 1))) >> n;
}

// 7.17.5. packed: RestorationUnit's taps of one direction.
inline std::array<int, 7> WienerTaps(uint32_t packed) {
  std::array<int, 7> filter;
  filter[3] = 128;
  for (size_t i = 0; i < 3; ++i) {
    const int c = static_cast<int8_t>(packed >> (8 * i));
    filter[i] = c;
    filter[6 - i] = c;
    filter[3] -= 2 * c;
  }
  return filter;
}

// 7.17.4. line(r): line r of the source, from -3 to two past the block's last,
// a callable that gives the sample of a column, from -3 to two past the last;
// asked for once, in order. put(r, c, value) stores a filtered sample.
template <typename Line, typename Put>
void WienerFilter(const RestorationBlock& block, uint32_t vertical,
                  uint32_t horizontal, const Line& line, const Put& put) {
  const std::array<int, 7> vfilter = WienerTaps(vertical);
  const std::array<int, 7> hfilter = WienerTaps(horizontal);
  const int round0 = block.bit_depth == 12 ? 5 : 3;   // InterRound0
  const int round1 = block.bit_depth == 12 ? 9 : 11;  // InterRound1
  const int offset = 1 << (block.bit_depth + 7 - round0 - 1);
  const int limit = (1 << (block.bit_depth + 1 + 7 - round0)) - 1;
  int intermediate[kRestorationPiece + 6][kWienerPiece];
  for (int r = 0; r < block.height + 6; ++r) {
    const auto samples = line(r - 3);
    for (int c = 0; c < block.width; ++c) {
      int s = 0;
      for (int t = 0; t < 7; ++t) {
        s += hfilter[static_cast<size_t>(t)] * samples(c + t - 3);
      }
      const int v = RestorationRound(s, round0);
      intermediate[r][c] = std::clamp(v, -offset, limit - offset);
    }
  }
  for (int r = 0; r < block.height; ++r) {
    for (int c = 0; c < block.width; ++c) {
      int s = 0;
      for (int t = 0; t < 7; ++t) {
        s += vfilter[static_cast<size_t>(t)] * intermediate[r + t][c];
      }
      const int v = RestorationRound(s, round1);
      put(r, c, std::clamp(v, 0, (1 << block.bit_depth) - 1));
    }
  }
}

// a2 of 7.17.3 by z, 255 and more.
inline constexpr std::array<uint32_t, 256> kBoxA2 = [] {
  std::array<uint32_t, 256> a2 = {1};
  for (uint32_t z = 1; z < 255; ++z) a2[z] = ((z << 8) + z / 2) / (z + 1);
  a2[255] = 256;
  return a2;
}();

using RestorationSums = int[kRestorationPiece][kRestorationPiece];

// 7.17.3. at(i, j): the sample in line i, column j of the block or up to three
// around it. kPass 0 has boxes of radius 2, kPass 1 of radius 1.
template <int kPass, typename At>
void BoxFilter(const RestorationBlock& block, uint32_t eps, const At& at,
               RestorationSums& filtered) {
  constexpr int r = 2 - kPass;
  constexpr uint32_t n = (2 * r + 1) * (2 * r + 1);
  constexpr uint32_t one_over_n = ((1 << 12) + n / 2) / n;
  const uint32_t n2e = n * n * eps;
  const uint32_t s = ((1 << 20) + n2e / 2) / n2e;
  const int extra_bits = block.bit_depth - 8;
  // A and B, from one line above and one column to the left on. 32 bits hold
  // all products: p is at most n * n << 14.
  uint32_t as[kRestorationPiece + 2][kRestorationPiece + 2];
  uint32_t bs[kRestorationPiece + 2][kRestorationPiece + 2];
  for (int i = -1; i < block.height + 1; ++i) {
    for (int j = -1; j < block.width + 1; ++j) {
      uint32_t a = 0;
      uint32_t b = 0;
      for (int dy = -r; dy <= r; ++dy) {
        for (int dx = -r; dx <= r; ++dx) {
          const auto c = static_cast<uint32_t>(at(i + dy, j + dx));
          a += c * c;
          b += c;
        }
      }
      a = (a + ((1u << (2 * extra_bits)) >> 1)) >> (2 * extra_bits);
      const uint32_t d = (b + ((1u << extra_bits) >> 1)) >> extra_bits;
      const uint32_t p = a * n > d * d ? a * n - d * d : 0;
      const uint32_t z = RestorationRound(p * s, 20);
      const uint32_t a2 = kBoxA2[std::min(z, 255u)];
      const uint32_t b2 = ((1 << 8) - a2) * b * one_over_n;
      as[i + 1][j + 1] = a2;
      bs[i + 1][j + 1] = RestorationRound(b2, 12);
    }
  }
  for (int i = 0; i < block.height; ++i) {
    const int shift = kPass == 0 && (i & 1) ? 4 : 5;
    for (int j = 0; j < block.width; ++j) {
      uint32_t a = 0;
      uint32_t b = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          uint32_t weight;
          if (kPass == 0) {
            weight = (i + dy) & 1 ? (dx == 0 ? 6 : 5) : 0;
          } else {
            weight = dx == 0 || dy == 0 ? 4 : 3;
          }
          a += weight * as[i + 1 + dy][j + 1 + dx];
          b += weight * bs[i + 1 + dy][j + 1 + dx];
        }
      }
      const uint32_t v = a * static_cast<uint32_t>(at(i, j)) + b;
      filtered[i][j] = static_cast<int>(RestorationRound(v, 8 + shift - 4));
    }
  }
}

// 7.17.2. at as in BoxFilter; put(i, j, value) stores a filtered sample.
template <typename At, typename Put>
void SelfGuidedFilter(const RestorationBlock& block,
                      const RestorationUnit& unit, const At& at,
                      const Put& put) {
  const SelfGuidedPass(&passes)[2] = kSelfGuidedSets[unit.vertical & 15];
  const int w0 = static_cast<int16_t>(unit.weights & 0xffff);
  const int w1 = static_cast<int16_t>(unit.weights >> 16);
  const int w2 = (1 << 7) - w0 - w1;
  RestorationSums flt0;
  RestorationSums flt1;
  if (passes[0].radius != 0) BoxFilter<0>(block, passes[0].eps, at, flt0);
  if (passes[1].radius != 0) BoxFilter<1>(block, passes[1].eps, at, flt1);
  for (int i = 0; i < block.height; ++i) {
    for (int j = 0; j < block.width; ++j) {
      const int u = at(i, j) << 4;
      int v = w1 * u;
      v += w0 * (passes[0].radius != 0 ? flt0[i][j] : u);
      v += w2 * (passes[1].radius != 0 ? flt1[i][j] : u);
      put(i, j,
          std::clamp(RestorationRound(v, 4 + 7), 0,
                     (1 << block.bit_depth) - 1));
    }
  }
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_RESTORATION_RESTORATION_BLOCK_H_
