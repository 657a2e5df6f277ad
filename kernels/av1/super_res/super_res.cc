// SPDX-License-Identifier: BSD-2-Clause
// Superresolution (AV1 7.16), of the stripes of a superblock row: from
// FrameWidth to UpscaledWidth, in place (line_buffers.h).
//
// Reads: the target's stripes, kCdefLines. Writes: the target's stripes;
// kRestorationLines. Range: a superblock row, after Cdef of it.
#include <algorithm>
#include <cstdint>

#include "kernels/av1/kernels.h"
#include "kernels/av1/super_res/super_res_walk.h"
#include "kernels/av1/super_res/upscale_filter.h"

namespace perdix::av1 {
namespace {

template <typename Sample>
void FilterPiece(const UpscalePositions& positions, const uint16_t* sources,
                 Sample* to, int step, int max_sample) {
  for (int i = 0; i < positions.count; ++i) {
    const uint16_t* source = sources + positions.source[i];
    const int16_t* taps = kUpscaleFilter[positions.phase[i]];
    int sum = 64;
    for (int k = 0; k < kUpscaleTaps; ++k) {
      sum += static_cast<int16_t>(source[k]) * taps[k];
    }
    to[i * step] = static_cast<Sample>(std::clamp(sum >> 7, 0, max_sample));
  }
}

}  // namespace

template <typename Sample>
void SuperRes(const KernelArgs& args, Range range) {
  const int max_sample = (1 << args.params->bit_depth) - 1;
  SuperResRows<Sample>(
      args, range,
      [max_sample](const UpscalePositions& positions, const uint16_t* sources,
                   Sample* to, int step) {
        FilterPiece(positions, sources, to, step, max_sample);
      });
}

template void SuperRes<uint8_t>(const KernelArgs&, Range);
template void SuperRes<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
