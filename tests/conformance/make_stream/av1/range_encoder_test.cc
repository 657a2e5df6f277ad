// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/range_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "codec/av1/symbol_decoder.h"
#include "tests/conformance/make_stream/av1/adaptation.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {
namespace {

using perdix::av1::Cdf;
using perdix::av1::SymbolDecoder;

// Descending, from nearly 32768 to nearly 0; equal ones, too.
template <int N>
Cdf<N> RandomCdf(Random& random) {
  Cdf<N> cdf = {};
  for (int i = 0; i < N - 1; ++i)
    cdf.values[i] = uint16_t(random.Percent(20) ? random.Of({32767u, 1u, 64u})
                                                : 1 + random.Below(32767));
  std::sort(cdf.values, cdf.values + N - 1, std::greater());
  return cdf;
}

// What a tile is made of: symbols of one CDF, and bits between them.
struct Choices {
  std::vector<uint32_t> symbols, bits;
};

template <int N>
std::vector<uint8_t> Encode(Random& random, Cdf<N> cdf, bool adapts,
                            const Choices& choices) {
  RangeEncoder encoder;
  for (size_t i = 0; i < choices.symbols.size(); ++i) {
    encoder.Encode(cdf.values, N, choices.symbols[i]);
    if (adapts) Adapt(cdf.values, N, choices.symbols[i]);
    encoder.EncodeBit(choices.bits[i]);
  }
  return encoder.Finish(random.Percent(50));
}

template <int N>
void CheckRoundTrip(Random& random, bool adapts, size_t count) {
  const Cdf<N> cdf = RandomCdf<N>(random);
  Choices choices;
  for (size_t i = 0; i < count; ++i) {
    choices.symbols.push_back(random.Percent(30) ? N - 1 : random.Below(N));
    choices.bits.push_back(random.Bits(1));
  }
  const std::vector<uint8_t> tile = Encode(random, cdf, adapts, choices);
  SymbolDecoder decoder;
  ASSERT_TRUE(decoder.Init(tile, !adapts));
  Cdf<N> read = cdf, expected = cdf;
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(decoder.Read(read), choices.symbols[i]) << N << ", " << i;
    if (adapts) Adapt(expected.values, N, choices.symbols[i]);
    ASSERT_EQ(std::memcmp(&read, &expected, sizeof(read)), 0) << N;
    ASSERT_EQ(decoder.ReadBit(), choices.bits[i]) << N << ", " << i;
  }
  EXPECT_FALSE(decoder.Overrun()) << N << ", " << count;
}

template <int... kN>
void CheckAll(std::integer_sequence<int, kN...>) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    for (const size_t count : {0, 1, 2, 7, 40, 300}) {
      (CheckRoundTrip<kN + 2>(random, round % 2 == 0, count), ...);
    }
  }
}

TEST(RangeEncoderTest, IsReadAsItWasWritten) {
  CheckAll(std::make_integer_sequence<int, 15>());
}

// 8.2.4, of a tile of bits alone: each makes the range shift by one, except
// where it becomes smaller than half.
TEST(RangeEncoderTest, EndsWithOneTrailingBitAndZeros) {
  Random random(2);
  for (int count = 0; count < 100; ++count) {
    RangeEncoder encoder;
    uint32_t range = 1 << 15;
    size_t shifts = 0;
    for (int i = 0; i < count; ++i) {
      const uint32_t bit = random.Bits(1);
      const uint32_t threshold = ((range >> 8) << 7) + 4;
      range = bit ? threshold : range - threshold;
      const int shift = 16 - int(std::bit_width(range));
      range <<= shift;
      shifts += size_t(shift);
      encoder.EncodeBit(bit);
    }
    const std::vector<uint8_t> tile = encoder.Finish(random.Percent(50));
    ASSERT_EQ(tile.size(), shifts / 8 + 1);
    EXPECT_EQ(tile.back() << (shifts % 8) & 0xff, 0x80) << count;
  }
}

}  // namespace
}  // namespace perdix::make_stream::av1
