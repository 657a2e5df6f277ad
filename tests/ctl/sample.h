// SPDX-License-Identifier: BSD-2-Clause
// A daemon with three clients, as its statistics are after some seconds.
#ifndef PERDIX_TESTS_CTL_SAMPLE_H_
#define PERDIX_TESTS_CTL_SAMPLE_H_

#include <nlohmann/json.hpp>

namespace perdix::ctl {

// {"daemon": {...}, "sessions": [...]}: all properties of the interface.
nlohmann::json SampleStatistics(double seconds);

}  // namespace perdix::ctl

#endif  // PERDIX_TESTS_CTL_SAMPLE_H_
