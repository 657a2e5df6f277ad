// SPDX-License-Identifier: BSD-2-Clause
// What every shader of the probe includes. Its lanes are specialised, its loop
// runs as often as the constants say, so that no compiler unrolls it.
#include "kernels/shared/dispatch.h"
#include "measure/gpu_probe/constants.h"

layout(local_size_x_id = PERDIX_CONSTANT_OWN) in;

layout(push_constant) uniform Constants { ProbeConstants probe; };

// The text, so many times.
#define TIMES_2(text) text text
#define TIMES_4(text) TIMES_2(text) TIMES_2(text)
#define TIMES_8(text) TIMES_4(text) TIMES_4(text)
#define TIMES_16(text) TIMES_8(text) TIMES_8(text)
#define TIMES_64(text) TIMES_8(TIMES_8(text))
