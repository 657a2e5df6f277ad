// SPDX-License-Identifier: BSD-2-Clause
#include "tests/conformance/make_stream/vp9/symbols.h"

#include <cstddef>

namespace perdix::vp9 {
namespace {

using make_stream::Coverage;

// How many contexts an array has whose last index is the value.
template <size_t kValues>
size_t Contexts(const uint32_t (&)[kValues]) {
  return 1;
}
template <typename T, size_t kCount, size_t kValues>
size_t Contexts(const T (&counts)[kCount][kValues]) {
  return kCount * Contexts(counts[0]);
}

// Adds one symbol's counts, context by context.
class Adder {
 public:
  Adder(const char* name, size_t contexts, Coverage& coverage)
      : name_(name), contexts_(contexts), coverage_(coverage) {}

  template <size_t kValues>
  void Add(const uint32_t (&counts)[kValues]) {
    bool reached = false;
    for (size_t i = 0; i < kValues; ++i) {
      if (counts[i] == 0) continue;
      coverage_.Symbol(name_, int(kValues), int64_t(i), counts[i]);
      reached = true;
    }
    if (reached) coverage_.Context(name_, contexts_, context_);
    ++context_;
  }
  template <typename T, size_t kCount, size_t kValues>
  void Add(const T (&counts)[kCount][kValues]) {
    for (const auto& of_context : counts) Add(of_context);
  }

 private:
  const char* name_;
  size_t contexts_;
  Coverage& coverage_;
  int64_t context_ = 0;
};

}  // namespace

void AddSymbols(const SymbolCounts& counts, Coverage& coverage) {
  const auto add = [&coverage](const char* name, const auto& of_symbol) {
    Adder(name, Contexts(of_symbol), coverage).Add(of_symbol);
  };
  add("tx_size_8x8", counts.tx_8x8);
  add("tx_size_16x16", counts.tx_16x16);
  add("tx_size_32x32", counts.tx_32x32);
  add("token", counts.token);
  add("skip", counts.skip);
  add("inter_mode", counts.inter_mode);
  add("interp_filter", counts.interp_filter);
  add("is_inter", counts.is_inter);
  add("comp_mode", counts.comp_mode);
  add("single_ref", counts.single_ref);
  add("comp_ref", counts.comp_ref);
  add("intra_y_mode", counts.y_mode);
  add("uv_mode", counts.uv_mode);
  add("partition", counts.partition);
  add("mv_joint", counts.mv_joint);
  add("mv_sign", counts.mv_sign);
  add("mv_class", counts.mv_class);
  add("mv_class0_bit", counts.mv_class0_bit);
  add("mv_bit", counts.mv_bits);
  add("mv_class0_fr", counts.mv_class0_fr);
  add("mv_fr", counts.mv_fr);
  add("mv_class0_hp", counts.mv_class0_hp);
  add("mv_hp", counts.mv_hp);
}

}  // namespace perdix::vp9
