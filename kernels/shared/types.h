// SPDX-License-Identifier: BSD-2-Clause
// Lets one header be compiled by C++ and by GLSL: fixed-width words and
// inline functions, nothing else.
#ifndef PERDIX_KERNELS_SHARED_TYPES_H_
#define PERDIX_KERNELS_SHARED_TYPES_H_

#ifdef __cplusplus
#include <cstdint>
#define PERDIX_SHARED_FUNCTION inline constexpr
namespace perdix {
using uint = uint32_t;
}  // namespace perdix
#else
#define PERDIX_SHARED_FUNCTION
#endif

#endif  // PERDIX_KERNELS_SHARED_TYPES_H_
