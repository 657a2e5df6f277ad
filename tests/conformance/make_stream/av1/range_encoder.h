// SPDX-License-Identifier: BSD-2-Clause
// The symbol decoder of 8.2 the other way round.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_RANGE_ENCODER_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_RANGE_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perdix::make_stream::av1 {

// The decoder looks at the inverted bits of the tile as a number, of which each
// symbol takes its threshold away. So the encoder adds the thresholds up, and
// whatever lies less than the range above their sum is decoded alike.
class RangeEncoder {
 public:
  // values: of a Cdf of n symbols, before it is adapted
  void Encode(const uint16_t* values, int n, uint32_t symbol);
  void EncodeBit(uint32_t bit);

  // The tile's bytes, with the trailing bit that 8.2.4 asks for. upper: the
  // other one of the two numbers that are possible, if there are two.
  std::vector<uint8_t> Finish(bool upper);

 private:
  void Take(uint32_t below, uint32_t range);
  void MoveBytes();

  std::vector<uint8_t> bytes_;  // the sum's highest ones
  uint64_t low_ = 0;            // the rest of the sum
  int bits_ = 15;               // how many <low_> has, without a carry
  uint32_t range_ = 1 << 15;    // SymbolRange
  uint64_t shifts_ = 0;         // by which the range moved, all together
};

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_RANGE_ENCODER_H_
