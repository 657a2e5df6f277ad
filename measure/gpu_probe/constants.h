// SPDX-License-Identifier: BSD-2-Clause
// What the probe gives to each of its shaders.
#ifndef PERDIX_MEASURE_GPU_PROBE_CONSTANTS_H_
#define PERDIX_MEASURE_GPU_PROBE_CONSTANTS_H_

#include "kernels/shared/types.h"

#ifdef __cplusplus
namespace perdix {
#endif

struct ProbeConstants {
  uint iterations;  // of the shader's loop
  uint mask;   // indices of words that are accessed are taken modulo it + 1
  uint never;  // a result that does not occur, which would be stored
  uint step;   // added in each step of a chain of arithmetic
};

#ifdef __cplusplus
static_assert(sizeof(ProbeConstants) == 16);
}  // namespace perdix
#endif

#endif  // PERDIX_MEASURE_GPU_PROBE_CONSTANTS_H_
