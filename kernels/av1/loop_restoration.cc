// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration (AV1 7.17), of the stripes of a superblock row: Wiener and
// self-guided filters.
//
// Reads: kRestorationUnits, the target's stripes, and around them
// kRestorationLines, or kCdefLines in a frame without superresolution. Writes:
// the target's stripes. Range: a superblock row, after SuperRes of it. Rows
// from top to bottom.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/restoration_walk.h"
#include "kernels/av1/self_guided.h"

namespace perdix::av1 {
namespace {

// ---- Wiener (7.17.4, 7.17.5) ----

// The four different taps: of the sample itself last.
std::array<int16_t, 4> WienerTaps(uint32_t packed) {
  std::array<int16_t, 4> taps;
  int centre = 128;
  for (uint32_t i = 0; i < 3; ++i) {
    taps[i] = static_cast<int8_t>(packed >> (8 * i));
    centre -= 2 * taps[i];
  }
  taps[3] = static_cast<int16_t>(centre);
  return taps;
}

// to[i]: the sum of seven samples around from[i], step apart, times taps.
// kFirst: the first tap that is not 0.
template <int kFirst>
void Convolve(const int16_t* from, ptrdiff_t step,
              const std::array<int16_t, 4>& taps, int32_t* to, int count) {
  for (int i = 0; i < count; ++i) {
    const int16_t* at = from + i;
    int32_t sum = at[0] * taps[3];
    for (int k = kFirst; k < 3; ++k) {
      sum += at[(k - 3) * step] * taps[static_cast<size_t>(k)] +
             at[(3 - k) * step] * taps[static_cast<size_t>(k)];
    }
    to[i] = sum;
  }
}

constexpr int kRows = kRestorationPiece + 2 * kRestorationBorder;

template <int kFirst>
void WienerPasses(const RestorationUnit& unit, const RestorationPiece& piece,
                  uint16_t* to) {
  const int round0 = piece.bit_depth == 12 ? 5 : 3;   // InterRound0
  const int round1 = piece.bit_depth == 12 ? 9 : 11;  // InterRound1
  const int lowest = -(1 << (piece.bit_depth + 7 - round0 - 1));
  const int highest = (1 << (piece.bit_depth + 8 - round0)) - 1 + lowest;
  const int max_sample = (1 << piece.bit_depth) - 1;
  alignas(32) int16_t rows[kRows][kRestorationPiece];
  alignas(32) int32_t sums[kRestorationPiece];
  const auto horizontal = WienerTaps(unit.horizontal);
  for (int y = 0; y < piece.height + 6; ++y) {
    Convolve<kFirst>(piece.samples + (y - 3) * kRestorationPitch, 1, horizontal,
                     sums, piece.width);
    for (int i = 0; i < piece.width; ++i) {
      const int value = (sums[i] + (1 << (round0 - 1))) >> round0;
      rows[y][i] = static_cast<int16_t>(std::clamp(value, lowest, highest));
    }
  }
  const auto vertical = WienerTaps(unit.vertical);
  for (int y = 0; y < piece.height; ++y, to += kRestorationPiece) {
    Convolve<kFirst>(rows[y + 3], kRestorationPiece, vertical, sums,
                     piece.width);
    for (int i = 0; i < piece.width; ++i) {
      const int value = (sums[i] + (1 << (round1 - 1))) >> round1;
      to[i] = static_cast<uint16_t>(std::clamp(value, 0, max_sample));
    }
  }
}

struct Scalar : RestorationLines {
  static void Wiener(const RestorationUnit& unit, const RestorationPiece& piece,
                     uint16_t* to) {
    const uint32_t outer = (unit.vertical | unit.horizontal) & 0xff;
    if (outer == 0) return WienerPasses<1>(unit, piece, to);
    WienerPasses<0>(unit, piece, to);
  }
  static void SelfGuided(const RestorationUnit& unit,
                         const RestorationPiece& piece, uint16_t* to) {
    SelfGuidedFilter(unit, piece, to);
  }
};

}  // namespace

template <typename Sample>
void LoopRestoration(const KernelArgs& args, Range range) {
  LoopRestorationRows<Sample, Scalar>(args, range);
}

template void LoopRestoration<uint8_t>(const KernelArgs&, Range);
template void LoopRestoration<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
