// SPDX-License-Identifier: BSD-2-Clause
// perdixd: decodes what the clients of perdix.ko send.
#include <signal.h>
#include <sysexits.h>

#include <exception>
#include <optional>
#include <string>

#include "daemon/calibration.h"
#include "daemon/config.h"
#include "daemon/control.h"
#include "daemon/dbus_service.h"
#include "daemon/log.h"
#include "daemon/metrics.h"
#include "daemon/recipe_setter.h"
#include "daemon/service.h"
#include "engine/engine.h"
#include "engine/recipe_store.h"

namespace {

// For the event loop; before the first thread, which inherits it.
void BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);  // stderr may end before we do
}

// The value of the D-Bus property RecipeSource.
const char* RecipeSource(const perdix::Config& config,
                         const std::string& not_stored) {
  if (!config.auto_recipe) return "configured";
  return not_stored.empty() ? "stored" : "default";
}

int Run(const perdix::Config& config, perdix::Log& log) {
  try {
    BlockSignals();
    perdix::EngineOptions options = config.engine;
    options.notice = [&log](const std::string& text) {
      log.Write(LOG_WARNING, text);
    };
    options.gpu.compiled = [&log](const std::string& frames) {
      log.Write(LOG_INFO, "GPU ready for " + frames);
    };
    options.measure = true;
    std::string not_stored;
    if (config.auto_recipe) {
      options.recipe = perdix::AutoRecipe(config.recipes, options.gpu,
                                          config.gpu_aim, &not_stored);
    }
    perdix::Engine engine(options);
    log.Write(LOG_INFO, "perdixd " PERDIX_VERSION ", " +
                            std::to_string(engine.threads()) +
                            " threads, recipe " + engine.recipe().ToString());
    if (engine.gpu() != nullptr)
      log.Write(LOG_INFO,
                "GPU " + perdix::vulkan::ToString(engine.gpu()->identity()));
    perdix::Statistics statistics;
    statistics.set_watch(config.watch);
    perdix::Service service(config, engine, log, statistics);
    perdix::RecipeSetter recipes(config, engine, service.calls());
    perdix::Calibration calibration(config, recipes, log, service.loop());
    perdix::Control control(
        {.engine = engine,
         .log = log,
         .statistics = statistics,
         .calibration = calibration,
         .recipes = recipes,
         .node = [&service] { return service.node(); },
         .recipe_source = RecipeSource(config, not_stored)});
    service.set_changed([&control] { control.Changed(); });
    service.set_gpu_node_changed(
        [&control](const std::string& path, bool added) {
          if (added)
            control.GpuNodeAdded(path);
          else
            control.GpuNodeRemoved(path);
        });
    std::optional<perdix::DbusService> dbus;
    if (config.dbus) dbus.emplace(control, service.calls(), log);
    std::optional<perdix::MetricsFile> metrics;
    if (!config.metrics.empty())
      metrics.emplace(config.metrics, control, service.calls(), log);
    if (!not_stored.empty()) {
      log.Write(LOG_INFO, "no stored recipe: " + not_stored);
      if (config.calibrate) calibration.Start();
    }
    const int exit_code = service.Run();
    log.Write(LOG_INFO, ToString(engine.counters()));
    return exit_code;
  } catch (const std::exception& error) {
    log.Write(LOG_ERR, error.what());
    return EX_OSERR;
  }
}

}  // namespace

int main(int argc, char** argv) {
  perdix::Config config;
  if (const auto exit_code = perdix::ReadConfig(argc, argv, &config))
    return *exit_code;
  const auto sink =
      config.foreground ? perdix::LogSink::kStderr : perdix::LogSink::kJournal;
  perdix::Log log(sink, config.log_priority);
  return Run(config, log);
}
