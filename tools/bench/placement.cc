// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/placement.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace perdix::bench {
namespace {

// Differences of whole runs below this are noise.
constexpr double kSameSpeed = 0.97;

// What a kernel costs on either side; null: it cannot run there.
struct Sides {
  KernelId kernel;
  const KernelReport* cpu = nullptr;
  const KernelReport* gpu = nullptr;         // pictures in device memory
  const KernelReport* gpu_shared = nullptr;  // pictures in shared memory
};

const KernelReport* FindGpu(const std::vector<KernelReport>& kernels,
                            KernelId kernel, bool shared) {
  for (const KernelReport& row : kernels) {
    if (row.kernel == kernel && row.variant == Variant::kVulkan &&
        row.shared_memory == shared && row.exact()) {
      return &row;
    }
  }
  return nullptr;
}

// The kernels of the clips' codec.
struct Measured {
  std::vector<Sides> sides;
  // Those for which no frame had work; they have shaders.
  std::vector<KernelId> idle;
};

Measured BothSides(const std::vector<KernelReport>& kernels) {
  Measured all;
  for (size_t i = 0; i < KernelTable().size(); ++i) {
    const KernelId kernel = KernelId(i);
    bool worked = false, idle = false;
    for (const KernelReport& row : kernels) {
      if (row.kernel != kernel) continue;
      worked |= row.gate != GateResult::kNoWork;
      idle |= row.variant == Variant::kVulkan;
    }
    if (worked) {
      all.sides.push_back({kernel, FastestOnCpu(kernels, kernel),
                           FindGpu(kernels, kernel, false),
                           FindGpu(kernels, kernel, true)});
    } else if (idle) {
      all.idle.push_back(kernel);
    }
  }
  return all;
}

std::string Assign(KernelId kernel, Variant variant) {
  return std::string(RowOf(kernel).key) + "=" + VariantName(variant) + ",";
}

// Other kernels' variants are those of auto. Only variants that there are are
// asked for.
Recipe MakeRecipe(const std::string& assignments) {
  Recipe recipe;
  (void)Recipe::Parse(assignments, &recipe).ok();
  return recipe;
}

// Bit i of mask: sides[i] on the GPU. False: it cannot run there.
bool MakePlacement(const Measured& measured, uint32_t mask,
                   const CrossingCosts& costs, Placement* placement) {
  const std::vector<Sides>& sides = measured.sides;
  const bool mixed = mask != (1u << sides.size()) - 1;
  std::string assignments;
  uint64_t estimate = 0;
  bool on_gpu = false;
  for (size_t i = 0; i < sides.size(); ++i) {
    const bool gpu = mask >> i & 1;
    const KernelReport* const row = !gpu    ? sides[i].cpu
                                    : mixed ? sides[i].gpu_shared
                                            : sides[i].gpu;
    if (row == nullptr) return false;
    assignments += Assign(sides[i].kernel, row->variant);
    if (gpu && !on_gpu) estimate += costs.submit;
    on_gpu = gpu;
    if (gpu) {
      estimate += costs.aim == GpuAim::kSpeed ? row->nanoseconds : 0;
    } else {
      estimate += row->nanoseconds / uint64_t(std::max(costs.threads, 1));
    }
  }
  for (const KernelId kernel : measured.idle) {
    if (!mixed) assignments += Assign(kernel, Variant::kVulkan);
  }
  *placement = {"", MakeRecipe(assignments), estimate};
  return true;
}

// All kernels in one variant, if every one that has work is exact in it. Those
// that have no such variant are as with auto.
bool AllOf(const std::vector<KernelReport>& kernels, Variant variant,
           Recipe* recipe) {
  std::string text;
  for (const KernelReport& row : kernels) {
    if (row.variant != variant) continue;
    if (row.gate != GateResult::kNoWork && !row.exact()) return false;
    text += std::string(text.empty() ? "" : ",") + RowOf(row.kernel).key + "=" +
            VariantName(variant);
  }
  return !text.empty() && Recipe::Parse(text, recipe).ok();
}

void AddOnce(Placement placement, std::vector<Placement>* list) {
  const auto same = [&](const Placement& other) {
    return other.recipe.ToString() == placement.recipe.ToString();
  };
  if (std::ranges::none_of(*list, same)) list->push_back(std::move(placement));
}

struct Totals {
  const RecipeReport* report;
  double seconds = 0;      // of a frame, summed over clips
  double cpu_seconds = 0;  // of a frame, summed over clips
  bool plays = true;       // every clip, see kPlays
};

// False: not exact on every clip.
bool Sum(std::span<const ClipReport> clips, Totals* totals) {
  const std::string recipe = totals->report->recipe.ToString();
  for (const ClipReport& clip : clips) {
    const auto found =
        std::ranges::find_if(clip.recipes, [&](const RecipeReport& report) {
          return report.recipe.ToString() == recipe;
        });
    if (found == clip.recipes.end() || !found->exact || found->fps <= 0) {
      return false;
    }
    totals->seconds += 1 / found->fps;
    totals->cpu_seconds += found->cpu_seconds;
    totals->plays = totals->plays && found->fps >= kPlays;
  }
  return true;
}

}  // namespace

std::vector<Placement> RankPlacements(const std::vector<KernelReport>& kernels,
                                      const CrossingCosts& costs) {
  const Measured measured = BothSides(kernels);
  std::vector<Placement> all;
  for (uint32_t mask = 0; mask < 1u << measured.sides.size(); ++mask) {
    Placement placement;
    if (MakePlacement(measured, mask, costs, &placement)) {
      all.push_back(std::move(placement));
    }
  }
  std::ranges::stable_sort(all, {}, &Placement::estimate);
  return all;
}

std::vector<Placement> SensiblePlacements(
    const std::vector<KernelReport>& kernels, const CrossingCosts& costs,
    size_t best) {
  std::vector<Placement> list;
  for (const Variant variant :
       {Variant::kScalar, Variant::kSimd, Variant::kVulkan}) {
    Recipe recipe;
    if (!AllOf(kernels, variant, &recipe)) continue;
    AddOnce({std::string("all ") + VariantName(variant), recipe, 0}, &list);
  }
  const Measured measured = BothSides(kernels);
  const std::vector<Sides>& sides = measured.sides;
  for (size_t i = 0; i < sides.size(); ++i) {
    const KernelReport* const gpu = sides[i].gpu_shared;
    const KernelReport* const cpu = sides[i].cpu;
    if (!gpu || !cpu) continue;
    if (costs.aim == GpuAim::kSpeed && gpu->nanoseconds >= cpu->nanoseconds) {
      continue;
    }
    Placement placement;
    if (!MakePlacement(measured, 1u << i, costs, &placement)) continue;
    placement.label = std::string("GPU: ") + RowOf(sides[i].kernel).key;
    AddOnce(std::move(placement), &list);
  }
  std::vector<Placement> ranked = RankPlacements(kernels, costs);
  ranked.resize(std::min(ranked.size(), best));
  for (size_t i = 0; i < ranked.size(); ++i) {
    ranked[i].label = "estimate " + std::to_string(i + 1);
    AddOnce(std::move(ranked[i]), &list);
  }
  return list;
}

const RecipeReport* BestRecipe(std::span<const ClipReport> clips, GpuAim aim) {
  std::vector<Totals> all;
  if (clips.empty()) return nullptr;
  for (const RecipeReport& report : clips[0].recipes) {
    Totals totals = {&report};
    if (Sum(clips, &totals)) all.push_back(totals);
  }
  if (all.empty()) return nullptr;
  std::vector<Totals> best;
  if (aim == GpuAim::kCpu) {
    std::ranges::copy_if(all, std::back_inserter(best), &Totals::plays);
  }
  if (best.empty()) {
    const double shortest = std::ranges::min(all, {}, &Totals::seconds).seconds;
    std::ranges::copy_if(all, std::back_inserter(best),
                         [shortest](const Totals& totals) {
                           return totals.seconds * kSameSpeed <= shortest;
                         });
  }
  return std::ranges::min(best, {}, &Totals::cpu_seconds).report;
}

}  // namespace perdix::bench
