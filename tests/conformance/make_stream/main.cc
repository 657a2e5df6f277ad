// SPDX-License-Identifier: BSD-2-Clause
// perdix-make-stream CODEC SEED FIRST COUNT FOLDER: writes the streams of the
// numbers from FIRST on, each as NUMBER.ivf, and what each has reached as
// NUMBER.reached.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "tests/conformance/make_stream/av1/make.h"
#include "tests/conformance/make_stream/random.h"
#include "tests/conformance/make_stream/stream.h"
#include "tests/conformance/make_stream/vp9/make.h"

namespace perdix::make_stream {
namespace {

struct Codec {
  const char* name;
  const char* fourcc;
  Stream (*make)(uint64_t seed);
};
constexpr Codec kCodecs[] = {
    {"av1", "AV01", &av1::MakeStream},
    {"vp9", "VP90", [](uint64_t seed) { return vp9_maker::MakeStream(seed); }}};

const Codec& FindCodec(const std::string& name) {
  for (const Codec& codec : kCodecs) {
    if (codec.name == name) return codec;
  }
  throw std::runtime_error("no codec " + name);
}

void WriteCoverage(const std::string& path, const Coverage& coverage) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(
      std::fopen(path.c_str(), "w"), &std::fclose);
  if (file == nullptr) throw std::runtime_error(path + " cannot be written");
  coverage.Write(file.get());
}

int Run(char** arguments) {
  const Codec& codec = FindCodec(arguments[1]);
  const uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
  const uint64_t first = std::strtoull(arguments[3], nullptr, 10);
  const uint64_t count = std::strtoull(arguments[4], nullptr, 10);
  int failed = 0;
  for (uint64_t i = first; i < first + count; ++i) {
    const std::string path =
        std::string(arguments[5]) + "/" + std::to_string(i);
    try {
      const Stream stream = codec.make(Random(seed, i).Next());
      WriteIvf(path + ".ivf", codec.fourcc, stream);
      WriteCoverage(path + ".reached", stream.coverage);
    } catch (const std::logic_error& error) {
      std::fprintf(stderr, "perdix-make-stream: seed %llu, stream %llu: %s\n",
                   static_cast<unsigned long long>(seed),
                   static_cast<unsigned long long>(i), error.what());
      failed = 1;
    }
  }
  return failed;
}

}  // namespace
}  // namespace perdix::make_stream

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("perdix-make-stream CODEC SEED FIRST COUNT FOLDER\n", stderr);
    return 64;
  }
  try {
    return perdix::make_stream::Run(argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "perdix-make-stream: %s\n", error.what());
    return 74;
  }
}
