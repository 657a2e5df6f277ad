// SPDX-License-Identifier: BSD-2-Clause
// The symbol decoder (8.2).
#ifndef PERDIX_CODEC_AV1_SYMBOL_DECODER_H_
#define PERDIX_CODEC_AV1_SYMBOL_DECODER_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/av1/cdf.h"
#include "codec/av1/parser_target.h"
#include "codec/av1/symbol_lanes.h"

PERDIX_BEFORE_PARSER();
namespace perdix::av1 {
inline namespace PERDIX_PARSER {

// Each read waits for the range and the window of the one before. Reads are
// functions that the whole parser shares: in line wherever a symbol is read
// they would displace each other from the cache of instructions. Only whoever
// reads many symbols in a loop does it in line (ReadInLine, ReadBit), with a
// local copy, which compilers keep in registers, and assigns that back.
class SymbolDecoder {
 public:
  SymbolDecoder() = default;
  // Member by member: so compilers keep a copy in registers.
  SymbolDecoder(const SymbolDecoder& other) { *this = other; }
  SymbolDecoder& operator=(const SymbolDecoder& other) {
    window_ = other.window_;
    range_ = other.range_;
    spare_ = other.spare_;
    adaptation_ = other.adaptation_;
    end_ = other.end_;
    at_ = other.at_;
    return *this;
  }

  // 8.2.2. Adapts CDFs unless disable_update (disable_cdf_update). False: no
  // data. The data must stay readable while symbols are read.
  bool Init(std::span<const uint8_t> data, bool disable_update);

  // 8.2.6: 0..N - 1; adapts the CDF.
  template <int N>
  uint32_t Read(Cdf<N>& cdf) {
    if constexpr (N == 2) {
      return ReadTwo(cdf);
    } else if constexpr (N <= 4) {
      return ReadFour(cdf.values, N);
    } else if constexpr (N <= 8) {
      return ReadEight(cdf.values, N);
    } else {
      return ReadSixteen(cdf.values, N);
    }
  }
  // Reads a symbol of two values.
  bool ReadBool(Cdf<2>& cdf) { return ReadTwo(cdf) != 0; }
  // Reads a symbol of 3 to 8 values, in line.
  template <int N>
  [[gnu::always_inline]] uint32_t ReadInLine(Cdf<N>& cdf) {
    const Found found = Find<Cdf<N>::kLanes>(cdf.values, N);
    Take(found);
    if (spare_ < 0) [[unlikely]]
      Refill();
    return found.symbol;
  }

  uint32_t ReadBit();               // 8.2.3: half and half
  uint32_t ReadLiteral(int count);  // 8.2.5: L(n), 0..31 bits
  uint32_t ReadNs(uint32_t n);      // NS(n), 4.10.10: 0..n - 1

  // True once symbols were read of which the data holds nothing at all:
  // SymbolMaxBits is below -14, which 8.2.4 forbids. Decoders go on with zeros.
  bool Overrun() const { return spare_ - 8 * at_ < -14; }

  // 8.2.4, after the last symbol and without an overrun: the bit behind what
  // was read is 1, and all that follow are 0. Anything else shows that the data
  // is not what an encoder wrote.
  bool EndsWithPadding() const {
    // from the trailing bit on
    const ptrdiff_t bits = spare_ - 8 * at_ + 15;
    const uint8_t* byte = end_ - (bits + 7) / 8;
    const uint32_t trailing_bit = 1u << ((bits + 7) & 7);
    if ((*byte & (2 * trailing_bit - 1)) != trailing_bit) return false;
    return std::all_of(byte + 1, end_, [](uint8_t zero) { return zero == 0; });
  }

 private:
  static constexpr int kValueBits = 16;  // of the window, that are compared

  // Read() for each number of lanes that a CDF may have. n: N.
  uint32_t ReadTwo(Cdf<2>& cdf);
  uint32_t ReadFour(uint16_t* values, int n);
  uint32_t ReadEight(uint16_t* values, int n);
  uint32_t ReadSixteen(uint16_t* values, int n);

  // range: the symbol's. below: its threshold, in the bits of <window_> that
  // are compared; what the window loses.
  struct Found {
    uint32_t symbol, range;
    uint64_t below;
  };
  // Adapts the CDF, of 4 or 8 lanes.
  template <int kLanes>
  Found Find(uint16_t* values, int n) const;
  // The symbol that the value lies in. limits: those of all symbols.
  // from_symbol: a mask of the lanes from the symbol's on.
  template <int kLanes>
  Found Pick(Lanes8 limits, Lanes8 from_symbol) const;
  // Finds in memory the limits of a symbol, where the range comes before the
  // limit of symbol 0.
  static Found PickFrom(const uint16_t* limits, size_t symbol) {
    const uint32_t limit = limits[symbol];
    return {uint32_t(symbol), limits[ptrdiff_t(symbol) - 1] - limit,
            uint64_t{limit} << (64 - kValueBits)};
  }
  // A symbol's range is never below 4. If <spare_> is negative then, Refill is
  // to follow.
  void Take(const Found& found) {
    Normalise(window_ - found.below, found.range);
  }
  void Normalise(uint64_t window, uint32_t range) {
    const int shift = __builtin_clz(range) ^ 16;  // range: 1..0xffff
    window_ = window << shift;
    range_ = range << shift;
    spare_ -= shift;
  }
  // The last call of a function, which needs no stack frame if this is a jump.
  uint32_t Return(uint32_t symbol) {
    return spare_ < 0 ? RefillAndReturn(symbol) : symbol;
  }
  [[gnu::noinline]] uint32_t RefillAndReturn(uint32_t symbol) {
    Refill();
    return symbol;
  }

  // What 8.2.6 adds to the thresholds, EC_MIN_PROB * (N - symbol - 1), where
  // there are most symbols. If there are fewer, that begins later.
  static constexpr int kMostSymbols = 16;
  static constexpr std::array<uint16_t, 2 * kMostSymbols> kMinimum = [] {
    std::array<uint16_t, 2 * kMostSymbols> minimum = {};
    for (int i = 0; i < kMostSymbols; ++i)
      minimum[size_t(i)] = uint16_t(4 * (kMostSymbols - 1 - i));
    return minimum;
  }();

  // The thresholds of 8 values of a CDF of n symbols, from value <first> on;
  // none of them is above 32767.
  template <int kLanes>
  Lanes8 Thresholds(Lanes8 values, int n, int first) const {
    const Lanes8 range = Broadcast<kLanes>(range_) & Broadcast<8>(0xff00);
    return MultiplyHigh((values + values) & Broadcast<8>(0xff80), range) +
           LoadLanes<8>(kMinimum.data() + (kMostSymbols - n + first));
  }

  // How 8.2.6 ends, by count / 16: what all values approach that lie before the
  // symbol, the others approach 0; by which part of the distance; and what the
  // count grows by, in its lane. An arithmetic shift rounds a distance below 0
  // down, and must round it up: so the target is 32768 less (1 << rate) - 1.
  static constexpr int kSteps = 3;
  struct Adaptation {
    alignas(16) std::array<std::array<uint16_t, 8>, kSteps> targets, growths;
    std::array<ShiftLanes, kSteps> shifts;
    // of symbols with two values, which need no vectors
    struct Two {
      alignas(16) int32_t target;
      int32_t rate;
      uint32_t growth;
    };
    std::array<Two, kSteps> two;
  };
  // By N: kinds differ in rate or in lanes.
  static constexpr int kKinds = 3;
  typedef std::array<Adaptation, kKinds> Adaptations;
  static constexpr size_t KindOf(int lanes, int n) {
    return lanes > 4 ? 2 : n == 4 ? 1 : 0;
  }

  static constexpr Adaptations MakeAdaptations(bool adapts) {
    Adaptations all = {};
    for (size_t kind = 0; kind < kKinds; ++kind) {
      for (size_t step = 0; step < kSteps; ++step) {
        // by 15 no distance from 0 is left
        const int rate = !adapts ? 15 : (kind == 0 ? 4 : 5) + int(step);
        Adaptation& to = all[kind];
        const int target = adapts ? 0x8001 - (1 << rate) : 0;
        const bool grows = adapts && step < 2;
        to.targets[step].fill(uint16_t(target));
        to.growths[step][kind < 2 ? 3 : 7] = grows;
        to.shifts[step] = MakeShift(rate);
        to.two[step] = {target, rate, grows};
      }
    }
    return all;
  }
  static const Adaptations kAdapting, kFixed;

  // After <count> reads, 0..32, which are in the last lane: they grow. They
  // lie behind the symbol, and their shift leaves 0.
  static Lanes8 Adapt(Lanes8 values, Lanes8 from_symbol, const Adaptation& by,
                      size_t count) {
    return AdaptBelow(values, from_symbol, by, count) +
           LoadAligned(by.growths[count >> 4].data());
  }
  // Adapts lanes that do not have the count.
  static Lanes8 AdaptBelow(Lanes8 values, Lanes8 from_symbol,
                           const Adaptation& by, size_t count) {
    const Lanes8 target =
        ~from_symbol & LoadAligned(by.targets[count >> 4].data());
    return values - ShiftRightSigned(values - target, by.shifts[count >> 4]);
  }

  // Bits beyond whole bytes, and those that are there already, are or'ed in
  // once more next time: they are the same then.
  void Refill() {
    const int bytes = (64 - kValueBits - spare_) / 8;
    uint64_t bits;
    if (at_ <= -8) [[likely]] {
      std::memcpy(&bits, end_ + at_, 8);
      if constexpr (std::endian::native == std::endian::little) {
        bits = __builtin_bswap64(bits);
      }
    } else {
      bits = LastBits(end_, at_);
    }
    at_ += bytes;
    window_ |= ~bits >> (kValueBits + spare_);
    spare_ += 8 * bytes;
  }
  // What is left, at most 7 bytes, and then zeros.
  [[gnu::noinline]] static uint64_t LastBits(const uint8_t* end, ptrdiff_t at) {
    uint64_t bits = 0;
    for (int shift = 56; at < 0; ++at, shift -= 8) {
      bits |= uint64_t{end[at]} << shift;
    }
    return bits;
  }

  // SymbolValue in the highest 16 bits, and below the inverted bits of the
  // data that follow, <spare_> of which count.
  uint64_t window_ = 0;
  uint32_t range_ = 0x8000;  // SymbolRange
  int spare_ = 0;
  const Adaptations* adaptation_ = nullptr;
  const uint8_t* end_ = nullptr;
  ptrdiff_t at_ = 0;  // of the next byte, from the end; beyond it are zeros
};

inline constexpr SymbolDecoder::Adaptations SymbolDecoder::kAdapting =
    MakeAdaptations(true);
inline constexpr SymbolDecoder::Adaptations SymbolDecoder::kFixed =
    MakeAdaptations(false);

inline bool SymbolDecoder::Init(std::span<const uint8_t> data,
                                bool disable_update) {
  if (data.empty()) return false;
  window_ = 0;
  range_ = 0x8000;
  spare_ = 1 - kValueBits;  // SymbolValue has 15 bits to begin with
  adaptation_ = disable_update ? &kFixed : &kAdapting;
  end_ = data.data() + data.size();
  at_ = -ptrdiff_t(data.size());
  Refill();
  return true;
}

[[gnu::noinline]] inline uint32_t SymbolDecoder::ReadTwo(Cdf<2>& cdf) {
  const uint32_t value = cdf.values[0];
  const uint32_t threshold = ((range_ >> 8) * (value >> 6) >> 1) + 4;
  const uint64_t at = uint64_t{threshold} << (64 - kValueBits);
  // Without a branch, as in ReadBit.
  const uint64_t is_zero = uint64_t{window_ < at} - 1;
  Normalise(window_ - (at & is_zero),
            threshold + ((range_ - 2 * threshold) & uint32_t(is_zero)));
  const size_t count = cdf.values[1];
  const Adaptation::Two& by = (*adaptation_)[KindOf(2, 2)].two[count >> 4];
  const int distance = int(value) - (by.target & ~int(is_zero));
  cdf.values[0] = uint16_t(int(value) - (distance >> by.rate));
  cdf.values[1] = uint16_t(count + by.growth);
  return Return(uint32_t(is_zero) + 1);
}

template <int kLanes>
[[gnu::always_inline]] inline SymbolDecoder::Found SymbolDecoder::Find(
    uint16_t* values, int n) const {
  const Lanes8 lanes = LoadLanes<kLanes>(values);
  const Lanes8 limits = Thresholds<kLanes>(lanes, n, 0);
  const auto from_symbol = Lanes8(BroadcastHighest<kLanes>(window_) >= limits);
  const Lanes8 adapted =
      Adapt(lanes, from_symbol, (*adaptation_)[KindOf(kLanes, n)],
            values[kLanes - 1]);
  std::memcpy(values, &adapted, 2 * kLanes);
  return Pick<kLanes>(limits, from_symbol);
}

template <int kLanes>
[[gnu::always_inline]] inline SymbolDecoder::Found SymbolDecoder::Pick(
    Lanes8 limits, Lanes8 from_symbol) const {
#if defined(__SSE2__)
  if constexpr (kLanes <= 4) {  // sooner than by way of memory
    const int bits = std::countr_zero(FirstFour(from_symbol));
    return {uint32_t(bits) / 16,
            uint16_t(FirstFour(LessPrevious(limits, range_)) >> bits),
            FirstFour(limits) >> bits << (64 - kValueBits)};
  }
#endif
  alignas(16) uint16_t thresholds[16];
  thresholds[7] = uint16_t(range_);
  std::memcpy(thresholds + 8, &limits, sizeof(limits));
  return PickFrom(thresholds + 8, FirstLane(from_symbol));
}

[[gnu::noinline]] inline uint32_t SymbolDecoder::ReadFour(uint16_t* values,
                                                          int n) {
  const Found found = Find<4>(values, n);
  Take(found);
  return Return(found.symbol);
}

[[gnu::noinline]] inline uint32_t SymbolDecoder::ReadEight(uint16_t* values,
                                                           int n) {
  const Found found = Find<8>(values, n);
  Take(found);
  return Return(found.symbol);
}

[[gnu::noinline]] inline uint32_t SymbolDecoder::ReadSixteen(uint16_t* values,
                                                             int n) {
  const Lanes8 lanes0 = LoadLanes<8>(values);
  const Lanes8 lanes1 = LoadLanes<8>(values + 8);
  const Lanes8 limits0 = Thresholds<8>(lanes0, n, 0);
  const Lanes8 limits1 = Thresholds<8>(lanes1, n, 8);
  alignas(16) uint16_t thresholds[24];
  thresholds[7] = uint16_t(range_);
  std::memcpy(thresholds + 8, &limits0, sizeof(limits0));
  std::memcpy(thresholds + 16, &limits1, sizeof(limits1));
  const Lanes8 value = BroadcastHighest<8>(window_);
  const auto from_symbol0 = Lanes8(value >= limits0);
  const auto from_symbol1 = Lanes8(value >= limits1);
  const size_t symbol = FirstLane(from_symbol0, from_symbol1);
  const size_t count = values[15];
  const Adaptation& by = (*adaptation_)[KindOf(8, n)];
  const Lanes8 adapted0 = AdaptBelow(lanes0, from_symbol0, by, count);
  const Lanes8 adapted1 = Adapt(lanes1, from_symbol1, by, count);
  std::memcpy(values, &adapted0, sizeof(adapted0));
  std::memcpy(values + 8, &adapted1, sizeof(adapted1));
  Take(PickFrom(thresholds + 8, symbol));
  return Return(uint32_t(symbol));
}

inline uint32_t SymbolDecoder::ReadBit() {
  const uint32_t threshold = ((range_ >> 8) << 7) + 4;
  const uint64_t at = uint64_t{threshold} << (64 - kValueBits);
  // The bit as a mask: half of all guesses at a branch would be wrong, and
  // given two alternatives compilers branch.
  const uint64_t is_zero = uint64_t{window_ < at} - 1;
  const uint64_t window = window_ - (at & is_zero);
  const uint32_t range =
      threshold + ((range_ - 2 * threshold) & uint32_t(is_zero));
  // It is about half of <range_>, which is to be doubled: all but always.
  if (range - 0x4000 < 0x4000) [[likely]] {
    window_ = window << 1;
    range_ = range << 1;
    --spare_;
  } else {
    Normalise(window, range);
  }
  if (spare_ < 0) [[unlikely]]
    Refill();
  return uint32_t(is_zero) + 1;
}

[[gnu::noinline]] inline uint32_t SymbolDecoder::ReadLiteral(int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 1 | ReadBit();
  return value;
}

inline uint32_t SymbolDecoder::ReadNs(uint32_t n) {
  const int width = int(std::bit_width(n));
  const uint32_t shorter = (uint32_t{1} << width) - n;
  const uint32_t value = ReadLiteral(width - 1);
  if (value < shorter) return value;
  return (value << 1) - shorter + ReadBit();
}

}  // namespace PERDIX_PARSER
}  // namespace perdix::av1
PERDIX_AFTER_PARSER();

#endif  // PERDIX_CODEC_AV1_SYMBOL_DECODER_H_
