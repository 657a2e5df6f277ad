// SPDX-License-Identifier: BSD-2-Clause
// Blocks of 4 or 8 columns and lines, of 8 and 10 bits, as
// inverse_transform_simd.cc uses them: small_blocks_simd.cc adds their residual
// in registers.
#if defined(PERDIX_KERNELS_AV1_TRANSFORM_SMALL_BLOCKS_INL_H_) == \
    defined(HWY_TARGET_TOGGLE)
#ifdef PERDIX_KERNELS_AV1_TRANSFORM_SMALL_BLOCKS_INL_H_
#undef PERDIX_KERNELS_AV1_TRANSFORM_SMALL_BLOCKS_INL_H_
#else
#define PERDIX_KERNELS_AV1_TRANSFORM_SMALL_BLOCKS_INL_H_
#endif

#include <hwy/highway.h>

#include <array>
#include <cstdint>

#include "kernels/av1/transform/transform_block.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace perdix::av1::HWY_NAMESPACE {

// False: 16 bits are not enough for the coefficients, and nothing is added.
template <typename Sample>
using AddSmallBlock = bool (*)(const KernelArgs& args,
                               const TransformBlock& block,
                               const ResidualTarget<Sample>& target);

// Types from here on have an identity.
constexpr uint32_t kIdentities = 9;

template <typename Sample>
struct SmallBlocks {
  using OfSize = std::array<AddSmallBlock<Sample>, kIdentities>;  // by type

  // By whether only 4x4 coefficients are stored, by height and width: 4 or 8.
  using Table = std::array<std::array<std::array<OfSize, 2>, 2>, 2>;
  static const Table kTable;
};

}  // namespace perdix::av1::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_TARGET

#endif  // include guard per target
