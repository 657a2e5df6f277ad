// SPDX-License-Identifier: BSD-2-Clause
#include "client/planar.h"

#include <bit>
#include <cstddef>
#include <cstring>

namespace perdix::client {
namespace {

static_assert(std::endian::native == std::endian::little,
              "samples are written as they lie in memory");

// Row by row; Samples of <plane> at first, first + step, ...
template <typename Sample>
uint8_t* CopyPlane(const Plane& plane, uint32_t first, uint32_t step,
                   uint32_t shift, uint8_t* out) {
  for (uint32_t y = 0; y < plane.height; ++y) {
    const Sample* row = plane.Row<Sample>(y) + first;
    if (step == 1 && shift == 0) {
      std::memcpy(out, row, plane.width * sizeof(Sample));
    } else {
      Sample* const to = reinterpret_cast<Sample*>(out);
      for (uint32_t x = 0; x < plane.width; ++x) {
        to[x] = Sample(row[x * step] >> shift);
      }
    }
    out += plane.width * sizeof(Sample);
  }
  return out;
}

template <typename Sample>
void CopyPlanes(const Image& image, uint8_t* out) {
  const PictureView& view = image.view;
  out = CopyPlane<Sample>(view.planes[kLuma], 0, 1, image.shift, out);
  if (image.monochrome) return;
  out = CopyPlane<Sample>(view.planes[kChroma], 0, 2, image.shift, out);
  CopyPlane<Sample>(view.planes[kChroma], 1, 2, image.shift, out);
}

}  // namespace

FrameFormat FormatOf(const Image& image) {
  const PictureView& view = image.view;
  return {view.width,         view.height,        view.bit_depth,
          view.subsampling_x, view.subsampling_y, image.monochrome};
}

void ToPlanar(const Image& image, PlanarFrame* frame) {
  const PictureView& view = image.view;
  const Plane& luma = view.planes[kLuma];
  const Plane& chroma = view.planes[kChroma];
  frame->format = FormatOf(image);
  size_t samples = size_t{luma.width} * luma.height;
  if (!image.monochrome) samples += size_t{2} * chroma.width * chroma.height;
  frame->bytes.resize(samples * (view.bit_depth > 8 ? 2 : 1));
  if (view.bit_depth > 8) {
    CopyPlanes<uint16_t>(image, frame->bytes.data());
  } else {
    CopyPlanes<uint8_t>(image, frame->bytes.data());
  }
}

}  // namespace perdix::client
