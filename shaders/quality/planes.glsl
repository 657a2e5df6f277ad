// SPDX-License-Identifier: BSD-2-Clause
// What most shaders of shaders/quality share: workgroups whose lanes are columns
// of a tile, samples of luma read one by one, borders, 64-bit partial sums.
#ifndef LANES
#define LANES PERDIX_QUALITY_LANES
#endif
#define SUM_64

#include "kernels/shared/quality_dispatch.h"
#include "shaders/common.glsl"
#include "shaders/reduce.glsl"
#include "shaders/samples.glsl"

layout(local_size_x = LANES) in;

// Where the samples of a column lie.
struct Column {
  uint word;   // of a row
  uint shift;  // bits, in the word
};

Column ColumnOf(uint x) {
  const uint bits = 8 * SAMPLE_BYTES;
  return Column(x / WORD_SAMPLES, x % WORD_SAMPLES * bits);
}

// A sample of a picture, whose buffer has words.
#define SAMPLE(words, plane, column, row)                               \
  (words[plane.offset + (row) * plane.stride + column.word] >> column.shift & \
   ((1u << (8 * SAMPLE_BYTES)) - 1))

// The sample that stands in for one beyond the border: mirrored at the last
// one. What is further away than the picture is wide may become any sample.
uint Mirror(int at, uint size) {
  const int last = int(size) - 1;
  return uint(max(last - abs(last - abs(at)), 0));
}
