// SPDX-License-Identifier: BSD-2-Clause
// perdixd: decodes what the clients of perdix.ko send.
#include <signal.h>
#include <sysexits.h>

#include <exception>
#include <string>

#include "codec/decoder.h"
#include "codec/recipe_store.h"
#include "daemon/calibration.h"
#include "daemon/config.h"
#include "daemon/log.h"
#include "daemon/service.h"

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

int Run(const perdix::Config& config, const perdix::Log& log) {
  try {
    BlockSignals();
    perdix::EngineOptions options = config.engine;
    options.notice = [&log](const std::string& text) {
      log.Write(LOG_WARNING, text);
    };
    options.gpu.compiled = [&log] { log.Write(LOG_INFO, "GPU ready"); };
    std::string not_stored;
    if (config.auto_recipe) {
      options.recipe =
          perdix::AutoRecipe(config.recipes, options.gpu, &not_stored);
    }
    perdix::Engine engine(options);
    log.Write(LOG_INFO, "perdixd " PERDIX_VERSION ", " +
                            std::to_string(engine.threads()) +
                            " threads, recipe " + engine.recipe().ToString());
    if (engine.gpu() != nullptr)
      log.Write(LOG_INFO,
                "GPU " + engine.gpu()->name() + ", " + engine.gpu()->driver());
    perdix::Service service(config.device, engine, log);
    perdix::Calibration calibration(config.recipes, options, engine, log);
    if (!not_stored.empty()) {
      log.Write(LOG_INFO, "no stored recipe: " + not_stored);
      if (config.calibrate) {
        calibration.Start(service.loop(), config.calibrator.empty()
                                              ? perdix::CalibrationProgram()
                                              : config.calibrator);
      }
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
  return Run(config, perdix::Log(sink, config.log_priority));
}
