// SPDX-License-Identifier: BSD-2-Clause
#include "kernels/metrics/shown_checksum.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "kernels/shared/metrics.h"

namespace perdix {
namespace {

class WordSums {
 public:
  // Two samples of 16 bit become values by <shift>.
  explicit WordSums(uint32_t shift)
      : shift_(shift), values_((0xffffu >> shift) * 0x10001u) {}

  void AddRow(const uint8_t* row, size_t bytes) {
    for (size_t at = 0; at < bytes / 4 * 4; at += 4) AddWord(row + at, 4);
    if (bytes % 4 != 0) AddWord(row + bytes / 4 * 4, bytes % 4);
  }
  uint64_t result() const { return uint64_t{high_} << 32 | low_; }

 private:
  void AddWord(const uint8_t* bytes, size_t count) {
    uint32_t word = 0;
    std::memcpy(&word, bytes, count);
    word = word >> shift_ & values_;
    low_ += ChecksumLow(word, key_);
    high_ += ChecksumHigh(word, key_);
    key_ += PERDIX_CHECKSUM_STEP;
  }

  const uint32_t shift_;
  const uint32_t values_;  // the bits of a word that are values
  uint32_t key_ = 0;       // ChecksumKey of the next word
  uint32_t low_ = 0;
  uint32_t high_ = 0;
};

}  // namespace

uint64_t VisibleSum(const PictureView& picture, bool monochrome) {
  const size_t sample_bytes = picture.bit_depth > 8 ? 2 : 1;
  WordSums sums(picture.shift);
  for (uint32_t index = 0; index < kPlaneCount; ++index) {
    if (index == kChroma && monochrome) break;
    const Plane& plane = picture.planes[index];
    const size_t pixel_bytes = sample_bytes * (index == kChroma ? 2 : 1);
    for (uint32_t y = 0; y < plane.height; ++y) {
      sums.AddRow(plane.Row<uint8_t>(y), plane.width * pixel_bytes);
    }
  }
  return sums.result();
}

void ShownChecksum::Add(uint32_t width, uint32_t height, uint64_t sum) {
  ++pictures_;
  Mix(uint64_t{width} << 32 | height);
  Mix(sum);
}

// One to one in the word and in what was there before; the turn brings high
// bits down, where the factor spreads them.
void ShownChecksum::Mix(uint64_t word) {
  value_ = std::rotl(value_ ^ word, 29) * 0x9e3779b97f4a7c15u;
}

}  // namespace perdix
