// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/vulkan/metrics_order.h"

#include <algorithm>

#include "kernels/decoded_area.h"

namespace perdix::vulkan {
namespace {

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

// What decoding may write.
PlaneRegion DecodedPlane(const FrameParams& params, PlaneIndex plane,
                         uint32_t offset, uint32_t stride) {
  const DecodedArea area = PlaneDecodedArea(params, plane);
  const uint32_t pixel_bytes = SampleBytes(params) << (plane == kLuma ? 0 : 1);
  return {offset, stride, static_cast<uint32_t>(area.width) * pixel_bytes,
          static_cast<uint32_t>(area.height)};
}

PlaneRegion DecodedLuma(const FrameParams& params, const PlaneOffsets& layout) {
  return DecodedPlane(params, kLuma, layout.luma_offset, layout.luma_stride);
}

PlaneRegion DecodedChroma(const FrameParams& params,
                          const PlaneOffsets& layout) {
  return DecodedPlane(params, kChroma, layout.chroma_offset,
                      layout.chroma_stride);
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
