// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/range_encoder.h"

#include <bit>
#include <cstddef>

namespace perdix::make_stream::av1 {
namespace {

// cur of 8.2.6 after <symbol>; value: 32768 less its cdf.
uint32_t Threshold(uint32_t range, uint32_t value, int n, uint32_t symbol) {
  return ((range >> 8) * (value >> 6) >> 1) + 4 * (uint32_t(n) - symbol - 1);
}

}  // namespace

void RangeEncoder::Encode(const uint16_t* values, int n, uint32_t symbol) {
  const auto threshold = [&](uint32_t of) {
    return of + 1 == uint32_t(n) ? 0 : Threshold(range_, values[of], n, of);
  };
  const uint32_t above = symbol == 0 ? range_ : threshold(symbol - 1);
  const uint32_t below = threshold(symbol);
  Take(below, above - below);
}

void RangeEncoder::EncodeBit(uint32_t bit) {  // 8.2.3
  const uint16_t half[2] = {1 << 14, 0};
  Encode(half, 2, bit);
}

void RangeEncoder::Take(uint32_t below, uint32_t range) {
  low_ += below;
  const int shift = 16 - int(std::bit_width(range));
  low_ <<= shift;
  range_ = range << shift;
  bits_ += shift;
  shifts_ += uint64_t(shift);
  MoveBytes();
}

// All but 16 to 31 bits, which a carry has still to come from.
void RangeEncoder::MoveBytes() {
  if (low_ >> bits_ != 0) {
    low_ -= uint64_t{1} << bits_;
    size_t at = bytes_.size();
    while (++bytes_[--at] == 0) {
    }
  }
  for (; bits_ >= 32; bits_ -= 8) {
    bytes_.push_back(uint8_t(low_ >> (bits_ - 8)));
    low_ &= (uint64_t{1} << (bits_ - 8)) - 1;
  }
}

// The bit of the tile at <shifts_> is the trailing one, all behind it are 0: of
// the inverted number, the last 15 bits are 0 and then ones.
std::vector<uint8_t> RangeEncoder::Finish(bool upper) {
  constexpr uint64_t kStep = 1 << 15, kEnd = (1 << 14) - 1;
  const uint64_t least = low_;
  uint64_t chosen = least / kStep * kStep + kEnd;
  if (chosen < least) chosen += kStep;
  if (upper && chosen + kStep < least + range_) chosen += kStep;
  low_ = chosen;
  low_ = low_ << 24 | 0xffffff;  // whole bytes
  bits_ += 24;
  MoveBytes();
  for (; bits_ >= 8; bits_ -= 8) {
    bytes_.push_back(uint8_t(low_ >> (bits_ - 8)));
  }
  std::vector<uint8_t> tile(bytes_.begin(),
                            bytes_.begin() + ptrdiff_t(shifts_ / 8 + 1));
  for (uint8_t& byte : tile) byte = uint8_t(~byte);
  return tile;
}

}  // namespace perdix::make_stream::av1
