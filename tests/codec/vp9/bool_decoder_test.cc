// SPDX-License-Identifier: BSD-2-Clause
#include "codec/vp9/bool_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "codec/vp9/tables.h"
#include "tests/codec/vp9/bool_encoder.h"

namespace perdix::vp9 {
namespace {

constexpr uint32_t kSeed = 20260101;

// VP9 9.2 word by word, one bit at a time; counts the bits it shifts in.
class PlainDecoder {
 public:
  explicit PlainDecoder(std::span<const uint8_t> data) : data_(data) {
    for (int i = 0; i < 8; ++i) value_ = value_ * 2 + NextBit();
  }

  bool Read(uint32_t probability) {
    const uint32_t split = 1 + (((range_ - 1) * probability) >> 8);
    const bool bit = value_ >= split;
    range_ = bit ? range_ - split : split;
    if (bit) value_ -= split;
    for (; range_ < 128; range_ *= 2) value_ = value_ * 2 + NextBit();
    return bit;
  }

  // Every bit shifted out was in the data, or not.
  bool Overrun() const { return position_ - 8 > data_.size() * 8; }

  // The position of the next bit that is not in BoolValue yet.
  size_t position() const { return position_; }

 private:
  uint32_t NextBit() {
    const size_t at = position_++;
    if (at >= data_.size() * 8) return 0;
    return (data_[at / 8] >> (7 - at % 8)) & 1;
  }

  std::span<const uint8_t> data_;
  size_t position_ = 0;
  uint32_t value_ = 0;
  uint32_t range_ = 255;
};

struct Symbol {
  bool bit;
  uint32_t probability;
};

// Bits that mostly agree with their probabilities, or never do.
std::vector<Symbol> RandomSymbols(size_t count, std::mt19937* random) {
  std::vector<Symbol> symbols(count);
  const bool likely = (*random)() % 4 != 0;
  for (Symbol& symbol : symbols) {
    symbol.probability = 1 + (*random)() % 255;
    const bool one = (*random)() % 256 >= symbol.probability;
    symbol.bit = one == likely;
  }
  return symbols;
}

TEST(Vp9BoolDecoderTest, ReadsBackWhatAnEncoderWrote) {
  std::mt19937 random(kSeed);
  for (size_t count = 0; count < 1500; ++count) {
    const std::vector<Symbol> symbols = RandomSymbols(count, &random);
    BoolEncoder encoder;
    for (const Symbol& s : symbols) encoder.Write(s.bit, s.probability);
    const std::vector<uint8_t> data = encoder.Finish();
    BoolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data));
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(decoder.Read(symbols[i].probability), symbols[i].bit)
          << "symbol " << i << " of " << count << ", seed " << kSeed;
    }
    ASSERT_FALSE(decoder.Overrun()) << count << " symbols";
  }
}

// Its marker bit is 0.
std::vector<uint8_t> RandomData(std::mt19937& random, size_t size) {
  std::vector<uint8_t> data(size);
  for (uint8_t& byte : data) byte = uint8_t(random());
  data[0] &= 0x7f;
  return data;
}

TEST(Vp9BoolDecoderTest, ReadsAnyBytesLikeThePlainAlgorithm) {
  std::mt19937 random(kSeed);
  for (size_t size = 1; size < 200; ++size) {
    const std::vector<uint8_t> data = RandomData(random, size);
    BoolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data));
    PlainDecoder plain(data);
    ASSERT_FALSE(plain.Read(128));
    for (size_t i = 0; i < size * 20; ++i) {
      const uint32_t probability = 1 + random() % 255;
      ASSERT_EQ(decoder.Read(probability), plain.Read(probability))
          << "read " << i << " of " << size << " bytes, seed " << kSeed;
      ASSERT_EQ(decoder.Overrun(), plain.Overrun())
          << "read " << i << " of " << size << " bytes, seed " << kSeed;
    }
  }
}

TEST(Vp9BoolDecoderTest, ReadsWithoutRefillsAsWithThem) {
  std::mt19937 random(kSeed);
  for (size_t size = 1; size < 200; ++size) {
    const std::vector<uint8_t> data = RandomData(random, size);
    BoolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data));
    PlainDecoder plain(data);
    ASSERT_FALSE(plain.Read(128));
    for (size_t i = 0; i < size * 5; ++i) {
      const int reads = int(1 + random() % 7);
      // the least probable symbols shift out the most bits
      const uint32_t most = random() % 2 ? 255 : 2;
      decoder.Fill(reads);
      for (int j = 0; j < reads; ++j) {
        const uint32_t way = random() % 3;
        const uint32_t probability = way == 2 ? 128 : 1 + random() % most;
        const bool bit = way == 0   ? decoder.ReadFilled(probability)
                         : way == 1 ? decoder.ReadFilledFlat(probability)
                                    : decoder.ReadFilledBit();
        ASSERT_EQ(bit, plain.Read(probability))
            << "group " << i << " of " << size << " bytes, seed " << kSeed;
      }
      ASSERT_EQ(decoder.Overrun(), plain.Overrun())
          << "group " << i << " of " << size << " bytes, seed " << kSeed;
    }
  }
}

TEST(Vp9BoolDecoderTest, OverrunsOnlyPastTheEnd) {
  for (size_t size = 1; size < 40; ++size) {
    const std::vector<uint8_t> data(size, 0);
    BoolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data));
    // The marker leaves a range of 128; from there each bit takes one.
    for (size_t i = 0; i < size * 8; ++i) {
      EXPECT_FALSE(decoder.ReadBit());
      EXPECT_FALSE(decoder.Overrun()) << "bit " << i << " of " << size * 8;
    }
    EXPECT_FALSE(decoder.ReadBit());
    EXPECT_TRUE(decoder.Overrun()) << size << " bytes";
  }
}

// VP9 9.2.3: padding is what no read has shifted in.
TEST(Vp9BoolDecoderTest, SeesWhereItStoppedReading) {
  std::mt19937 random(kSeed);
  for (size_t size = 1; size < 100; ++size) {
    const std::vector<uint8_t> data = RandomData(random, size);
    BoolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data));
    PlainDecoder plain(data);
    ASSERT_FALSE(plain.Read(128));
    while (!plain.Overrun()) {
      const size_t bytes = std::min((plain.position() + 7) / 8, size);
      bool zeros = true;
      for (size_t i = plain.position(); i < 8 * bytes; ++i)
        zeros = zeros && (data[i / 8] >> (7 - i % 8) & 1) == 0;
      ASSERT_EQ(decoder.MaxBits(),
                int64_t(8 * size) - int64_t(plain.position()));
      ASSERT_EQ(decoder.ByteEndsWithZeros(), zeros)
          << plain.position() << " bits of " << size << " bytes, seed "
          << kSeed;
      ASSERT_EQ(decoder.Rest().size(), size - bytes);
      ASSERT_EQ(decoder.Rest().data(), data.data() + bytes);
      const uint32_t probability = 1 + random() % 255;
      ASSERT_EQ(decoder.Read(probability), plain.Read(probability));
    }
  }
}

TEST(Vp9BoolDecoderTest, StaysOverrunHoweverFarItReads) {
  std::mt19937 random(kSeed);
  for (size_t size = 1; size < 4; ++size) {
    const std::vector<uint8_t> data = RandomData(random, size);
    BoolDecoder decoder;
    ASSERT_TRUE(decoder.Init(data));
    for (int i = 0; i < 100; ++i) decoder.ReadBit();
    for (int i = 0; i < 100000; ++i) {
      decoder.ReadBit();
      ASSERT_TRUE(decoder.Overrun()) << "bit " << i;
    }
  }
}

TEST(Vp9BoolDecoderTest, RefusesNoDataAndASetMarker) {
  BoolDecoder decoder;
  EXPECT_FALSE(decoder.Init({}));
  const std::vector<uint8_t> marked = {0x80, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_FALSE(decoder.Init(marked));
}

TEST(Vp9BoolDecoderTest, ReadsLiteralsHighestBitFirst) {
  BoolEncoder encoder;
  encoder.WriteLiteral(0x5a3, 11);
  encoder.WriteLiteral(1, 3);
  const std::vector<uint8_t> data = encoder.Finish();
  BoolDecoder decoder;
  ASSERT_TRUE(decoder.Init(data));
  EXPECT_EQ(decoder.ReadLiteral(11), 0x5a3u);
  EXPECT_EQ(decoder.ReadLiteral(0), 0u);
  EXPECT_EQ(decoder.ReadLiteral(3), 1u);
}

TEST(Vp9BoolDecoderTest, ReadsTreesToTheirLeaves) {
  const uint8_t probabilities[3] = {20, 130, 240};
  const std::vector<std::vector<bool>> codes = {
      {false}, {true, false}, {true, true, false}, {true, true, true}};
  BoolEncoder encoder;
  for (const std::vector<bool>& code : codes) {
    for (size_t i = 0; i < code.size(); ++i) {
      encoder.Write(code[i], probabilities[i]);
    }
  }
  const std::vector<uint8_t> data = encoder.Finish();
  BoolDecoder decoder;
  ASSERT_TRUE(decoder.Init(data));
  for (uint32_t leaf = 0; leaf < 4; ++leaf) {
    EXPECT_EQ(decoder.ReadTree<partition_tree>(probabilities), leaf);
  }
}

}  // namespace
}  // namespace perdix::vp9
