// SPDX-License-Identifier: BSD-2-Clause
#include "tools/bench/kernel_times.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <utility>

#include "codec/codec.h"
#include "tools/bench/stage_runner.h"

namespace perdix::bench {
namespace {

// Whether the kernel is of a codec that some frame is of.
bool IsUsed(KernelId kernel, const std::vector<CapturedFrame>& frames) {
  return std::ranges::any_of(frames, [&](const CapturedFrame& frame) {
    return AnyKernel(*frame.codec,
                     [kernel](KernelId id) { return id == kernel; });
  });
}

std::vector<Candidate> Candidates(const std::vector<CapturedFrame>& frames,
                                  const KernelTimesOptions& options) {
  std::vector<Candidate> candidates;
  const auto table = KernelTable();
  for (size_t i = 0; i < table.size(); ++i) {
    if (!options.kernel.empty() && options.kernel != table[i].key) continue;
    if (!IsUsed(KernelId(i), frames)) continue;
    for (const Variant variant : {Variant::kScalar, Variant::kSimd}) {
      if (table[i].cpu[size_t(variant)][0] == nullptr) continue;
      candidates.push_back({KernelId(i), variant, false});
    }
    if (options.gpu == nullptr || !table[i].HasShader()) continue;
    candidates.push_back({KernelId(i), Variant::kVulkan, false});
    candidates.push_back({KernelId(i), Variant::kVulkan, true});
  }
  return candidates;
}

// The stage of that kernel; null: the frame has no work for it that a recipe
// could place.
const PlannedStage* FindStage(const CapturedFrame& frame, KernelId kernel,
                              uint32_t* index) {
  for (uint32_t i = 0; i < frame.plan.stage_count; ++i) {
    const PlannedStage& stage = frame.plan.stages[i];
    if (stage.kernel != kernel || !frame.HasWork(stage)) continue;
    if (frame.StaysOnCpu(stage)) continue;
    *index = i;
    return &stage;
  }
  return nullptr;
}

// Everything that is known of a candidate so far.
struct Row {
  Candidate candidate;
  KernelReport report;
};

void Reject(Row& row, GateResult gate, std::string reason) {
  row.report.gate = gate;
  row.report.reason = std::move(reason);
}

// What MeasureKernels does to a row with each frame.
using Step = void (*)(const CapturedFrame& frame, const FrameStates& states,
                      uint32_t stage, const KernelTimesOptions& options,
                      Row& row, StageRunner& runner);

void Check(const CapturedFrame& frame, const FrameStates& states,
           uint32_t stage, const KernelTimesOptions& /*options*/, Row& row,
           StageRunner& runner) {
  const KernelId kernel = row.candidate.kernel;
  const FrameState& before = states[stage];
  const FrameState& after = states[stage + 1];
  // Who writes nothing would pass too: such a frame proves nothing.
  if (SameDecodedArea(frame.WrittenBy(kernel), before.WrittenBy(kernel),
                      after.WrittenBy(kernel))) {
    return;
  }
  row.report.gate =
      CheckStage(frame, kernel, runner, before, after, &row.report.reason);
}

void Time(const CapturedFrame& /*frame*/, const FrameStates& states,
          uint32_t stage, const KernelTimesOptions& options, Row& row,
          StageRunner& runner) {
  if (!row.report.exact()) return;
  StageTimes times;
  const Status status =
      TimeStage(runner, states[stage], options.effort.repeats, &times);
  if (!status.ok()) Reject(row, GateResult::kDidNotRun, status.message());
  row.report.nanoseconds += times.nanoseconds;
  row.report.wall += times.wall;
  row.report.spread += times.spread;
}

void ForEachFrame(const std::vector<CapturedFrame>& frames,
                  const KernelTimesOptions& options, const char* what,
                  Step step, std::vector<Row>& rows) {
  for (const CapturedFrame& frame : frames) {
    if (options.progress) {
      options.progress(what + std::to_string(frame.number));
    }
    const FrameStates states = ScalarStates(frame);
    for (Row& row : rows) {
      // One that failed on an earlier frame is not tried again.
      const bool failed =
          row.report.gate != GateResult::kNoWork && !row.report.exact();
      uint32_t index = 0;
      const PlannedStage* const stage =
          FindStage(frame, row.candidate.kernel, &index);
      if (failed || stage == nullptr) continue;
      std::unique_ptr<StageRunner> runner;
      const Status status =
          StageRunner::Make(frame, *stage, row.candidate, options.gpu, &runner);
      if (status.ok()) {
        step(frame, states, index, options, row, *runner);
      } else {
        Reject(row, GateResult::kDidNotRun, status.message());
      }
    }
  }
}

// The most records for the kernel; null: no frame has work for it.
const CapturedFrame* Busiest(const std::vector<CapturedFrame>& frames,
                             KernelId kernel) {
  const CapturedFrame* busiest = nullptr;
  size_t most = 0;
  for (const CapturedFrame& frame : frames) {
    uint32_t index = 0;
    const PlannedStage* const stage = FindStage(frame, kernel, &index);
    if (stage == nullptr) continue;
    size_t records = 1;
    for (const CapturedTile& tile : frame.tiles) {
      const KernelRow& row = RowOf(kernel);
      if (row.ReadsList()) records += tile.records[row.list].size();
    }
    if (records > most) busiest = &frame;
    most = std::max(most, records);
  }
  return busiest;
}

// Runs of the stage in a second of running it.
class Runs {
 public:
  void Repeat(StageRunner& runner, const FrameState& before,
              const std::atomic<bool>& stop) {
    do {  // once at least: a busy machine may begin late
      StageTimes times;
      if (!runner.Fill(before).ok() || !runner.Run(&times).ok()) return;
      ++count_;
      nanoseconds_ += times.wall;
    } while (!stop);
  }
  double rate() const {
    return nanoseconds_ == 0 ? 0 : double(count_) * 1e9 / double(nanoseconds_);
  }

 private:
  uint64_t count_ = 0;
  uint64_t nanoseconds_ = 0;
};

struct Rates {
  double cpu = 0;
  double gpu = 0;
};

// A stage of a frame, to be run again and again.
struct Side {
  const CapturedFrame& frame;
  const PlannedStage& stage;
  FrameState before;
};

Side SideOf(const CapturedFrame& frame, KernelId kernel) {
  uint32_t index = 0;
  const PlannedStage& stage = *FindStage(frame, kernel, &index);
  return {frame, stage, ScalarStates(frame)[index]};
}

// Both sides at once, each as often as it can. gpu: null: the CPU alone.
Rates MeasureRates(std::span<const std::unique_ptr<StageRunner>> cpu,
                   const Side& cpu_side, StageRunner* gpu, const Side& gpu_side,
                   std::chrono::milliseconds duration) {
  std::atomic<bool> stop = false;
  std::vector<Runs> runs(cpu.size() + 1);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < cpu.size(); ++i) {
    threads.emplace_back(
        [&, i] { runs[i].Repeat(*cpu[i], cpu_side.before, stop); });
  }
  if (gpu != nullptr) {
    threads.emplace_back(
        [&] { runs.back().Repeat(*gpu, gpu_side.before, stop); });
  }
  std::this_thread::sleep_for(duration);
  stop = true;
  for (std::thread& thread : threads) thread.join();
  Rates rates;
  for (size_t i = 0; i < cpu.size(); ++i) rates.cpu += runs[i].rate();
  rates.gpu = runs.back().rate();
  return rates;
}

// M4 of two kernels: appends a row for n - 1 threads, which leave one to the
// GPU, and if both are the same kernel one for n.
Status MeasureOverlap(const Candidate& cpu, const Side& cpu_side,
                      KernelId gpu_kernel, const Side& gpu_side,
                      const KernelTimesOptions& options,
                      std::vector<OverlapReport>* reports) {
  std::unique_ptr<StageRunner> gpu;
  Status status = StageRunner::Make(gpu_side.frame, gpu_side.stage,
                                    {gpu_kernel, Variant::kVulkan, false},
                                    options.gpu, &gpu);
  if (!status.ok()) return status;
  std::vector<std::unique_ptr<StageRunner>> runners(
      size_t(options.effort.threads));
  for (auto& runner : runners) {
    status = StageRunner::Make(cpu_side.frame, cpu_side.stage, cpu, nullptr,
                               &runner);
    if (!status.ok()) return status;
  }
  const auto duration = options.effort.overlap;
  const Rates gpu_alone =
      MeasureRates({}, cpu_side, gpu.get(), gpu_side, duration);
  const size_t least = std::max<size_t>(1, runners.size() - 1);
  const size_t most = cpu.kernel == gpu_kernel ? runners.size() : least;
  for (size_t threads = least; threads <= most; ++threads) {
    const std::span used(runners.data(), threads);
    const Rates alone =
        MeasureRates(used, cpu_side, nullptr, gpu_side, duration);
    const Rates beside =
        MeasureRates(used, cpu_side, gpu.get(), gpu_side, duration);
    reports->push_back({cpu.kernel, gpu_kernel, cpu.variant, int(threads),
                        alone.cpu, beside.cpu, gpu_alone.gpu, beside.gpu});
  }
  return Status::Ok();
}

// The stage with the most work of each kernel with an exact variant on the CPU.
std::map<KernelId, Side> SidesOf(const std::vector<CapturedFrame>& frames,
                                 const std::vector<KernelReport>& kernels) {
  std::map<KernelId, Side> sides;
  for (const KernelReport& row : kernels) {
    if (sides.contains(row.kernel) ||
        FastestOnCpu(kernels, row.kernel) == nullptr) {
      continue;
    }
    const CapturedFrame* const frame = Busiest(frames, row.kernel);
    if (frame != nullptr) {
      sides.emplace(row.kernel, SideOf(*frame, row.kernel));
    }
  }
  return sides;
}

}  // namespace

std::vector<KernelReport> MeasureKernels(
    const std::vector<CapturedFrame>& frames,
    const KernelTimesOptions& options) {
  std::vector<Row> rows;
  for (const Candidate& candidate : Candidates(frames, options)) {
    Row row = {candidate, {}};
    row.report.kernel = candidate.kernel;
    row.report.variant = candidate.variant;
    row.report.shared_memory = candidate.shared_memory;
    rows.push_back(row);
  }
  // Every frame is checked before anything is timed.
  ForEachFrame(frames, options, "M1: checking kernels, frame ", Check, rows);
  ForEachFrame(frames, options, "M2, M3: timing kernels, frame ", Time, rows);
  std::vector<KernelReport> reports;
  for (Row& row : rows) {
    // A frame without work for the stage takes no time.
    row.report.nanoseconds /= frames.size();
    row.report.wall /= frames.size();
    row.report.spread /= frames.size();
    if (!row.report.exact()) {
      row.report.nanoseconds = row.report.wall = row.report.spread = 0;
    }
    reports.push_back(row.report);
  }
  return reports;
}

std::vector<OverlapReport> MeasureOverlaps(
    const std::vector<CapturedFrame>& frames,
    const std::vector<KernelReport>& kernels,
    const KernelTimesOptions& options) {
  std::vector<OverlapReport> reports;
  if (options.gpu == nullptr) return reports;
  const std::map<KernelId, Side> sides = SidesOf(frames, kernels);
  for (const KernelReport& gpu : kernels) {
    const auto gpu_side = sides.find(gpu.kernel);
    if (gpu.variant != Variant::kVulkan || gpu.shared_memory || !gpu.exact() ||
        gpu_side == sides.end()) {
      continue;
    }
    if (options.progress) {
      options.progress(std::string("M4: CPU beside GPU, ") +
                       RowOf(gpu.kernel).key);
    }
    for (const auto& [kernel, side] : sides) {
      const Variant variant = FastestOnCpu(kernels, kernel)->variant;
      // The GPU was lost: there is nothing more to measure with it.
      if (!MeasureOverlap({kernel, variant, false}, side, gpu.kernel,
                          gpu_side->second, options, &reports)
               .ok()) {
        return reports;
      }
    }
  }
  return reports;
}

}  // namespace perdix::bench
