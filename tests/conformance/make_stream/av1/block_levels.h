// SPDX-License-Identifier: BSD-2-Clause
// Where in the coefficients of a transform block (5.11.39) a tile is: how large
// the next one may be, and what a bit means.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_BLOCK_LEVELS_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_BLOCK_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perdix::make_stream::av1 {

// Transforms must not leave their range of numbers (7.13.2): they do not if
// the sum of a block's levels is small enough for the quantiser. That sum is
// the budget.
class BlockLevels {
 public:
  void Begin(uint32_t budget) {
    levels_.clear();
    budget_ = budget;
    golomb_ = Golomb::kNone;
  }

  // The largest value that the symbol may have, or less if n - 1 is less.
  uint32_t MostOfBase(uint32_t n) const { return Most(n - 1); }
  uint32_t MostOfRange() const { return Most(3); }
  // A coefficient's first symbol: its level, or 3 and more.
  void AddBase(uint32_t level);
  void AddRange(uint32_t more);

  // The next bit is one of a Golomb code.
  bool InGolomb() const { return golomb_ != Golomb::kNone; }
  // It says whether the code becomes longer (0).
  bool InGolombLength() const { return golomb_ == Golomb::kLength; }
  // If it did, the budget would not last.
  bool GolombMustEnd() const {
    return zeros_ >= kMostZeros || (2u << (zeros_ + 1)) > budget_;
  }
  // After a sign, dc_sign or a bit: what follows.
  void AddSign();
  void AddGolombBit(uint32_t bit);
  // A bit is a coefficient's sign or of its Golomb code.
  bool active() const { return !levels_.empty() || InGolomb(); }

 private:
  static constexpr uint32_t kGolombLevel = 15;
  static constexpr int kMostZeros = 19;  // 6.10.35: at most 20
  enum class Golomb { kNone, kLength, kBits };

  uint32_t Most(uint32_t most) const { return most < budget_ ? most : budget_; }
  void Spend(uint32_t level) { budget_ -= level < budget_ ? level : budget_; }

  std::vector<uint32_t> levels_;  // those that still have no sign, last first
  uint32_t budget_ = 0;
  Golomb golomb_ = Golomb::kNone;
  int zeros_ = 0;
};

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_BLOCK_LEVELS_H_
