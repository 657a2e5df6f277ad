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

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_MEDIAN_H_
