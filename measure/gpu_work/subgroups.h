// SPDX-License-Identifier: BSD-2-Clause
// What decides the loops and branches of AV1's shaders, read out of the records
// that they would read: what a model of a GPU cannot know from the dispatches.
#ifndef PERDIX_MEASURE_GPU_WORK_SUBGROUPS_H_
#define PERDIX_MEASURE_GPU_WORK_SUBGROUPS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernels/gpu/work.h"

namespace perdix::measure {

// Subgroups of 16 lanes by what their records have them do, as WORK.json says
// it (measure/pi_model/__init__.py).
using SubgroupCounts = std::map<std::string, uint64_t>;

// The staged records of a frame's work, as shaders see them.
class Records {
 public:
  explicit Records(const gpu::Work& work);

  // Subgroups of a dispatch of that work. Empty for a program that does the
  // same in all of them.
  SubgroupCounts CountSubgroups(const gpu::Dispatch& dispatch) const;

 private:
  const gpu::Work& work_;
  std::vector<uint8_t> bytes_;
};

}  // namespace perdix::measure

#endif  // PERDIX_MEASURE_GPU_WORK_SUBGROUPS_H_
