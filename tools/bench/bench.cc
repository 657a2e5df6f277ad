// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/bench.h"

#include <algorithm>
#include <span>
#include <utility>

#include "codec/codec.h"
#include "engine/engine.h"
#include "tools/bench/kernel_times.h"
#include "tools/bench/placement.h"
#include "tools/bench/whole_frames.h"
#include "tools/bench/workload.h"

namespace perdix::bench {
namespace {

constexpr size_t kEstimatesToVerify = 3;

// Where the time goes, about: the phases' ends as fractions of it all.
constexpr double kGpuOpened = 0.1;
constexpr double kKernelsMeasured = 0.4;

using StepFunction = std::function<void(const std::string&)>;

void Say(const StepFunction& to, const std::string& text) {
  if (to) to(text);
}

// Tells of each of the phase's steps how far it is between begin and end, if
// there are so many steps. Needs options for as long as it is used.
StepFunction Phase(const BenchOptions& options, double begin, double end,
                   size_t steps) {
  if (!options.progress) return nullptr;
  return [&options, begin, end, steps,
          step = size_t{0}](const std::string& text) mutable {
    const double done = double(std::min(step++, steps)) / double(steps);
    options.progress(begin + (end - begin) * done, text);
  };
}

Effort EffortOf(const BenchOptions& options, int threads) {
  Effort effort;
  effort.threads = threads;
  if (options.quick) {
    effort.repeats = 3;
    effort.overlap = std::chrono::milliseconds(50);
  }
  return effort;
}

// M1 to M4 of one file.
Status MeasureClip(const std::string& file, const BenchOptions& options,
                   const KernelTimesOptions& kernels, ClipReport* clip) {
  Say(kernels.progress, "decoding " + file);
  std::vector<CapturedFrame> frames;
  Status status = CaptureFrames(file, options.frames, &frames);
  if (!status.ok()) return {status.code(), file + ": " + status.message()};
  clip->codec = frames[0].codec;
  clip->file = file;
  clip->width = frames[0].params.width;
  clip->height = frames[0].params.height;
  for (const CapturedFrame& frame : frames) {
    clip->frames.push_back(frame.number);
  }
  clip->kernels = MeasureKernels(frames, kernels);
  if (!options.calibrate) {
    clip->overlaps = MeasureOverlaps(frames, clip->kernels, kernels);
  }
  return Status::Ok();
}

// The kernels' times of clips of one codec together.
std::vector<KernelReport> Together(std::span<const ClipReport> clips) {
  std::vector<KernelReport> sum = clips[0].kernels;
  for (size_t c = 1; c < clips.size(); ++c) {
    for (size_t i = 0; i < sum.size(); ++i) {
      const KernelReport& row = clips[c].kernels[i];
      if (row.gate == GateResult::kNoWork) continue;
      // What is wrong once is wrong.
      if (sum[i].gate == GateResult::kNoWork || !row.exact()) {
        sum[i].gate = row.gate;
      }
      sum[i].nanoseconds += row.nanoseconds;
    }
  }
  return sum;
}

// The clips of one codec: one recipe is for all of them, whatever it says of
// other codecs' kernels.
struct CodecClips {
  std::span<ClipReport> clips;
  std::vector<Placement> placements;
};

// Brings clips of one codec together.
std::vector<CodecClips> ByCodec(std::vector<ClipReport>& clips,
                                const CrossingCosts& costs) {
  std::ranges::stable_sort(
      clips, {}, [](const ClipReport& clip) { return clip.codec->id; });
  std::vector<CodecClips> all;
  for (auto begin = clips.begin(); begin != clips.end();) {
    const auto end = std::find_if(begin, clips.end(), [&](const auto& clip) {
      return clip.codec != begin->codec;
    });
    all.push_back({{begin, end}, {}});
    all.back().placements =
        SensiblePlacements(Together({begin, end}), costs, kEstimatesToVerify);
    begin = end;
  }
  return all;
}

// What the recipe says of the codec's kernels.
std::string PartFor(const CodecRow& codec, const Recipe& recipe) {
  std::string text;
  for (const KernelRow& row : KernelTable()) {
    const KernelId kernel = KernelId(&row - KernelTable().data());
    if (!AnyKernel(codec, [kernel](KernelId id) { return id == kernel; }))
      continue;
    text +=
        std::string(row.key) + "=" + VariantName(recipe.variant(kernel)) + ",";
  }
  return text;
}

Status MeasureWholeFrames(Engine& engine, const BenchOptions& options,
                          Report* report) {
  CrossingCosts costs;
  costs.threads = report->threads;
  costs.aim = options.aim;
  if (report->overheads) costs.submit = report->overheads->empty_submit;
  const int repeats = options.quick ? 1 : 5;
  const std::vector<CodecClips> codecs = ByCodec(report->clips, costs);
  size_t steps = 0;
  for (const CodecClips& codec : codecs) {
    steps += codec.clips.size() * codec.placements.size() * size_t(1 + repeats);
  }
  const WholeFramesOptions whole = {repeats,
                                    Phase(options, kKernelsMeasured, 1, steps)};
  std::string calibrated;
  for (const CodecClips& codec : codecs) {
    for (ClipReport& clip : codec.clips) {
      const Status status = MeasureRecipes(engine, clip.file, codec.placements,
                                           whole, &clip.recipes);
      if (!status.ok()) {
        return {status.code(), clip.file + ": " + status.message()};
      }
    }
    if (const RecipeReport* best = BestRecipe(codec.clips, options.aim)) {
      calibrated += PartFor(*codec.clips[0].codec, best->recipe);
    }
  }
  Recipe recipe;
  if (!calibrated.empty() && Recipe::Parse(calibrated, &recipe).ok()) {
    report->calibrated = recipe.ToString();
  }
  return Status::Ok();
}

Status MeasureStages(vulkan::Gpu* gpu, const BenchOptions& options,
                     Report* report) {
  // Each captured frame is checked and timed.
  const StepFunction progress =
      Phase(options, kGpuOpened, kKernelsMeasured,
            options.files.size() * size_t(1 + 2 * options.frames));
  if (gpu != nullptr) {
    Say(progress, "M5: overheads");
    vulkan::GpuOverheads overheads;
    const Status status = gpu->MeasureOverheads(&overheads);
    if (status.ok()) report->overheads = overheads;
    if (!status.ok()) Say(options.notice, "M5: " + status.message());
  }
  const KernelTimesOptions kernels = {
      gpu, options.kernel, EffortOf(options, report->threads), progress};
  for (const std::string& file : options.files) {
    ClipReport clip;
    Status status = MeasureClip(file, options, kernels, &clip);
    if (!status.ok()) return status;
    report->clips.push_back(std::move(clip));
  }
  return Status::Ok();
}

}  // namespace

Status RunBench(const BenchOptions& options, Report* report) {
  Report result;
  result.machine = ThisMachine(options.gpu, options.aim);
  // Its GPU serves the stages alone too: shaders take seconds to compile.
  Say(Phase(options, 0, kGpuOpened, 1), "opening the GPU, compiling shaders");
  EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.gpu = options.gpu;
  engine_options.wait_for_gpu = true;
  engine_options.notice = options.notice;
  Status status = Recipe::Parse("vulkan", &engine_options.recipe);
  if (!status.ok()) return status;
  Engine engine(engine_options);
  result.threads = engine.threads();
  status = MeasureStages(engine.gpu(), options, &result);
  if (!status.ok()) return status;
  if (options.kernel.empty()) {
    status = MeasureWholeFrames(engine, options, &result);
  }
  if (status.ok()) *report = std::move(result);
  return status;
}

}  // namespace perdix::bench
