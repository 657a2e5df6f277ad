// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration (AV1 7.17), of the stripes of a superblock row: Wiener and
// self-guided filters.
//
// Reads: kRestorationUnits, the target's stripes, and around them
// kRestorationLines, or kCdefLines in a frame without superresolution. Writes:
// the target's stripes. Range: a superblock row, after SuperRes of it and of
// the one above.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/restoration/restoration_walk.h"
#include "kernels/av1/restoration/self_guided.h"

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

// Of one direction, by component.
struct WienerFilter {
  WienerFilter(const RestorationUnit* const* units, int components,
               uint32_t RestorationUnit::*direction)
      : components(components) {
    for (int i = 0; i < components; ++i) {
      taps[i] = WienerTaps(WienerTapsOf(units[i], direction));
    }
  }

  // to[i]: the sum of seven samples around from[i], step apart, times taps.
  template <typename T>
  void Convolve(const T* from, ptrdiff_t step, int count, int32_t* to) const {
    for (int c = 0; c < components; ++c) {
      for (int i = c; i < count; i += components) {
        const T* const at = from + i;
        int32_t sum = at[0] * taps[c][3];
        for (int k = 1; k <= 3; ++k) {
          sum += (at[-k * step] + at[k * step]) *
                 taps[c][static_cast<size_t>(3 - k)];
        }
        to[i] = sum;
      }
    }
  }

  int components;
  std::array<int16_t, 4> taps[2];
};

template <typename Sample>
void WienerPasses(const RestorationUnit* const* units,
                  RestorationSource<Sample>& source, const Plane& plane,
                  int y0) {
  const RestorationExtent& piece = source.piece;
  const int round0 = piece.bit_depth == 12 ? 5 : 3;   // InterRound0
  const int round1 = piece.bit_depth == 12 ? 9 : 11;  // InterRound1
  const int lowest = -(1 << (piece.bit_depth + 7 - round0 - 1));
  const int highest = (1 << (piece.bit_depth + 8 - round0)) - 1 + lowest;
  const int max_sample = (1 << piece.bit_depth) - 1;
  const int count = piece.width * piece.components;
  int16_t rows[kSourceLines][kWienerPiece];
  int32_t sums[kWienerPiece];
  const WienerFilter horizontal(units, piece.components,
                                &RestorationUnit::horizontal);
  for (int y = 0; y < piece.height + 2 * kRestorationBorder; ++y) {
    horizontal.Convolve(source.Line(y, 0), piece.components, count, sums);
    for (int i = 0; i < count; ++i) {
      const int value = (sums[i] + (1 << (round0 - 1))) >> round0;
      rows[y][i] = static_cast<int16_t>(std::clamp(value, lowest, highest));
    }
  }
  const WienerFilter vertical(units, piece.components,
                              &RestorationUnit::vertical);
  for (int y = 0; y < piece.height; ++y) {
    Sample* const to = plane.Row<Sample>(static_cast<uint32_t>(y0 + y)) +
                       piece.x * piece.components;
    vertical.Convolve(rows[y + kRestorationBorder], kWienerPiece, count, sums);
    for (int i = 0; i < count; ++i) {
      const int value = (sums[i] + (1 << (round1 - 1))) >> round1;
      to[i] = static_cast<Sample>(std::clamp(value, 0, max_sample));
    }
  }
}

struct Scalar : RestorationLines {
  template <typename Sample>
  static void Wiener(const RestorationUnit* const* units,
                     RestorationSource<Sample>& source, const Plane& plane,
                     int y) {
    WienerPasses(units, source, plane, y);
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
