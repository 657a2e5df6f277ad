// SPDX-License-Identifier: BSD-2-Clause
#include "codec/av1/symbol_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace perdix::av1 {
namespace {

// 8.2 to the letter: SymbolValue as a number, bits one by one.
class SpecifiedDecoder {
 public:
  SpecifiedDecoder(std::vector<uint8_t> data, bool disable_update)
      : data_(std::move(data)), disable_update_(disable_update) {
    const int size = int(data_.size());
    const int bits = std::min(size * 8, 15);
    const int buffer = ReadBits(bits) << (15 - bits);
    value_ = ((1 << 15) - 1) ^ buffer;
    max_bits_ = 8 * size - 15;
  }

  // cdf: N values, then the counter.
  int ReadSymbol(std::vector<int>& cdf) {
    const int n = int(cdf.size()) - 1;
    int cur = range_, prev, symbol = -1;
    do {
      ++symbol;
      prev = cur;
      const int f = (1 << 15) - cdf[size_t(symbol)];
      cur = (((range_ >> 8) * (f >> 6)) >> 1) + 4 * (n - symbol - 1);
    } while (value_ < cur);
    range_ = prev - cur;
    value_ -= cur;
    Renormalise();
    if (!disable_update_) Update(cdf, n, symbol);
    return symbol;
  }

  int ReadBool() {
    std::vector<int> cdf = {1 << 14, 1 << 15, 0};
    return ReadSymbol(cdf);
  }

  bool AllOfTheDataIsRead() const { return max_bits_ < -14; }

  // 8.2.4
  bool EndsWithPadding() const {
    const size_t end = 8 * data_.size();
    const size_t trailing_bit = end - size_t(max_bits_ + 15);
    for (size_t i = trailing_bit; i < end; ++i) {
      const bool bit = data_[i / 8] >> (7 - i % 8) & 1;
      if (bit != (i == trailing_bit)) return false;
    }
    return true;
  }

 private:
  int ReadBits(int count) {
    int value = 0;
    for (int i = 0; i < count; ++i, ++position_) {
      value = 2 * value + (data_[position_ / 8] >> (7 - position_ % 8) & 1);
    }
    return value;
  }

  void Renormalise() {
    int bits = 0;
    while (range_ << bits < 1 << 15) ++bits;
    range_ <<= bits;
    const int count = std::min(bits, std::max(0, max_bits_));
    const int data = ReadBits(count) << (bits - count);
    value_ = data ^ (((value_ + 1) << bits) - 1);
    max_bits_ -= bits;
  }

  static void Update(std::vector<int>& cdf, int n, int symbol) {
    int& count = cdf[size_t(n)];
    const int log2 = n >= 4 ? 2 : 1;
    const int rate = 3 + (count > 15) + (count > 31) + log2;
    int target = 0;
    for (int i = 0; i < n - 1; ++i) {
      int& value = cdf[size_t(i)];
      if (i == symbol) target = 1 << 15;
      if (target < value) {
        value -= (value - target) >> rate;
      } else {
        value += (target - value) >> rate;
      }
    }
    count += count < 32;
  }

  std::vector<uint8_t> data_;
  size_t position_ = 0;
  int value_, range_ = 1 << 15, max_bits_;
  bool disable_update_;
};

std::vector<uint8_t> RandomBytes(std::mt19937& random, size_t count) {
  std::vector<uint8_t> bytes(count);
  // Some streams are of few different bits, so that one symbol comes often.
  const uint32_t mask = random() % 3 == 0 ? random() : 0xff;
  for (uint8_t& byte : bytes) byte = uint8_t(random() & mask);
  return bytes;
}

// Ascending, and at times as far apart or as close as they can be.
template <int N>
std::vector<int> RandomCdf(std::mt19937& random) {
  std::vector<int> weights(N);
  uint64_t sum = 0;
  for (int& weight : weights) {
    weight = int(1 + (random() % 4 == 0 ? random() % 30000 : random() % 10));
    sum += uint64_t(weight);
  }
  std::vector<int> cdf;
  uint64_t before = 0;
  for (int i = 0; i < N - 1; ++i) {
    before += uint64_t(weights[size_t(i)]);
    cdf.push_back(int(1 + before * 32766 / sum));
  }
  cdf.push_back(32768);
  cdf.push_back(0);
  return cdf;
}

template <int N>
Cdf<N> Invert(const std::vector<int>& cdf) {
  Cdf<N> inverted = {};
  for (int i = 0; i < N - 1; ++i) {
    inverted.values[i] = uint16_t(32768 - cdf[size_t(i)]);
  }
  inverted.values[Cdf<N>::kLanes - 1] = uint16_t(cdf[N]);
  return inverted;
}

template <int N>
void ExpectSame(const std::vector<int>& cdf, const Cdf<N>& actual) {
  const Cdf<N> expected = Invert<N>(cdf);
  for (int i = 0; i < Cdf<N>::kLanes; ++i) {
    ASSERT_EQ(expected.values[i], actual.values[i]) << "lane " << i;
  }
}

template <int N>
uint32_t ReadEitherWay(SymbolDecoder& decoder, Cdf<N>& cdf, bool in_line) {
  if constexpr (N >= 3 && N <= 8) {
    if (in_line) return decoder.ReadInLine(cdf);
  }
  return decoder.Read(cdf);
}

template <typename Size>
class Av1SymbolDecoderTest : public ::testing::Test {};
template <int N>
using Size = std::integral_constant<int, N>;
using Sizes =
    ::testing::Types<Size<2>, Size<3>, Size<4>, Size<5>, Size<6>, Size<7>,
                     Size<8>, Size<9>, Size<10>, Size<11>, Size<12>, Size<13>,
                     Size<14>, Size<15>, Size<16>>;
TYPED_TEST_SUITE(Av1SymbolDecoderTest, Sizes);

TYPED_TEST(Av1SymbolDecoderTest, DecodesAndAdaptsAsTheSpecificationDoes) {
  constexpr int kN = TypeParam::value;
  std::mt19937 random(kN);
  for (int stream = 0; stream < 200; ++stream) {
    const bool disable_update = stream % 8 == 7;
    const auto data = RandomBytes(random, 1 + random() % 100);
    SpecifiedDecoder specified(data, disable_update);
    SymbolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data, disable_update));
    std::vector<std::vector<int>> cdfs;
    std::vector<Cdf<kN>> inverted;
    for (int i = 0; i < 3; ++i) {
      cdfs.push_back(RandomCdf<kN>(random));
      inverted.push_back(Invert<kN>(cdfs.back()));
    }
    for (int i = 0; i < 400; ++i) {  // far beyond the end of the data
      const size_t context = random() % 3;
      ASSERT_EQ(uint32_t(specified.ReadSymbol(cdfs[context])),
                ReadEitherWay(decoder, inverted[context], random() % 2 == 0))
          << "stream " << stream << " symbol " << i;
      ExpectSame<kN>(cdfs[context], inverted[context]);
      if (random() % 4 == 0) {
        ASSERT_EQ(uint32_t(specified.ReadBool()), decoder.ReadBit());
      }
      ASSERT_EQ(specified.AllOfTheDataIsRead(), decoder.Overrun());
      if (::testing::Test::HasFatalFailure()) return;
    }
  }
}

// Few bits are set, so that there is often one 1, and then zeros.
TEST(Av1SymbolDecoderTest, SeesThePaddingBehindTheLastSymbol) {
  std::mt19937 random(4);
  int with_padding = 0;
  for (int stream = 0; stream < 2000; ++stream) {
    std::vector<uint8_t> data(1 + random() % 20);
    for (int bits = int(random() % 4); bits > 0; --bits)
      data[random() % data.size()] |= uint8_t(1 << random() % 8);
    SpecifiedDecoder specified(data, false);
    SymbolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data, false));
    while (!decoder.Overrun()) {
      ASSERT_EQ(decoder.EndsWithPadding(), specified.EndsWithPadding())
          << "stream " << stream;
      with_padding += decoder.EndsWithPadding();
      ASSERT_EQ(decoder.ReadBit(), uint32_t(specified.ReadBool()));
    }
  }
  EXPECT_GT(with_padding, 1000);
}

TEST(Av1SymbolDecoderTest, ReadsLiterals) {
  std::mt19937 random(1);
  const auto data = RandomBytes(random, 4000);
  SpecifiedDecoder specified(data, false);
  SymbolDecoder decoder;
  ASSERT_TRUE(decoder.Init(data, false));
  const auto literal = [&](int bits) {
    uint32_t value = 0;
    for (int i = 0; i < bits; ++i) {
      value = 2 * value + uint32_t(specified.ReadBool());
    }
    return value;
  };
  for (int i = 0; i < 200; ++i) {
    const int bits = i % 32;
    ASSERT_EQ(literal(bits), decoder.ReadLiteral(bits));
  }
  for (uint32_t n = 1; n < 200; ++n) {  // 4.10.10
    int width = 0;
    for (uint32_t x = n; x != 0; x >>= 1) ++width;
    const uint32_t shorter = (1u << width) - n;
    uint32_t value = literal(width - 1);
    if (value >= shorter) value = (value << 1) - shorter + literal(1);
    ASSERT_EQ(value, decoder.ReadNs(n));
    ASSERT_LT(value, n);
  }
}

TEST(Av1SymbolDecoderTest, RefusesNoData) {
  SymbolDecoder decoder;
  EXPECT_FALSE(decoder.Init({}, false));
}

TEST(Av1SymbolDecoderTest, GoesOnWithACopy) {
  std::mt19937 random(2);
  const auto data = RandomBytes(random, 300);
  SymbolDecoder first;
  ASSERT_TRUE(first.Init(data, false));
  Cdf<5> cdf = Invert<5>(RandomCdf<5>(random));
  for (int i = 0; i < 100; ++i) first.Read(cdf);
  SymbolDecoder second = first;
  Cdf<5> copy = cdf;
  for (int i = 0; i < 100; ++i) ASSERT_EQ(first.Read(cdf), second.Read(copy));
}

}  // namespace
}  // namespace perdix::av1
