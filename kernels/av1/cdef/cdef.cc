// SPDX-License-Identifier: BSD-2-Clause
// The constrained directional enhancement filter (AV1 7.15), of the stripes of
// a superblock row (line_buffers.h).
//
// Reads: kCdefBlocks, kCdefLines, the target's stripes. Writes: the target's
// stripes. Range: a superblock row, after Deblock of it.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/av1/cdef/cdef_sample.h"
#include "kernels/av1/cdef/cdef_walk.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

struct Scalar {
  template <typename Sample>
  static void Directions(const Sample* blocks, uint32_t wanted, int bit_depth,
                         CdefDirection* found) {
    for (int block = 0; block < 8; ++block, blocks += 8) {
      if (((wanted >> block) & 1) == 0) continue;
      const auto at = [blocks](int i, int j) {
        return blocks[i * kCdefPitch + j];
      };
      found[block] = FindDirection(at, bit_depth);
    }
  }

  template <typename From, typename Sample>
  static void Filter(const CdefFilter& filter, const From* block, Sample* to,
                     ptrdiff_t stride, int width, int height) {
    for (int y = 0; y < height; ++y, block += kCdefPitch, to += stride) {
      int line[kCdefPitch];
      for (int x = 0; x < width; ++x) {
        const From* const at = block + x;
        const auto tap = [&](int turn, int k, int sign) -> int {
          return at[sign * filter.offsets[turn][k]];
        };
        line[x] = FilterCdefSample(filter, *at, tap);
      }
      std::copy_n(line, width, to);
    }
  }

  static void FilterAtEdge(const CdefFilter& filter, const uint8_t* block,
                           const CdefArea& area, uint8_t* to,
                           ptrdiff_t stride) {
    uint16_t wide[12 * kCdefPitch + kCdefMargin];
    uint16_t* const at = wide + 2 * kCdefPitch + kCdefMargin;
    Widen(block, area, at);
    Filter(filter, at, to, stride, area.width, area.height);
  }

 private:
  static void Widen(const uint8_t* from, const CdefArea& area, uint16_t* to) {
    for (int y = -2; y < area.height + 2; ++y) {
      const uint8_t* const line = from + y * kCdefPitch;
      uint16_t* const wide = to + y * kCdefPitch;
      const bool is_there = y < 0 ? area.above : y < area.height || area.below;
      const int begin = is_there && area.left ? -area.around : 0;
      const int end =
          !is_there ? 0 : area.width + (area.right ? area.around : 0);
      std::fill(wide - area.around, wide + begin, kCdefNotAvailable);
      for (int x = begin; x < end; ++x) wide[x] = line[x];
      std::fill(wide + end, wide + area.width + area.around, kCdefNotAvailable);
    }
  }
};

}  // namespace

template <typename Sample>
void Cdef(const KernelArgs& args, Range range) {
  CdefRows<Sample, Scalar>(args, range);
}

template void Cdef<uint8_t>(const KernelArgs&, Range);
template void Cdef<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
