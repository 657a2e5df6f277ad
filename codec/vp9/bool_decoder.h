// SPDX-License-Identifier: BSD-2-Clause
// The boolean arithmetic decoder (VP9 9.2). Bits stay where they are in a
// 64-bit window, and the place of those that are next moves down.
#ifndef PERDIX_CODEC_VP9_BOOL_DECODER_H_
#define PERDIX_CODEC_VP9_BOOL_DECODER_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace perdix::vp9 {

// VP9 9.2.2, what follows a read: by BoolRange - 1, how far to shift until the
// range is 128 to 255 again, and that range - 1. A load is sooner there than
// counting and shifting, and each read waits for the range of the one before.
using NormalisationTable = std::array<uint8_t, 256>;
inline constexpr NormalisationTable kNormalisationShift = [] {
  NormalisationTable shift{};
  for (int i = 0; i < 256; ++i) {
    while ((i + 1) << shift[size_t(i)] < 128) ++shift[size_t(i)];
  }
  return shift;
}();
inline constexpr NormalisationTable kNormalisedTop = [] {
  NormalisationTable top{};
  for (size_t i = 0; i < 256; ++i) {
    top[i] = uint8_t(((i + 1) << kNormalisationShift[i]) - 1);
  }
  return top;
}();

class BoolDecoder {
 public:
  BoolDecoder() = default;
  // Member by member: so compilers keep a copy in registers.
  BoolDecoder(const BoolDecoder& other) { *this = other; }
  BoolDecoder& operator=(const BoolDecoder& other) {
    end_ = other.end_;
    left_ = other.left_;
    value_ = other.value_;
    top_ = other.top_;
    position_ = other.position_;
    return *this;
  }

  // VP9 9.2.1. False when <data> is empty or the marker bit is set.
  bool Init(std::span<const uint8_t> data) {
    if (data.empty()) return false;
    end_ = data.data() + data.size();
    left_ = static_cast<int64_t>(data.size()) - 1;
    value_ = data[0];
    top_ = 254;
    position_ = 0;
    return !ReadBit();
  }

  // VP9 9.2.2: true with probability 1 - probability / 256.
  bool Read(uint32_t probability) {
    Fill(1);
    return ReadFilled(probability);
  }

  // Read() without a branch: for bits that cannot be predicted and that nothing
  // is decided by.
  uint32_t ReadFlat(uint32_t probability) {
    Fill(1);
    return ReadFilledFlat(probability);
  }

  // Makes room for <reads> (1 to 7) calls of ReadFilled... below. Saves the
  // check in each read where a symbol takes several.
  void Fill(int reads) {
    const bool enough = kMaxShift * reads <= 32
                            ? position_ & 32  // one instruction, with the jump
                            : position_ >= kMaxShift * reads;
    if (!enough) [[unlikely]]
      Refill();
  }

  bool ReadFilled(uint32_t probability) {
    const uint32_t below = Below(probability);
    if (uint32_t(value_ >> position_) > below) {
      value_ -= (uint64_t{below} + 1) << position_;
      Normalise(top_ - below - 1);
      return true;
    }
    Normalise(below);
    return false;
  }

  uint32_t ReadFilledFlat(uint32_t probability) {
    const uint32_t below = Below(probability);
    const uint32_t bit = TakeBit(below);
    Normalise(below + ((top_ - 2 * below - 1) & (0 - bit)));
    return bit;
  }

  // ReadFilledFlat(128): each half of the range is doubled again, so nothing
  // needs to be looked up.
  uint32_t ReadFilledBit() {
    const uint32_t bit = TakeBit(top_ >> 1);
    top_ = (top_ - bit) | 1;
    --position_;
    if (top_ == 255) [[unlikely]] {  // the larger half of 255: large enough
      top_ = 127;
      ++position_;
    }
    return bit;
  }

  bool ReadBit() { return Read(128); }

  // VP9 9.2.4: <count> bits, the first read is the highest.
  uint32_t ReadLiteral(int count) {
    uint32_t literal = 0;
    while (count-- > 0) literal = (literal << 1) | uint32_t{ReadBit()};
    return literal;
  }

  // A tree of VP9 9.3: <kTree> holds index of the next pair or minus the leaf.
  // Unrolled, so that each node has a branch of its own to be predicted.
  template <const auto& kTree, int kNode = 0>
  uint32_t ReadTree(const uint8_t* probabilities) {
    constexpr int kNext[2] = {kTree[kNode], kTree[kNode + 1]};
    if (!Read(probabilities[kNode >> 1])) {
      if constexpr (kNext[0] <= 0)
        return uint32_t(-kNext[0]);
      else
        return ReadTree<kTree, kNext[0]>(probabilities);
    }
    if constexpr (kNext[1] <= 0)
      return uint32_t(-kNext[1]);
    else
      return ReadTree<kTree, kNext[1]>(probabilities);
  }

  // True once bits were decoded that <data> does not hold.
  bool Overrun() const { return position_ + 8 + 8 * left_ < 0; }

  // BoolMaxBits (VP9 9.2): bits of the data that BoolValue does not hold yet.
  // Below 0: it holds zeros from behind the end, and no encoder ends so soon.
  int64_t MaxBits() const { return position_ + 8 * left_; }
  // VP9 9.2.3, after the last read: what is left of the byte that was read last
  // is 0.
  bool ByteEndsWithZeros() const {
    const int bits = position_ & 7;
    return (value_ >> (position_ - bits) & ((1u << bits) - 1)) == 0;
  }
  // The bytes behind that one.
  std::span<const uint8_t> Rest() const {
    const int64_t bytes = std::max(left_ + (position_ >> 3), int64_t{0});
    return {end_ - bytes, size_t(bytes)};
  }

 private:
  static constexpr int kMaxShift = 7;  // of one read

  // The split - 1.
  uint32_t Below(uint32_t probability) const {
    return (top_ * probability) >> 8;
  }

  // By masks: given two alternatives, compilers branch.
  uint32_t TakeBit(uint32_t below) {
    const uint64_t bit = uint32_t(value_ >> position_) > below;
    value_ -= ((uint64_t{below} + 1) << position_) & (0 - bit);
    return uint32_t(bit);
  }

  void Normalise(uint32_t top) {
    position_ -= kNormalisationShift[top];
    top_ = kNormalisedTop[top];
  }

  // From a position below 49 to one of 49 to 56.
  void Refill() {
    const int bits = (56 - position_) & ~7;
    uint64_t big;
    if (left_ >= 8) [[likely]] {
      std::memcpy(&big, end_ - left_, 8);
      if constexpr (std::endian::native == std::endian::little) {
        big = __builtin_bswap64(big);
      }
    } else {
      big = Tail(end_, left_);
    }
    value_ = value_ << bits | big >> (64 - bits);
    position_ += bits;
    left_ -= bits >> 3;
  }

  // The last <left> bytes, fewer than 8, with zeros behind them.
  [[gnu::noinline]] static uint64_t Tail(const uint8_t* end, int64_t left) {
    uint64_t big = 0;
    for (int shift = 56; left > 0; --left, shift -= 8) {
      big |= uint64_t{end[-left]} << shift;
    }
    return big;
  }

  const uint8_t* end_ = nullptr;
  int64_t left_ = 0;  // bytes before the end that the window does not hold yet;
                      // below 0: zeros from behind it that it holds
  // BoolValue << position_ and the bits that follow.
  uint64_t value_ = 0;
  uint32_t top_ = 254;  // BoolRange - 1
  int position_ = 0;    // 0 to 56
};

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_BOOL_DECODER_H_
