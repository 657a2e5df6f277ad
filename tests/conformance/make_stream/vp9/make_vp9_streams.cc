// SPDX-License-Identifier: BSD-2-Clause
// make_vp9_streams --seed S --count N --write DIR [--frames N]
//
// Writes VP9 streams that nobody has seen, DIR/<seed>.ivf for the seeds from S
// on, and prints what they have as lines (coverage.h). --frames: only the first
// N of each.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/conformance/make_stream/vp9/coverage.h"
#include "tests/conformance/make_stream/vp9/stream_maker.h"

namespace perdix::vp9 {
namespace {

int Usage() {
  std::cerr << "usage: make_vp9_streams --seed S --count N --write DIR "
               "[--frames N]\n";
  return 2;
}

int Fail(const std::string& message) {
  std::cerr << "make_vp9_streams: " << message << '\n';
  return 1;
}

int Run(int argc, char** argv) {
  std::map<std::string, std::string> options = {
      {"--seed", "1"},
      {"--count", "1"},
      {"--write", "."},
      {"--frames", std::to_string(std::numeric_limits<uint32_t>::max())}};
  if (argc % 2 == 0) return Usage();
  for (int i = 1; i < argc; i += 2) {
    if (!options.contains(argv[i])) return Usage();
    options[argv[i]] = argv[i + 1];
  }
  const uint64_t first = std::stoull(options["--seed"]);
  const uint64_t count = std::stoull(options["--count"]);
  Coverage coverage;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::vector<uint8_t> file;
    const Status status = MakeStream(
        seed, uint32_t(std::stoul(options["--frames"])), coverage, &file);
    if (!status.ok()) return Fail(status.message());
    const std::string path =
        options["--write"] + "/" + std::to_string(seed) + ".ivf";
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(file.data()),
              std::streamsize(file.size()));
    if (!out.flush()) return Fail(path + " cannot be written");
  }
  coverage.Print(std::cout);
  return 0;
}

}  // namespace
}  // namespace perdix::vp9

int main(int argc, char** argv) { return perdix::vp9::Run(argc, argv); }
