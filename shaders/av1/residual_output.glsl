// SPDX-License-Identifier: BSD-2-Clause
// What becomes of the residual of four columns (7.12.3): added to the target or
// left in planes. Whoever includes this has StoreFour(at, pairs), which stores
// four values of a plane's row; at: in fours of values.
layout(constant_id = PERDIX_CONSTANT_RESIDUAL_OUTPUT) const uint OUTPUT =
    PERDIX_RESIDUAL_TO_LUMA;

// A line's samples of four columns: of luma, and of U and V.
#if SAMPLE_BITS == 8
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetLuma {
  uint target_luma[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetChroma {
  uvec2 target_chroma[];
};
#define LUMA_WORDS 1
#define CHROMA_WORDS 2
#else
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetLuma {
  uvec2 target_luma[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) buffer TargetChroma {
  uvec4 target_chroma[];
};
#define LUMA_WORDS 2
#define CHROMA_WORDS 4
#endif

// Two values of a column, of rows that follow each other. To be stored: clamped
// and with a bias, as ResidualLayout says. To be added: half floats, exact where
// samples do not become 0 or SAMPLE_MAX anyway.
uint PackRows(int first, int second) {
  return OUTPUT == PERDIX_RESIDUAL_TO_PLANES
             ? uint(clamp(first + SAMPLE_RANGE, 0, 2 * SAMPLE_RANGE)) |
                   uint(clamp(second + SAMPLE_RANGE, 0, 2 * SAMPLE_RANGE) << 16)
             : packHalf2x16(vec2(first, second));
}

// Two samples, as half floats, plus two values of the residual: 1024 + n each.
uint AddPair(uint halves, vec2 values) {
  return packHalf2x16(clamp(unpackHalf2x16(halves) + values, 1024.0,
                            1024.0 + float(SAMPLE_MAX)));
}

// values: of four columns.
#if SAMPLE_BITS == 8
uint AddToLuma(uint word, vec4 values) {
  return JoinHalves(AddPair(EvenHalves(word), values.xz),
                    AddPair(OddHalves(word), values.yw));
}

// Two pixels' U or V. shift: of the component.
#define SHIFT_OF_V 8
uint AddToComponent(uint word, uint shift, vec2 values) {
  const uint halves = EvenHalves(word >> shift);
  return word + ((AddPair(halves, values) - halves) << shift);
}

uvec2 AddToChroma(uvec2 words, uint shift, vec4 values) {
  return uvec2(AddToComponent(words.x, shift, values.xy),
               AddToComponent(words.y, shift, values.zw));
}
#else
uvec2 AddToLuma(uvec2 words, vec4 values) {
  return uvec2(AddPair(Halves(words.x), values.xy) - HALF_BIAS,
               AddPair(Halves(words.y), values.zw) - HALF_BIAS);
}

// Two pixels' U or V, a word each.
#define SHIFT_OF_V 16
uvec2 AddToComponent(uvec2 words, uint shift, vec2 values) {
  const uint halves =
      Halves(((words.x >> shift) & 0xffffu) | (words.y >> shift << 16));
  const uint changed = halves ^ AddPair(halves, values);
  return words ^ (uvec2(changed & 0xffffu, changed >> 16) << shift);
}

uvec4 AddToChroma(uvec4 words, uint shift, vec4 values) {
  return uvec4(AddToComponent(words.xy, shift, values.xy),
               AddToComponent(words.zw, shift, values.zw));
}
#endif

// Where a lane's four columns are.
struct Place {
  uint y;      // of the first row
  uint at;     // there, in accesses of the target or fours of a plane
  uint step;   // y from row to row: 1, or -1 from bottom to top
  uint line;   // places from row to row, modulo 2^32 as well
  uint shift;  // of the component
  uint end;    // y where nothing is any more
};

Place TargetPlace(uint shape, uint x4, uint y) {
  Place place;
  if (OUTPUT == PERDIX_RESIDUAL_TO_LUMA) {
    place.line = dispatch.stride / LUMA_WORDS;
    place.at = dispatch.offset / LUMA_WORDS + x4;
    place.shift = 0;
  } else {
    place.line = dispatch.stride / CHROMA_WORDS;
    place.at = dispatch.offset / CHROMA_WORDS + x4;
    place.shift = TransformComponent(shape) == 2 ? SHIFT_OF_V : 0;
  }
  place.end = dispatch.height;
  place.y = y;
  place.step = 1;
  place.at += y * place.line;
  return place;
}

// Planes are padded, nothing sticks out; but padding of the list does.
Place PlanesPlace(uint shape, uint x4, uint y) {
  const uint component = TransformComponent(shape);
  const uint stride = component == 0 ? dispatch.planes.luma_stride
                                     : dispatch.planes.chroma_stride;
  const uint offset = component == 0   ? 0
                      : component == 1 ? dispatch.planes.u_offset
                                       : dispatch.planes.v_offset;
  Place place;
  place.y = y;
  place.step = 1;
  place.line = stride / 4;
  place.at = offset / 4 + x4 + y * place.line;
  place.shift = 0;
  place.end = x4 < place.line ? 0xffffffffu : 0;
  return place;
}

// x4: in units of four pixels.
Place PlaceOf(uint shape, uint x4, uint y) {
  return OUTPUT == PERDIX_RESIDUAL_TO_PLANES ? PlanesPlace(shape, x4, y)
                                             : TargetPlace(shape, x4, y);
}

// From bottom to top, of so many rows.
void Flip(inout Place place, uint rows) {
  place.at += (rows - 1) * place.line;
  place.y += rows - 1;
  place.step = -1;
  place.line = -place.line;
}

void AddRow(Place place, uint at, vec4 values) {
  if (OUTPUT == PERDIX_RESIDUAL_TO_LUMA) {
    target_luma[at] = AddToLuma(target_luma[at], values);
  } else {
    target_chroma[at] = AddToChroma(target_chroma[at], place.shift, values);
  }
}

// Stores two rows of a plane.
void StoreRows(Place place, uint at, uvec4 words) {
  StoreFour(at, uvec2((words.x & 0xffffu) | (words.y << 16),
                      (words.z & 0xffffu) | (words.w << 16)));
  StoreFour(at + place.line, uvec2((words.x >> 16) | (words.y & 0xffff0000u),
                                   (words.z >> 16) | (words.w & 0xffff0000u)));
}

void AddRows(Place place, uint at, uvec4 words) {
  const vec2 a = unpackHalf2x16(words.x);
  const vec2 b = unpackHalf2x16(words.y);
  const vec2 c = unpackHalf2x16(words.z);
  const vec2 d = unpackHalf2x16(words.w);
  AddRow(place, at, vec4(a.x, b.x, c.x, d.x));
  AddRow(place, at + place.line, vec4(a.y, b.y, c.y, d.y));
}

// Adds or stores rows 2k and 2k + 1, from the first one on, of four columns:
// words of PackRows. They are inside: see IsInside.
void OutputRows(Place place, uint k, uvec4 words) {
  const uint at = place.at + 2 * k * place.line;
  if (OUTPUT == PERDIX_RESIDUAL_TO_PLANES) {
    StoreRows(place, at, words);
  } else {
    AddRows(place, at, words);
  }
}

// Whether rows 4i to 4i + 3 are there: the frame ends between such rows, as
// blocks do.
bool IsInside(Place place, uint i) {
  return place.y + 4 * i * place.step < place.end;
}
