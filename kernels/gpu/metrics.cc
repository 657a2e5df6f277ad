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

Program LumaProgram(const DeviceTraits& traits, uint32_t sample_bytes) {
  const uint32_t lanes = LanesFor(traits);
  return {"metrics/luma", {sample_bytes, 0, lanes}, lanes};
}

// Neighbours in MetricsResults.
struct Results {
  uint32_t first;
  uint32_t count;
};

// Tiles to partial sums, and these to results.
void Add(const Program& program, const Bindings& bindings, const Tiles& tiles,
         const MetricsConstants& constants, const Results& results,
         Work* work) {
  const uint32_t first = constants.first_partial;
  work->NeedPartials(first + results.count * tiles.count());
  work->AddBarrier();
  work->AddDispatch({.program = program,
                     .bindings = bindings,
                     .groups_x = tiles.x,
                     .groups_y = tiles.y},
                    constants);
  work->AddBarrier();
  work->AddDispatch(
      {.program = kReduce, .bindings = bindings, .groups_x = results.count},
      ReduceConstants{first, tiles.count(), results.first});
}

}  // namespace

std::vector<Program> MetricsPrograms(const DeviceTraits& traits) {
  return {ChecksumProgram(traits), LumaProgram(traits, 1),
          LumaProgram(traits, 2), kReduce};
}

void AddChecksum(const DeviceTraits& traits, const FrameInput& input,
                 PictureId written, uint32_t stage, Work* work) {
  const Picture& picture = input.Of(written);
  Add(ChecksumProgram(traits), {written, written, true}, ChecksumTiles(picture),
      {0, {DecodedLuma(picture), DecodedChroma(picture)}, 0, 0}, {stage, 1},
      work);
}

// Its partial sums lie behind those of a checksum.
void AddLuma(const DeviceTraits& traits, const FrameInput& input, Work* work) {
  if (!input.sums_luma) return;
  const bool compares = input.previous.memory != nullptr;
  const PictureId other = compares ? PictureId::kPrevious : PictureId::kTarget;
  const PictureView& view = input.target.view;
  Add(LumaProgram(traits, SampleBytesOf(view)),
      {PictureId::kTarget, other, true}, TilesOf(ShownLuma(input.target)),
      {ChecksumTiles(input.target).count(),
       {ShownLuma(input.target), ShownLuma(input.Of(other))},
       input.dark_level,
       view.shift},
      {PERDIX_METRICS_LUMA, PERDIX_LUMA_RESULTS}, work);
}

uint64_t ChecksumOf(const MetricsResults& results, uint32_t stage) {
  const MetricsSum& sum = results.sums[stage];
  return uint64_t{sum.high} << 32 | sum.low;
}

LumaSums LumaOf(const MetricsResults& results) {
  const auto sum = [&](uint32_t i) {
    const MetricsSum& of = results.sums[PERDIX_METRICS_LUMA + i];
    return (uint64_t{of.high} << PERDIX_LUMA_LOW_BITS) + of.low;
  };
  return {.total = sum(1), .dark = sum(2), .difference = sum(0)};
}

}  // namespace perdix::gpu
