// SPDX-License-Identifier: BSD-2-Clause
// Scores as files for other programs.
#ifndef PERDIX_CLIENT_QUALITY_SCORE_LOG_H_
#define PERDIX_CLIENT_QUALITY_SCORE_LOG_H_

#include <string>

#include "client/quality/score_table.h"

namespace perdix::client {

// Keys, order and digits of libvmaf's JSON. version: of the program that made
// the scores; fps: how fast it did.
std::string ToJson(const ScoreTable& table, const std::string& version,
                   double fps);

// A line of names, then a line for each frame, which begins with its number
// from 0. A score that a frame lacks is empty.
std::string ToCsv(const ScoreTable& table);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_QUALITY_SCORE_LOG_H_
