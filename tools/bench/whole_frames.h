// SPDX-License-Identifier: BSD-2-Clause
// Whole clips decoded through the engine, recipe after recipe.
#ifndef PERDIX_TOOLS_BENCH_WHOLE_FRAMES_H_
#define PERDIX_TOOLS_BENCH_WHOLE_FRAMES_H_

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "kernels/status.h"
#include "tools/bench/placement.h"
#include "tools/bench/report.h"

namespace perdix::bench {

struct WholeFramesOptions {
  int repeats = 5;
  std::function<void(const std::string&)> progress;  // may be null
};

// One report for each placement, those first that come first. A recipe whose
// frames differ from the scalar ones, or are not decoded where it says, is not
// timed. Repeats are interleaved: what disturbs one recipe disturbs all. Leaves
// the engine with one of the recipes.
Status MeasureRecipes(Engine& engine, const std::string& file,
                      const std::vector<Placement>& placements,
                      const WholeFramesOptions& options,
                      std::vector<RecipeReport>* reports);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_WHOLE_FRAMES_H_
