// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/present.h"

#include <algorithm>

namespace perdix {
namespace {

// The chroma rows that belong to two luma rows: the same one twice where the
// picture has no more, or ends.
template <typename Sample>
struct ChromaRows {
  const Sample* upper;
  const Sample* lower;

  Sample Mean(size_t left, size_t right) const {
    const uint32_t sum =
        upper[left] + upper[right] + lower[left] + lower[right];
    return static_cast<Sample>((sum + 2) / 4);
  }
};

template <typename Sample>
void ShowChromaRow(const ChromaRows<Sample>& rows, uint32_t from_width,
                   uint32_t columns_each, uint32_t width, uint32_t factor,
                   Sample* to) {
  for (uint32_t x = 0; x < width; ++x) {
    const size_t left = size_t{x} * columns_each;
    const size_t right = std::min<size_t>(left + columns_each, from_width) - 1;
    for (size_t i = 0; i < 2; ++i)  // U, V
      to[2 * x + i] =
          static_cast<Sample>(rows.Mean(2 * left + i, 2 * right + i) * factor);
  }
}

template <typename Sample>
void ShowSamples(const PictureView& from, const PictureLayout& layout,
                 uint8_t* buffer) {
  const uint32_t factor = sizeof(Sample) == 1 ? 1u : 1u << layout.shift;
  const Plane luma = {buffer + layout.luma_offset, layout.stride_bytes};
  for (uint32_t y = 0; y < from.height; ++y) {
    const Sample* const row = from.planes[kLuma].Row<Sample>(y);
    std::transform(row, row + from.width, luma.Row<Sample>(y),
                   [=](Sample s) { return static_cast<Sample>(s * factor); });
  }
  const Plane& more = from.planes[kChroma];
  const Plane chroma = {buffer + layout.chroma_offset,
                        layout.chroma_stride_bytes, (from.width + 1) / 2,
                        (from.height + 1) / 2};
  const uint32_t columns_each = 2 >> from.subsampling_x;
  const uint32_t rows_each = 2 >> from.subsampling_y;
  for (uint32_t y = 0; y < chroma.height; ++y) {
    const uint32_t upper = y * rows_each;
    const uint32_t lower = std::min(upper + rows_each, more.height) - 1;
    ShowChromaRow<Sample>({more.Row<Sample>(upper), more.Row<Sample>(lower)},
                          more.width, columns_each, chroma.width, factor,
                          chroma.Row<Sample>(y));
  }
}

}  // namespace

void FillNeutralChroma(const PictureLayout& layout, bool p010,
                       std::span<uint8_t> buffer) {
  const size_t bytes =
      size_t{layout.chroma_stride_bytes} * (layout.max_height / 2);
  const auto chroma = buffer.subspan(layout.chroma_offset, bytes);
  if (!p010) {
    std::ranges::fill(chroma, uint8_t{0x80});
    return;
  }
  constexpr uint16_t kNeutral = 0x8000;  // half, of 10 bit and of 12
  auto* const samples = reinterpret_cast<uint16_t*>(chroma.data());
  std::fill_n(samples, bytes / sizeof(uint16_t), kNeutral);
}

void ShowAs420(const PictureView& from, const PictureLayout& layout,
               std::span<uint8_t> buffer) {
  if (from.bit_depth > 8)
    ShowSamples<uint16_t>(from, layout, buffer.data());
  else
    ShowSamples<uint8_t>(from, layout, buffer.data());
}

}  // namespace perdix
