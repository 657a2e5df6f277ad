// SPDX-License-Identifier: BSD-2-Clause
// Loop filter (VP9 8.8) on vectors: what loop_filter.cc does, to many lines of
// samples across an edge at once. A lane is a line of luma, or of U or V; the
// edges of neighbouring cells share a vector, whatever their widths and levels.
//
// The order is that of the reference where it matters. All vertical edges of a
// superblock come before its horizontal ones. Vertical edges change samples of
// their own lines alone, so that vectors of lines go through the superblock one
// after the other, each from left to right. Horizontal edges change samples of
// their own columns alone: vectors of columns go from top to bottom.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vp9/loop_filter_simd.cc"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/decoded_area.h"
#include "kernels/simd/prefetch.h"
#include "kernels/vp9/edge_walk.h"
#include "kernels/vp9/kernels.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/simd/edge_samples-inl.h"
#include "kernels/vp9/line_filter-inl.h"
#include "kernels/vp9/superblock_edges-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace perdix::vp9::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // a CPU without vectors

void LoopFilter8(const KernelArgs& args, Range range) {
  LoopFilter<uint8_t>(args, range);
}
void LoopFilter16(const KernelArgs& args, Range range) {
  LoopFilter<uint16_t>(args, range);
}

#else

using simd::kCacheLineBytes;
using simd::LeavesTheCaches;
using simd::Prefetch;
using simd::HWY_NAMESPACE::HorizontalEdge;
using simd::HWY_NAMESPACE::VerticalEdge;

namespace {

// ---- from the edges of cells to lanes ----

// For TableLookupBytesOr0: the byte of each lane's cell in its block of 16
// bytes, of cells that are kStep bytes apart.
template <typename Sample, int kLanesPerCell, int kStep>
struct CellOfLane {
  constexpr CellOfLane() {
    for (int i = 0; i < kLanes; ++i) {
      const int byte = i / kLanesPerCell * kStep % 16;
      lanes[i] =
          static_cast<Sample>(sizeof(Sample) == 1 ? byte : 0x8000 | byte);
    }
  }
  static constexpr int kLanes = 64 / sizeof(Sample);
  alignas(64) Sample lanes[kLanes] = {};
};

// What the edges of one pass over a superblock have in common.
template <typename Sample>
struct Pass {
  const SuperblockEdges& edges;
  const Sample* cell_of_lane;
  int depth_shift;
};

// cell: the first that the vector crosses; edges: of one field, from there.
template <class Edge, typename Sample>
HWY_INLINE HWY_ATTR LaneEdges<typename Edge::D> LanesOf(
    const Pass<Sample>& pass, int cell, const uint8_t* edges) {
  const typename Edge::D d;
  const hn::Repartition<uint8_t, decltype(d)> bytes;
  const auto of_lane = hn::BitCast(bytes, hn::LoadU(d, pass.cell_of_lane));
  const auto lanes = [&](const uint8_t* cells) HWY_ATTR {
    return hn::BitCast(d,
                       hn::TableLookupBytesOr0(Edge::CellsAt(cells), of_lane));
  };
  const auto limits = [&](const CellBytes& field) HWY_ATTR {
    if constexpr (sizeof(Sample) == 1) {
      return lanes(field + cell);
    } else {
      return hn::ShiftLeftSame(lanes(field + cell), pass.depth_shift);
    }
  };
  return {lanes(edges), limits(pass.edges.limit), limits(pass.edges.blimit),
          limits(pass.edges.thresh)};
}

// ---- the walk ----

template <class Edge, EdgeWidth kWidth, typename Sample>
HWY_NOINLINE HWY_ATTR void FilterEdge(const Edge edge, const Pass<Sample>& pass,
                                      int cell, const uint8_t* edges) {
  constexpr int kSide = SideOf(kWidth);
  using D = typename Edge::D;
  hn::VFromD<D> v[2 * kSide];
  edge.template Load<kSide>(v);
  const int changed = LineFilter<D, kWidth>(v, LanesOf<Edge>(pass, cell, edges),
                                            pass.depth_shift)
                          .Filter();
  if (changed == 2) {
    edge.template Store<2>(v + kSide - 2);
  } else if (kWidth == kEight || changed == 3) {
    edge.template Store<4>(v + kSide - 4);
  } else {
    edge.template Store<8>(v);
  }
}

// widths: bytes of the edges, one of them at least with a width.
template <class Edge, typename Sample>
HWY_INLINE HWY_ATTR void FilterWidest(const Edge edge, const Pass<Sample>& pass,
                                      uint64_t widths, int cell,
                                      const uint8_t* edges) {
  constexpr uint64_t kUpper = 0x8080808080808080;
  if ((widths & widths << 1 & kUpper) != 0) {
    FilterEdge<Edge, kSixteen>(edge, pass, cell, edges);
  } else if ((widths & kUpper) != 0) {
    FilterEdge<Edge, kEight>(edge, pass, cell, edges);
  } else {
    FilterEdge<Edge, kFour>(edge, pass, cell, edges);
  }
}

// One plane of a superblock.
template <typename Sample>
struct SuperblockPlane {
  Sample* first;
  ptrdiff_t stride;  // samples
  int width;         // samples, less where the frame ends
  int height;        // lines
};

// run(lanes, first lane) for vectors of kMost lanes, then of 16 and of 8.
template <int kMost, class Run>
HWY_INLINE HWY_ATTR void ForEachVector(int lanes, const Run& run) {
  int i = 0;
  for (; i + kMost <= lanes; i += kMost) {
    run(std::integral_constant<int, kMost>(), i);
  }
  if constexpr (kMost > 16) {
    for (; i + 16 <= lanes; i += 16) {
      run(std::integral_constant<int, 16>(), i);
    }
  }
  for (; i < lanes; i += 8) run(std::integral_constant<int, 8>(), i);
}

// Lanes in vectors of so many bytes.
template <typename Sample>
constexpr int LanesIn(int bytes) {
  return std::min(bytes, HWY_MAX_BYTES) / static_cast<int>(sizeof(Sample));
}

constexpr uint64_t kWidths = 0xc0c0c0c0c0c0c0c0;  // of eight cells

HWY_INLINE uint64_t WidthsOfRow(const uint8_t* row) {
  uint64_t bytes;
  std::memcpy(&bytes, row, kCells);
  return bytes & kWidths;
}

template <typename Sample, int kComponents>
class SuperblockFilter {
 public:
  SuperblockFilter(const SuperblockPlane<Sample>& plane,
                   const SuperblockEdges& edges, int depth_shift)
      : plane_(plane), edges_(edges), depth_shift_(depth_shift) {}

  HWY_ATTR void VerticalEdges() const {
    static constexpr CellOfLane<Sample, kLanesPerCell, kCells> kCellOfLane;
    const Pass<Sample> pass = {edges_, kCellOfLane.lanes, depth_shift_};
    const auto filter = [&](auto lanes, int lane)
                            HWY_ATTR { VerticalEdgesOf<lanes()>(pass, lane); };
    ForEachVector<LanesIn<Sample>(32)>(plane_.height * kComponents, filter);
  }

  HWY_ATTR void HorizontalEdges() const {
    static constexpr CellOfLane<Sample, kLanesPerCell, 1> kCellOfLane;
    const Pass<Sample> pass = {edges_, kCellOfLane.lanes, depth_shift_};
    Sample* q0 = plane_.first;
    for (int y = 0; y < plane_.height; y += 8) {
      HorizontalEdgesOf(pass, q0, y, edges_.above);
      HorizontalEdgesOf(pass, q0 + 4 * plane_.stride, y, edges_.inner_above);
      q0 += 8 * plane_.stride;
    }
  }

 private:
  static constexpr int kLanesPerCell = 8 * kComponents;

  // Filters the vertical edges that the lines of one vector cross, from left to
  // right.
  template <int kLanes>
  HWY_INLINE HWY_ATTR void VerticalEdgesOf(const Pass<Sample>& pass,
                                           int lane) const {
    constexpr int kRows = std::max(kLanes / kLanesPerCell, 1);
    using Edge = VerticalEdge<Sample, kLanes, kComponents>;
    int cell = lane / kLanesPerCell * kCells;
    const auto filter = [&](const CellBytes& field, Sample* q0) HWY_ATTR {
      const uint8_t* const edges = field + cell;
      uint64_t widths = 0;
      for (int row = 0; row < kRows; ++row) {
        widths = widths << 8 | edges[row * kCells];
      }
      if ((widths & kWidths) == 0) return;
      FilterWidest(Edge(q0, plane_.stride), pass, widths, cell, edges);
    };
    uint64_t columns = 0;
    for (int row = 0; row < kRows; ++row) {
      columns |= WidthsOfRow(edges_.left + cell + row * kCells) |
                 WidthsOfRow(edges_.inner_left + cell + row * kCells);
    }
    Sample* q0 = plane_.first + lane / kComponents * plane_.stride;
    for (; columns != 0; columns >>= 8) {
      if ((columns & 0xff) != 0) {
        filter(edges_.left, q0);
        filter(edges_.inner_left, q0 + 4 * kComponents);
      }
      q0 += kLanesPerCell;
      ++cell;
    }
  }

  // Filters one line of horizontal edges, y of the superblock or 4 below it.
  HWY_INLINE HWY_ATTR void HorizontalEdgesOf(const Pass<Sample>& pass,
                                             Sample* q0, int y,
                                             const CellBytes& field) const {
    const uint8_t* const edges = field + y;  // eight cells a row
    const uint64_t all = WidthsOfRow(edges);
    if (all == 0) return;
    const auto filter = [&](auto lanes, int lane) HWY_ATTR {
      constexpr int kCellBits = 8 * std::max(lanes() / kLanesPerCell, 1);
      const int column = lane / kLanesPerCell;
      const uint64_t widths = all >> 8 * column << (64 - kCellBits);
      if (widths == 0) return;
      FilterWidest(HorizontalEdge<Sample, lanes()>(q0 + lane, plane_.stride),
                   pass, widths, y + column, edges + column);
    };
    ForEachVector<LanesIn<Sample>(64)>(plane_.width, filter);
  }

  const SuperblockPlane<Sample> plane_;
  const SuperblockEdges& edges_;
  const int depth_shift_;
};

template <typename Sample, int kComponents>
HWY_ATTR void FilterPlane(const KernelArgs& args, uint32_t superblock) {
  const FrameParams& params = *args.params;
  constexpr bool kIsLuma = kComponents == 1;
  constexpr uint32_t kIndex = kIsLuma ? kLuma : kChroma;
  const PlaneWords words = {
      kIsLuma ? PERDIX_EDGE_LUMA_SHIFT : PERDIX_EDGE_CHROMA_SHIFT,
      kIsLuma ? 0 : static_cast<int>(params.subsampling_x),
      kIsLuma ? 0 : static_cast<int>(params.subsampling_y)};
  const uint32_t first_row = superblock / params.sb_cols * kCells;
  const uint32_t first_col = superblock % params.sb_cols * kCells;
  SuperblockEdges edges;
  EdgesOf(ParamsOf(args), args.tables.Of(kEdges), words, first_row, first_col,
          &edges);

  const Plane& plane = args.target.planes[kIndex];
  const DecodedArea area = PlaneDecodedArea(params, kIndex);
  const int x = static_cast<int>(first_col * 8) >> words.subsampling_x;
  const int y = static_cast<int>(first_row * 8) >> words.subsampling_y;
  const SuperblockFilter<Sample, kComponents> filter(
      {plane.Row<Sample>(static_cast<uint32_t>(y)) + x * kComponents,
       static_cast<ptrdiff_t>(plane.stride_bytes / sizeof(Sample)),
       std::min(64 >> words.subsampling_x, area.width - x) * kComponents,
       std::min(64 >> words.subsampling_y, area.height - y)},
      edges, static_cast<int>(params.bit_depth) - 8);
  filter.VerticalEdges();
  filter.HorizontalEdges();
}

// The superblock's pixels were written a row of superblocks ago or more;
// several rows where threads wait for each other.
template <typename Sample>
[[gnu::always_inline]] inline void PrefetchSuperblock(const KernelArgs& args,
                                                      uint32_t superblock) {
  const FrameParams& params = *args.params;
  const int first_row = static_cast<int>(superblock / params.sb_cols) * 64;
  const int first_col = static_cast<int>(superblock % params.sb_cols) * 64;
  for (const uint32_t index : {kLuma, kChroma}) {
    const bool luma = index == kLuma;
    const int ss_x = luma ? 0 : static_cast<int>(params.subsampling_x);
    const int ss_y = luma ? 0 : static_cast<int>(params.subsampling_y);
    const int pixel_bytes = static_cast<int>(sizeof(Sample)) * (luma ? 1 : 2);
    Prefetch(args.target.planes[index],
             {(first_col >> ss_x) * pixel_bytes, (64 >> ss_x) * pixel_bytes},
             {first_row >> ss_y, 64 >> ss_y});
  }
}

template <typename Sample>
HWY_ATTR void FilterSuperblocks(const KernelArgs& args, Range range) {
  const bool prefetches = LeavesTheCaches(args.target.planes[kLuma]);
  for (uint32_t i = range.begin; i < range.end; ++i) {
    if (prefetches && i + 1 < range.end) {
      PrefetchSuperblock<Sample>(args, i + 1);
    }
    FilterPlane<Sample, 1>(args, i);
    FilterPlane<Sample, 2>(args, i);
  }
}

}  // namespace

void LoopFilter8(const KernelArgs& args, Range range) {
  FilterSuperblocks<uint8_t>(args, range);
}
void LoopFilter16(const KernelArgs& args, Range range) {
  FilterSuperblocks<uint16_t>(args, range);
}

#endif  // HWY_TARGET

}  // namespace perdix::vp9::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace perdix::vp9 {

HWY_EXPORT(LoopFilter8);
HWY_EXPORT(LoopFilter16);

template <>
void LoopFilterSimd<uint8_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(LoopFilter8)(args, range);
}
template <>
void LoopFilterSimd<uint16_t>(const KernelArgs& args, Range range) {
  HWY_DYNAMIC_DISPATCH(LoopFilter16)(args, range);
}

}  // namespace perdix::vp9
#endif
