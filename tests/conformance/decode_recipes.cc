// SPDX-License-Identifier: BSD-2-Clause
// decode_recipes OUT THREADS GPU CACHE VALIDATE FILE... <RECIPES
//
// The heart of run-recipes: decodes the files with one recipe after the other,
// in one engine, so that a GPU's programs are compiled once. RECIPES has a line
// for each, "NAME UPPER RECIPE"; UPPER 1: samples of more than 8 bit in the
// upper bits. GPU and CACHE are perdix-decode's --gpu and --gpu-cache, VALIDATE
// 1 its
// --validate. Writes OUT/NAME.md5 (what perdix-decode --frame-md5 --md5
// prints), .said (what it says, and where frames were decoded) and, last, .code
// (its exit code).
#include <sysexits.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "client/inprocess/engine_backend.h"
#include "engine/engine.h"
#include "engine/recipe.h"
#include "tools/decode/decode_files.h"

namespace perdix::client {
namespace {

struct Turn {
  std::string name;
  bool upper_bits;
  Recipe recipe;
};

class Turns {
 public:
  Turns(std::string out, const EngineOptions& engine_options, Options options)
      : out_(std::move(out)),
        options_(std::move(options)),
        engine_(engine_options) {}

  void Decode(const Turn& turn) {
    Redirect(stdout, turn.name + ".md5");
    Redirect(stderr, turn.name + ".said");
    engine_.SetRecipe(turn.recipe);
    const EngineCounters counters = engine_.counters();
    const uint64_t messages = Messages();
    int exit_code = DecodeFiles(
        options_,
        [&](const ClientCodec& codec, std::unique_ptr<Backend>* backend) {
          auto made = std::make_unique<EngineBackend>(engine_, codec, true);
          if (turn.upper_bits) made->UseUpperBits();
          *backend = std::move(made);
          return EX_OK;
        });
    SayWhere(counters);
    if (Messages() != messages) {
      PrintError("messages of the validation layer");
      exit_code = EX_SOFTWARE;
    }
    std::fflush(nullptr);
    std::ofstream(out_ + "/" + turn.name + ".code") << exit_code << "\n";
  }

 private:
  void Redirect(FILE* stream, const std::string& name) const {
    const std::string path = out_ + "/" + name;
    if (std::freopen(path.c_str(), "w", stream) == nullptr) std::abort();
  }

  uint64_t Messages() const {
    return engine_.gpu() != nullptr ? engine_.gpu()->validation_messages() : 0;
  }

  // What --stats says of frames, since <before>.
  void SayWhere(const EngineCounters& before) const {
    EngineCounters now = engine_.counters();
    now.gpu_frames -= before.gpu_frames;
    now.cpu_frames -= before.cpu_frames;
    now.redone_frames -= before.redone_frames;
    std::fprintf(stderr, "%s\n", ToString(now).c_str());
  }

  const std::string out_;
  const Options options_;
  Engine engine_;
};

// Fails at the end, and at a line that is none.
bool ReadTurn(std::istream& in, Turn* turn) {
  std::string recipe;
  if (!(in >> turn->name >> turn->upper_bits >> recipe)) return false;
  const Status status = Recipe::Parse(recipe, &turn->recipe);
  if (!status.ok()) PrintError(status.message());
  return status.ok();
}

int Main(int argc, char** argv) {
  constexpr int kFirstFile = 6;
  if (argc <= kFirstFile) {
    PrintError("decode_recipes OUT THREADS GPU CACHE VALIDATE FILE...");
    return EX_USAGE;
  }
  EngineOptions engine_options;
  engine_options.threads = std::atoi(argv[2]);
  engine_options.wait_for_gpu = true;
  engine_options.gpu.device = argv[3];
  engine_options.gpu.cache_file = argv[4];
  engine_options.gpu.validate = argv[5] == std::string("1");
  engine_options.notice = PrintError;
  Options options;
  options.files.assign(argv + kFirstFile, argv + argc);
  options.md5 = options.frame_md5 = options.keep_going = true;
  Turns turns(argv[1], engine_options, options);
  Turn turn;
  while (ReadTurn(std::cin, &turn)) turns.Decode(turn);
  return std::cin.eof() ? EX_OK : EX_DATAERR;
}

}  // namespace
}  // namespace perdix::client

int main(int argc, char** argv) { return perdix::client::Main(argc, argv); }
