// SPDX-License-Identifier: BSD-2-Clause
// The boolean arithmetic decoder (VP9 9.2): a 64-bit window, refilled by bytes.
#ifndef PERDIX_CODEC_VP9_BOOL_DECODER_H_
#define PERDIX_CODEC_VP9_BOOL_DECODER_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

namespace perdix::vp9 {

class BoolDecoder {
 public:
  BoolDecoder() = default;

  // VP9 9.2.1. False when <data> is empty or the marker bit is set.
  bool Init(std::span<const uint8_t> data) {
    next_ = data.data();
    end_ = data.data() + data.size();
    value_ = 0;
    range_ = 255;
    bits_ = -8;
    padding_bits_ = 0;
    Refill();
    return !data.empty() && !ReadBit();
  }

  // VP9 9.2.2: true with probability 1 - probability / 256.
  bool Read(uint32_t probability) {
    const uint32_t split = 1 + (((range_ - 1) * probability) >> 8);
    if (bits_ < 0) Refill();
    const uint64_t split_value = uint64_t{split} << 56;
    const bool bit = value_ >= split_value;
    if (bit) {
      range_ -= split;
      value_ -= split_value;
    } else {
      range_ = split;
    }
    const int shift = std::countl_zero(range_) - 24;  // back to 128..255
    range_ <<= shift;
    value_ <<= shift;
    bits_ -= shift;
    return bit;
  }

  bool ReadBit() { return Read(128); }

  // VP9 9.2.4: <count> bits, the first read is the highest.
  uint32_t ReadLiteral(int count) {
    uint32_t literal = 0;
    while (count-- > 0) literal = (literal << 1) | uint32_t{ReadBit()};
    return literal;
  }

  // A tree of VP9 9.3: <tree> holds index of the next pair or minus the leaf.
  uint32_t ReadTree(const int8_t* tree, const uint8_t* probabilities) {
    int node = 0;
    do {
      node = tree[node + Read(probabilities[node >> 1])];
    } while (node > 0);
    return uint32_t(-node);
  }

  // True once bits were decoded that <data> does not hold.
  bool Overrun() const {
    return padding_bits_ > 0 && bits_ < padding_bits_ - 8;
  }

 private:
  // Keeps at least one whole byte below the one being compared.
  void Refill() {
    if (end_ - next_ >= 8) {
      uint64_t big;
      std::memcpy(&big, next_, 8);
      if constexpr (std::endian::native == std::endian::little) {
        big = __builtin_bswap64(big);
      }
      const int held = bits_ + 8;  // valid bits in value_, 0..7
      const int bytes = (64 - held) >> 3;
      value_ |= (big >> (64 - bytes * 8)) << (64 - held - bytes * 8);
      next_ += bytes;
      bits_ += bytes * 8;
      return;
    }
    while (bits_ <= 48) {
      if (next_ < end_) {
        value_ |= uint64_t{*next_++} << (48 - bits_);
      } else {
        padding_bits_ += 8;
      }
      bits_ += 8;
    }
  }

  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  uint64_t value_ = 0;  // the next bits, the first of them in bit 63
  uint32_t range_ = 255;
  int bits_ = -8;  // valid bits in value_ beyond the 8 that a read compares
  int padding_bits_ = 0;  // zeros appended behind the data's end
};

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_BOOL_DECODER_H_
