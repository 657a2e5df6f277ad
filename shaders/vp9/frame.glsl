// SPDX-License-Identifier: BSD-2-Clause
// What VP9's shaders that need to know the frame include.
#include "kernels/shared/vp9/dispatch.h"
#include "shaders/common.glsl"
#include "shaders/samples.glsl"

layout(std140, binding = PERDIX_BINDING_FRAME) uniform Frame {
  FrameUniforms frame;
};
