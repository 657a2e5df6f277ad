// SPDX-License-Identifier: BSD-2-Clause
// What crosses from the CPU to the shaders of AV1's inter prediction: tables,
// records made for the GPU alone, push constants, specialisation constants.
// Writer: kernels/gpu/av1/inter_*. Readers: shaders/av1/inter_*.
#ifndef PERDIX_KERNELS_SHARED_AV1_INTER_DISPATCH_H_
#define PERDIX_KERNELS_SHARED_AV1_INTER_DISPATCH_H_

#include "kernels/shared/dispatch.h"

#ifdef __cplusplus
namespace perdix::av1 {
#endif

// PERDIX_BINDING_RECORDS holds the tables and then the lists of units. Its
// elements are 16 bytes; a place in it is counted in these, unless words are
// said.

// ---- units ----

// A unit is up to 8 bytes of a target line and as many lines as its shape says.
// It is predicted by two lanes, each of which has a word of every line.
#define PERDIX_PREDICT_UNIT_WORDS 2
// The most lines.
#define PERDIX_PREDICT_UNIT_LINES 16
#define PERDIX_PREDICT_WARP_SIZE 8  // pixels and lines that warp alike

// The shape of a unit. words, lines: to predict. stride_log2: of the words from
// line to line in the scratch memory. ref, set_x, set_y, mask: of units that
// are predicted from a reference. set_x, set_y: FilterSet. mask: the first
// weight of a unit that overlaps, in the table of these.
PERDIX_SHARED_FUNCTION uint PackUnitShape(uint words, uint lines,
                                          uint stride_log2, uint ref,
                                          uint set_x, uint set_y, uint mask) {
  return words | (lines << 2) | (stride_log2 << 7) | (ref << 10) |
         (set_x << 13) | (set_y << 16) | (mask << 19);
}
PERDIX_SHARED_FUNCTION uint UnitWords(uint shape) { return shape & 3u; }
PERDIX_SHARED_FUNCTION uint UnitLines(uint shape) { return (shape >> 2) & 31u; }
PERDIX_SHARED_FUNCTION uint UnitStrideLog2(uint shape) {
  return (shape >> 7) & 7u;
}
PERDIX_SHARED_FUNCTION uint UnitRef(uint shape) { return (shape >> 10) & 7u; }
PERDIX_SHARED_FUNCTION uint UnitSetX(uint shape) { return (shape >> 13) & 7u; }
PERDIX_SHARED_FUNCTION uint UnitSetY(uint shape) { return (shape >> 16) & 7u; }
PERDIX_SHARED_FUNCTION uint UnitMask(uint shape) { return (shape >> 19) & 63u; }

// Predicted by a vector.
struct PredictUnit {
  uint target;  // the first word, of the target or of the scratch memory
  int x;        // of the first pixel in the reference: 1/16 pixel, or 1/1024 if
  int y;        // it is scaled
  uint shape;
};

// A part of 8x8 pixels that warp alike: they are one to four units wide.
struct WarpUnit {
  uint target;
  int x;  // pixel of the reference for the first tap of the 8x8's first pixel
  int y;
  uint shape;
  uint fractions;   // sx4 and sy4 of 7.11.3.5: the former in the low 16 bits
  int alpha_beta;   // WarpMatrix
  int gamma_delta;  // WarpMatrix
  uint column;      // of the unit in the 8x8, pixels
};

// Two predictions in the scratch memory, to be blended.
struct BlendUnit {
  uint target;  // the first word, of the target
  uint shape;
  uint first;  // words of the scratch memory: the first of each prediction
  uint second;
  // What says the weights of the first prediction. One weight for all: 0..64.
  // By a wedge: byte of the wedges where luma's is for the first pixel. By the
  // difference: 1 to turn them round.
  uint weights;
  uint
      luma_first;  // by the difference in chroma: the two of luma, words, whose
  uint luma_second;  // lines lie as far apart as those of chroma
  uint padding0;
};

// ---- tables ----

// A plane of a reference.
struct SourcePlane {
  uint address_low;  // of its first byte
  uint address_high;
  uint stride;  // words from line to line
  uint shift;   // PictureView::shift
  int last_x;   // the frame's last pixel
  int last_y;
  uint x_step;  // ReferenceScale
  uint y_step;
};
#define PERDIX_PREDICT_SOURCE_ELEMENTS 2

// Filters are eight half floats of an eighth of each tap.
#define PERDIX_PREDICT_FILTERS 0  // elements: 16 positions of each of 6 sets
#define PERDIX_PREDICT_WARP_FILTERS (6 * 16)
#define PERDIX_PREDICT_WEIGHTS (PERDIX_PREDICT_WARP_FILTERS + 193)
// Weights of overlapping blocks, bytes: those of length n begin at n - 2.
#define PERDIX_PREDICT_TABLE_ELEMENTS (PERDIX_PREDICT_WEIGHTS + 4)
// Then a SourcePlane for luma and for chroma of each reference.
#define PERDIX_PREDICT_SOURCE_PLANES PERDIX_PREDICT_TABLE_ELEMENTS

// ---- push constants ----

// inter_pred.comp, inter_blend.comp: a list of units in a plane.
struct PredictConstants {
  uint first;    // unit, counted from the list's beginning
  uint end;      // the unit behind the last one
  uint records;  // element in which the list begins
  uint tables;   // element in which the tables begin
  uint stride;   // words of the target from line to line
  // From weight to weight of units that overlap, 0 or 1: from line to line, and
  // from pixel to pixel.
  uint weight_line;
  uint weight_pixel;
  uint wedges;  // words of the records, where the wedges begin
};

// ---- specialisation constants, from PERDIX_CONSTANT_OWN on ----

// inter_pred.comp: what becomes of predictions.
#define PERDIX_CONSTANT_PREDICT_OUTPUT 1
#define PERDIX_PREDICT_TO_TARGET 0
#define PERDIX_PREDICT_TO_SCRATCH 1  // half of a compound: 16 bits a sample
#define PERDIX_PREDICT_OVERLAP 2     // blended over the target
#define PERDIX_PREDICT_OUTPUTS 3
// Where predictions come from.
#define PERDIX_CONSTANT_PREDICT_SOURCE 2
#define PERDIX_PREDICT_BOTH 0        // filtered in both directions
#define PERDIX_PREDICT_HORIZONTAL 1  // without a vertical fraction
#define PERDIX_PREDICT_VERTICAL 2    // without a horizontal one
#define PERDIX_PREDICT_COPY 3        // without any
#define PERDIX_PREDICT_EDGE 4        // any of these, outside of the reference
#define PERDIX_PREDICT_SCALED 5
#define PERDIX_PREDICT_WARP 6
#define PERDIX_PREDICT_SOURCES 7

// inter_blend.comp: what says the weights.
#define PERDIX_CONSTANT_BLEND_WEIGHTS 1
#define PERDIX_BLEND_ALIKE 0
#define PERDIX_BLEND_WEDGE 1
#define PERDIX_BLEND_DIFFERENCE 2
#define PERDIX_BLENDS 3

#ifdef __cplusplus
static_assert(sizeof(PredictUnit) == 16);
static_assert(sizeof(WarpUnit) == 32);
static_assert(sizeof(BlendUnit) == 32);
static_assert(sizeof(SourcePlane) == 16 * PERDIX_PREDICT_SOURCE_ELEMENTS);
}  // namespace perdix::av1
#endif

#endif  // PERDIX_KERNELS_SHARED_AV1_INTER_DISPATCH_H_
