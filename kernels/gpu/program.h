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
  bool addresses = false;       // shaders can read memory by its address
};

// GPUs with subgroups of at least 32 lanes run many workgroups at once. Others
// are taken to be like V3D, which most likely runs one: it is as wide as its
// memory allows, up to a subgroup of 16 lanes for each of the Raspberry Pi 5's
// 12 QPUs (docs/v3d.md).
constexpr bool HasLargeSubgroups(const DeviceTraits& traits) {
  return traits.subgroup_size >= 32;
}
inline constexpr uint32_t kLanesOfOneWorkgroup = 192;

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
