// SPDX-License-Identifier: BSD-2-Clause
// Every struct of kernels/shared in a storage buffer, for shared_layout_test.
// Never run.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/dispatch.h"
#include "kernels/shared/metrics.h"

#define BUFFER(number, type)                           \
  layout(std430, binding = number) buffer Of##type {   \
    type items##number[];                              \
  }

BUFFER(0, ReferenceParams);
BUFFER(1, FrameParams);
BUFFER(2, InterBlock);
BUFFER(3, TransformBlock);
BUFFER(4, IntraBlock);
BUFFER(5, PlaneOffsets);
BUFFER(6, ResidualLayout);
BUFFER(7, FrameUniforms);
BUFFER(8, DispatchConstants);
BUFFER(9, InterUnit);
BUFFER(10, MetricsSum);
BUFFER(11, MetricsResults);
BUFFER(12, PlaneRegion);
BUFFER(13, MetricsConstants);
BUFFER(14, ReduceConstants);
BUFFER(15, LoopFilterPlane);

void main() {}
