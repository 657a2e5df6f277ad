// SPDX-License-Identifier: BSD-2-Clause
// Intra block copy on vectors: inter prediction (7.11.3.2 to .4) from the
// current frame, which the compiler makes vectors of. Vectors are whole luma
// samples, so that the bilinear filter takes the mean of two or four samples of
// subsampled chroma at most; the rounding of its two passes comes to that,
// exactly.
#ifndef PERDIX_KERNELS_AV1_INTRA_INTRA_COPY_H_
#define PERDIX_KERNELS_AV1_INTRA_INTRA_COPY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/av1/intra/intra_target.h"

namespace perdix::av1 {

// Copies row after row: their size is a constant for the compiler.
// bytes: 4..256, a power of two. source_stride: 0 to repeat one row.
template <size_t kBytes>
void CopyRowsOf(const uint8_t* from, ptrdiff_t from_stride, uint8_t* to,
                ptrdiff_t to_stride, int rows) {
  for (int i = 0; i < rows; ++i) {
    std::memcpy(to, from, kBytes);
    from += from_stride;
    to += to_stride;
  }
}

// Strides in samples.
template <typename Sample>
void CopyRows(const Sample* from, ptrdiff_t from_stride, Output<Sample> out,
              int samples, int rows) {
  const auto* source = reinterpret_cast<const uint8_t*>(from);
  auto* to = reinterpret_cast<uint8_t*>(out.data);
  from_stride *= sizeof(Sample);
  const ptrdiff_t stride = out.stride * static_cast<ptrdiff_t>(sizeof(Sample));
  const size_t bytes = static_cast<size_t>(samples) * sizeof(Sample);
  switch (bytes) {
    case 4:
      return CopyRowsOf<4>(source, from_stride, to, stride, rows);
    case 8:
      return CopyRowsOf<8>(source, from_stride, to, stride, rows);
    case 16:
      return CopyRowsOf<16>(source, from_stride, to, stride, rows);
    case 32:
      return CopyRowsOf<32>(source, from_stride, to, stride, rows);
    case 64:
      return CopyRowsOf<64>(source, from_stride, to, stride, rows);
    default:
      for (int i = 0; i < rows; ++i) {
        std::memcpy(to, source, bytes);
        source += from_stride;
        to += stride;
      }
  }
}

// Where a block is copied from, pixels of the plane.
struct CopySource {
  int x;
  int y;
  bool half_x;  // half a pixel further
  bool half_y;
};

// mv: PackMv. The position is in 1/16 of the plane's pixels, of which a whole
// luma sample is 16 or 8.
template <typename Sample>
CopySource LocateCopySource(const IntraTarget<Sample>& target, uint32_t mv,
                            uint32_t subsampling_x, uint32_t subsampling_y) {
  const int dx = (2 * MvCol(mv)) >> subsampling_x;
  const int dy = (2 * MvRow(mv)) >> subsampling_y;
  return {target.x + (dx >> 4), target.y + (dy >> 4), (dx & 8) != 0,
          (dy & 8) != 0};
}

// One more column and row than the largest block.
inline constexpr int kMaxCopySize = 128 + 1;

// The pixels of the source, with the frame's last ones repeated where it lies
// outside: into <to>, rows of kStep * width samples.
template <typename Sample, int kStep>
void FetchClamped(Output<const Sample> plane, DecodedArea area, int x, int y,
                  BlockExtent extent, Sample* to) {
  for (int i = 0; i < extent.height; ++i) {
    const Sample* line = plane.Row(std::clamp(y + i, 0, area.height - 1));
    for (int j = 0; j < extent.width; ++j) {
      const int column = std::clamp(x + j, 0, area.width - 1);
      std::memcpy(to, line + kStep * column, kStep * sizeof(Sample));
      to += kStep;
    }
  }
}

// The mean of source pixels, which may be one, two or four.
template <typename Sample, int kStep>
void Average(Output<const Sample> from, const CopySource& source,
             BlockExtent extent, Output<Sample> out) {
  const int right = source.half_x ? kStep : 0;
  const ptrdiff_t below = source.half_y ? from.stride : 0;
  for (int y = 0; y < extent.height; ++y) {
    const Sample* line = from.Row(y);
    Sample* row = out.Row(y);
    for (int k = 0; k < kStep * extent.width; ++k) {
      row[k] =
          static_cast<Sample>((line[k] + line[k + right] + line[k + below] +
                               line[k + below + right] + 2) >>
                              2);
    }
  }
}

// plane: its first pixel. out: a block that does not overlap the source, or
// scratch.
template <typename Sample, int kStep>
void CopyBlock(Output<const Sample> plane, DecodedArea area,
               const CopySource& source, BlockExtent extent,
               Output<Sample> out) {
  const BlockExtent needed = {extent.width + (source.half_x ? 1 : 0),
                              extent.height + (source.half_y ? 1 : 0)};
  Sample fetched[kMaxCopySize * kMaxCopySize * kStep];
  Output<const Sample> from;
  if (source.x >= 0 && source.y >= 0 && source.x + needed.width <= area.width &&
      source.y + needed.height <= area.height) {
    from = {plane.Row(source.y) + kStep * source.x, plane.stride};
  } else {
    FetchClamped<Sample, kStep>(plane, area, source.x, source.y, needed,
                                fetched);
    from = {fetched, kStep * needed.width};
  }
  if (source.half_x || source.half_y) {
    Average<Sample, kStep>(from, source, extent, out);
  } else {
    CopyRows(from.data, from.stride, out, kStep * extent.width, extent.height);
  }
}

// A plane of a block of kind COPY.
template <int kStep, typename Sample>
void CopyFromFrame(const KernelArgs& args, const IntraBlock& block,
                   const IntraTarget<Sample>& target) {
  const uint32_t plane = IntraPlane(block.shape);
  const CopySource source = LocateCopySource(
      target, block.residual0, kStep == 1 ? 0 : args.params->subsampling_x,
      kStep == 1 ? 0 : args.params->subsampling_y);
  CopyBlock<Sample, kStep>(
      {args.target.planes[plane].template Row<Sample>(0), target.pixels.stride},
      PlaneDecodedArea(*args.params, plane), source,
      {target.VisibleWidth(), target.VisibleHeight()}, target.pixels);
}

}  // namespace perdix::av1

#endif  // PERDIX_KERNELS_AV1_INTRA_INTRA_COPY_H_
