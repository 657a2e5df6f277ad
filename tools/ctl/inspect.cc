// SPDX-License-Identifier: BSD-2-Clause
// The commands that look at the whole machine: doctor and report.
#include <sysexits.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tools/console.h"
#include "tools/ctl/bench_program.h"
#include "tools/ctl/commands.h"
#include "tools/ctl/daemon_client.h"
#include "tools/ctl/doctor.h"
#include "tools/ctl/failure.h"
#include "tools/ctl/report.h"

namespace perdix::ctl {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

DoctorInput LookAround(const Options& options) {
  DoctorInput input;
  input.system = System::ThisMachine();
  input.system.root = options.root;
  input.version = PERDIX_VERSION;
  try {
    input.daemon = DaemonClient().TakeSnapshot();
  } catch (const Failure& failure) {
    input.daemon_error = failure.what();
  }
  return input;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(EX_NOINPUT, path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

json ParseJson(const std::string& path) {
  json value = json::parse(ReadFile(path), nullptr, false);
  if (value.is_discarded())
    throw Failure(EX_DATAERR, path + ": this is not JSON");
  return value;
}

// Files of a run of perdix-bench, for as long as this lives.
class BenchFiles {
 public:
  BenchFiles() {
    std::string path =
        (fs::temp_directory_path() / "perdixctl-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
      throw Failure(EX_CANTCREAT, path + ": cannot be made");
    folder_ = path;
  }
  ~BenchFiles() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  std::string json() const { return folder_ + "/bench.json"; }
  std::string svg() const { return folder_ + "/bench.svg"; }

 private:
  std::string folder_;
};

void Measure(const System& system, ReportInput* report) {
  const BenchFiles files;
  std::fputs("perdixctl: measuring, this takes a minute\n", stderr);
  const auto result = system.run({BenchProgram(), "--quick", "--json",
                                  files.json(), "--svg", files.svg()});
  if (!result || result->exit_code != 0)
    throw Failure(EX_UNAVAILABLE, BenchProgram() + " cannot measure here");
  report->bench = ParseJson(files.json());
  report->bench_svg = ReadFile(files.svg());
}

}  // namespace

int Doctor(const Options& options) {
  const std::vector<Finding> findings = Examine(LookAround(options));
  const std::string text =
      options.json ? DoctorJson(findings).dump(2, ' ', true,
                                               json::error_handler_t::replace) +
                         "\n"
                   : DoctorText(findings, options.style);
  std::fputs(text.c_str(), stdout);
  return AnyFailed(findings) ? EX_UNAVAILABLE : EX_OK;
}

int Report(const Options& options) {
  const Status writable = CheckOutputs({{"-o", options.output}},
                                       {options.bench_json, options.bench_svg});
  if (!writable.ok()) throw Failure(EX_USAGE, writable.message());
  const DoctorInput input = LookAround(options);
  ReportInput report;
  report.version = input.version;
  report.made_usec =
      uint64_t(std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::system_clock::now().time_since_epoch())
                   .count());
  report.machine = DescribeMachine(input.system);
  report.daemon = input.daemon;
  report.findings = Examine(input);
  if (options.bench) Measure(input.system, &report);
  if (!options.bench_json.empty()) report.bench = ParseJson(options.bench_json);
  if (!options.bench_svg.empty())
    report.bench_svg = ReadFile(options.bench_svg);
  const std::string html = ReportHtml(report);
  std::ofstream file(options.output, std::ios::binary);
  file << html;
  file.close();
  if (!file)
    throw Failure(EX_CANTCREAT, options.output + ": cannot be written");
  std::printf("%s: %zu bytes, for any browser\n", options.output.c_str(),
              html.size());
  return EX_OK;
}

}  // namespace perdix::ctl
