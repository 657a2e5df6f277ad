// SPDX-License-Identifier: BSD-2-Clause
#include "client/quality/score_table.h"

#include <algorithm>

namespace perdix::client {

std::optional<PooledScore> Pool(const ScoreTable& table, size_t column) {
  PooledScore pooled;
  double count = 0, sum = 0, inverse_sum = 0;
  for (size_t frame = 0; frame < table.rows.size(); ++frame) {
    const std::optional<double>& score = table.rows[frame][column];
    if (!score) continue;
    if (count == 0 || *score < pooled.min) {
      pooled.min = *score;
      pooled.min_frame = frame;
    }
    pooled.max = count == 0 ? *score : std::max(pooled.max, *score);
    sum += *score;
    inverse_sum += 1 / (*score + 1);
    ++count;
  }
  if (count == 0) return std::nullopt;
  pooled.mean = sum / count;
  pooled.harmonic_mean = count / inverse_sum - 1;
  return pooled;
}

}  // namespace perdix::client
