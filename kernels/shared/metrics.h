// SPDX-License-Identifier: BSD-2-Clause
// Numbers about a picture that are reduced to a pair of 32-bit sums: what is
// summed, and what the GPU leaves to read. Users: kernels/metrics, shaders/,
// kernels/gpu/metrics.cc.
#ifndef PERDIX_KERNELS_SHARED_METRICS_H_
#define PERDIX_KERNELS_SHARED_METRICS_H_

#include "kernels/shared/dispatch.h"
#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix {
#endif

// ---- checksum ----

// Every 32-bit word (little endian) of the decoded area has an index: luma row
// after row, then chroma. Each word adds a term to each of two sums; the terms
// depend on its index, so that the order of adding does not matter and the
// order of the words does. Any one changed word changes both sums.
#define PERDIX_CHECKSUM_STEP 0x9e3779b1u  // from one word's key to the next

PERDIX_SHARED_FUNCTION uint ChecksumKey(uint index) {
  return index * PERDIX_CHECKSUM_STEP;
}
// Linear in the word, by an odd factor. Knows little of where the top bits of
// words are.
PERDIX_SHARED_FUNCTION uint ChecksumLow(uint word, uint key) {
  return word * (key | 1u);
}
// Every bit of the word and of its place changes half of the bits (a mixing
// function with two multiplications, "lowbias32"; with one, flips of top bits
// in different words often add up to the same).
PERDIX_SHARED_FUNCTION uint ChecksumHigh(uint word, uint key) {
  uint x = word ^ key;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// ---- luma ----

// A tile's sum is split into its low bits and the rest, which are summed apart:
// exact for frames of 65536 x 65536 and samples of 12 bits.
#define PERDIX_LUMA_LOW_BITS 12

// ---- results of a frame ----

// Two sums modulo 2^32, of whatever was reduced.
struct MetricsSum {
  uint low;
  uint high;
};

// The checksum after a stage has the stage's position as its index.
// Index of the first of luma's: differences, samples, dark samples.
#define PERDIX_METRICS_LUMA PERDIX_MAX_STAGES
#define PERDIX_LUMA_RESULTS 3
#define PERDIX_METRICS_RESULTS (PERDIX_MAX_STAGES + PERDIX_LUMA_RESULTS)

struct MetricsResults {
  MetricsSum sums[PERDIX_METRICS_RESULTS];
};

// ---- on the GPU: tiles of a plane to partial sums, these to a result ----

// What a workgroup of shaders/metrics adds up.
#define PERDIX_METRICS_TILE_BYTES 256  // of a row
#define PERDIX_METRICS_TILE_ROWS 32

// A rectangle in a buffer. Offset and stride are multiples of 16 bytes; there
// is memory for whole strides, also in the last row.
struct PlaneRegion {
  uint offset;  // bytes
  uint stride;  // bytes
  uint row_bytes;
  uint rows;
};

// Push constants of metrics/checksum.comp and metrics/luma.comp.
struct MetricsConstants {
  uint first_partial;  // of the dispatch; one for each workgroup
  // Checksum: luma and chroma of the target, workgroups in y one after the
  // other. Luma: that of the target and of the frame to compare it with.
  PlaneRegion planes[2];
  uint dark_level;  // luma: LumaSums::dark; fits a sample
  uint shift;       // luma: of both pictures (PictureView::shift)
};

// Specialisation constant of metrics/luma.comp.
#define PERDIX_CONSTANT_SAMPLE_BYTES 1  // 1, or 2 above bit depth 8

// Push constants of reduce.comp, each of whose workgroups makes one of results
// that lie side by side.
struct ReduceConstants {
  uint first_partial;  // of the first result; those of the next come behind it
  uint partials;       // of a result
  uint result;         // index in MetricsResults of the first
};

#ifdef __cplusplus
static_assert(sizeof(MetricsSum) == 8);
static_assert(sizeof(MetricsResults) == 8 * PERDIX_METRICS_RESULTS);
static_assert(sizeof(MetricsConstants) == 44);
static_assert(sizeof(ReduceConstants) == 12);
}  // namespace perdix
#endif

#endif  // PERDIX_KERNELS_SHARED_METRICS_H_
