// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to AV1's shader of film grain. Writer:
// kernels/gpu/av1/film_grain.cc. Reader: shaders/av1/film_grain.comp.
#ifndef PERDIX_KERNELS_SHARED_AV1_FILM_GRAIN_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_AV1_FILM_GRAIN_DISPATCH_H_

#include "kernels/shared/dispatch.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

// ---- records ----

// A block of 32x32 luma samples, and the chroma that belongs to it: its random
// number of 8 bits, and those of the blocks whose grain overlaps with its own.
// Records are in raster order.
PERDIX_SHARED_FUNCTION uint PackGrainNumbers(uint here, uint left, uint above,
                                             uint above_left) {
  return here | (left << 8) | (above << 16) | (above_left << 24);
}

// ---- tables of the frame ----

// Templates of grain, in 16 bits. Of luma two samples a word, of which the
// first is in the upper half of the first word: blocks begin at odd columns. Of
// chroma U and V a word, U below.
#define PERDIX_LUMA_GRAIN_ROWS 73
#define PERDIX_LUMA_GRAIN_COLUMNS 82
#define PERDIX_CHROMA_GRAIN_ROWS 38
#define PERDIX_CHROMA_GRAIN_COLUMNS 44

// Scaling functions of Y, U and V follow: a byte for each value of a sample.

// ---- push constants ----

// How a component gets noise.
struct GrainComponent {
  float factor;  // of noise, once it is scaled; 0: the component gets none
  float lowest;  // of what is stored
  float highest;
  // Chroma's place in its scaling function, before it is divided by 64: factors
  // of luma and of the sample itself. Luma's place is the sample.
  float luma_mult;
  float mult;
  float offset;  // after the division
};

// film_grain.comp: a plane of the frame. Words are 32-bit ones.
struct FilmGrainConstants {
  uint from;  // words of the target, where the plane begins
  uint from_stride;
  uint to;  // words of the display, where the plane begins
  uint to_stride;
  uint luma;  // words of the target, where luma begins
  uint luma_stride;
  uint luma_width;  // pixels
  uint samples;     // of a line of the plane; U and V are two
  uint lines;
  uint blocks;   // of a row
  uint records;  // words of the records, where those of the blocks begin
  uint grain;    // words of the frame's tables, where the plane's template is
  uint scaling;  // words of the frame's tables, where its first function is
  uint overlap;  // 1: blocks overlap
  uint shift;    // of what is stored: PictureView::shift
  float grain_min;
  float grain_max;
  GrainComponent components[2];  // Y twice, or U and V
};

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

#define PERDIX_CONSTANT_GRAIN_PLANE 1  // PlaneIndex
// Items of a workgroup side by side. An item is four samples of a line.
#define PERDIX_GRAIN_COLUMNS 16

#ifdef __cplusplus
static_assert(sizeof(GrainComponent) == 24);
static_assert(sizeof(FilmGrainConstants) == 116);
static_assert(sizeof(FilmGrainConstants) <= PERDIX_PUSH_CONSTANT_BYTES);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_FILM_GRAIN_DISPATCH_H_
