// SPDX-License-Identifier: BSD-2-Clause
// The inverse of BoolDecoder, for tests: bit by bit, one carry at a time.
#ifndef PERDIX_TESTS_CODEC_VP9_BOOL_ENCODER_H_
#define PERDIX_TESTS_CODEC_VP9_BOOL_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perdix::vp9 {

class BoolEncoder {
 public:
  BoolEncoder() { WriteBit(false); }  // the marker

  void Write(bool bit, uint32_t probability) {
    const uint32_t split = 1 + (((range_ - 1) * probability) >> 8);
    if (bit) {
      low_ += split;
      range_ -= split;
    } else {
      range_ = split;
    }
    if (low_ > 255) Carry();
    for (; range_ < 128; range_ <<= 1) ShiftOut();
  }

  void WriteBit(bool bit) { Write(bit, 128); }

  void WriteLiteral(uint32_t literal, int count) {
    while (count-- > 0) WriteBit((literal >> count) & 1);
  }

  // The least number of bytes whose bits were all needed, or in part.
  std::vector<uint8_t> Finish() {
    for (int i = 0; i < 8; ++i) ShiftOut();
    std::vector<uint8_t> data((bits_.size() + 7) / 8);
    for (size_t i = 0; i < bits_.size(); ++i) {
      data[i / 8] |= uint8_t(bits_[i] << (7 - i % 8));
    }
    return data;
  }

 private:
  void Carry() {
    low_ -= 256;
    size_t i = bits_.size();
    while (bits_[--i]) bits_[i] = 0;
    bits_[i] = 1;
  }

  void ShiftOut() {
    bits_.push_back(uint8_t(low_ >> 7));
    low_ = (low_ << 1) & 255;
  }

  std::vector<uint8_t> bits_;  // one element each, final but for carries
  uint32_t low_ = 0;           // the next 8 bits
  uint32_t range_ = 255;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CODEC_VP9_BOOL_ENCODER_H_
