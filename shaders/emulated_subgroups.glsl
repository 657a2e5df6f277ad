// SPDX-License-Identifier: BSD-2-Clause
// Subgroups of SUBGROUP_SIZE lanes, a power of two of at most 64, emulated by
// shared memory. Included by shaders/common.glsl, with EMULATED_SUBGROUPS
// defined, as only tests compile it. A subgroup's lanes follow each other in
// gl_LocalInvocationIndex.
//
// For lavapipe alone. It runs the vectors of a workgroup as coroutines in turns,
// and barrier() does no more than to let the next one go on. So lanes wait here in
// loops around barrier(), some of a workgroup at one place and others at another.
// GLSL forbids that: elsewhere it may do anything.
//
// All vectors of a subgroup that have not ended must come to each operation, with
// some of their lanes, though a device would not mind. Else those that came give
// up and get wrong values.
#extension GL_KHR_shader_subgroup_basic : require

#define MOST_LANES 256u
#define MOST_POLLS 10000u

const uint TOGETHER = SUBGROUP_SIZE > 1 ? SUBGROUP_SIZE : 1;
uint EmulatedSubgroup() { return gl_LocalInvocationIndex / TOGETHER; }
uint EmulatedLane() { return gl_LocalInvocationIndex % TOGETHER; }

// ---- meetings ----

// Who meets: the workgroup, or from 1 on its subgroups.
#define WORKGROUP 0u
#define OWN_SUBGROUP (1 + EmulatedSubgroup())
shared uint members[1 + MOST_LANES];  // lanes that have not ended
shared uint arrived[1 + MOST_LANES];
shared uint meetings[1 + MOST_LANES];  // that are over

bool lonely = false;  // gave up a wait

void EndMeetingIfAllAreThere(uint who) {
  if (arrived[who] == members[who]) {
    arrived[who] = 0;
    ++meetings[who];
  }
}

void Meet(uint who) {
  const uint meeting = meetings[who];
  // For lanes of the vector that have left the shader before others, too.
  if (subgroupElect()) atomicAdd(arrived[who], gl_SubgroupSize);
  EndMeetingIfAllAreThere(who);
  for (uint polls = 0; meetings[who] == meeting && !lonely; ++polls) {
    barrier();
    lonely = polls == MOST_POLLS;
  }
}
void EmulatedBarrier() { Meet(WORKGROUP); }

// ---- operations ----
// What they use is used again two or three operations later: by then the lanes
// have met, and so have read it.

shared uvec4 exchanged[2][MOST_LANES];
uint exchanges = 0;
shared uint ballots[3][MOST_LANES][2];  // by subgroup
uint ballots_held = 0;

uvec4 Exchanged(uvec4 value, uint lane) {
  const uint turn = exchanges++ % 2;
  exchanged[turn][gl_LocalInvocationIndex] = value;
  Meet(OWN_SUBGROUP);
  return lonely ? uvec4(0xbad)
                : exchanged[turn][EmulatedSubgroup() * TOGETHER + lane];
}

uint EmulatedShuffle(uint value, uint lane) {
  return Exchanged(uvec4(value), lane).x;
}
uint EmulatedXor(uint value, uint mask) {
  return EmulatedShuffle(value, EmulatedLane() ^ mask);
}
int EmulatedXor(int value, uint mask) {
  return int(EmulatedXor(uint(value), mask));
}
uvec2 EmulatedXor(uvec2 value, uint mask) {
  return Exchanged(value.xyxy, EmulatedLane() ^ mask).xy;
}
uvec4 EmulatedXor(uvec4 value, uint mask) {
  return Exchanged(value, EmulatedLane() ^ mask);
}

uvec4 EmulatedBallot(bool value) {
  const uint own = EmulatedSubgroup();
  const uint turn = ballots_held++ % 3;
  const uint next = ballots_held % 3;
  ballots[next][own][0] = ballots[next][own][1] = 0;
  atomicOr(ballots[turn][own][EmulatedLane() / 32],
           uint(value) << EmulatedLane() % 32);
  Meet(OWN_SUBGROUP);
  return lonely ? uvec4(0)
                : uvec4(ballots[turn][own][0], ballots[turn][own][1], 0, 0);
}

uint EmulatedBroadcastFirst(uint value) {
  const uvec4 lanes = EmulatedBallot(true);
  return EmulatedShuffle(
      value, lanes.x != 0 ? findLSB(lanes.x) : 32 + findLSB(lanes.y));
}

// ---- a lane's life ----

void ShaderMain();  // the shader's own main

void main() {
  const uint own = OWN_SUBGROUP;
  members[WORKGROUP] = arrived[WORKGROUP] = meetings[WORKGROUP] = 0;
  members[own] = arrived[own] = meetings[own] = 0;
  ballots[0][own - 1][0] = ballots[0][own - 1][1] = 0;
  barrier();
  atomicAdd(members[WORKGROUP], 1);
  atomicAdd(members[own], 1);
  barrier();
  ShaderMain();
  atomicAdd(members[own], -1);
  EndMeetingIfAllAreThere(own);
  Meet(WORKGROUP);
}

#define main ShaderMain
#define barrier EmulatedBarrier
#define gl_SubgroupSize TOGETHER
#define gl_SubgroupID EmulatedSubgroup()
#define gl_SubgroupInvocationID EmulatedLane()
#define subgroupShuffle EmulatedShuffle
#define subgroupShuffleXor EmulatedXor
#define subgroupBallot EmulatedBallot
#define subgroupBroadcastFirst EmulatedBroadcastFirst
