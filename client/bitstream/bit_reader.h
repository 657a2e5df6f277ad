// SPDX-License-Identifier: BSD-2-Clause
// Fixed-width fields of a header, high bit first.
#ifndef PERDIX_CLIENT_BITSTREAM_BIT_READER_H_
#define PERDIX_CLIENT_BITSTREAM_BIT_READER_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace perdix::client {

// Behind the end of the data every bit reads as 0 and Overrun() becomes true.
class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> data) : data_(data) {}

  // f(count), count <= 16
  uint16_t Bits(int count) {
    uint32_t value = 0;
    for (; count > 0; --count) value = (value << 1) | NextBit();
    return uint16_t(value);
  }
  bool Flag() { return NextBit() != 0; }

  bool Overrun() const { return position_ > data_.size() * 8; }
  size_t bytes_read() const { return (position_ + 7) / 8; }

 private:
  uint32_t NextBit() {
    const size_t byte = position_ / 8;
    const uint32_t shift = 7 - position_ % 8;
    ++position_;
    return byte < data_.size() ? (data_[byte] >> shift) & 1u : 0;
  }

  std::span<const uint8_t> data_;
  size_t position_ = 0;  // bits
};

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_BITSTREAM_BIT_READER_H_
