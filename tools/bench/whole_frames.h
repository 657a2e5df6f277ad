// SPDX-License-Identifier: BSD-2-Clause
// Whole clips decoded through the engine, recipe after recipe.
#ifndef PERDIX_TOOLS_BENCH_WHOLE_FRAMES_H_
#define PERDIX_TOOLS_BENCH_WHOLE_FRAMES_H_

#include <functional>
#include <string>
#include <vector>

#include "kernels/status.h"
#include "tools/bench/placement.h"
#include "tools/bench/report.h"

namespace perdix::bench {

struct WholeFramesOptions {
  vulkan::GpuOptions gpu;
  int threads = 0;  // of the engine; 0: one for each CPU
  int repeats = 5;
  std::function<void(const std::string&)> progress;  // may be null
};

// One report for each placement, those first that come first. A recipe whose
// frames differ from the scalar ones, or are not decoded where it says, is not
// timed. Repeats are interleaved: what disturbs one recipe disturbs all.
Status MeasureRecipes(const std::string& file,
                      const std::vector<Placement>& placements,
                      const WholeFramesOptions& options,
                      std::vector<RecipeReport>* reports);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_WHOLE_FRAMES_H_
