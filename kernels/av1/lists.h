// SPDX-License-Identifier: BSD-2-Clause
// AV1's lists, tables and parameters by their types.
#ifndef PERDIX_KERNELS_AV1_LISTS_H_
#define PERDIX_KERNELS_AV1_LISTS_H_

#include "kernels/kernel.h"
#include "kernels/shared/av1/params.h"
#include "kernels/shared/av1/work_lists.h"

namespace perdix::av1 {

inline constexpr List<InterBlock> kInterBlocks = {0};
inline constexpr List<TransformBlock> kInterTransforms = {1};  // their residual
inline constexpr List<IntraBlock> kIntraBlocks = {2};
inline constexpr List<TransformBlock> kIntraTransforms = {3};  // named by these

// The arena of a tile column (WorkLists::coefficients) also has warp matrices
// and palettes; every offset in it is a multiple of 8 units of 16 bits.

// Written by parsing.
inline constexpr Table<uint16_t> kLumaEdges = {0};    // mi_rows x mi_cols
inline constexpr Table<uint32_t> kChromaEdges = {1};  // PackChromaEdges
inline constexpr Table<CdefBlock> kCdefBlocks = {2};
inline constexpr Table<RestorationUnit> kRestorationUnits = {3};
// Written by one kernel for another: lines as they were. Sized by the codec's
// Begin with the functions of kernels/av1/line_buffers.h.
inline constexpr Table<uint8_t> kCdefLines = {4};         // deblocked, for CDEF
inline constexpr Table<uint8_t> kRestorationLines = {5};  // and upscaled
// Film grain of the frame: kernels/av1/grain/film_grain.h.
inline constexpr Table<uint8_t> kFilmGrain = {6};

inline const Params& ParamsOf(const KernelArgs& args) {
  return args.codec->As<Params>();
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_LISTS_H_
