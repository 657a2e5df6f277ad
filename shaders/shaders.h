// SPDX-License-Identifier: BSD-2-Clause
// The embedded SPIR-V, by name: the path of the source below shaders/ without
// its ending, with _<size> where a source has one variant for each size.
#ifndef PERDIX_SHADERS_SHADERS_H_
#define PERDIX_SHADERS_SHADERS_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace perdix {

struct Shader {
  std::string_view name;
  std::span<const uint32_t> spirv;
};

std::span<const Shader> Shaders();

// Empty if there is none of that name.
std::span<const uint32_t> FindShader(std::string_view name);

}  // namespace perdix

#endif  // PERDIX_SHADERS_SHADERS_H_
