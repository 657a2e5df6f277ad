// SPDX-License-Identifier: BSD-2-Clause
// make_vp9_streams --seed S --count N --write DIR [--frames N]
//
// Writes VP9 streams that nobody has seen, DIR/<seed>.ivf for the seeds from S
// on, and prints what they have reached (Coverage::Write). --frames: only the
// first N of each.
#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/conformance/make_stream/vp9/make.h"

namespace perdix {
namespace {

int Usage() {
  std::fputs(
      "usage: make_vp9_streams --seed S --count N --write DIR [--frames N]\n",
      stderr);
  return 64;
}

int Run(int argc, char** argv) {
  std::map<std::string, std::string> options = {{"--seed", "1"},
                                                {"--count", "1"},
                                                {"--write", "."},
                                                {"--frames", "1000"}};
  if (argc % 2 == 0) return Usage();
  for (int i = 1; i < argc; i += 2) {
    if (!options.contains(argv[i])) return Usage();
    options[argv[i]] = argv[i + 1];
  }
  const uint64_t first = std::stoull(options["--seed"]);
  const uint64_t count = std::stoull(options["--count"]);
  const uint32_t frames = uint32_t(std::stoul(options["--frames"]));
  make_stream::Coverage coverage;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::string name = std::to_string(seed);
    try {
      const make_stream::Stream stream = vp9_maker::MakeStream(seed, frames);
      make_stream::WriteIvf(options["--write"] + "/" + name + ".ivf", "VP90",
                            stream);
      coverage.Add(stream.coverage);
    } catch (const std::logic_error& error) {
      throw std::runtime_error("seed " + name + ", " + error.what());
    }
  }
  coverage.Write(stdout);
  return 0;
}

}  // namespace
}  // namespace perdix

int main(int argc, char** argv) {
  try {
    return perdix::Run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_vp9_streams: %s\n", error.what());
    return 1;
  }
}
