// SPDX-License-Identifier: BSD-2-Clause
// av1_fuzz streams|controls [--count N] [--seed N] [--only N] [--shard I/N]
//          [--recipe R]
// av1_fuzz files FILE...
//
// Damaged AV1 input, with one thread and scalar kernels, then with four threads
// and the kernels of --recipe (auto): each frame must fail with a message or be
// decoded, to the same pixels both times, and an intact stream beside it stays
// as it is. streams: the repository's seeds and small public vectors, damaged,
// through parser and engine. controls: random controls and tile bytes straight
// into the engine. files: whole files, as they are. Prints its seed and counts;
// a case that ends the process is named with the command that repeats it. Exit
// status 0: all of that held.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/inprocess/engine_backend.h"
#include "tests/fuzz/av1_cases.h"
#include "tests/fuzz/case_watch.h"
#include "tests/fuzz/session.h"

namespace perdix {
namespace {

constexpr int kManyThreads = 4;
// The largest frame of a damaged stream: larger ones only take long, above all
// under sanitizers.
constexpr uint64_t kMaxPixels = 640 * 480;
constexpr uint64_t kMaxFilePixels = 4096 * 4096;

struct Options {
  std::string kind;
  std::string recipe = "auto";
  size_t count = 10000;
  uint64_t seed = 1;
  size_t only = SIZE_MAX;
  size_t shard = 0;
  size_t shards = 1;
  std::vector<std::string> files;
};

struct Totals {
  size_t decoded = 0;
  size_t failed = 0;
  size_t different = 0;  // cases
};

Recipe ParseRecipe(const std::string& text) {
  Recipe recipe;
  const Status status = Recipe::Parse(text, &recipe);
  if (!status.ok()) {
    fprintf(stderr, "av1_fuzz: %s\n", status.message().c_str());
    exit(64);
  }
  return recipe;
}

class Fuzz {
 public:
  explicit Fuzz(const Options& options)
      : options_(options),
        one_({.threads = 1, .recipe = {}}),
        many_(
            {.threads = kManyThreads, .recipe = ParseRecipe(options.recipe)}) {}

  bool Streams() {
    const std::vector<Packets> streams = ReadAv1Streams();
    return RunCases([&](Random& random) {
      const Packets packets = DamagedStream(random, streams);
      client::ParserOptions parser;
      parser.all_layers = Below(random, 4) == 0;
      parser.operating_point = Below(random, 8) == 0;
      const Outcome outcome = Decode(one_, packets, parser, kMaxPixels);
      Add(outcome);
      return outcome == Decode(many_, packets, parser, kMaxPixels);
    });
  }

  bool Controls() {
    return RunCases([&](Random& random) {
      const std::vector<Av1Request> requests = RandomRequests(random);
      const std::vector<Av1Result> results = DecodeRequests(one_, requests);
      for (const Av1Result& result : results)
        ++(result.ok ? totals_.decoded : totals_.failed);
      return results == DecodeRequests(many_, requests);
    });
  }

  bool Files() {
    for (const std::string& file : options_.files) {
      BeginCase("av1_fuzz files " + file);
      const Packets packets = ReadAnyPackets(file);
      const Outcome outcome = Decode(one_, packets, {}, kMaxFilePixels);
      const bool same = outcome == Decode(many_, packets, {}, kMaxFilePixels);
      printf("%s: %d frames shown, %d failed%s\n", file.c_str(), outcome.shown,
             outcome.failed, same ? "" : ", DIFFERENT with many threads");
      fflush(stdout);
      Add(outcome);
      totals_.different += !same;
    }
    EndCases();
    Print(options_.files.size(), "files");
    return totals_.different == 0;
  }

 private:
  // run_case: false if both engines did not do the same
  bool RunCases(const std::function<bool(Random&)>& run_case) {
    Bystander bystander(one_, CorpusPath("av1/inter_64x48.obu"));
    Bystander other(many_, CorpusPath("av1/inter_64x48.obu"));
    size_t ran = 0;
    for (size_t i = options_.shard; i < options_.count; i += options_.shards) {
      if (options_.only != SIZE_MAX && i != options_.only) continue;
      const std::string name = "av1_fuzz " + options_.kind + " --seed " +
                               std::to_string(options_.seed) + " --only " +
                               std::to_string(i);
      BeginCase(name);
      Random random(options_.seed * 1000003 + i);
      ++ran;
      if (run_case(random)) continue;
      ++totals_.different;
      printf("not the same with %d threads: %s\n", kManyThreads, name.c_str());
    }
    EndCases();
    const bool intact = bystander.Stop() && other.Stop();
    Print(ran, options_.kind.c_str());
    if (!intact) printf("the intact stream beside was not bit-exact\n");
    return intact && totals_.different == 0;
  }

  void Print(size_t ran, const char* what) const {
    printf(
        "%zu %s, seed %llu: %zu frames decoded, %zu failed; %zu not the same "
        "with %d threads\n",
        ran, what, static_cast<unsigned long long>(options_.seed),
        totals_.decoded, totals_.failed, totals_.different, kManyThreads);
  }

  void Add(const Outcome& outcome) {
    totals_.decoded += size_t(outcome.shown);
    totals_.failed += size_t(outcome.failed);
  }

  static Outcome Decode(Engine& engine, const Packets& packets,
                        const client::ParserOptions& parser,
                        uint64_t max_pixels) {
    client::EngineBackend backend(engine, client::av1::kCodec, true);
    backend.IgnoreDamage();  // the more pixels there are to compare
    GuardedBackend guarded(backend, {.max_pixels = max_pixels});
    return DecodePackets(guarded, packets, parser);
  }

  const Options options_;
  Engine one_;
  Engine many_;
  Totals totals_;
};

[[noreturn]] void Usage() {
  fprintf(stderr,
          "usage: av1_fuzz streams|controls [--count N] [--seed N] [--only N]\n"
          "                [--shard I/N] [--recipe R]\n"
          "       av1_fuzz files FILE...\n");
  exit(64);
}

void ReadOption(const std::string& name, const char* value, Options* options) {
  if (name == "--count") {
    options->count = strtoull(value, nullptr, 0);
  } else if (name == "--seed") {
    options->seed = strtoull(value, nullptr, 0);
  } else if (name == "--only") {
    options->only = strtoull(value, nullptr, 0);
  } else if (name == "--recipe") {
    options->recipe = value;
  } else if (name != "--shard" ||
             sscanf(value, "%zu/%zu", &options->shard, &options->shards) != 2 ||
             options->shards == 0) {
    Usage();
  }
}

Options ReadOptions(int argc, char** argv) {
  if (argc < 2) Usage();
  Options options;
  options.kind = argv[1];
  for (int i = 2; i < argc; ++i) {
    if (options.kind == "files") {
      options.files.push_back(argv[i]);
    } else {
      if (i + 1 == argc) Usage();
      ReadOption(argv[i], argv[i + 1], &options);
      ++i;
    }
  }
  if (options.only != SIZE_MAX && options.only >= options.count)
    options.count = options.only + 1;
  return options;
}

bool Run(const Options& options) {
  WatchCases();
  Fuzz fuzz(options);
  if (options.kind == "streams") return fuzz.Streams();
  if (options.kind == "controls") return fuzz.Controls();
  if (options.kind == "files") return fuzz.Files();
  Usage();
}

}  // namespace
}  // namespace perdix

int main(int argc, char** argv) {
  return perdix::Run(perdix::ReadOptions(argc, argv)) ? 0 : 1;
}
