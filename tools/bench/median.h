// SPDX-License-Identifier: BSD-2-Clause
#ifndef PERDIX_TOOLS_BENCH_MEDIAN_H_
#define PERDIX_TOOLS_BENCH_MEDIAN_H_

#include <algorithm>
#include <vector>

namespace perdix::bench {

// The upper one of two; values must not be empty.
template <typename T>
T Median(std::vector<T> values) {
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Half of the values lie within so much of each other: the distance of the
// quartiles. Values must not be empty.
template <typename T>
T Spread(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  const size_t last = values.size() - 1;
  return values[last - last / 4] - values[last / 4];
}

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_MEDIAN_H_
