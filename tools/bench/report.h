// SPDX-License-Identifier: BSD-2-Clause
// Everything that perdix-bench has measured, and its three forms. Times are in
// nanoseconds; those of kernels are of a frame, averaged over the captured
// frames. docs/bench.md says what each figure means.
#ifndef PERDIX_TOOLS_BENCH_REPORT_H_
#define PERDIX_TOOLS_BENCH_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/recipe.h"
#include "engine/recipe_store.h"
#include "kernels/vulkan/gpu.h"

namespace perdix {
struct CodecRow;
}

namespace perdix::bench {

// kNoWork: no captured frame has work for the kernel that changes a sample.
enum class GateResult { kNoWork, kExact, kWrong, kNothingWritten, kDidNotRun };
const char* GateName(GateResult result);

// M1 to M3. Only what is exact has times.
struct KernelReport {
  KernelId kernel = {};
  Variant variant = {};
  // Vulkan: the pictures lie where the CPU reaches them too.
  bool shared_memory = false;
  GateResult gate = GateResult::kNoWork;
  std::string reason;        // why it is not exact
  uint64_t nanoseconds = 0;  // on one CPU thread, or on the GPU
  uint64_t wall = 0;         // Vulkan: from before the submit to after the wait
  uint64_t spread = 0;       // of nanoseconds: the distance of the quartiles

  bool exact() const { return gate == GateResult::kExact; }
};

// M4: rates in stages (of whole frames) per second.
struct OverlapReport {
  KernelId kernel = {};  // of the CPU
  KernelId gpu_kernel = {};
  Variant cpu_variant = {};
  int threads = 0;
  double cpu_alone = 0;
  double cpu_beside = 0;  // the GPU
  double gpu_alone = 0;
  double gpu_beside = 0;  // the CPU
};

// The clip decoded through the engine.
struct RecipeReport {
  std::string label;
  Recipe recipe;
  bool exact = false;  // every frame, and the GPU has done its part
  std::string reason;  // why not
  double fps = 0;
  double fps_spread = 0;   // the distance of the quartiles
  double cpu_seconds = 0;  // of a frame
};

struct ClipReport {
  const CodecRow* codec = nullptr;
  std::string file;
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint64_t> frames;  // captured, in decoding order from 0
  std::vector<KernelReport> kernels;
  std::vector<OverlapReport> overlaps;
  std::vector<RecipeReport> recipes;
};

struct Report {
  MachineKey machine;
  int threads = 0;
  std::vector<ClipReport> clips;
  std::optional<vulkan::GpuOverheads> overheads;  // M5
  std::string calibrated;                         // the recipe; empty: none
};

// The fastest CPU variant that is exact; null: none.
const KernelReport* FastestOnCpu(const std::vector<KernelReport>& kernels,
                                 KernelId kernel);

// R = M2 / M3: of a Vulkan row, against the fastest exact CPU variant; nothing
// where one of the two was not timed.
std::optional<double> Ratio(const ClipReport& clip, const KernelReport& row);

std::string ToTable(const Report& report);
std::string ToJson(const Report& report);
std::string ToSvg(const Report& report);

}  // namespace perdix::bench

#endif  // PERDIX_TOOLS_BENCH_REPORT_H_
