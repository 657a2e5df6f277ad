// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/block_levels.h"

namespace perdix::make_stream::av1 {

void BlockLevels::AddBase(uint32_t level) {
  if (level == 0) return;
  levels_.push_back(level);
  Spend(level);
}

void BlockLevels::AddRange(uint32_t more) {
  if (levels_.empty()) return;
  levels_.back() += more;
  Spend(more);
}

void BlockLevels::AddSign() {
  if (levels_.empty()) return;
  golomb_ = levels_.back() == kGolombLevel ? Golomb::kLength : Golomb::kNone;
  zeros_ = 0;
  levels_.pop_back();
}

void BlockLevels::AddGolombBit(uint32_t bit) {
  if (golomb_ == Golomb::kLength) {
    if (bit == 0) {
      ++zeros_;
      return;
    }
    Spend(2u << zeros_);
    golomb_ = Golomb::kBits;
  } else {
    --zeros_;
  }
  if (zeros_ == 0) golomb_ = Golomb::kNone;
}

}  // namespace perdix::make_stream::av1
