// SPDX-License-Identifier: BSD-2-Clause
// The table of kernels, expanded from kernels.def.
#include "kernels/av1/kernels.h"
#include "kernels/av1/lists.h"
#include "kernels/final_shift.h"
#include "kernels/kernel.h"
#include "kernels/vp9/kernels.h"
#include "kernels/vp9/lists.h"

namespace perdix {
namespace {

template <typename Sample>
constexpr KernelFunction NoSimd = nullptr;

template <typename... Elements>
constexpr TableSet Tables(Table<Elements>... tables) {
  return (TableSet{0} | ... | (TableSet{1} << tables.index));
}

}  // namespace

std::span<const KernelRow> KernelTable() {
  static constexpr KernelRow kTable[] = {
#define PERDIX_KERNEL(Id, key, codec, scalar, simd, items, order, depths,  \
                      reads, writes, picture)                              \
  {#Id,                                                                    \
   #key,                                                                   \
   KernelCodec::k##codec,                                                  \
   {{scalar<uint8_t>, scalar<uint16_t>}, {simd<uint8_t>, simd<uint16_t>}}, \
   items,                                                                  \
   ItemOrder::k##order,                                                    \
   ShaderDepths::k##depths,                                                \
   reads,                                                                  \
   writes,                                                                 \
   WrittenPicture::k##picture},
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
  };
  return kTable;
}

}  // namespace perdix
