// SPDX-License-Identifier: BSD-2-Clause
// The edges that deblocking filters, in lists by what they need.
#ifndef PERDIX_KERNELS_GPU_AV1_DEBLOCK_EDGES_H_
#define PERDIX_KERNELS_GPU_AV1_DEBLOCK_EDGES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "kernels/av1/lists.h"
#include "kernels/plane.h"
#include "kernels/shared/av1/dispatch.h"

namespace perdix::av1 {

// What the edges of a list have in common.
struct EdgeKind {
  uint32_t plane;
  bool horizontal;
  uint32_t size;  // 1: 4 samples, 2: 8 (6 of chroma), 3: 16
  // Those of 4x4 blocks of an odd number, apart from the others where they
  // share 32-bit words with them: vertical edges of 4 in luma of 8 bits.
  bool odd;

  constexpr bool operator==(const EdgeKind&) const = default;
};

// All kinds, in an order in which they may be filtered: vertical edges first.
inline constexpr EdgeKind kEdgeKinds[] = {
    {kLuma, false, 3, false},   {kLuma, false, 2, false},
    {kChroma, false, 2, false}, {kChroma, false, 1, false},
    {kLuma, false, 1, false},   {kLuma, false, 1, true},
    {kChroma, true, 2, false},  {kChroma, true, 1, false},
    {kLuma, true, 3, false},    {kLuma, true, 2, false},
    {kLuma, true, 1, false}};
inline constexpr size_t kEdgeKindCount = std::size(kEdgeKinds);

// Keeps its memory from frame to frame.
class DeblockEdges {
 public:
  // luma, chroma: kLumaEdges and kChromaEdges, as many as the frame has.
  void Set(const FrameParams& params, const Params& av1,
           std::span<const uint16_t> luma, std::span<const uint32_t> chroma);

  // kind: index of kEdgeKinds.
  std::span<const DeblockEdge> Of(size_t kind) const { return edges_[kind]; }

 private:
  std::array<std::vector<DeblockEdge>, kEdgeKindCount> edges_;
};

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_GPU_AV1_DEBLOCK_EDGES_H_
