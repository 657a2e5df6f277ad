// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/config.h"

#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "daemon/log.h"
#include "engine/recipe_store.h"
#include "kernels/text.h"

namespace perdix {
namespace {

constexpr const char* kDefaultFile = "/etc/perdix/perdixd.conf";
constexpr const char* kDefaultGpuCache = "/var/cache/perdix/pipelines";
constexpr int kMaxThreads = 256;
constexpr int kMostOfALimit = 1 << 20;
constexpr double kLeastSeconds = 0.1;
constexpr double kMostSeconds = 3600;
constexpr double kMostDifference = 255;
constexpr uint32_t kMostBlack = 254;

struct Texts {
  std::string recipe = "auto";
  std::string log_level = "info";
};

void AddLimits(CLI::App& app, Limits& limits) {
  app.add_option("--sessions", limits.sessions,
                 "Most open files of the node that are served")
      ->check(CLI::Range(1, kMostOfALimit))
      ->capture_default_str();
  app.add_option("--client-sessions", limits.client_sessions,
                 "Of these, most of one process")
      ->check(CLI::Range(1, kMostOfALimit))
      ->capture_default_str();
  app.add_option("--buffers", limits.buffers,
                 "Most buffers of clients that are mapped")
      ->check(CLI::Range(1, kMostOfALimit))
      ->capture_default_str();
  app.add_option("--client-buffers", limits.client_buffers,
                 "Of these, most of one process")
      ->check(CLI::Range(1, kMostOfALimit))
      ->capture_default_str();
  app.add_option("--client-memory", limits.client_memory,
                 "Most mebibytes of buffers of one process that are mapped")
      ->check(CLI::Range(1, kMostOfALimit))
      ->capture_default_str();
}

void AddWatch(CLI::App& app, Config* config) {
  PictureWatchOptions& watch = config->watch;
  app.add_flag("--watch", watch.on,
               "Tell when what a client shows stands still or is black");
  app.add_option("--freeze-seconds", watch.freeze_seconds,
                 "For how long it must stand still")
      ->check(CLI::Range(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
  app.add_option("--freeze-difference", watch.freeze_difference,
                 "The most mean difference of 8-bit luma of what stands still")
      ->check(CLI::Range(0., kMostDifference))
      ->capture_default_str();
  app.add_option("--black-seconds", watch.black_seconds,
                 "For how long it must be black")
      ->check(CLI::Range(kLeastSeconds, kMostSeconds))
      ->capture_default_str();
  app.add_option("--black-level", config->engine.watch.black_level,
                 "The most 8-bit luma of a sample that is dark")
      ->check(CLI::Range(0u, kMostBlack))
      ->capture_default_str();
  app.add_option("--black-ratio", watch.black_ratio,
                 "The least share of dark samples of a picture that is black")
      ->check(CLI::Range(0., 1.))
      ->capture_default_str();
}

void AddOptions(CLI::App& app, Config* config, Texts* texts) {
  app.set_version_flag("--version", "perdixd " PERDIX_VERSION);
  app.set_config("--config", kDefaultFile, "Read options from an INI file");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_flag("--foreground", config->foreground,
               "Log to standard error, not to the journal")
      ->configurable(false);
  app.add_option("--device", config->device, "The module's channel")
      ->check(NotEmpty)
      ->capture_default_str();
  app.add_option("--threads", config->engine.threads,
                 "Decoding threads of all sessions; 0: one for each CPU")
      ->check(CLI::Range(0, kMaxThreads))
      ->capture_default_str();
  app.add_option("--recipe", texts->recipe,
                 "Which variant of each kernel runs: auto, scalar, simd, "
                 "vulkan or kernel=variant,...")
      ->join(',')
      ->check(NotEmpty)
      ->capture_default_str();
  app.add_option("--recipes", config->recipes,
                 "Where the recipes are stored that auto looks for")
      ->check(NotEmpty)
      ->capture_default_str();
  app.add_option("--calibrate", config->calibrate,
                 "Look for the best recipe in the background if auto finds "
                 "none: yes or no")
      ->capture_default_str();
  app.add_option("--calibrator", config->calibrator,
                 "The program that calibrates; empty: our perdix-bench")
      ->configurable(false)
      ->group("Testing");
  app.add_option("--gpu", config->engine.gpu.device,
                 "Part of the name of the Vulkan device, or its render node; "
                 "empty: the best")
      ->join(' ');
  app.add_option("--gpu-aim", config->gpu_aim,
                 "What the GPU is for, when recipes are calibrated: speed, or "
                 "cpu, to free the CPU")
      ->transform(CLI::CheckedTransformer(GpuAims()))
      ->default_str("speed");
  app.add_option("--gpu-cache", config->engine.gpu.cache_file,
                 "Where compiled shaders are kept; empty: nowhere")
      ->capture_default_str();
  app.add_option("--lose-gpu-at", config->engine.gpu.test_hooks.lose_at_submit,
                 "The GPU counts as lost from this submit on")
      ->configurable(false)
      ->group("Testing");
  app.add_flag("--refuse-dma-bufs",
               config->engine.gpu.test_hooks.refuse_dma_bufs,
               "No buffer can be imported into the GPU")
      ->configurable(false)
      ->group("Testing");
  app.add_option(
         "--self-check,--self_check", config->engine.self_check,
         "Compare every Nth frame of the GPU with what the CPU makes of "
         "it; 0: none")
      ->capture_default_str();
  app.add_flag("--motion", config->engine.watch.on,
               "Measure how much shown pictures differ from those before");
  app.add_option("--dbus", config->dbus,
                 "Be org.perdix.Decoder1 on the system bus: yes or no")
      ->capture_default_str();
  app.add_option("--metrics", config->metrics,
                 "A file for Prometheus' node_exporter, written every few "
                 "seconds; empty: none")
      ->capture_default_str();
  AddWatch(app, config);
  app.add_flag("--checksum", config->checksum,
               "Sum what a client shows, for the sessions' method Checksum");
  AddLimits(app, config->limits);
  app.add_option("--log-level", texts->log_level, "Least important message")
      ->check(CLI::IsMember(LogLevels()))
      ->capture_default_str();
}

}  // namespace

std::optional<int> ReadConfig(int argc, const char* const* argv,
                              Config* config) {
  CLI::App app("Decodes for the V4L2 node of perdix.ko", "perdixd");
  Texts texts;
  config->engine.gpu.cache_file = kDefaultGpuCache;
  config->recipes = kDefaultRecipeStore;
  AddOptions(app, config, &texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::FileError& error) {
    app.exit(error);
    return EX_CONFIG;
  } catch (const CLI::ConfigError& error) {
    app.exit(error);
    return EX_CONFIG;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? EX_USAGE : EX_OK;
  }
  if (config->watch.on) config->engine.watch.on = true;
  config->log_priority = LogLevels().at(texts.log_level);
  config->auto_recipe = texts.recipe == "auto";
  const Status status = Recipe::Parse(texts.recipe, &config->engine.recipe);
  if (status.ok()) return std::nullopt;
  std::cerr << "--recipe: " << status.message() << '\n';
  return EX_CONFIG;
}

}  // namespace perdix
