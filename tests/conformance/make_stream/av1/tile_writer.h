// SPDX-License-Identifier: BSD-2-Clause
// Chooses the symbols of a tile and writes them.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_TILE_WRITER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_TILE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/conformance/make_stream/av1/block_levels.h"
#include "tests/conformance/make_stream/av1/range_encoder.h"
#include "tests/conformance/make_stream/av1/style.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

// The parser may read the tile more than once: what is kept of its choices is
// repeated then, and the rest is chosen anew.
class TileWriter {
 public:
  // calm: for a while after what was kept. Both must outlive it.
  TileWriter(const Style* style, const Style* calm, uint64_t seed)
      : style_(style), calm_(calm), seed_(seed), random_(seed) {}

  // ---- called by the symbol decoder ----
  void Begin();
  // offset: of the CDF, which has n symbols, in CdfContext
  uint32_t Symbol(size_t offset, const uint16_t* values, int n);
  uint32_t Bit();
  uint32_t Literal(int count);

  // ---- after the parser has read the tile, or a part of it ----
  // Choices that were made.
  size_t size() const { return next_; }
  // The first <count> choices stay.
  void Keep(size_t count);
  // Adds zero bytes if <padding> is not 0.
  std::vector<uint8_t> Finish(size_t padding);
  void Count(Coverage* coverage) const;

 private:
  // Choice::offset of what has no CDF: literals of <count> bits are
  // kBits + count.
  static constexpr uint32_t kBits = 1 << 24, kSign = kBits + 64,
                            kGolomb = kBits + 65;
  // So many choices are calm after what was kept; all, if that is no use.
  static constexpr size_t kCalmChoices = 24, kPatience = 200;
  struct Choice {
    uint32_t offset;  // where the CDF is
    uint32_t value;
  };

  const Style& style() const {
    const bool calm =
        attempt_ > kPatience || (attempt_ > 0 && next_ < kept_ + kCalmChoices);
    return calm ? *calm_ : *style_;
  }
  bool Repeats() const { return next_ < kept_; }
  uint32_t Record(uint32_t offset, uint32_t value);
  uint32_t Choose(size_t element, const uint16_t* values, int n);
  uint32_t ChooseBit();

  const Style *style_, *calm_;
  uint64_t seed_;
  uint64_t attempt_ = 0;
  Random random_;
  std::vector<Choice> choices_;
  size_t kept_ = 0, next_ = 0;
  RangeEncoder encoder_;
  BlockLevels levels_;
};

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_TILE_WRITER_H_
