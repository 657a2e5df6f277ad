// SPDX-License-Identifier: BSD-2-Clause
// perdix-bench: what each variant of each kernel costs on this machine, and
// with --calibrate the recipe that decodes whole frames fastest, or frees the
// CPU.
#include <sched.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "engine/recipe_store.h"
#include "kernels/text.h"
#include "tools/bench/bench.h"
#include "tools/console.h"

namespace perdix::bench {
namespace {

constexpr const char* kProgram = "perdix-bench";
constexpr int kBadFile = 2;
constexpr int kLowestPriority = 19;

// A clip of each codec: the installation's, else the source's.
std::vector<std::string> DefaultClips() {
  if (access(PERDIX_INSTALLED_CLIPS "/demo.webm", R_OK) == 0) {
    return {PERDIX_INSTALLED_CLIPS "/demo.webm",
            PERDIX_INSTALLED_CLIPS "/demo_av1.ivf"};
  }
  return {PERDIX_SOURCE_CLIPS "/demo.webm",
          PERDIX_SOURCE_CLIPS "/av1/svt_480x200.ivf"};
}

struct Options {
  BenchOptions bench;
  std::string json;
  std::string svg;
  std::string output = kDefaultRecipeStore;
  bool list = false;
  bool background = false;
  bool progress = false;
};

void Describe(CLI::App& app, Options& options) {
  BenchOptions& bench = options.bench;
  app.set_version_flag("--version", "perdix-bench " PERDIX_VERSION);
  app.add_option("FILE", bench.files,
                 "VP9 or AV1 files; without any, one of ours for each codec")
      ->check(NotEmpty);
  app.add_flag("--list", options.list, "list the Vulkan devices and end");
  app.add_option("--gpu", bench.gpu.device,
                 "part of the name of the Vulkan device to use, or its "
                 "render node");
  app.add_option("--gpu-cache", bench.gpu.cache_file,
                 "where compiled shaders are kept; else nowhere");
  const auto kernel = app.add_option("--kernel", bench.kernel,
                                     "only this kernel, and no whole frames")
                          ->check(NotEmpty);
  app.add_option("--frames", bench.frames, "frames to take from each file (8)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--threads", bench.threads,
                 "threads of M4 and of whole frames; 0: one for each CPU")
      ->check(CLI::Range(0, 1024));
  app.add_flag("--quick", bench.quick, "few repeats: to see that it works");
  app.add_option("--json", options.json, "write the report here; - is stdout")
      ->check(NotEmpty);
  app.add_option("--svg", options.svg, "draw the report here")->check(NotEmpty);
  const auto calibrate = app.add_flag(
      "--calibrate", bench.calibrate,
      "store the recipe that decodes whole frames fastest, which auto then is");
  calibrate->excludes(kernel);
  app.add_option("--aim", bench.aim,
                 "which recipe is the best: speed, the most frames a second; "
                 "cpu, the least CPU time of those that video plays with")
      ->transform(CLI::CheckedTransformer(GpuAims()))
      ->default_str("speed");
  app.add_option("--output", options.output, "where --calibrate stores it")
      ->needs(calibrate)
      ->check(NotEmpty)
      ->capture_default_str();
  app.add_flag("--background", options.background,
               "only use what time nobody else wants");
  app.add_flag("--progress", options.progress,
               "lines on stdout for a program: progress FRACTION STEP");
}

// One line of a terminal that is written again and again, or lines that
// perdixd reads.
class Progress {
 public:
  explicit Progress(bool lines) : lines_(lines) {}
  ~Progress() { Clear(); }
  void Show(double fraction, const std::string& text) {
    const std::string step = Printable(text);
    if (lines_) {
      std::printf("progress %.3f %s\n", fraction, step.c_str());
      std::fflush(stdout);
    }
    if (!terminal_) return;
    std::fprintf(stderr, "\r\033[K%s", step.c_str());
    shown_ = true;
  }
  void Clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
  }

 private:
  const bool lines_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

int List(const vulkan::GpuOptions& gpu) {
  for (const vulkan::GpuDescription& found : vulkan::Gpu::List(gpu)) {
    std::string line = ToString(found);
    if (!found.usable.ok()) {
      line += ": cannot be used: " + found.usable.message();
    }
    std::puts(Printable(line).c_str());
  }
  return EX_OK;
}

void GoToBackground() {
  const sched_param no_priority = {};
  sched_setscheduler(0, SCHED_IDLE, &no_priority);
  setpriority(PRIO_PROCESS, 0, kLowestPriority);
}

bool WriteFile(const std::string& path, const std::string& text) {
  if (path == "-") return std::fputs(text.c_str(), stdout) >= 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) PrintError(kProgram, path + ": cannot be written");
  return bool(file);
}

int Store(const Options& options, const Report& report) {
  Recipe recipe;
  Status status = Recipe::Parse(report.calibrated, &recipe);
  if (report.calibrated.empty()) {
    status = {StatusCode::kUnsupported, "no recipe decodes these files"};
  }
  if (status.ok()) {
    status = StoreRecipe(options.output, report.machine, recipe);
  }
  if (status.ok()) return EX_OK;
  PrintError(kProgram, status.message());
  return EX_CANTCREAT;
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Measures the kernels of perdix on this machine.",
               "perdix-bench");
  Describe(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EX_OK : EX_USAGE;
  }
  BenchOptions& bench = options.bench;
  if (options.list) return List(bench.gpu);
  if (options.background) GoToBackground();
  if (bench.files.empty()) bench.files = DefaultClips();
  Status status = CheckOutputs({{"--json", options.json},
                                {"--svg", options.svg},
                                {"--output", options.output},
                                {"--gpu-cache", bench.gpu.cache_file},
                                {"the standard output", "-"}},
                               bench.files);
  if (!status.ok()) {
    PrintError(kProgram, status.message());
    return EX_USAGE;
  }

  Recipe known;
  const std::string only =
      bench.kernel.empty() ? "auto" : bench.kernel + "=scalar";
  status = Recipe::Parse(only, &known);
  if (!status.ok()) {
    PrintError(kProgram, status.message());
    return EX_USAGE;
  }
  Progress progress(options.progress);
  bench.progress = [&](double fraction, const std::string& step) {
    progress.Show(fraction, step);
  };
  bench.notice = [&](const std::string& text) {
    progress.Clear();
    PrintError(kProgram, text);
  };
  Report report;
  status = RunBench(bench, &report);
  progress.Clear();
  if (!status.ok()) {
    PrintError(kProgram, status.message());
    return kBadFile;
  }
  if (options.json != "-") {
    std::fputs(PrintableLines(ToTable(report)).c_str(), stdout);
  }
  bool written =
      options.json.empty() || WriteFile(options.json, ToJson(report));
  written &= options.svg.empty() || WriteFile(options.svg, ToSvg(report));
  if (!written) return EX_CANTCREAT;
  return bench.calibrate ? Store(options, report) : EX_OK;
}

}  // namespace
}  // namespace perdix::bench

int main(int argc, char** argv) {
  using perdix::bench::kProgram;
  perdix::OpenStandardStreams();
  int exit_code = EX_OSERR;
  try {
    exit_code = perdix::bench::Main(argc, argv);
  } catch (const std::exception& error) {  // no memory, no threads
    perdix::PrintError(kProgram, error.what());
  }
  return perdix::CloseStdout(kProgram, exit_code);
}
