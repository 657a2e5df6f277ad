// SPDX-License-Identifier: BSD-2-Clause
// What the parser reads while a stream is made: each bool is chosen here, by
// its probability, evenly, or for the rarer value, and so that the stream stays
// a conforming one.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_CHOICES_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_CHOICES_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tests/codec/vp9/bool_encoder.h"
#include "tests/conformance/make_stream/coverage.h"
#include "tests/conformance/make_stream/vp9/random.h"

namespace perdix::vp9 {

struct FrameState;

// How often, of 16 bools, one is chosen in each way; the rest by probability.
struct Ways {
  uint32_t evenly = 0;
  uint32_t rare = 0;
};

// How the symbols of a frame are chosen.
struct Style {
  Ways header, modes, coefficients;
  // How many of 16 partitions keep the size at hand, and how many split; the
  // rest are chosen like other symbols.
  uint32_t whole = 0, split = 0;
  bool loud = false;  // coefficients may be larger
  // After how many of 256 coefficients there are more; 0: chosen like other
  // symbols.
  uint32_t more_coefs = 0;
};

Style DrawStyle(Random& random);

class Choices {
 public:
  Choices(Random& random, make_stream::Coverage& coverage)
      : random_(random), coverage_(coverage) {
    current_ = this;
  }
  ~Choices() { current_ = nullptr; }
  // That which the parser's bool decoders ask.
  static Choices& Current() { return *current_; }

  void BeginFrame(const Style& style);
  // The next bools, the first read is the highest.
  void Plan(uint32_t bits, int count);
  // Before the frame's tiles.
  void BeginTiles(const FrameState& frame);

  // The bools of the part of the frame whose data are at <data>.
  BoolEncoder& Begin(const uint8_t* data) { return parts_[data]; }
  // Those bytes; of a part that was never begun, the marker alone.
  std::vector<uint8_t> Bytes(const uint8_t* data) {
    return parts_[data].Finish();
  }

  // <place>: where the probability is, or null.
  bool Bool(uint32_t probability, const uint8_t* place);
  bool Sign();
  uint32_t Leaf(const int8_t* tree, const uint8_t* probabilities);

  // The calls by which the parser reads coefficients (codec/vp9/residual.cc):
  // they tell where in a token it is.
  void Fill(int reads);
  bool CoefficientBool(uint32_t probability);

 private:
  enum class Token { kOutside, kZero, kOne, kLarge, kSign, kMore };

  bool Choose(uint32_t probability, const Ways& ways);
  uint32_t ChooseLeaf(const int8_t* tree, const uint8_t* probabilities);
  // Whether a square of 16x16 or more samples may have that partition.
  bool MayHalve(uint32_t partition) const;
  uint32_t ChoosePartition(const uint8_t* probabilities, uint32_t leaf);
  bool ChooseSplit(const uint8_t* place, bool bit) const;
  bool CanCompound() const;
  bool ChooseReference(const uint8_t* place, bool bit) const;
  uint32_t LimitMvClass(uint32_t mv_class);
  void PlanLargeToken();
  bool TakePlanned();
  const uint8_t (*PartitionProbs() const)[3];
  void Cover(const int8_t* tree, const uint8_t* probabilities, uint32_t leaf);

  static Choices* current_;

  Random& random_;
  make_stream::Coverage& coverage_;
  std::map<const uint8_t*, BoolEncoder> parts_;
  Style style_;
  bool in_tiles_ = false;
  const FrameState* frame_ = nullptr;
  bool small_blocks_ = true;    // below 8x8
  bool all_references_ = true;  // can be predicted from
  int lowest_large_mv_bit_ = 0;
  std::deque<bool> planned_;
  // Where the coefficients are:
  Token token_ = Token::kOutside;
  bool block_begins_ = false;
  int most_levels_ = 0;  // the sum of a block's levels, at most
  int levels_left_ = 0;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_CHOICES_H_
