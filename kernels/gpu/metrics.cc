// SPDX-License-Identifier: BSD-2-Clause
// Sizes are those of the pictures: a frame with super-resolution is coded
// narrower than it is.
#include "kernels/gpu/metrics.h"

#include <algorithm>

namespace perdix::gpu {
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

uint32_t SampleBytesOf(const PictureView& view) {
  return view.bit_depth > 8 ? 2 : 1;
}

// What decoding may write of luma, and of chroma.
PlaneRegion DecodedLuma(const Picture& picture) {
  return {picture.offsets.luma_offset, picture.offsets.luma_stride,
          DecodedSize(picture.view.width) * SampleBytesOf(picture.view),
          DecodedSize(picture.view.height)};
}

PlaneRegion DecodedChroma(const Picture& picture) {
  const PictureView& view = picture.view;
  return {
      picture.offsets.chroma_offset, picture.offsets.chroma_stride,
      2 * (DecodedSize(view.width) >> view.subsampling_x) * SampleBytesOf(view),
      DecodedSize(view.height) >> view.subsampling_y};
}

// What is shown.
PlaneRegion ShownLuma(const Picture& picture) {
  return {picture.offsets.luma_offset, picture.offsets.luma_stride,
          picture.view.width * SampleBytesOf(picture.view),
          picture.view.height};
}

Tiles ChecksumTiles(const Picture& target) {
  const Tiles luma = TilesOf(DecodedLuma(target));
  const Tiles chroma = TilesOf(DecodedChroma(target));
  return {std::max(luma.x, chroma.x), luma.y + chroma.y};
}

constexpr Program kReduce = {"reduce", {}, 256};

// A power of two.
uint32_t LanesFor(const DeviceTraits& traits) {
  return HasLargeSubgroups(traits) ? 64 : 256;
}

Program ChecksumProgram(const DeviceTraits& traits) {
  const uint32_t lanes = LanesFor(traits);
  return {"metrics/checksum", {0, 0, lanes}, lanes};
}

Program MotionProgram(const DeviceTraits& traits, uint32_t sample_bytes) {
  const uint32_t lanes = LanesFor(traits);
  return {"metrics/motion", {sample_bytes, 0, lanes}, lanes};
}

// Tiles to partial sums from <first> on, and these to a result.
void Add(const Program& program, const Bindings& bindings, const Tiles& tiles,
         const MetricsConstants& constants, uint32_t result, Work* work) {
  const uint32_t first = constants.first_partial;
  work->NeedPartials(first + tiles.count());
  work->AddBarrier();
  work->AddDispatch({.program = program,
                     .bindings = bindings,
                     .groups_x = tiles.x,
                     .groups_y = tiles.y},
                    constants);
  work->AddBarrier();
  work->AddDispatch({.program = kReduce, .bindings = bindings, .groups_x = 1},
                    ReduceConstants{first, tiles.count(), result});
}

}  // namespace

std::vector<Program> MetricsPrograms(const DeviceTraits& traits) {
  return {ChecksumProgram(traits), MotionProgram(traits, 1),
          MotionProgram(traits, 2), kReduce};
}

void AddChecksum(const DeviceTraits& traits, const FrameInput& input,
                 PictureId written, uint32_t stage, Work* work) {
  const Picture& picture = input.Of(written);
  Add(ChecksumProgram(traits), {written, written, true}, ChecksumTiles(picture),
      {0, {DecodedLuma(picture), DecodedChroma(picture)}}, stage, work);
}

bool HasMotion(const FrameInput& input) {
  const PictureView& previous = input.previous.view;
  const PictureView& target = input.target.view;
  return input.previous.memory != nullptr && previous.width == target.width &&
         previous.height == target.height &&
         previous.bit_depth == target.bit_depth;
}

// Its partial sums lie behind those of a checksum.
void AddMotion(const DeviceTraits& traits, const FrameInput& input,
               Work* work) {
  Add(MotionProgram(traits, SampleBytesOf(input.target.view)),
      {PictureId::kTarget, PictureId::kPrevious, true},
      TilesOf(ShownLuma(input.target)),
      {ChecksumTiles(input.target).count(),
       {ShownLuma(input.target), ShownLuma(input.previous)}},
      PERDIX_METRICS_MOTION, work);
}

uint64_t ChecksumOf(const MetricsResults& results, uint32_t stage) {
  const MetricsSum& sum = results.sums[stage];
  return uint64_t{sum.high} << 32 | sum.low;
}

uint64_t MotionOf(const MetricsResults& results) {
  const MetricsSum& sum = results.sums[PERDIX_METRICS_MOTION];
  return (uint64_t{sum.high} << PERDIX_MOTION_LOW_BITS) + sum.low;
}

}  // namespace perdix::gpu
