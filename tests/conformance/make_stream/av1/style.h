// SPDX-License-Identifier: BSD-2-Clause
// How a frame's symbols are chosen.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_STYLE_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_STYLE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "tests/conformance/make_stream/random.h"

namespace perdix::make_stream::av1 {

enum class Weights : uint8_t {
  kCdf,      // what its CDF says
  kUniform,  // all alike
  kRare,     // the less, the more likely its CDF says it is
};

struct ElementStyle {
  Weights weights = Weights::kCdf;
  // Taken in so many of 100 cases, before anything is weighed.
  uint8_t favourite = 0, percent = 0;
  uint32_t banned = 0;  // bit: a value that must not be
};

struct Style {
  std::vector<ElementStyle> elements;  // in the order of Elements()
  uint32_t ones_percent = 50;          // how many bits are 1
  // How many of the bits that can make a Golomb code longer are 0.
  uint32_t golomb_zeros_percent = 50;
  uint32_t level_budget = 0;  // a transform block's: BlockLevels

  void Ban(std::string_view element, uint32_t values);
  void Favour(std::string_view element, uint32_t value, uint32_t percent);
};

// What a stream's frames have in common.
Style DrawStyle(Random& random);
// Chooses seldom what is often impossible (intra block copies, long vectors).
void Calm(Style* style);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_STYLE_H_
