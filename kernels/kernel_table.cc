// SPDX-License-Identifier: BSD-2-Clause
// The table of kernels, expanded from kernels.def.
#include "kernels/av1/kernels.h"
#include "kernels/final_shift.h"
#include "kernels/kernel.h"
#include "kernels/vp9/kernels.h"

namespace perdix {
namespace {

template <typename Sample>
constexpr KernelFunction NoSimd = nullptr;

enum { NoShader, Shader };

}  // namespace

std::span<const KernelRow> KernelTable() {
  static constexpr KernelRow kTable[] = {
#define PERDIX_KERNEL(Id, key, scalar, simd, items, order, shader)         \
  {#Id,                                                                    \
   #key,                                                                   \
   {{scalar<uint8_t>, scalar<uint16_t>}, {simd<uint8_t>, simd<uint16_t>}}, \
   items,                                                                  \
   ItemOrder::k##order,                                                    \
   shader == Shader},
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
  };
  return kTable;
}

}  // namespace perdix
