// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/checksum.h"

#include <cstring>

#include "kernels/shared/frame_params.h"
#include "kernels/shared/metrics.h"

namespace perdix {
namespace {

struct Sums {
  uint32_t low = 0;
  uint32_t high = 0;
};

// index: of the row's first word.
Sums RowSums(const uint8_t* row, uint32_t words, uint32_t index) {
  Sums sums;
  for (uint32_t i = 0; i < words; ++i) {
    uint32_t word;
    std::memcpy(&word, row + size_t{4} * i, sizeof(word));
    const uint32_t key = ChecksumKey(index + i);
    sums.low += ChecksumLow(word, key);
    sums.high += ChecksumHigh(word, key);
  }
  return sums;
}

}  // namespace

uint64_t PictureChecksum(const PictureView& picture) {
  const uint32_t sample_bytes = picture.bit_depth > 8 ? 2 : 1;
  const uint32_t luma_bytes = DecodedSize(picture.width) * sample_bytes;
  const uint32_t luma_rows = DecodedSize(picture.height);
  const uint32_t words[kPlaneCount] = {
      luma_bytes / 4, 2 * (luma_bytes >> picture.subsampling_x) / 4};
  const uint32_t rows[kPlaneCount] = {luma_rows,
                                      luma_rows >> picture.subsampling_y};
  Sums sums;
  uint32_t index = 0;
  for (uint32_t plane = 0; plane < kPlaneCount; ++plane) {
    for (uint32_t y = 0; y < rows[plane]; ++y) {
      const Sums row =
          RowSums(picture.planes[plane].Row<uint8_t>(y), words[plane], index);
      sums.low += row.low;
      sums.high += row.high;
      index += words[plane];
    }
  }
  return uint64_t{sums.high} << 32 | sums.low;
}

}  // namespace perdix
