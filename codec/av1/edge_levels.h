// SPDX-License-Identifier: BSD-2-Clause
// Levels of the loop filter (7.14.4, 7.14.5), and what the edges between tile
// columns wait for.
#ifndef PERDIX_CODEC_AV1_EDGE_LEVELS_H_
#define PERDIX_CODEC_AV1_EDGE_LEVELS_H_

#include <cstdint>
#include <vector>

#include "codec/av1/constants.h"

namespace perdix::av1 {

struct FrameState;

// The filter levels of a block, 0..63: at left and upper edges of luma, of U,
// of V.
struct EdgeLevels {
  uint8_t of[kFrameLfCount];
};

// 7.14.5. mode_type: modeType of 7.14.4. delta_lf: of the block; zeros where
// there is none.
EdgeLevels SelectEdgeLevels(const FrameState& frame, int segment_id,
                            int ref_frame, int mode_type,
                            const int8_t delta_lf[kFrameLfCount]);

// What an edge depends on besides the block behind it: that before it. size: as
// in PackLumaEdges or PackChromaEdges, of the transform block before the edge.
// Without such a block, all is 0.
constexpr uint32_t PackLumaSide(uint32_t size, uint32_t level) {
  return size | level << 2;
}
constexpr uint32_t PackChromaSide(uint32_t size, uint32_t u, uint32_t v) {
  return size | u << 2 | v << 8;
}

// The left and right columns of a tile column, by 4x4 of their plane.
struct TileBorder {
  std::vector<uint16_t> left_luma, right_luma;      // PackLumaSide
  std::vector<uint16_t> left_chroma, right_chroma;  // PackChromaSide
};

}  // namespace perdix::av1

#endif  // PERDIX_CODEC_AV1_EDGE_LEVELS_H_
