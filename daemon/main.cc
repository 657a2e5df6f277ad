// SPDX-License-Identifier: BSD-2-Clause
// perdixd: decodes what the clients of perdix.ko send.
#include <signal.h>
#include <sysexits.h>

#include <exception>
#include <string>

#include "codec/decoder.h"
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
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);  // stderr may end before we do
}

std::string Motion(const perdix::EngineCounters& counters) {
  if (counters.motion_frames == 0) return "";
  return "; motion " +
         std::to_string(counters.motion_sum / counters.motion_frames) +
         " a frame";
}

std::string Totals(const perdix::EngineCounters& counters) {
  return "frames on the GPU " + std::to_string(counters.gpu_frames) +
         ", on the CPU " + std::to_string(counters.cpu_frames) +
         ", done again " + std::to_string(counters.redone_frames) +
         "; buffers imported " + std::to_string(counters.gpu_imports) +
         ", refused " + std::to_string(counters.gpu_refused) +
         "; self-checks " + std::to_string(counters.self_checks) + ", failed " +
         std::to_string(counters.self_check_failures) + Motion(counters);
}

int Run(const perdix::Config& config, const perdix::Log& log) {
  try {
    BlockSignals();
    perdix::EngineOptions options = config.engine;
    options.notice = [&log](const std::string& text) {
      log.Write(LOG_WARNING, text);
    };
    perdix::Engine engine(options);
    log.Write(LOG_INFO, "perdixd " PERDIX_VERSION ", " +
                            std::to_string(engine.threads()) +
                            " threads, recipe " + engine.recipe().ToString());
    if (engine.gpu() != nullptr)
      log.Write(LOG_INFO,
                "GPU " + engine.gpu()->name() + ", " + engine.gpu()->driver());
    const int exit_code = perdix::Service(config.device, engine, log).Run();
    log.Write(LOG_INFO, Totals(engine.counters()));
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
