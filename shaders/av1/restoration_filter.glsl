// SPDX-License-Identifier: BSD-2-Clause
// What the filters of loop restoration include: the samples that they read (AV1
// 7.17.6). A lane has a group of an item and goes down its lines.
#include "shaders/av1/restoration.glsl"

layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Luma {
  GROUP luma[];
};
layout(std430, binding = PERDIX_BINDING_TARGET) readonly buffer Chroma {
  PIXELS chroma[];
};
layout(std430, binding = PERDIX_BINDING_FRAME_TABLES) readonly buffer
    SavedLuma {
  GROUP saved_luma[];
};
layout(std430, binding = PERDIX_BINDING_FRAME_TABLES) readonly buffer
    SavedChroma {
  PIXELS saved_chroma[];
};
layout(std430, binding = PERDIX_BINDING_SCRATCH) writeonly buffer Results {
  GROUP results[];
};

// ---- groups ----

// The samples, plus 1024, in the order of the pixels.
vec4 HalvesOf(GROUP group) {
#if SAMPLE_BITS == 8
  const vec2 pair0 = unpackHalf2x16(EvenHalves(group));
  const vec2 pair1 = unpackHalf2x16(OddHalves(group));
  return PLANE == 0 ? vec4(pair0.x, pair1.x, pair0.y, pair1.y)
                    : vec4(pair0, pair1);
#else
  return vec4(unpackHalf2x16(Halves(group.x)),
              unpackHalf2x16(Halves(group.y)));
#endif
}

GROUP GroupOf(vec4 halves) {
#if SAMPLE_BITS == 8
  return PLANE == 0 ? JoinHalves(packHalf2x16(halves.xz),
                                 packHalf2x16(halves.yw))
                    : JoinHalves(packHalf2x16(halves.xy),
                                 packHalf2x16(halves.zw));
#else
  return uvec2(packHalf2x16(halves.xy), packHalf2x16(halves.zw)) - HALF_BIAS;
#endif
}

// ---- the lane ----

RestorationItem item;
uint stripe;
uint group;  // the lane's, in the line
int last;    // pixel of the line, counted from the group's first
uint result;  // where that of the item's first line goes

// Whether the lane has any pixels.
bool BeginLane(uint record, uint lane) {
  const uint at = dispatch.records + record * 5;
  item = RestorationItem(records[at], records[at + 1], records[at + 2],
                         records[at + 3], records[at + 4]);
  stripe = RestorationStripe(item.place);
  group = RestorationColumn(item.place) * RECORD_LANES + lane;
  last = int(dispatch.width) - 1 - 4 * int(group);
  result = item.results + lane;
  return last >= 0;
}

// A line of the group, and its neighbours.
struct Row {
  GROUP before;
  GROUP own;
  GROUP after;
};

// What lies beyond the plane's columns repeats the last one.
vec4 CutOff(vec4 samples, int last_one) {
  samples.y = last_one < 1 ? samples.x : samples.y;
  samples.z = last_one < 2 ? samples.y : samples.z;
  samples.w = last_one < 3 ? samples.z : samples.w;
  return samples;
}

Row CutOff(Row row) {
  const vec4 own = CutOff(HalvesOf(row.own), last);
  if (group == 0) row.before = GroupOf(own.xxxx);
  row.own = GroupOf(own);
  row.after = last < 4 ? GroupOf(own.wwww)
                       : GroupOf(CutOff(HalvesOf(row.after), last - 4));
  return row;
}

GROUP Component(PIXELS pixels) {
  const uint component = RestorationComponent(item.place);
#if SAMPLE_BITS == 8
  const uvec2 pairs = (pixels >> (8 * component)) & 0x00ff00ffu;
  return Join(pairs.x, pairs.y);
#else
  const uvec4 samples = (pixels >> (16 * component)) & 0xffffu;
  return samples.xz | (samples.yw << 16);
#endif
}

// The group at such a place of the target.
GROUP Load(uint at) {
  return PLANE == 0 ? luma[at] : Component(chroma[at]);
}
// The same of the line buffers.
GROUP LoadSaved(uint at) {
  return PLANE == 0 ? saved_luma[at] : Component(saved_chroma[at]);
}

// 0, which a filter may have the compiler not know: what is made with it is made
// anew in each round of a loop. V3D has not the registers to keep all of it.
uint zero = 0;

int StripeY() { return int(StripeBegin(stripe + zero)); }  // its first line
int StripeLines() {
  return int(min(StripeBegin(stripe + 1 + zero), dispatch.height)) - StripeY();
}

// The line of the picture that stands for one of the stripe, counted from its
// first.
int SourceOf(int line) {
  const int y = StripeY();
  return clamp(y + line, 0, int(dispatch.height) - 1) - y;
}
bool IsInside(int source) { return source >= 0 && source < StripeLines(); }

// Groups before and after the lane's that are there.
uint Back() { return group == 0 ? 0 : 1; }
uint Ahead() { return last < 4 ? 0 : 1; }

// A line that is in the stripe.
Row TargetRow(int source) {
  const uint at =
      (dispatch.offset + uint(StripeY() + source) * dispatch.stride) /
          PIXELS_WORDS +
      group;
  return Row(Load(at - Back()), Load(at), Load(at + Ahead()));
}

// A line as it is in the target, where filters leave other stripes' lines alone
// but those before this one have changed them.
Row UncutRow(int source) {
  Row row;
  if (IsInside(source)) {
    row = TargetRow(source);
  } else {
    const bool above = source < 0;
    const uint slot = above ? stripe - 1 : stripe;
    const int saved_line =
        above ? max(source + 2, 0) : 2 + min(source - StripeLines(), 1);
    const uint at = (dispatch.saved + slot * dispatch.saved_slot +
                     uint(saved_line) * dispatch.saved_stride) /
                        PIXELS_WORDS +
                    group;
    row = Row(LoadSaved(at - Back()), LoadSaved(at), LoadSaved(at + Ahead()));
  }
  return row;
}

bool HasBorder() { return group == 0 || last < 8; }

// A line of the stripe, from three above it to three below.
Row RowAt(int line) {
  Row row = UncutRow(SourceOf(line));
  if (HasBorder()) row = CutOff(row);
  return row;
}

// A line and the one below it.
struct TwoRows {
  Row upper;
  Row lower;
};

// Nearly always both are in the stripe: then V3D waits once for all of them. Of
// 10-bit chroma it cannot have so many words on their way.
const bool LOADS_TWO = SAMPLE_BITS == 8 || PLANE == 0;

TwoRows RowsAt(int line) {
  const int upper = SourceOf(line);
  const int lower = SourceOf(line + 1);
  TwoRows rows;
  if (IsInside(upper) && IsInside(lower)) {
    rows = TwoRows(TargetRow(upper), TargetRow(lower));
  } else {
    rows.upper = UncutRow(upper);
    rows.lower = UncutRow(lower);
  }
  if (HasBorder()) rows = TwoRows(CutOff(rows.upper), CutOff(rows.lower));
  return rows;
}

// Stores the lane's samples of a line of the item, halves from 1024 on; also those
// beyond the plane, which the copy leaves out.
void Put(uint line, vec4 halves) {
  results[result + line * RECORD_LANES] = GroupOf(halves);
}
