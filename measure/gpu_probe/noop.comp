// SPDX-License-Identifier: BSD-2-Clause
// Nothing, to measure what a dispatch costs by itself.
//
// Reads: nothing. Writes: nothing. Work item: a workgroup. Order: any.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "measure/gpu_probe/probe.glsl"

void main() {}
