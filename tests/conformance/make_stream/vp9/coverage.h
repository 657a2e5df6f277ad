// SPDX-License-Identifier: BSD-2-Clause
// Which values of which syntax elements the streams have, as lines of text.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_COVERAGE_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_COVERAGE_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>

#include "codec/vp9/probability.h"

namespace perdix::vp9 {

class Coverage {
 public:
  void Symbol(const std::string& name, int64_t value, uint64_t times = 1) {
    symbols_[{name, value}] += times;
  }
  // All that the codec counts.
  void Symbols(const SymbolCounts& counts);
  void Field(const std::string& name, int64_t value) {
    ++fields_[{name, value}];
  }
  // The features that a frame has: each two of them are a pair.
  void Features(const std::set<std::string>& features);

  // "symbol NAME VALUE COUNT", "field NAME VALUE COUNT", "pair A B COUNT"
  void Print(std::ostream& out) const;

 private:
  using Key = std::pair<std::string, int64_t>;
  std::map<Key, uint64_t> symbols_, fields_;
  std::map<std::pair<std::string, std::string>, uint64_t> pairs_;
};

}  // namespace perdix::vp9

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_VP9_COVERAGE_H_
