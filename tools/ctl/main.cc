// SPDX-License-Identifier: BSD-2-Clause
// perdixctl: looks at perdixd and directs it. The command line, and no more.
#include <langinfo.h>
#include <locale.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <string_view>

#include "kernels/text.h"
#include "tools/console.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/failure.h"

namespace perdix::ctl {
namespace {

constexpr const char* kProgram = "perdixctl";
constexpr double kMaxTraceTimeout = 600;    // seconds, and
constexpr uint32_t kMaxTraceFrames = 1000;  // as the daemon has it

Style ChooseStyle(const std::string& when) {
  setlocale(LC_CTYPE, "");
  Style style;
  style.utf8 = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  const char* const terminal = getenv("TERM");
  const bool able = isatty(STDOUT_FILENO) != 0 &&
                    getenv("NO_COLOR") == nullptr && terminal != nullptr &&
                    std::string_view(terminal) != "dumb";
  style.colour = when == "always" || (when == "auto" && able);
  return style;
}

// Adds the commands; what the user wants to be done ends up in <chosen>.
class CommandLine {
 public:
  explicit CommandLine(CLI::App& app) : app_(app) {
    app.set_version_flag("--version", "perdixctl " PERDIX_VERSION);
    app.add_option("--colour,--color", colour_,
                   "Colours: auto (on a terminal), always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    app.require_subcommand(1);
    app.fallthrough();
    AddLooks();
    AddChanges();
    AddTrace();
    AddInspections();
  }

  int Run() {
    options_.style = ChooseStyle(colour_);
    return chosen_();
  }

 private:
  using Function = int (*)(const Options&);

  CLI::App* Add(CLI::App& parent, const char* name, const char* description,
                Function function) {
    CLI::App* const command = parent.add_subcommand(name, description);
    // A command inside another one is called first, and it is meant.
    command->callback([this, function] {
      if (!chosen_) chosen_ = [=, this] { return function(options_); };
    });
    return command;
  }
  CLI::App* Add(const char* name, const char* description, Function function) {
    return Add(app_, name, description, function);
  }

  void AddJson(CLI::App* command) {
    command->add_flag("--json", options_.json, "Print JSON, for programs");
  }

  void AddLooks() {
    AddJson(Add("status", "Daemon, module, GPU, recipe, sessions and totals",
                ShowStatus));
    AddJson(Add("sessions", "Who decodes what, how fast", ShowSessions));
    AddJson(Add("watch", "What is shown: is it frozen or black?", ShowWatch));
    CLI::App* const checksum = Add(
        "checksum", "One number of all that a session has shown", ShowChecksum);
    AddJson(checksum);
    checksum
        ->add_option("SESSION", options_.session,
                     "Its ID, as perdixctl sessions has it")
        ->required();
    CLI::App* const top =
        Add("top", "Sessions, stages and latencies, live", Top);
    top->add_option("-i,--interval", options_.interval,
                    "Seconds between two looks")
        ->check(CLI::Range(0.1, 60.))
        ->capture_default_str();
    top->add_flag("--once", options_.once,
                  "Print all there is since the statistics' start, and end");
  }

  void AddChanges() {
    CLI::App* const recipe =
        Add("recipe", "Which variant of each kernel runs, and why", ShowRecipe);
    AddJson(recipe);
    CLI::App* const set =
        Add(*recipe, "set", "Use another recipe until the daemon ends",
            ctl::SetRecipe);
    set->add_option("SPEC", options_.recipe,
                    "auto, scalar, simd, vulkan or kernel=variant,... over "
                    "the one in use")
        ->check(NotEmpty)
        ->required();
    AddJson(Add("calibrate",
                "Measure which recipe is the fastest here, store and use it",
                ctl::Calibrate));
    Add("reset", "All counters and latencies from 0",
        [](const Options&) { return Reset(); });
    Add("loglevel", "Change what the daemon logs, until it ends",
        ctl::SetLogLevel)
        ->add_option("LEVEL", options_.level,
                     "error, warning, notice, info or debug")
        ->check(CLI::IsMember({"error", "warning", "notice", "info", "debug"}))
        ->required();
  }

  void AddTrace() {
    CLI::App* const trace =
        Add("trace", "Record frames, stage by stage, for ui.perfetto.dev",
            ctl::Trace);
    AddJson(trace);
    trace->add_option("-o,--output", options_.output, "The file to write")
        ->check(NotEmpty)
        ->required();
    trace->add_option("--frames", options_.frames, "Frames to record")
        ->check(CLI::Range(1u, kMaxTraceFrames))
        ->capture_default_str();
    trace
        ->add_option("--timeout", options_.timeout,
                     "Seconds after which to take what there is")
        ->check(CLI::Range(0.1, kMaxTraceTimeout))
        ->capture_default_str();
  }

  void AddInspections() {
    CLI::App* const bench =
        app_.add_subcommand("bench", "Run perdix-bench with all that follows");
    bench->set_help_flag();
    bench->prefix_command();
    bench->fallthrough(false);
    bench->callback(
        [this, bench] { chosen_ = [=] { return Bench(bench->remaining()); }; });
    CLI::App* const doctor =
        Add("doctor", "Look for what keeps clients from decoding", Doctor);
    AddJson(doctor);
    CLI::App* const report =
        Add("report", "All of it as one page of HTML", Report);
    report->add_option("-o,--output", options_.output, "The file to write")
        ->check(NotEmpty)
        ->required();
    const auto run = report->add_flag("--bench", options_.bench,
                                      "Run perdix-bench, briefly");
    report
        ->add_option("--bench-json", options_.bench_json,
                     "Figures that perdix-bench --json has written")
        ->check(NotEmpty)
        ->excludes(run);
    report
        ->add_option("--bench-svg", options_.bench_svg,
                     "The plot that perdix-bench --svg has written")
        ->check(NotEmpty)
        ->excludes(run);
    for (CLI::App* const command : {doctor, report}) {
      command
          ->add_option("--root", options_.root, "Where to look, in place of /")
          ->group("Testing");
    }
  }

  CLI::App& app_;
  Options options_;
  std::string colour_ = "auto";
  std::function<int()> chosen_;
};

int Main(int argc, char** argv) {
  CLI::App app("Looks at the perdix decoder and directs it.", "perdixctl");
  CommandLine command_line(app);
  // Behind the commands, which would have it too.
  app.footer(
      "perdixctl COMMAND --help says more of each. Exit status: 0, or one of\n"
      "sysexits.h: 64 wrong usage, 69 no daemon, 77 not permitted.\n"
      "All of it: man perdixctl");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EX_OK : EX_USAGE;
  }
  try {
    return command_line.Run();
  } catch (const Failure& failure) {
    PrintError(kProgram, failure.what());
    return failure.exit_code();
  }
}

}  // namespace
}  // namespace perdix::ctl

int main(int argc, char** argv) {
  using perdix::ctl::kProgram;
  perdix::OpenStandardStreams();
  int exit_code = EX_OSERR;
  try {
    exit_code = perdix::ctl::Main(argc, argv);
  } catch (const std::exception& error) {  // no memory, no threads
    perdix::PrintError(kProgram, error.what());
  }
  return perdix::CloseStdout(kProgram, exit_code);
}
