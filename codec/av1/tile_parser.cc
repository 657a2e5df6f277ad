// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/tile_parser.h"

#include <hwy/targets.h>

namespace perdix::av1 {

// Defined in tile.cc.
inline namespace baseline {
std::unique_ptr<TileParser> NewTileDecoder();
}
#ifdef PERDIX_HAS_PARSER_BMI
inline namespace bmi {
std::unique_ptr<TileParser> NewTileDecoder();
}
#endif

std::unique_ptr<TileParser> NewTileParser() {
#ifdef PERDIX_HAS_PARSER_BMI
  // Highway asks for BMI, BMI2 and LZCNT with AVX2; better targets are lower.
  if (hwy::SupportedTargets() & (2 * HWY_AVX2 - 1))
    return bmi::NewTileDecoder();
#endif
  return baseline::NewTileDecoder();
}

TileLists::Capacity MostRecords(const FrameParams& params) {
  const uint32_t shift = params.subsampling_x + params.subsampling_y;
  const size_t chunks = params.sb_log2 == 7 ? 4 : 1;         // of 64x64
  const size_t luma = 256 * chunks, chroma = luma >> shift;  // 4x4s
  const size_t blocks_8x8 = 64 * chunks;
  const size_t units = params.bit_depth > 8 ? 2 : 1;  // of a coefficient
  TileLists::Capacity most;
  // in blocks of 4x4: one of luma and one of chroma. Those of 8x8 have at most
  // one and two that overlap.
  most.records[kInterBlocks.index] = 2 * luma;
  most.records[kInterTransforms.index] = luma + 2 * chroma;
  most.records[kIntraTransforms.index] = luma + 2 * chroma;
  // intrabc: a prediction, then a residual. Palettes need 8x8.
  most.records[kIntraBlocks.index] = 2 * (luma + chroma);
  // Palette of 8x8 or 4x16: 8 colours of Y, U, V; 64 bytes each of both maps,
  // at most. A warp needs 8x8, too, and then there is no palette.
  constexpr size_t kPalettes = 3 * PERDIX_PALETTE_COLOURS + 2 * 64 / 2;
  static_assert(kPalettes >= PERDIX_WARP_UNITS);
  most.coefficients = (luma + 2 * chroma) * 16 * units + blocks_8x8 * kPalettes;
  return most;
}

}  // namespace perdix::av1
