// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/av1/tile_writer.h"

#include <algorithm>
#include <map>
#include <string>

#include "tests/conformance/make_stream/av1/elements.h"

namespace perdix::make_stream::av1 {
namespace {

// What a symbol means for the levels of coefficients.
enum class Role : uint8_t { kOther, kEob, kBaseEob, kBase, kRange, kDcSign };

Role RoleOf(const std::string& name) {
  if (name.starts_with("eob_pt")) return Role::kEob;
  if (name == "coeff_base_eob") return Role::kBaseEob;
  if (name == "coeff_base") return Role::kBase;
  if (name == "coeff_br") return Role::kRange;
  if (name == "dc_sign") return Role::kDcSign;
  return Role::kOther;
}

const std::vector<Role>& Roles() {
  static const std::vector<Role> roles = [] {
    std::vector<Role> all;
    for (const Element& element : Elements())
      all.push_back(RoleOf(element.name));
    return all;
  }();
  return roles;
}

uint32_t Weight(Weights weights, uint32_t probability) {
  switch (weights) {
    case Weights::kCdf:
      return probability + 1;
    case Weights::kUniform:
      return 1;
    default:
      return 32768 / (probability + 32);
  }
}

}  // namespace

void TileWriter::Begin() {
  next_ = 0;
  encoder_ = {};
  levels_ = {};
}

uint32_t TileWriter::Symbol(size_t offset, const uint16_t* values, int n) {
  const size_t element = ElementAt(offset);
  const Role role = Roles()[element];
  if (role == Role::kEob) levels_.Begin(style_->level_budget);
  const uint32_t symbol =
      Repeats() ? choices_[next_].value : Choose(element, values, n);
  if (role == Role::kBaseEob) levels_.AddBase(symbol + 1);
  if (role == Role::kBase) levels_.AddBase(symbol);
  if (role == Role::kRange) levels_.AddRange(symbol);
  if (role == Role::kDcSign) levels_.AddSign();
  encoder_.Encode(values, n, symbol);
  return Record(uint32_t(std::min<size_t>(offset, kBits - 1)), symbol);
}

uint32_t TileWriter::Choose(size_t element, const uint16_t* values, int n) {
  const ElementStyle& style = this->style().elements[element];
  uint32_t allowed = ((1u << n) - 1) & ~style.banned;
  const Role role = Roles()[element];
  uint32_t most = uint32_t(n) - 1;
  if (role == Role::kBase) most = levels_.MostOfBase(uint32_t(n));
  if (role == Role::kRange) most = levels_.MostOfRange();
  allowed &= (2u << most) - 1;
  if (allowed == 0) allowed = 1;
  if (allowed >> style.favourite & 1 && random_.Percent(style.percent))
    return style.favourite;
  uint32_t weights[16], total = 0;
  for (int i = 0; i < n; ++i) {
    const uint32_t above = i == 0 ? 32768u : values[i - 1];
    const uint32_t below = i == n - 1 ? 0u : values[i];
    weights[i] = allowed >> i & 1 ? Weight(style.weights, above - below) : 0;
    total += weights[i];
  }
  uint32_t at = random_.Below(total), symbol = 0;
  while (at >= weights[symbol]) at -= weights[symbol++];
  return symbol;
}

uint32_t TileWriter::ChooseBit() {
  if (levels_.InGolombLength()) {
    return levels_.GolombMustEnd() ||
           !random_.Percent(style().golomb_zeros_percent);
  }
  return random_.Percent(style_->ones_percent);
}

uint32_t TileWriter::Bit() {
  const uint32_t bit = Repeats() ? choices_[next_].value : ChooseBit();
  uint32_t kind = kBits + 1;
  if (levels_.InGolomb()) {
    levels_.AddGolombBit(bit);
    kind = kGolomb;
  } else if (levels_.active()) {
    levels_.AddSign();
    kind = kSign;
  }
  encoder_.EncodeBit(bit);
  return Record(kind, bit);
}

uint32_t TileWriter::Literal(int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value = value << 1 |
            (Repeats() ? choices_[next_].value >> (count - 1 - i) & 1
                       : uint32_t(random_.Percent(style_->ones_percent)));
  }
  for (int i = count; i-- > 0;) encoder_.EncodeBit(value >> i & 1);
  return Record(kBits + uint32_t(count), value);
}

uint32_t TileWriter::Record(uint32_t offset, uint32_t value) {
  if (!Repeats()) choices_.push_back({offset, value});
  ++next_;
  return value;
}

void TileWriter::Keep(size_t count) {
  kept_ = std::min(count, next_);
  choices_.resize(kept_);
  random_ = Random(seed_, ++attempt_);
}

std::vector<uint8_t> TileWriter::Finish(size_t padding) {
  std::vector<uint8_t> tile = encoder_.Finish(random_.Percent(50));
  tile.resize(tile.size() + padding);
  return tile;
}

void TileWriter::Count(Coverage* coverage) const {
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> counts;
  for (size_t i = 0; i < next_; ++i)
    ++counts[{choices_[i].offset, choices_[i].value}];
  for (const auto& [choice, count] : counts) {
    const auto& [offset, value] = choice;
    if (offset >= kBits) {
      const uint32_t bits = offset - kBits;
      if (offset == kSign) coverage->Symbol("sign_bit", 2, value, count);
      if (offset == kGolomb) coverage->Symbol("golomb bits", 2, value, count);
      if (bits >= 1 && bits <= 4)
        coverage->Symbol("L(" + std::to_string(bits) + ")", 1 << bits, value,
                         count);
      continue;
    }
    const Element& element = Elements()[ElementAt(offset)];
    coverage->Symbol(element.name, element.values, value, count);
    if (element.bytes > 1) {
      coverage->Context(element.name, element.Contexts(),
                        int64_t((offset - element.begin) / element.cdf_bytes));
    }
  }
}

}  // namespace perdix::make_stream::av1
