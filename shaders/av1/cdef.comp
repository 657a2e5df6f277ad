// SPDX-License-Identifier: BSD-2-Clause
// The constrained directional enhancement filter of 8x8 blocks (AV1 7.15.3).
//
// Reads: records (CDEF items), the target, directions (scratch). Writes:
// results (scratch): the target stays as it is, because blocks read each
// other's samples; cdef_copy.comp brings them there.
// Work item: four samples, half a line of an item, by a lane; items
// dispatch.first on. Order: any, after the directions.
//
// Differences and sums are floats: all values are whole and below 2^24, so
// nothing is rounded but where floor() says so.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "shaders/av1/cdef.glsl"

layout(constant_id = PERDIX_CONSTANT_CDEF_TAPS) const uint TAPS =
    PERDIX_CDEF_EDGE;

const bool PRIMARY = TAPS != PERDIX_CDEF_SECONDARY;
const bool SECONDARY = TAPS != PERDIX_CDEF_PRIMARY;
// With one strength alone the result cannot leave the range of the samples.
const bool CLAMPS = TAPS >= PERDIX_CDEF_BOTH;
const bool EDGE = TAPS == PERDIX_CDEF_EDGE;

#if SAMPLE_BITS == 8
#define WORDS uint  // of four samples
#define ALL_SAMPLES 0xffffffffu
#else
#define WORDS uvec2
#define ALL_SAMPLES 0x03ff03ffu
#endif
#define LANE_WORDS (4u / WORD_SAMPLES)

const int PIXEL_BYTES = int(SAMPLE_BYTES) << PLANE;

layout(std140, binding = PERDIX_BINDING_FRAME) uniform Frame {
  FrameUniforms frame;
};
layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Target {
  uint target[];
};
// One buffer, although directions are read and results are written: dispatches
// of the same step would seem to write what others read.
layout(std430, binding = PERDIX_BINDING_SCRATCH) buffer Scratch {
  uint scratch[];
};

// ---- samples ----

// The lane's samples are in the order of the pairs: 0, 2, 1, 3 of 8 bits. These
// are their pixels, from the first one on.
#if SAMPLE_BITS == 8
const uvec4 PIXELS = PLANE == 0 ? uvec4(0, 2, 1, 3) : uvec4(0, 1, 0, 1);
#else
const uvec4 PIXELS = PLANE == 0 ? uvec4(0, 1, 2, 3) : uvec4(0, 0, 1, 1);
#endif

// Where the lane's samples lie.
uint word;  // the first one's
uint x;     // pixels
uint y;

vec4 Samples(uint pair0, uint pair1) {
  return vec4(unpackHalf2x16(pair0), unpackHalf2x16(pair1));
}

vec4 SamplesOf(WORDS words) {
#if SAMPLE_BITS == 8
  return Samples(EvenHalves(words), OddHalves(words));
#else
  return Samples(Halves(words.x), Halves(words.y));
#endif
}

WORDS WordsOf(vec4 samples) {
  const uint pair0 = packHalf2x16(samples.xy);
  const uint pair1 = packHalf2x16(samples.zw);
#if SAMPLE_BITS == 8
  return JoinHalves(pair0, pair1);
#else
  return uvec2(pair0, pair1) - HALF_BIAS;
#endif
}

// A word of the target, near the lane's. Beside the picture may be anything,
// and is no sample: more bits than one has would spoil the one beside it.
uint Load(uint at) {
  if (EDGE) {
    const uint last = dispatch.offset + dispatch.height * dispatch.stride - 1;
    at = uint(clamp(int(at), int(dispatch.offset), int(last)));
  }
  return EDGE ? target[at] & ALL_SAMPLES : target[at];
}

// 32 bits of two words, from bit <shift> on, which is below 32.
uint Shifted(uint word0, uint word1, uint shift) {
  return (word0 >> shift) | ((word1 << 1) << (31 - shift));
}

// The words from <at> on, and <shift> bits.
WORDS LoadShifted(uint at, uint shift) {
  const uint word0 = Load(at);
  const uint word1 = Load(at + 1);
#if SAMPLE_BITS == 8
  return Shifted(word0, word1, shift);
#else
  // Pixels of chroma are whole words.
  return PLANE == 0
             ? uvec2(Shifted(word0, word1, shift),
                     Shifted(word1, Load(at + 2), shift))
             : uvec2(word0, word1);
#endif
}

// What lies so many pixels away; where there is nothing: own.
vec4 SamplesAt(ivec2 to, vec4 own) {
  const int bytes = to.x * PIXEL_BYTES;
  const uint at = word + uint(to.y) * dispatch.stride + uint(bytes >> 2);
  vec4 samples = SamplesOf(LoadShifted(at, uint(bytes & 3) * 8));
  if (EDGE) {
    // What is negative is large.
    const bool outside = y + uint(to.y) >= dispatch.height;
    const bvec4 beside =
        greaterThanEqual(PIXELS + (x + uint(to.x)), uvec4(dispatch.width));
    samples = mix(samples, own, outside ? bvec4(true) : beside);
  }
  return samples;
}

// ---- taps ----

// Cdef_Directions: 4 bits for each direction, plus 2.
const uint FIRST_Y = 0x33332221;
const uint FIRST_X = 0x22233333;
const uint SECOND_Y = 0x44443210;
const uint SECOND_X = 0x12344444;

// The pixels of tap k of a direction.
ivec2 TapOf(uint direction, uint k) {
  const uint shift = (direction & 7) * 4;
  const uint tap_y = (k == 0 ? FIRST_Y : SECOND_Y) >> shift;
  const uint tap_x = (k == 0 ? FIRST_X : SECOND_X) >> shift;
  return ivec2(tap_x & 15, tap_y & 15) - 2;
}

// A strength, and 2 to the power of -dampingAdj.
struct Strength {
  float strength;
  float scale;
};

// How a block is filtered.
struct Block {
  uint direction;
  Strength primary;
  bool odd;  // the primary strength: Cdef_Pri_Taps
  Strength secondary;
};

Block BlockOf(uint item) {
  const CdefStrength strength =
      frame.cdef[PLANE * PERDIX_CDEF_INDICES + CdefItemIndex(item)];
  Block block;
  block.direction = 0;
  uint primary = 0;
  if (PRIMARY && (!EDGE || strength.primary != 0)) {
    const uint found =
        scratch[CdefItemY8(item) * dispatch.cols8 + CdefItemX8(item)];
    block.direction = CdefDirectionOf(found);
    primary = PLANE != 0 ? strength.primary
                         : (strength.primary * CdefWeight(found) + 8) >> 4;
  }
  const int shift = max(int(strength.damping) - max(findMSB(primary), 0), 0);
  block.primary =
      Strength(float(primary), uintBitsToFloat(uint(127 - shift) << 23));
  block.odd = ((primary >> (SAMPLE_BITS - 8)) & 1) != 0;
  block.secondary = Strength(strength.secondary, strength.secondary_scale);
  return block;
}

// What is added to samples, and their range.
struct Sum {
  vec4 sum;
  vec4 low;
  vec4 high;
};

void Add(ivec2 to, float weight, Strength by, vec4 own, inout Sum sum) {
  const vec4 samples = SamplesAt(to, own);
  const vec4 difference = samples - own;
  const vec4 most =
      max(by.strength - floor(abs(difference) * by.scale), vec4(0));
  sum.sum += weight * clamp(difference, -most, most);
  if (CLAMPS) {
    sum.low = min(sum.low, samples);
    sum.high = max(sum.high, samples);
  }
}

// The first (k = 0) or second tap of each direction, to one side: -1, 1.
void AddTaps(uint k, int side, Block block, vec4 own, inout Sum sum) {
  if (PRIMARY) {
    Add(side * TapOf(block.direction, k), block.odd ? 3 : 4 - 2 * k,
        block.primary, own, sum);
  }
  if (SECONDARY) {
    Add(side * TapOf(block.direction + 2, k), 2 - k, block.secondary, own, sum);
    Add(side * TapOf(block.direction - 2, k), 2 - k, block.secondary, own, sum);
  }
}

vec4 Filter(vec4 own, Block block) {
  Sum sum = Sum(vec4(0), own, own);
  if (CLAMPS) {
    // A loop, so that V3D loads no more samples at once than it has room for.
    uint i = 0;
    do {
      AddTaps(i / 2, (i & 1) == 0 ? -1 : 1, block, own, sum);
    } while (++i < 4 + dispatch.zero);
  } else {
    [[unroll]] for (uint i = 0; i < 4; ++i) {
      AddTaps(i / 2, (i & 1) == 0 ? -1 : 1, block, own, sum);
    }
  }
  // (8 + sum - (sum < 0)) >> 4.
  const vec4 half_up = mix(vec4(8), vec4(7), lessThan(sum.sum, vec4(0)));
  const vec4 filtered = own + floor((sum.sum + half_up) * (1.0 / 16));
  return CLAMPS ? clamp(filtered, sum.low, sum.high) : filtered;
}

// The samples of a lane of an item. Where there is none, it does as if it had the
// last one, but for storing: so all lanes go through the loop, and V3D need not
// ask at each of its steps which do.
void FilterLane(uint record, uint lane, bool is_there) {
  const uint item = records[record];
  const uint half_line = lane & 1;
  y = (CdefItemY8(item) << LINES_LOG2) + lane / 2;
  x = (CdefItemX8(item) * 2 + half_line) * (4 >> PLANE);
  word = dispatch.offset + y * dispatch.stride +
         (CdefItemX8(item) * 2 + half_line) * LANE_WORDS;
#if SAMPLE_BITS == 8
  const vec4 own = SamplesOf(target[word]);
#else
  const vec4 own = SamplesOf(uvec2(target[word], target[word + 1]));
#endif
  const WORDS filtered = WordsOf(Filter(own, BlockOf(item)));
  const uint result =
      (dispatch.results + record * ITEM_WORDS) / LANE_WORDS + lane;
  if (!is_there) return;
#if SAMPLE_BITS == 8
  scratch[result] = filtered;
#else
  scratch[2 * result] = filtered.x;
  scratch[2 * result + 1] = filtered.y;
#endif
}

void main() {
  const uint lanes_log2 = LINES_LOG2 + 1;  // of an item
  const uint record = dispatch.first + (gl_GlobalInvocationID.x >> lanes_log2);
  const uint lane = gl_GlobalInvocationID.x & ((1 << lanes_log2) - 1);
  FilterLane(min(record, dispatch.end - 1), lane, record < dispatch.end);
}
