// SPDX-License-Identifier: BSD-2-Clause
// Scores of frames: what logs, sums and pictures are made of.
#ifndef PERDIX_CLIENT_QUALITY_SCORE_TABLE_H_
#define PERDIX_CLIENT_QUALITY_SCORE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace perdix::client {

struct ScoreTable {
  std::vector<std::string> names;  // libvmaf's, in the order of its logs
  // A row for each frame, with a place for each name. Frames that a score was
  // not made for lack it.
  std::vector<std::vector<std::optional<double>>> rows;
};

// One score over all frames that have it.
struct PooledScore {
  double min = 0;
  double max = 0;
  double mean = 0;
  double harmonic_mean = 0;  // as libvmaf's: of the scores plus 1, less 1
  uint64_t min_frame = 0;    // the first that has the least
};

// Nothing if no frame has the score.
std::optional<PooledScore> Pool(const ScoreTable& table, size_t column);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_QUALITY_SCORE_TABLE_H_
