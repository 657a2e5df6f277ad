// SPDX-License-Identifier: BSD-2-Clause
// The boolean arithmetic decoder (VP9 9.2): a 64-bit window, refilled by bytes.
#ifndef PERDIX_CODEC_VP9_BOOL_DECODER_H_
#define PERDIX_CODEC_VP9_BOOL_DECODER_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace perdix::vp9 {

// VP9 9.2.2, what follows a read: by BoolRange - 1, how far to shift until the
// range is 128 to 255 again, and that range - 1. A load is sooner there than
// counting and shifting, and each read waits for the range of the one before.
struct Normalisation {
  uint8_t top[256] = {};
  uint8_t shift[256] = {};

  constexpr Normalisation() {
    for (int i = 0; i < 256; ++i) {
      while ((i + 1) << shift[i] < 128) ++shift[i];
      top[i] = uint8_t(((i + 1) << shift[i]) - 1);
    }
  }
};
inline constexpr Normalisation kNormalisation;

class BoolDecoder {
 public:
  BoolDecoder() = default;
  // Member by member: so compilers keep a copy in registers.
  BoolDecoder(const BoolDecoder& other) { *this = other; }
  BoolDecoder& operator=(const BoolDecoder& other) {
    next_ = other.next_;
    end_ = other.end_;
    padding_ = other.padding_;
    value_ = other.value_;
    top_ = other.top_;
    bits_ = other.bits_;
    return *this;
  }

  // VP9 9.2.1. False when <data> is empty or the marker bit is set.
  bool Init(std::span<const uint8_t> data) {
    next_ = data.data();
    end_ = data.data() + data.size();
    padding_ = 0;
    value_ = 0;
    top_ = 254;
    bits_ = -8;
    return !data.empty() && !ReadBit();
  }

  // VP9 9.2.2: true with probability 1 - probability / 256.
  bool Read(uint32_t probability) {
    Fill(1);
    return ReadFilled(probability);
  }

  // The same without a branch: for bits that cannot be predicted and that
  // nothing is decided by.
  uint32_t ReadFlat(uint32_t probability) {
    Fill(1);
    return ReadFilledFlat(probability);
  }

  // Makes room for <reads> (1 to 8) calls of ReadFilled... below. Saves the
  // check in each read where a symbol takes several.
  void Fill(int reads) {
    if (bits_ < kMaxShift * (reads - 1)) [[unlikely]]
      Refill();
  }

  bool ReadFilled(uint32_t probability) {
    const uint32_t below = Below(probability);
    const uint64_t split = (uint64_t{below} + 1) << 56;
    if (value_ >= split) {
      value_ -= split;
      Normalise(top_ - below - 1);
      return true;
    }
    Normalise(below);
    return false;
  }

  uint32_t ReadFilledFlat(uint32_t probability) {
    const uint32_t below = Below(probability);
    const uint64_t bit = TakeBit((uint64_t{below} + 1) << 56);
    Normalise(below + ((top_ - 2 * below - 1) & (0 - uint32_t(bit))));
    return uint32_t(bit);
  }

  // ReadFilledFlat(128): each half of the range is doubled again, so nothing
  // needs to be looked up.
  uint32_t ReadFilledBit() {
    const uint32_t bit = uint32_t(TakeBit((uint64_t{top_ >> 1} + 1) << 56));
    top_ = (top_ - bit) | 1;
    value_ <<= 1;
    --bits_;
    if (top_ == 255) [[unlikely]] {  // the larger half of 255: large enough
      top_ = 127;
      value_ >>= 1;
      ++bits_;
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
  bool Overrun() const { return bits_ + 8 < 8 * padding_; }

 private:
  static constexpr int kMaxShift = 7;  // of one read

  // The split - 1.
  uint32_t Below(uint32_t probability) const {
    return (top_ * probability) >> 8;
  }

  // By masks: given two alternatives, compilers branch.
  uint64_t TakeBit(uint64_t split) {
    const uint64_t bit = value_ >= split;
    value_ -= split & (0 - bit);
    return bit;
  }

  void Normalise(uint32_t top) {
    const int shift = kNormalisation.shift[top];
    top_ = kNormalisation.top[top];
    value_ <<= shift;
    bits_ -= shift;
  }

  // To 49 bits or more. What the window holds below its valid bits is what the
  // next refill puts there again.
  void Refill() {
    const int held = bits_ + 8;  // valid bits in value_
    const int bytes = (64 - held) >> 3;
    const ptrdiff_t left = end_ - next_;
    uint64_t big;
    if (left >= 8) [[likely]] {
      std::memcpy(&big, next_, 8);
      if constexpr (std::endian::native == std::endian::little) {
        big = __builtin_bswap64(big);
      }
      next_ += bytes;
    } else {
      big = Tail(next_, size_t(left));
      next_ += std::min<ptrdiff_t>(bytes, left);
      padding_ += std::max<int64_t>(bytes - left, 0);
    }
    value_ |= big >> held;
    bits_ += bytes * 8;
  }

  // The last <left> bytes, fewer than 8, with zeros behind them.
  [[gnu::noinline]] static uint64_t Tail(const uint8_t* next, size_t left) {
    uint64_t big = 0;
    for (size_t i = 0; i < left; ++i) big |= uint64_t{next[i]} << (56 - 8 * i);
    return big;
  }

  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  int64_t padding_ = 0;  // bytes of zeros taken behind the end
  uint64_t value_ = 0;   // the next bits, the first of them in bit 63
  uint32_t top_ = 254;   // BoolRange - 1
  int bits_ = -8;  // valid bits in value_ beyond the 8 that a read compares
};

}  // namespace perdix::vp9

#endif  // PERDIX_CODEC_VP9_BOOL_DECODER_H_
