// SPDX-License-Identifier: BSD-2-Clause
//
// Reads and writes: the target's planes. Work item: one superblock, whole rows
// of them. Order: rows from top to bottom.
#include "kernels/final_shift.h"

#include <algorithm>

namespace perdix {
namespace {

// The luma lines above <line> that are final once it is the end of a row.
uint32_t FinalAbove(const KernelArgs& args, uint32_t line) {
  return line < args.filter_lag ? 0 : line - args.filter_lag;
}

template <typename Sample>
void ShiftLines(const Plane& plane, uint32_t samples, Range lines,
                uint32_t shift) {
  // A product, as lanes of 16 bits have it: shifts would be of 32.
  const Sample factor = static_cast<Sample>(1u << shift);
  for (uint32_t y = lines.begin; y < lines.end; ++y) {
    Sample* const line = plane.Row<Sample>(y);
    for (uint32_t i = 0; i < samples; ++i) line[i] = Sample(line[i] * factor);
  }
}

}  // namespace

template <typename Sample>
void FinalShift(const KernelArgs& args, Range range) {
  const FrameParams& params = *args.params;
  const PictureView& target = args.target;
  const uint32_t first = range.begin / params.sb_cols;
  const uint32_t end = range.end / params.sb_cols;
  const uint32_t from = FinalAbove(args, first << params.sb_log2);
  const uint32_t to = end == params.sb_rows
                          ? params.height
                          : FinalAbove(args, end << params.sb_log2);
  for (uint32_t i = 0; i < args.coded_planes; ++i) {
    const Plane& plane = target.planes[i];
    const uint32_t ss_y = i == kLuma ? 0 : target.subsampling_y;
    const uint32_t samples = plane.width * (i == kLuma ? 1 : 2);
    const auto line = [&](uint32_t luma) {
      return std::min((luma + ss_y) >> ss_y, plane.height);
    };
    ShiftLines<Sample>(plane, samples, {line(from), line(to)}, target.shift);
  }
}

template void FinalShift<uint8_t>(const KernelArgs&, Range);
template void FinalShift<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix
