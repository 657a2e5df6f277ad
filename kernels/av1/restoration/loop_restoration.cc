// SPDX-License-Identifier: BSD-2-Clause
// Loop restoration (AV1 7.17), of the stripes of a superblock row: Wiener and
// self-guided filters.
//
// Reads: kRestorationUnits, the target's stripes, and around them
// kRestorationLines, or kCdefLines in a frame without superresolution. Writes:
// the target's stripes. Range: a superblock row, after SuperRes of it and of
// the one above.
#include <cstddef>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/restoration/restoration_block.h"
#include "kernels/av1/restoration/restoration_walk.h"

namespace perdix::av1 {
namespace {

struct Scalar : RestorationLines {
  template <typename Sample>
  static void Wiener(const RestorationUnit* const* units,
                     RestorationSource<Sample>& source, const Plane& plane,
                     int y) {
    const RestorationExtent& piece = source.piece;
    const int components = piece.components;
    for (int i = 0; i < components; ++i) {
      if (units[i] == nullptr || units[i]->type != kWiener) continue;
      const auto line = [&](int r) {
        const Sample* const first = source.Line(r + kRestorationBorder, 0) + i;
        return [=](int c) -> int { return first[c * components]; };
      };
      const auto put = [&](int r, int c, int value) {
        plane.Row<Sample>(
            static_cast<uint32_t>(y + r))[(piece.x + c) * components + i] =
            static_cast<Sample>(value);
      };
      WienerFilter({piece.width, piece.height, piece.bit_depth},
                   units[i]->vertical, units[i]->horizontal, line, put);
    }
  }

  static void SelfGuided(const RestorationUnit& unit,
                         const RestorationPiece& piece, uint16_t* to) {
    const auto at = [&](int i, int j) -> int {
      return piece.samples[i * kRestorationPitch + j];
    };
    const auto put = [to](int i, int j, int value) {
      to[i * kRestorationPiece + j] = static_cast<uint16_t>(value);
    };
    SelfGuidedFilter({piece.width, piece.height, piece.bit_depth}, unit, at,
                     put);
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
