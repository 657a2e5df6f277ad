// SPDX-License-Identifier: BSD-2-Clause
// The masks that blend two predictions: wedges (7.11.3.11), the smooth ones of
// inter-intra blocks (7.11.3.13) and those of overlapping blocks (7.11.3.9).
// Weights are 0..64.
#ifndef PERDIX_KERNELS_AV1_INTER_MASKS_H_
#define PERDIX_KERNELS_AV1_INTER_MASKS_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace perdix::av1 {

inline constexpr int kMaskBits = 6;
inline constexpr int kMaskOne = 1 << kMaskBits;
inline constexpr ptrdiff_t kWedgeStride = 64;

// WedgeMasks[MiSize][flip_sign][wedge_index] of the luma block: rows are
// kWedgeStride bytes apart. width_log2, height_log2: 3..5, the nine sizes that
// have wedges. flip_sign: wedge_sign; 0 for inter-intra. wedge_index: 0..15.
const uint8_t* WedgeMask(uint32_t width_log2, uint32_t height_log2,
                         uint32_t flip_sign, uint32_t wedge_index);

// The master masks that all of those lie in.
std::span<const uint8_t> WedgeMasters();

// Weights of the block's own prediction where a neighbour's overlaps it, by
// distance from the edge: length entries. length: 2, 4, 8, 16 or 32.
const uint8_t* ObmcMask(int length);

// The last quarter of an ObmcMask leaves the block as it is (of 2: half).
inline constexpr int ObmcBlended(int length) {
  return length == 2 ? 1 : length / 4 * 3;
}

// Rows of weights with their stride in bytes.
struct MaskRows {
  const uint8_t* data;
  ptrdiff_t stride;
};

// The mask of a chroma plane from that of luma, as 7.11.3.14 averages it: width
// x height pixels, each weight twice (for U and V), rows 2 * width bytes apart.
void ChromaMask(MaskRows luma, uint32_t subsampling_x, uint32_t subsampling_y,
                int width, int height, uint8_t* chroma);

// The mask of 7.11.3.13 for a block of any plane: width x height pixels, each
// weight <pixel_step> times (1 for luma, 2 for U and V), rows without gaps.
// mode: interintra_mode. width, height: 4..32, powers of two.
void SmoothMask(uint32_t mode, int width, int height, int pixel_step,
                uint8_t* mask);

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTER_MASKS_H_
