// SPDX-License-Identifier: BSD-2-Clause
// Every struct of kernels/shared in a storage buffer, for shared_layout_test.
// Never run.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "kernels/shared/dispatch.h"
#include "kernels/shared/frame_params.h"
#include "kernels/shared/metrics.h"
#include "kernels/shared/quality_dispatch.h"
#include "kernels/shared/vp9/dispatch.h"
#include "kernels/shared/vp9/params.h"

#define BUFFER(number, type)                           \
  layout(std430, binding = number) buffer Of##type {   \
    type items##number[];                              \
  }

BUFFER(0, ReferenceSize);
BUFFER(1, FrameParams);
BUFFER(2, PlaneOffsets);
BUFFER(3, MetricsSum);
BUFFER(4, MetricsResults);
BUFFER(5, PlaneRegion);
BUFFER(6, MetricsConstants);
BUFFER(7, ReduceConstants);
BUFFER(8, ReferenceScale);
BUFFER(9, Params);
BUFFER(10, InterBlock);
BUFFER(11, TransformBlock);
BUFFER(12, IntraBlock);
BUFFER(13, ResidualLayout);
BUFFER(14, FrameUniforms);
BUFFER(15, InterConstants);
BUFFER(16, TransformConstants);
BUFFER(17, IntraConstants);
BUFFER(18, LoopFilterPlane);
BUFFER(19, LoopFilterConstants);
BUFFER(20, InterUnit);
BUFFER(21, QualityPlane);
BUFFER(22, MotionBlurConstants);
BUFFER(23, VifConstants);
BUFFER(24, AdmConstants);

void main() {}
