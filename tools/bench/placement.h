// SPDX-License-Identifier: BSD-2-Clause
// Which recipes are worth measuring with whole frames, and which of those
// measured is the best. Pure: figures in, recipes out.
#ifndef PERDIX_TOOLS_BENCH_PLACEMENT_H_
#define PERDIX_TOOLS_BENCH_PLACEMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/recipe.h"
#include "engine/recipe_store.h"
#include "tools/bench/report.h"

namespace perdix::bench {

struct Placement {
  std::string label;
  Recipe recipe;
  uint64_t estimate = 0;  // nanoseconds of reconstruction of a frame
};

struct CrossingCosts {
  uint64_t submit = 0;  // nanoseconds, of a submit and its wait
  int threads = 1;      // that share the CPU's stages
  GpuAim aim = GpuAim::kSpeed;
};

// Every mixture of the fastest CPU variant and of Vulkan that is exact, the
// best estimate first: the stages' times one after the other (for the CPU's
// sake: those on the CPU alone), and a submit for each run of neighbouring
// stages on the GPU. In a mixture the pictures lie in shared memory. Kernels
// for which no frame had work are on the GPU where all others are, and else as
// with auto.
std::vector<Placement> RankPlacements(const std::vector<KernelReport>& kernels,
                                      const CrossingCosts& costs);

// What to decode whole clips with: all scalar, all SIMD, all Vulkan, each
// kernel alone on the GPU that is faster there (R < 1; for the CPU's sake every
// one), and the best <best> estimates. Nothing that is not exact, nothing
// twice.
std::vector<Placement> SensiblePlacements(
    const std::vector<KernelReport>& kernels, const CrossingCosts& costs,
    size_t best);

// A recipe that video plays with decodes each clip at so many frames a second.
inline constexpr double kPlays = 60;

// Takes clips of one codec. Null: none is exact on every clip. For speed the
// most frames per second over all clips; within a few per cent, the one that
// takes the least CPU time. For the CPU's sake the one that takes the least CPU
// time of those that video plays with; if it plays with none, as for speed.
const RecipeReport* BestRecipe(std::span<const ClipReport> clips, GpuAim aim);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_PLACEMENT_H_
