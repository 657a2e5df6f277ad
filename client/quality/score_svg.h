// SPDX-License-Identifier: BSD-2-Clause
// A score over time, as a picture.
#ifndef PERDIX_CLIENT_QUALITY_SCORE_SVG_H_
#define PERDIX_CLIENT_QUALITY_SCORE_SVG_H_

#include <cstddef>
#include <string>

#include "client/quality/score_table.h"

namespace perdix::client {

// One column over the frames, its mean, and the number of the worst frame.
// title: above it.
std::string ToSvg(const ScoreTable& table, size_t column,
                  const std::string& title);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_QUALITY_SCORE_SVG_H_
