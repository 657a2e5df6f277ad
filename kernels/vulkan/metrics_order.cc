// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/metrics_order.h"

#include <algorithm>

namespace perdix::vulkan {
namespace {

// The one range of push constants of the pipeline layout.
static_assert(sizeof(MetricsConstants) <= sizeof(DispatchConstants));
static_assert(sizeof(ReduceConstants) <= sizeof(DispatchConstants));

struct Tiles {
  uint32_t x;
  uint32_t y;
  uint32_t count() const { return x * y; }
};

Tiles TilesOf(const PlaneRegion& region) {
  return {
      (region.row_bytes + PERDIX_METRICS_TILE_BYTES - 1) /
          PERDIX_METRICS_TILE_BYTES,
      (region.rows + PERDIX_METRICS_TILE_ROWS - 1) / PERDIX_METRICS_TILE_ROWS};
}

uint32_t SampleBytes(const FrameParams& params) {
  return params.bit_depth > 8 ? 2 : 1;
}

// What decoding may write.
PlaneRegion DecodedLuma(const FrameParams& params, const PlaneOffsets& layout) {
  return {layout.luma_offset, layout.luma_stride,
          params.mi_cols * 8 * SampleBytes(params), params.mi_rows * 8};
}

PlaneRegion DecodedChroma(const FrameParams& params,
                          const PlaneOffsets& layout) {
  return {
      layout.chroma_offset, layout.chroma_stride,
      2 * (params.mi_cols * 8 >> params.subsampling_x) * SampleBytes(params),
      params.mi_rows * 8 >> params.subsampling_y};
}

// What is shown.
PlaneRegion ShownLuma(const FrameParams& params, const PlaneOffsets& layout) {
  return {layout.luma_offset, layout.luma_stride,
          params.width * SampleBytes(params), params.height};
}

Tiles ChecksumTiles(const FrameParams& params) {
  const Tiles luma = TilesOf(DecodedLuma(params, {}));
  const Tiles chroma = TilesOf(DecodedChroma(params, {}));
  return {std::max(luma.x, chroma.x), luma.y + chroma.y};
}

}  // namespace

uint32_t MetricsPartials(const FrameParams& params) {
  return ChecksumTiles(params).count() + TilesOf(ShownLuma(params, {})).count();
}

MetricsDispatch ChecksumDispatch(const FrameParams& params,
                                 const PlaneOffsets& target, uint32_t stage) {
  const Tiles tiles = ChecksumTiles(params);
  return {"metrics/checksum",
          {0, {DecodedLuma(params, target), DecodedChroma(params, target)}},
          tiles.x,
          tiles.y,
          {0, tiles.count(), stage}};
}

MetricsDispatch MotionDispatch(const FrameParams& params,
                               const PlaneOffsets& target,
                               const PlaneOffsets& previous) {
  const uint32_t first = ChecksumTiles(params).count();
  const Tiles tiles = TilesOf(ShownLuma(params, {}));
  return {"metrics/motion",
          {first, {ShownLuma(params, target), ShownLuma(params, previous)}},
          tiles.x,
          tiles.y,
          {first, tiles.count(), PERDIX_METRICS_MOTION}};
}

uint64_t ChecksumOf(const MetricsResults& results, uint32_t stage) {
  const MetricsSum& sum = results.sums[stage];
  return uint64_t{sum.high} << 32 | sum.low;
}

uint64_t MotionOf(const MetricsResults& results) {
  const MetricsSum& sum = results.sums[PERDIX_METRICS_MOTION];
  return (uint64_t{sum.high} << PERDIX_MOTION_LOW_BITS) + sum.low;
}

}  // namespace perdix::vulkan
