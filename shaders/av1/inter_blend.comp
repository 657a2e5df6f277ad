// SPDX-License-Identifier: BSD-2-Clause
// Blends the two predictions of compound blocks: averages, distance weights
// (AV1 7.11.3.15), wedges (7.11.3.11), weights by the predictions' difference
// (7.11.3.12), all as 7.11.3.14 does it by 64ths.
//
// Reads: records (BlendUnit, wedges), predictions in the scratch memory.
// Writes: the target. Work item: one unit by two lanes. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/inter.glsl"

layout(constant_id = PERDIX_CONSTANT_BLEND_WEIGHTS) const uint WEIGHTS =
    PERDIX_BLEND_ALIKE;

// Weights of a line's pixels, as those of its samples.
FLOATS OfSamples(float weights[PIXELS]) {
  FLOATS samples;
  [[unroll]] for (uint i = 0; i < WORD_SAMPLES; ++i) {
    samples[i] = weights[i / COMPONENTS];
  }
  return samples;
}

// Round2(the sum of four weights of luma, 2).
float Mean(float sum) { return floor(sum * 0.25 + 0.5); }

// at: byte of the records, of luma's weight for the first pixel.
FLOATS WedgeWeights(uint at) {
  float weights[PIXELS];
  [[unroll]] for (uint i = 0; i < PIXELS; ++i) {
#if PLANE == 0
    weights[i] = float(RecordByte(at + i));
#else
    weights[i] = Mean(
        float(RecordByte(at + 2 * i) + RecordByte(at + 2 * i + 1) +
              RecordByte(at + 2 * i + 64) + RecordByte(at + 2 * i + 65)));
#endif
  }
  return OfSamples(weights);
}

// first, second: two predictions side by side. 7.11.3.12.
vec2 DifferenceWeights(vec2 first, vec2 second, uint inverted) {
  const float scale = 1.0 / float(16 * SAMPLE_STEP);
  const vec2 difference = floor(abs(first - second) * scale + 0.5);
  const vec2 weights = min(floor(difference * (1.0 / 16.0)) + 38.0, 64.0);
  return inverted != 0 ? 64.0 - weights : weights;
}

#if PLANE == 0
FLOATS DifferenceWeightsOf(FLOATS first, FLOATS second, uint inverted) {
#if SAMPLE_BITS == 8
  return vec4(DifferenceWeights(first.xy, second.xy, inverted),
              DifferenceWeights(first.zw, second.zw, inverted));
#else
  return DifferenceWeights(first, second, inverted);
#endif
}
#else
// at: words of luma's predictions, two pixels each.
float MeanDifferenceWeight(uvec2 at, uint stride, uint inverted) {
  vec2 sum = DifferenceWeights(PairOf(scratch[at.x]), PairOf(scratch[at.y]),
                               inverted);
  sum += DifferenceWeights(PairOf(scratch[at.x + stride]),
                           PairOf(scratch[at.y + stride]), inverted);
  return Mean(sum.x + sum.y);
}
#endif

void main() {
  const Lane lane = FindLane(2, 1);
  const uvec4 record = records[lane.element];
  const uvec4 more = records[lane.element + 1];
  const uint stride = 1u << UnitStrideLog2(lane.shape);
  uint target = record.x + lane.part;
  uvec2 at = record.zw + lane.part * PAIR_WORDS;
  uvec2 luma_at = more.yz + lane.part * PIXELS;
  uint wedge_at = 4 * dispatch.wedges + more.x +
                  lane.part * PIXELS * COMPONENTS;  // chroma: two of luma
  for (uint n = 0; n < lane.lines; ++n) {
    const FLOATS first = FloatsOfPairs(LoadPairs(at.x));
    const FLOATS second = FloatsOfPairs(LoadPairs(at.y));
    FLOATS weights = FLOATS(float(more.x));
    if (WEIGHTS == PERDIX_BLEND_WEDGE) {
      weights = WedgeWeights(wedge_at);
    } else if (WEIGHTS == PERDIX_BLEND_DIFFERENCE) {
#if PLANE == 0
      weights = DifferenceWeightsOf(first, second, more.x);
#else
      float means[PIXELS];
      [[unroll]] for (uint i = 0; i < PIXELS; ++i) {
        means[i] = MeanDifferenceWeight(luma_at + i, stride, more.x);
      }
      weights = OfSamples(means);
#endif
    }
    const FLOATS blended =
        weights * (first - second) + 64.0 * second;
    target_words[target] =
        WordOf(Clip(floor(blended * (1.0 / 1024.0) + 0.5)));
    target += dispatch.stride;
    at += stride;
    luma_at += 2 * stride;
    wedge_at += 64 * COMPONENTS;
  }
}
