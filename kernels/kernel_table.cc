// SPDX-License-Identifier: BSD-2-Clause
// The table of kernels, expanded from kernels.def.
#include "kernels/kernel.h"
#include "kernels/vp9/kernels.h"

namespace perdix {

std::span<const KernelRow> KernelTable() {
  static constexpr KernelRow kTable[] = {
#define PERDIX_KERNEL(Id, key, function) \
  {#Id, #key, {{&function<uint8_t>, &function<uint16_t>}, {nullptr, nullptr}}},
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
  };
  return kTable;
}

}  // namespace perdix
