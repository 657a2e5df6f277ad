// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/in_process.h"

#include <hwy/targets.h>
#include <sysexits.h>

#include <cerrno>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "client/inprocess/engine_backend.h"
#include "engine/engine.h"
#include "engine/recipe.h"
#include "engine/recipe_store.h"
#include "tools/decode/decode_files.h"
#include "tools/decode/quality.h"

namespace perdix::client {
namespace {

void PrintStageTimes(const Engine& engine) {
  constexpr double kNanosecondsPerMillisecond = 1e6;
  std::fprintf(stderr, "%-24s %-8s %12s %8s %10s\n", "stage", "variant", "ms",
               "steps", "dispatches");
  for (const StageTime& time : engine.StageTimes()) {
    if (time.nanoseconds == 0) continue;  // the other codecs' too
    std::fprintf(stderr, "%-24s %-8s %12.3f", time.stage.c_str(),
                 time.variant.c_str(),
                 double(time.nanoseconds) / kNanosecondsPerMillisecond);
    if (time.dispatches != 0) {
      std::fprintf(stderr, " %8" PRIu64 " %10" PRIu64, time.steps,
                   time.dispatches);
    }
    std::fputc('\n', stderr);
  }
  std::fprintf(stderr, "%s\n", ToString(engine.counters()).c_str());
}

// What --trace makes of an exit code.
int WriteTrace(const Trace& trace, const std::string& path, std::ofstream& file,
               int exit_code) {
  if (file << trace.ToJson() << std::flush) return exit_code;
  PrintError(path + ": " + std::strerror(errno));
  return EX_IOERR;
}

// What --validate makes of an exit code.
int CheckValidation(Engine& engine, int exit_code) {
  if (engine.gpu() == nullptr) {
    PrintError("--validate: there is no GPU to validate");
    return EX_UNAVAILABLE;
  }
  const uint64_t messages = engine.gpu()->validation_messages();
  if (messages == 0) return exit_code;
  PrintError("--validate: " + std::to_string(messages) +
             " messages of the validation layer");
  return EX_SOFTWARE;
}

}  // namespace

int DecodeInProcess(const Options& options) {
  if (options.baseline) hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.shuffle_seed = options.shuffle_seed;
  engine_options.measure = options.stats;
  Status status = Recipe::Parse(options.recipe, &engine_options.recipe);
  if (!status.ok()) {
    PrintError(status.message());
    return EX_USAGE;
  }
  engine_options.wait_for_gpu = options.wait_for_gpu || options.validate;
  engine_options.gpu.device = options.gpu;
  engine_options.gpu.cache_file = options.gpu_cache;
  engine_options.gpu.validate = options.validate;
  engine_options.gpu.test_hooks.lose_at_submit = options.lose_at_submit;
  engine_options.self_check = options.self_check;
  engine_options.notice = PrintError;
  if (options.recipe == "auto") {
    std::string not_stored;  // nothing to say: most machines have none
    engine_options.recipe = AutoRecipe(options.recipes, engine_options.gpu,
                                       options.gpu_aim, &not_stored);
  }
  std::ofstream trace_file;
  if (!options.trace.empty()) {
    trace_file.open(options.trace, std::ios::binary);
    if (!trace_file) {
      PrintError(options.trace + ": " + std::strerror(errno));
      return EX_CANTCREAT;
    }
  }
  std::optional<Trace> trace;
  Engine engine(engine_options);
  if (trace_file.is_open()) {
    status = engine.StartTrace(kMaxTraceFrames,
                               [&](Trace made) { trace = std::move(made); });
  }
  const auto open = [&](const ClientCodec& codec,
                        std::unique_ptr<Backend>* backend) {
    auto made = std::make_unique<EngineBackend>(engine, codec, !options.null);
    if (options.upper_bits) made->UseUpperBits();
    if (options.ignore_damage) made->IgnoreDamage();
    // The GPU alone looks at them.
    if (options.metrics.wanted()) made->LeaveInGpu();
    *backend = std::move(made);
    return EX_OK;
  };
  int exit_code = options.metrics.wanted()
                      ? MeasureQuality(options, open, engine.gpu())
                      : DecodeFiles(options, open);
  engine.EndTrace();
  if (trace) {
    exit_code = WriteTrace(*trace, options.trace, trace_file, exit_code);
  }
  if (options.stats) PrintStageTimes(engine);
  return options.validate ? CheckValidation(engine, exit_code) : exit_code;
}

}  // namespace perdix::client
