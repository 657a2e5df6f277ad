// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/coverage.h"

#include <cstddef>

namespace perdix::vp9 {
namespace {

// The counts of one symbol's values, or an array of such: a symbol for each
// context.
template <size_t kValues>
void Add(const std::string& name, const uint32_t (&counts)[kValues],
         Coverage* coverage) {
  for (size_t i = 0; i < kValues; ++i) {
    if (counts[i] > 0) coverage->Symbol(name, int64_t(i), counts[i]);
  }
}
template <typename T, size_t kContexts, size_t kValues>
void Add(const std::string& name, const T (&contexts)[kContexts][kValues],
         Coverage* coverage) {
  for (size_t i = 0; i < kContexts; ++i) {
    Add(name + "[" + std::to_string(i) + "]", contexts[i], coverage);
  }
}

}  // namespace

void Coverage::Symbols(const SymbolCounts& counts) {
  Add("tx_size_8x8", counts.tx_8x8, this);
  Add("tx_size_16x16", counts.tx_16x16, this);
  Add("tx_size_32x32", counts.tx_32x32, this);
  Add("token", counts.token, this);
  Add("skip", counts.skip, this);
  Add("inter_mode", counts.inter_mode, this);
  Add("interp_filter", counts.interp_filter, this);
  Add("is_inter", counts.is_inter, this);
  Add("comp_mode", counts.comp_mode, this);
  Add("single_ref", counts.single_ref, this);
  Add("comp_ref", counts.comp_ref, this);
  Add("intra_y_mode", counts.y_mode, this);
  Add("uv_mode", counts.uv_mode, this);
  Add("partition", counts.partition, this);
  Add("mv_joint", counts.mv_joint, this);
  Add("mv_sign", counts.mv_sign, this);
  Add("mv_class", counts.mv_class, this);
  Add("mv_class0_bit", counts.mv_class0_bit, this);
  Add("mv_bit", counts.mv_bits, this);
  Add("mv_class0_fr", counts.mv_class0_fr, this);
  Add("mv_fr", counts.mv_fr, this);
  Add("mv_class0_hp", counts.mv_class0_hp, this);
  Add("mv_hp", counts.mv_hp, this);
}

void Coverage::Features(const std::set<std::string>& features) {
  for (auto a = features.begin(); a != features.end(); ++a) {
    for (auto b = std::next(a); b != features.end(); ++b) ++pairs_[{*a, *b}];
  }
}

void Coverage::Print(std::ostream& out) const {
  for (const auto& [key, count] : symbols_) {
    out << "symbol " << key.first << ' ' << key.second << ' ' << count << '\n';
  }
  for (const auto& [key, count] : fields_) {
    out << "field " << key.first << ' ' << key.second << ' ' << count << '\n';
  }
  for (const auto& [key, count] : pairs_) {
    out << "pair " << key.first << ' ' << key.second << ' ' << count << '\n';
  }
}

}  // namespace perdix::vp9
