// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/style.h"

#include <string>

#include "tests/conformance/make_stream/av1/elements.h"

namespace perdix::make_stream::av1 {
namespace {

Weights DrawWeights(Random& random) {
  return random.Of(
      {Weights::kCdf, Weights::kUniform, Weights::kUniform, Weights::kRare});
}

// Elements of which most depends, how long the tile is, too.
void FavourSizes(Random& random, Style& style) {
  constexpr uint32_t kSplit = 3;  // PARTITION_SPLIT
  const uint32_t split = random.Of({0u, 0u, 30u, 60u, 90u});
  style.Favour("partition_w128", kSplit, split);
  style.Favour("partition_w64", kSplit, split);
  style.Favour("partition_w32", kSplit, split / 2);
  style.Favour("partition_w16", kSplit, split / 2);
  style.Favour("partition_w8", kSplit, split / 3);
  style.Favour("txb_skip", 1, random.Of({0u, 30u, 60u, 90u}));
  style.Favour("skip", 1, random.Of({0u, 0u, 30u, 70u}));
  style.Favour("is_inter", 1, random.Of({0u, 50u, 80u}));
  for (const char* const side : {", row", ", column"}) {
    const std::string name = std::string("mv_class") + side;
    style.Favour(name, 0, random.Of({0u, 40u, 80u}));
    style.Favour(name + " of intrabc", 0, random.Of({0u, 60u, 80u}));
  }
}

// Few coefficients, as large as the budget lets them be.
void FavourLargeLevels(Random& random, Style& style) {
  for (const char* const name :
       {"eob_pt_16", "eob_pt_32", "eob_pt_64", "eob_pt_128", "eob_pt_256",
        "eob_pt_512", "eob_pt_1024"}) {
    style.Favour(name, random.Below(4), 70);
  }
  style.Favour("txb_skip", 0, 50);
  style.Favour("coeff_base_eob", 2, 80);
  style.Favour("coeff_base", 3, 50);
  style.Favour("coeff_br", 3, 90);
  style.golomb_zeros_percent = 95;
}

}  // namespace

void Style::Ban(std::string_view element, uint32_t values) {
  elements[ElementOf(element)].banned |= values;
}

void Style::Favour(std::string_view element, uint32_t value, uint32_t percent) {
  ElementStyle& style = elements[ElementOf(element)];
  style.favourite = uint8_t(value);
  style.percent = uint8_t(percent);
}

Style DrawStyle(Random& random) {
  Style style;
  const Weights common = DrawWeights(random);
  for (const Element& element : Elements()) {
    ElementStyle of;
    of.weights = random.Percent(60) ? common : DrawWeights(random);
    if (random.Percent(25)) {
      of.favourite = uint8_t(random.Below(uint32_t(element.values)));
      of.percent = uint8_t(random.Of({20, 50, 80, 95}));
    }
    style.elements.push_back(of);
  }
  if (random.Percent(75)) FavourSizes(random, style);
  if (random.Percent(15)) FavourLargeLevels(random, style);
  // from where nearly always something may be copied, below the first row
  style.Favour("mv_joint of intrabc", 0, random.Of({10u, 40u, 70u}));
  style.Favour("intrabc", 1, random.Of({0u, 30u, 60u}));
  style.ones_percent = random.Of({50u, 50u, 50u, 50u, 50u, 20u, 80u});
  return style;
}

void Calm(Style* style) {
  style->Favour("intrabc", 0, 95);
  style->Favour("mv_joint", 0, 70);
  style->Favour("mv_joint of intrabc", 0, 80);
  for (const char* const side : {", row", ", column"}) {
    const std::string name = std::string("mv_class") + side;
    style->Favour(name, 0, 90);
    style->Favour(name + " of intrabc", 0, 90);
  }
}

}  // namespace perdix::make_stream::av1
