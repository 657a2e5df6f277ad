// SPDX-License-Identifier: BSD-2-Clause
// Deblocking (AV1 7.14): smooths the edges of transform blocks that the edge
// words name, in one superblock row; then saves lines (line_buffers.h).
//
// Reads: edge words, the target up to 7 samples around an edge. Writes: the
// target up to 6 samples around it; kCdefLines. Range: a superblock row, which
// is reconstructed as is the one below. Rows from top to bottom.
#include <cstddef>
#include <cstdint>

#include "kernels/av1/deblock/deblock_walk.h"
#include "kernels/av1/deblock/edge_line.h"
#include "kernels/av1/kernels.h"

namespace perdix::av1 {
namespace {

// The four lines across an edge.
template <typename Sample>
void FilterEdge(const Edge<Sample>& edge, int bit_depth) {
  for (int line = 0; line < 4; ++line) {
    Sample* const q0 = edge.first + line * edge.along;
    const auto at = [&](int i) -> Sample& { return q0[i * edge.across]; };
    EdgeLine(at, *edge.limits, bit_depth).Filter(edge.taps);
  }
}

}  // namespace

template <typename Sample>
void Deblock(const KernelArgs& args, Range range) {
  const int bit_depth =
      sizeof(Sample) == 1 ? 8 : static_cast<int>(args.params->bit_depth);
  DeblockRows<Sample>(args, range, [&](const Edge<Sample>& edge) {
    FilterEdge(edge, bit_depth);
  });
}

template void Deblock<uint8_t>(const KernelArgs&, Range);
template void Deblock<uint16_t>(const KernelArgs&, Range);

}  // namespace perdix::av1
