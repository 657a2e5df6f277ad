// SPDX-License-Identifier: BSD-2-Clause
// The calling convention of every pixel kernel, and the table of kernels.
#ifndef PERDIX_KERNELS_KERNEL_H_
#define PERDIX_KERNELS_KERNEL_H_

#include <cstdint>
#include <span>

#include "kernels/plane.h"
#include "kernels/shared/frame_params.h"
#include "kernels/shared/work_lists.h"

namespace perdix {

// The records of one tile column; written by entropy decoding, complete for
// the range a kernel is called with.
struct WorkLists {
  std::span<const InterBlock> inter_blocks;
  std::span<const TransformBlock> inter_transforms;  // residual of inter blocks
  std::span<const IntraBlock> intra_blocks;
  std::span<const TransformBlock> intra_transforms;  // named by intra_blocks
  std::span<const int16_t> coefficients;  // 16-byte aligned; see TransformBlock
};

struct KernelArgs {
  const FrameParams* params = nullptr;
  WorkLists lists;
  std::span<const uint32_t> edges;  // mi_rows x mi_cols loop filter words
  PictureView target;
  PictureView references[PERDIX_VP9_REFS];  // valid where params says so
};

// Work items [begin, end): indices into the kernel's own list (loop filter:
// superblocks of the frame in raster order).
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;
};

using KernelFunction = void (*)(const KernelArgs&, Range);

enum class Variant : uint8_t { kScalar, kSimd, kVulkan };
inline constexpr int kVariantCount = 3;

enum class KernelId : uint8_t {
#define PERDIX_KERNEL(Id, key, scalar, simd) k##Id,
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
};

struct KernelRow {
  const char* name;  // CamelCase, of tests and bench
  const char* key;   // of recipes and configuration files
  // CPU functions by [kScalar or kSimd][bit depth above 8]; null: not there.
  KernelFunction cpu[2][2];
};

// All kernels, indexed by KernelId.
std::span<const KernelRow> KernelTable();

}  // namespace perdix

#endif  // PERDIX_KERNELS_KERNEL_H_
