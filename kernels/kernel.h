// SPDX-License-Identifier: BSD-2-Clause
// The calling convention of every pixel kernel, and the table of kernels.
#ifndef PERDIX_KERNELS_KERNEL_H_
#define PERDIX_KERNELS_KERNEL_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/plane.h"
#include "kernels/shared/frame_params.h"
#include "kernels/work_lists.h"

namespace perdix {

// What the kernels of a frame work on. Picture: how they see one.
template <typename Picture>
struct FrameArgs {
  const FrameParams* params = nullptr;
  const CodecParams* codec = nullptr;  // the codec's own
  FrameTables tables;
  Picture target;
  // Luma lines at the end of a superblock row, not the last, that are final
  // with the next one only.
  uint32_t filter_lag = 0;
  uint32_t coded_planes = kPlaneCount;  // of the target; 1: without chroma
  Picture display;  // of kernels that write what is shown, not referenced
  // Valid where params says so.
  std::array<Picture, PERDIX_MAX_REFERENCES> references;
};

// Arguments of a kernel on the CPU.
struct KernelArgs : FrameArgs<PictureView> {
  WorkLists lists;  // of one tile column
};

// Work items [begin, end): indices into the kernel's own list, or superblocks
// of the frame in raster order.
using KernelFunction = void (*)(const KernelArgs&, Range);

enum class Variant : uint8_t { kScalar, kSimd, kVulkan };
inline constexpr int kVariantCount = 3;

enum class KernelId : uint8_t {
#define PERDIX_KERNEL(Id, ...) k##Id,
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
};

inline constexpr size_t kKernelCount = 0
#define PERDIX_KERNEL(...) +1
#include "kernels/kernels.def"
#undef PERDIX_KERNEL
    ;

// Room for the kernels of every codec, wherever something is kept for each.
inline constexpr size_t kMaxKernels = 32;
static_assert(kKernelCount <= kMaxKernels);

// A value of KernelRow::list: the items are superblocks, not records.
inline constexpr uint32_t kSuperblocks = UINT32_MAX;

// The order in which a kernel's items must be worked off.
enum class ItemOrder : uint8_t {
  kAny,
  kDecoding,  // superblock rows from top to bottom, each from left to right
};

// Whose frames have the kernel.
enum class KernelCodec : uint8_t { kVp9, kAv1, kAny };

// The bit depths that a kernel's shaders take.
enum class ShaderDepths : uint8_t {
  kNone,  // there is no shader
  k8,
  k8And10,
};
std::string ToString(ShaderDepths depths);

// Bit: the index of a Table.
using TableSet = uint32_t;

// Which picture a kernel writes.
enum class WrittenPicture : uint8_t { kTarget, kDisplay };

struct KernelRow {
  const char* name;  // CamelCase, of tests and bench
  const char* key;   // of recipes and configuration files
  KernelCodec codec = KernelCodec::kAny;
  // CPU functions by [kScalar or kSimd][bit depth above 8]; null: not there.
  KernelFunction cpu[2][2] = {};
  uint32_t list = kSuperblocks;  // whose records are its items; or kSuperblocks
  ItemOrder order = ItemOrder::kAny;
  ShaderDepths shader = ShaderDepths::kNone;
  TableSet reads = 0;
  TableSet writes = 0;  // for a later kernel
  WrittenPicture picture = WrittenPicture::kTarget;

  bool HasShader() const { return shader != ShaderDepths::kNone; }
  bool HasShaderFor(uint32_t bit_depth) const {
    return (bit_depth == 8 && HasShader()) ||
           (bit_depth == 10 && shader == ShaderDepths::k8And10);
  }
  bool ReadsList() const { return list != kSuperblocks; }
  // Its items in superblocks <columns> of a row, as far as the tile has them.
  Range Items(const WorkLists& tile, const FrameParams& params, uint32_t sb_row,
              Range columns) const;
};

// All kernels, indexed by KernelId.
std::span<const KernelRow> KernelTable();
inline const KernelRow& RowOf(KernelId id) { return KernelTable()[size_t(id)]; }

}  // namespace perdix

#endif  // PERDIX_KERNELS_KERNEL_H_
