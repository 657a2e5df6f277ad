// SPDX-License-Identifier: BSD-2-Clause
// What a dispatch runs, and what of a device decides which.
#ifndef PERDIX_KERNELS_GPU_PROGRAM_H_
#define PERDIX_KERNELS_GPU_PROGRAM_H_

#include <array>
#include <compare>
#include <cstdint>
#include <string_view>

namespace perdix::gpu {

struct DeviceTraits {
  // Lanes of every subgroup: PERDIX_CONSTANT_SUBGROUP_SIZE. 0: not known to be
  // the same everywhere.
  uint32_t subgroup_size = 0;
  bool rounds_to_even = false;  // half floats, if asked to
};

// A shader and what it is specialised for.
struct Program {
  std::string_view shader;  // a name of shaders/shaders.h
  // Specialisation constants from PERDIX_CONSTANT_OWN on.
  std::array<uint32_t, 3> constants = {};
  uint32_t lanes = 64;  // of a workgroup

  auto operator<=>(const Program&) const = default;
};

}  // namespace perdix::gpu

#endif  // PERDIX_KERNELS_GPU_PROGRAM_H_
