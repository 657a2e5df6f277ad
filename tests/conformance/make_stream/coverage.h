// SPDX-License-Identifier: BSD-2-Clause
// What a stream has reached: how often each value of each syntax element.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_COVERAGE_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_COVERAGE_H_

#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace perdix::make_stream {

class Coverage {
 public:
  // A value of a field of a header.
  void Field(const std::string& name, int64_t value) {
    ++values_[{"field", name}][value];
  }
  // A symbol of a tile that was <value>, one of 0 to n - 1, <count> times.
  void Symbol(const std::string& name, int n, int64_t value, uint64_t count) {
    values_[{"symbol", name + " (" + std::to_string(n) + ")"}][value] += count;
  }
  // The probabilities that a symbol was read with, of <total> such sets.
  void Context(const std::string& name, size_t total, int64_t index) {
    values_[{"context", name + " (" + std::to_string(total) + ")"}][index] = 1;
  }
  // What one frame has together.
  void Frame(const std::set<std::string>& features) {
    for (const std::string& a : features) {
      for (const std::string& b : features) {
        if (a <= b) ++values_[{"pair", a + " x " + b}][1];
      }
    }
  }
  bool Has(const std::string& kind, const std::string& name,
           int64_t value) const {
    const auto found = values_.find({kind, name});
    return found != values_.end() && found->second.contains(value);
  }
  void Add(const Coverage& other) {
    for (const auto& [element, counts] : other.values_) {
      for (const auto& [value, count] : counts)
        values_[element][value] += count;
    }
  }

  // A line for each value: kind, name, value and count, with tabs between.
  void Write(FILE* file) const {
    for (const auto& [element, counts] : values_) {
      for (const auto& [value, count] : counts) {
        std::fprintf(file, "%s\t%s\t%lld\t%llu\n", element.first.c_str(),
                     element.second.c_str(), static_cast<long long>(value),
                     static_cast<unsigned long long>(count));
      }
    }
  }

 private:
  std::map<std::pair<std::string, std::string>, std::map<int64_t, uint64_t>>
      values_;
};

}  // namespace perdix::make_stream

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_COVERAGE_H_
