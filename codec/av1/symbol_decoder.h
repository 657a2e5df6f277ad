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

// Each read waits for the range and the window of the one before. Whoever reads
// many symbols in a row does it with a local copy, which compilers keep in
// registers, and assigns that back.
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
    next_ = other.next_;
    end_ = other.end_;
    padding_ = other.padding_;
    return *this;
  }

  // 8.2.2. Adapts CDFs unless disable_update (disable_cdf_update). False: no
  // data. The data must stay readable while symbols are read.
  bool Init(std::span<const uint8_t> data, bool disable_update);

  // 8.2.6: 0..N - 1; adapts the CDF.
  template <int N>
  [[gnu::always_inline]] uint32_t Read(Cdf<N>& cdf) {
    if constexpr (N == 2) {
      return ReadOfTwo(cdf);
    } else if constexpr (N <= 8) {
      return ReadOfEight(cdf);
    } else {
      return ReadOfSixteen(cdf);
    }
  }
  // The same of two values.
  bool ReadBool(Cdf<2>& cdf) { return Read(cdf) != 0; }

  uint32_t ReadBit();               // 8.2.3: half and half
  uint32_t ReadLiteral(int count);  // 8.2.5: L(n), 0..31 bits
  uint32_t ReadNs(uint32_t n);      // NS(n), 4.10.10: 0..n - 1

  // True once symbols were read of which the data holds nothing at all:
  // SymbolMaxBits is below -14, which 8.2.4 forbids. Decoders go on with zeros.
  bool Overrun() const { return 8 * (end_ - next_ - padding_) + spare_ < -14; }

 private:
  static constexpr int kValueBits = 16;  // of the window, that are compared

  template <int N>
  uint32_t ReadOfTwo(Cdf<N>& cdf);
  template <int N>
  uint32_t ReadOfEight(Cdf<N>& cdf);
  template <int N>
  uint32_t ReadOfSixteen(Cdf<N>& cdf);

  // What 8.2.6 adds to the thresholds: EC_MIN_PROB * (N - symbol - 1).
  template <int N>
  static constexpr std::array<uint16_t, 16> kMinimum = [] {
    std::array<uint16_t, 16> minimum = {};
    for (int i = 0; i < N - 1; ++i)
      minimum[size_t(i)] = uint16_t(4 * (N - 1 - i));
    return minimum;
  }();

  // SymbolValue in every lane that a CDF of N symbols uses.
  template <int N>
  Lanes8 Value() const {
    return BroadcastHighest<N>(window_);
  }
  // Of 8 values of a CDF, none above 32767.
  template <int N, int kFirst>
  Lanes8 Thresholds(Lanes8 values) const {
    const Lanes8 range = Broadcast<N>(range_) & Broadcast<8>(0xff00);
    return MultiplyHigh((values + values) & Broadcast<8>(0xff80), range) +
           LoadLanes<8>(kMinimum<N>.data() + kFirst);
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
    std::array<int32_t, kSteps> target, rate;
    std::array<uint32_t, kSteps> growth;
  };
  // By N: kinds differ in rate or in lanes.
  static constexpr int kKinds = 3;
  typedef std::array<Adaptation, kKinds> Adaptations;
  static constexpr int KindOf(int n) { return n < 4 ? 0 : n == 4 ? 1 : 2; }

  static constexpr Adaptations MakeAdaptations(bool adapts) {
    Adaptations all = {};
    for (size_t kind = 0; kind < kKinds; ++kind) {
      for (size_t step = 0; step < kSteps; ++step) {
        // by 15 no distance from 0 is left
        const int rate = !adapts ? 15 : (kind == 0 ? 4 : 5) + int(step);
        Adaptation& to = all[kind];
        to.rate[step] = rate;
        to.shifts[step] = MakeShift(rate);
        to.target[step] = adapts ? 0x8001 - (1 << rate) : 0;
        to.targets[step].fill(uint16_t(to.target[step]));
        to.growth[step] = adapts && step < 2;
        to.growths[step][kind < 2 ? 3 : 7] = uint16_t(to.growth[step]);
      }
    }
    return all;
  }
  static const Adaptations kAdapting, kFixed;

  // After <count> reads, 0..32, which are in the last lane: they grow. They
  // lie behind the symbol, and their shift leaves 0.
  template <int N>
  Lanes8 Adapt(Lanes8 values, Lanes8 from_symbol, size_t count) const {
    return AdaptBelow<N>(values, from_symbol, count) +
           LoadAligned((*adaptation_)[KindOf(N)].growths[count >> 4].data());
  }
  // The same of lanes without the count.
  template <int N>
  Lanes8 AdaptBelow(Lanes8 values, Lanes8 from_symbol, size_t count) const {
    const Adaptation& by = (*adaptation_)[KindOf(N)];
    const Lanes8 target =
        ~from_symbol & LoadAligned(by.targets[count >> 4].data());
    return values - ShiftRightSigned(values - target, by.shifts[count >> 4]);
  }

  // <end>, <begin>: the thresholds of the symbol and of that before it, which
  // is the range for symbol 0.
  // A symbol's range is never below 4.
  void Take(uint32_t begin, uint32_t end) {
    Normalise(window_ - (uint64_t{end} << (64 - kValueBits)), begin - end);
  }
  void Normalise(uint64_t window, uint32_t range) {
    const int shift = __builtin_clz(range) ^ 16;  // range: 1..0xffff
    window_ = window << shift;
    range_ = range << shift;
    spare_ -= shift;
    if (spare_ < 0) [[unlikely]]
      Refill();
  }
  // Bits beyond whole bytes, and those that are there already, are or'ed in
  // once more next time: they are the same then.
  void Refill() {
    const int bytes = (64 - kValueBits - spare_) / 8;
    uint64_t bits;
    if (end_ - next_ >= 8) [[likely]] {
      std::memcpy(&bits, next_, 8);
      if constexpr (std::endian::native == std::endian::little) {
        bits = __builtin_bswap64(bits);
      }
      next_ += bytes;
    } else {
      bits = LastBits(next_, end_);
      const ptrdiff_t taken = std::min<ptrdiff_t>(bytes, end_ - next_);
      next_ += taken;
      padding_ += bytes - taken;
    }
    window_ |= ~bits >> (kValueBits + spare_);
    spare_ += 8 * bytes;
  }
  // What is left, at most 7 bytes, and then zeros.
  [[gnu::noinline]] static uint64_t LastBits(const uint8_t* next,
                                             const uint8_t* end) {
    uint64_t bits = 0;
    for (int shift = 56; next < end; ++next, shift -= 8) {
      bits |= uint64_t{*next} << shift;
    }
    return bits;
  }

  // SymbolValue in the highest 16 bits, and below the inverted bits of the
  // data that follow, <spare_> of which count.
  uint64_t window_ = 0;
  uint32_t range_ = 0x8000;  // SymbolRange
  int spare_ = 0;
  const Adaptations* adaptation_ = nullptr;
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  ptrdiff_t padding_ = 0;  // bytes of zeros that were read after the end
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
  next_ = data.data();
  end_ = data.data() + data.size();
  padding_ = 0;
  Refill();
  return true;
}

template <int N>
inline uint32_t SymbolDecoder::ReadOfTwo(Cdf<N>& cdf) {
  const uint32_t value = cdf.values[0];
  const uint32_t threshold = ((range_ >> 8) * (value >> 6) >> 1) + 4;
  const uint64_t at = uint64_t{threshold} << (64 - kValueBits);
  const bool one = window_ < at;
  Normalise(one ? window_ : window_ - at, one ? threshold : range_ - threshold);
  const size_t count = cdf.values[1];
  const Adaptation& by = (*adaptation_)[KindOf(N)];
  const int distance = int(value) - (one ? by.target[count >> 4] : 0);
  cdf.values[0] = uint16_t(int(value) - (distance >> by.rate[count >> 4]));
  cdf.values[1] = uint16_t(count + by.growth[count >> 4]);
  return one;
}

template <int N>
inline uint32_t SymbolDecoder::ReadOfEight(Cdf<N>& cdf) {
  constexpr int kLanes = Cdf<N>::kLanes;  // 4 or 8
  const Lanes8 lanes = LoadLanes<kLanes>(cdf.values);
  const Lanes8 limits = Thresholds<N, 0>(lanes);
  alignas(16) uint16_t thresholds[16];
  thresholds[7] = uint16_t(range_);
  std::memcpy(thresholds + 8, &limits, sizeof(limits));
  const Lanes8 from_symbol = Lanes8(Value<N>() >= limits);
  const size_t symbol = FirstLane(from_symbol);
  Take(thresholds[7 + symbol], thresholds[8 + symbol]);
  const Lanes8 values = Adapt<N>(lanes, from_symbol, cdf.values[kLanes - 1]);
  std::memcpy(cdf.values, &values, 2 * kLanes);
  return uint32_t(symbol);
}

template <int N>
inline uint32_t SymbolDecoder::ReadOfSixteen(Cdf<N>& cdf) {
  const Lanes8 lanes0 = LoadLanes<8>(cdf.values);
  const Lanes8 lanes1 = LoadLanes<8>(cdf.values + 8);
  const Lanes8 limits0 = Thresholds<N, 0>(lanes0);
  const Lanes8 limits1 = Thresholds<N, 8>(lanes1);
  alignas(16) uint16_t thresholds[24];
  thresholds[7] = uint16_t(range_);
  std::memcpy(thresholds + 8, &limits0, sizeof(limits0));
  std::memcpy(thresholds + 16, &limits1, sizeof(limits1));
  const Lanes8 from_symbol0 = Lanes8(Value<N>() >= limits0);
  const Lanes8 from_symbol1 = Lanes8(Value<N>() >= limits1);
  const size_t symbol = FirstLane(from_symbol0, from_symbol1);
  Take(thresholds[7 + symbol], thresholds[8 + symbol]);
  const size_t count = cdf.values[15];
  const Lanes8 values0 = AdaptBelow<N>(lanes0, from_symbol0, count);
  const Lanes8 values1 = Adapt<N>(lanes1, from_symbol1, count);
  std::memcpy(cdf.values, &values0, sizeof(values0));
  std::memcpy(cdf.values + 8, &values1, sizeof(values1));
  return uint32_t(symbol);
}

inline uint32_t SymbolDecoder::ReadBit() {
  const uint32_t threshold = ((range_ >> 8) << 7) + 4;
  const uint64_t at = uint64_t{threshold} << (64 - kValueBits);
  const bool one = window_ < at;
  Normalise(one ? window_ : window_ - at, one ? threshold : range_ - threshold);
  return one;
}

inline uint32_t SymbolDecoder::ReadLiteral(int count) {
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
