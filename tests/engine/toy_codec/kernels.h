// SPDX-License-Identifier: BSD-2-Clause
// What the toy codec's parsing hands to its kernels. kernels.cc defines the
// table of kernels, too, in place of perdix's own.
#ifndef PERDIX_TESTS_ENGINE_TOY_CODEC_KERNELS_H_
#define PERDIX_TESTS_ENGINE_TOY_CODEC_KERNELS_H_

#include <cstdint>

#include "kernels/kernel.h"

namespace perdix::toy {

inline constexpr uint32_t kSbLog2 = 7;
inline constexpr uint32_t kSbSize = 1u << kSbLog2;
// Luma lines, above a superblock row, that its edges change.
inline constexpr uint32_t kEdgeLines = 4;
// Luma lines at the end of a superblock row that are published with the next.
inline constexpr uint32_t kPublishLag = 8;

inline constexpr KernelId kCopyKernel{0};
inline constexpr KernelId kFillKernel{1};
inline constexpr KernelId kEdgesKernel{2};
inline constexpr KernelId kSmoothKernel{3};
inline constexpr KernelId kSharpenKernel{4};
inline constexpr KernelId kPublishKernel{5};
inline constexpr KernelId kOutputKernel{6};

struct Params {
  uint32_t seed;
};

// Predicted from a reference.
struct CopyBlock {
  uint16_t x;     // luma samples
  uint16_t y;     // luma samples
  uint16_t size;  // luma samples, each direction
  uint16_t reference;
  int16_t mv_x;  // luma samples
  int16_t mv_y;  // luma samples
  uint32_t padding;
};

// Mixed from a value and the pixels to the left, above and above right.
struct FillBlock {
  uint16_t x;     // luma samples
  uint16_t y;     // luma samples
  uint16_t size;  // luma samples, each direction
  uint16_t value;
  uint32_t padding[2];
};

inline constexpr List<CopyBlock> kCopies{0};
inline constexpr List<FillBlock> kFills{1};

// By parsing: of each superblock, and of each row once it is parsed.
inline constexpr Table<uint8_t> kStrengths{0};
inline constexpr Table<uint32_t> kRowSums{1};
// By kEdgesKernel for kSmoothKernel: the last line above each superblock row,
// [row][plane][DecodedSize(width)].
inline constexpr Table<uint8_t> kBufferedLines{2};

}  // namespace perdix::toy

#endif  // PERDIX_TESTS_ENGINE_TOY_CODEC_KERNELS_H_
