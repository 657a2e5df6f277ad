// SPDX-License-Identifier: BSD-2-Clause
// The syntax elements that are coded with CDFs, by where those lie.
#ifndef PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_ELEMENTS_H_
#define PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_ELEMENTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace perdix::make_stream::av1 {

struct Element {
  std::string name;
  int values;           // N
  size_t begin, bytes;  // where its CDFs are in CdfContext
  size_t cdf_bytes;     // size of one CDF
  size_t Contexts() const { return bytes / cdf_bytes; }
};

// In the order of CdfContext. Behind them one for what has a CDF of its own
// each time (split_or_horz, split_or_vert).
const std::vector<Element>& Elements();

// offset: of a CDF from the first one; outside of CdfContext: the last element
size_t ElementAt(size_t offset);
// Throws std::out_of_range.
size_t ElementOf(std::string_view name);

}  // namespace perdix::make_stream::av1

#endif  // PERDIX_TESTS_CONFORMANCE_MAKE_STREAM_AV1_ELEMENTS_H_
