// SPDX-License-Identifier: BSD-2-Clause
// Asking for pixels before they are needed: the rows of a block are a plane's
// width apart, so the processor does not foresee them.
#ifndef PERDIX_KERNELS_SIMD_PREFETCH_H_
#define PERDIX_KERNELS_SIMD_PREFETCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/plane.h"

namespace perdix::simd {

inline constexpr int kCacheLineBytes = 64;
inline constexpr size_t kPlaneInCaches = 512 << 10;  // bytes

// Whether prefetching is worth its instructions: a smaller plane stays in the
// caches from one frame to the next.
inline bool LeavesTheCaches(const Plane& luma) {
  return size_t{luma.stride_bytes} * luma.height >= kPlaneInCaches;
}

struct Extent {
  int begin;
  int size;
};

// Asks for the part of a block that lies in the plane, as if each row began as
// far into a cache line as the first. Inlined, as must be what does nothing but
// call it: GCC 12 takes a call that only prefetches for one without effect.
[[gnu::always_inline]] inline void Prefetch(const Plane& plane, Extent bytes,
                                            Extent rows) {
  constexpr int kForReading = 0;
  constexpr int kIntoLevel2 = 2;  // the first one is full of what is at work
  const int last_begin = static_cast<int>(plane.stride_bytes) - bytes.size;
  if (last_begin < 0) return;  // wider than the plane
  const int first = std::max(rows.begin, 0);
  const int count =
      std::min(rows.begin + rows.size, static_cast<int>(plane.height)) - first;
  if (count <= 0) return;
  const ptrdiff_t stride = plane.stride_bytes;
  const auto* line = plane.Row<uint8_t>(static_cast<uint32_t>(first)) +
                     std::clamp(bytes.begin, 0, last_begin);
  const uint8_t* const end_of_line = line + bytes.size;
  line -= reinterpret_cast<uintptr_t>(line) % kCacheLineBytes;
  for (; line < end_of_line; line += kCacheLineBytes) {
    const uint8_t* at_row = line;
    int rest = count;
    for (; rest >= 4; rest -= 4, at_row += 4 * stride) {
      for (int row = 0; row < 4; ++row)
        __builtin_prefetch(at_row + row * stride, kForReading, kIntoLevel2);
    }
    for (; rest > 0; --rest, at_row += stride)
      __builtin_prefetch(at_row, kForReading, kIntoLevel2);
  }
}

}  // namespace perdix::simd

#endif  // PERDIX_KERNELS_SIMD_PREFETCH_H_
