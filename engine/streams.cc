// SPDX-License-Identifier: BSD-2-Clause
#include "engine/streams.h"

namespace perdix {

uint32_t Streams::Add(const StageClocks* clocks) {
  std::lock_guard lock(mutex_);
  clocks_.push_back(clocks);
  return ++count_;
}

void Streams::Remove(const StageClocks* clocks) {
  std::lock_guard lock(mutex_);
  std::erase(clocks_, clocks);
  gone_.Add(*clocks);
}

std::vector<StageTime> Streams::StageTimes(const Recipe& recipe) const {
  if (!measures_) return {};
  StageClocks all;
  {
    std::lock_guard lock(mutex_);
    all.Add(gone_);
    for (const StageClocks* clocks : clocks_) all.Add(*clocks);
  }
  return StageTimesOf(all, recipe);
}

}  // namespace perdix
