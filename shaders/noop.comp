// SPDX-License-Identifier: BSD-2-Clause
// Nothing, for kernels/vulkan/overheads.cc to measure what a dispatch costs.
//
// Reads: nothing. Writes: nothing. Work item: a workgroup. Order: any.
#version 450

layout(local_size_x = 64) in;

void main() {}
