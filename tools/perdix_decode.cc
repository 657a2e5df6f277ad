// SPDX-License-Identifier: BSD-2-Clause
// perdix-decode: coded files in, frames or checksums out; through the engine in
// this process, or with --device through a V4L2 stateless node.
#include <hwy/targets.h>
#include <sysexits.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/node/v4l2_backend.h"
#include "client/output.h"
#include "client/stream.h"
#include "codec/av1/private_controls.h"
#include "engine/engine.h"
#include "engine/recipe.h"
#include "engine/recipe_store.h"
#include "kernels/text.h"
#include "tools/console.h"

namespace perdix::client {
namespace {

constexpr const char* kProgram = "perdix-decode";
constexpr int kBadFile = 2;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> files;
  std::string output;  // empty: none
  std::string device;  // empty: in process
  std::string recipe = "auto";
  std::string recipes = kDefaultRecipeStore;
  std::string gpu;        // empty: the best
  std::string gpu_cache;  // empty: none
  int timeout_ms = 2000;
  int threads = 0;
  int streams = 1;     // of each file
  uint64_t limit = 0;  // shown frames; 0: all
  bool md5 = false;
  bool frame_md5 = false;
  bool raw = false;
  bool null = false;
  bool stats = false;
  std::string trace;  // empty: none
  bool keep_going = false;
  ParserOptions parser;  // what is decoded of the stream
  bool upper_bits = false;
  bool ignore_damage = false;
  uint32_t shuffle_seed = 0;  // 0: not shuffled
  bool baseline = false;
  bool validate = false;
  uint64_t lose_at_submit = 0;  // 0: never
  uint32_t self_check = 0;      // 0: never
};

const std::map<std::string, uint32_t> kLeftOut = {
    {"deblock", perdix::av1::kLeaveOutDeblock},
    {"cdef", perdix::av1::kLeaveOutCdef},
    {"restoration", perdix::av1::kLeaveOutRestoration}};

void Describe(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "perdix-decode " PERDIX_VERSION);
  app.add_option("FILE", options.files,
                 ListClientCodecs(&ClientCodec::name) +
                     " in WebM, Matroska, IVF or MP4, or AV1's OBUs alone; one "
                     "after the other, by one engine; - is the standard input, "
                     "a file or a pipe "
                     "(of MP4 with its index at the front)")
      ->required()
      ->check(NotEmpty);
  const auto outputs = app.add_option_group("output");
  const auto md5 = outputs->add_flag("--md5", options.md5,
                                     "print MD5  FILE of all frames together");
  const auto frame_md5 = outputs->add_flag("--frame-md5", options.frame_md5,
                                           "print MD5  WxH of each frame");
  const auto output = outputs
                          ->add_option("-o,--output", options.output,
                                       "write the frames here; - is stdout")
                          ->check(NotEmpty);
  const auto null =
      outputs
          ->add_flag("--null", options.null,
                     "only decode; print frames, seconds, frames per second")
          ->excludes(md5, frame_md5, output);
  outputs->require_option(1, 0);
  app.add_flag("--raw", options.raw, "-o writes planes only, not Y4M")
      ->needs(output);
  app.add_option("--streams", options.streams,
                 "decode each file so many times at once (1)")
      ->needs(null)
      ->check(CLI::Range(1, 256));
  app.add_option("--limit", options.limit,
                 "stop after N shown frames; 0: after all")
      ->check(CLI::Range(int64_t{0}, INT64_MAX));
  app.add_flag("--keep-going", options.keep_going,
               "do not stop at the first frame that fails");
  app.add_option("--filmgrain", options.parser.film_grain,
                 "1: add the film grain that a stream describes (the default); "
                 "0: leave it out")
      ->check(CLI::Range(0, 1));
  app.add_option("--operating-point", options.parser.operating_point,
                 "decode the layers of the operating point N (0), of a stream "
                 "that has several")
      ->check(CLI::Range(0, 31));
  app.add_flag("--all-layers", options.parser.all_layers,
               "output all spatial layers, not only the highest");
  const auto threads = app.add_option("--threads", options.threads,
                                      "threads; 0: one for each CPU")
                           ->check(CLI::Range(0, 1024));
  const auto recipe =
      app.add_option(
             "--recipe", options.recipe,
             "scalar, simd, vulkan, auto or kernel=variant,... over auto")
          ->check(NotEmpty);
  const auto recipes =
      app.add_option("--recipes", options.recipes,
                     "where auto finds what perdix-bench --calibrate stored")
          ->check(NotEmpty)
          ->capture_default_str();
  const auto gpu = app.add_option(
      "--gpu", options.gpu, "part of the name of the Vulkan device to use");
  const auto gpu_cache =
      app.add_option("--gpu-cache", options.gpu_cache,
                     "where compiled shaders are kept between runs");
  const auto shuffle =
      app.add_option("--shuffle", options.shuffle_seed,
                     "do what can be done in random order, of this seed")
          ->check(CLI::Range(1, 1'000'000))
          ->group("Testing");
  const auto baseline =
      app.add_flag("--baseline", options.baseline,
                   "with no more instructions than every processor of the "
                   "architecture has")
          ->group("Testing");
  app.add_flag("--validate", options.validate,
               "with the Vulkan validation layer; exit with 70 if it has a "
               "message")
      ->group("Testing");
  app.add_flag("--upper-bits", options.upper_bits,
               "keep samples of more than 8 bit in the upper bits of 16 while "
               "decoding, as a node's P010 does")
      ->group("Testing");
  const auto ignore_damage =
      app.add_flag("--ignore-damage", options.ignore_damage,
                   "take frames for intact that are decoded to the end, "
                   "whatever shows there that their data is damaged")
          ->group("Testing");
  app.add_option("--lose-gpu-at", options.lose_at_submit,
                 "the GPU counts as lost from this submit on; 0: never")
      ->check(CLI::Range(int64_t{0}, INT64_MAX))
      ->group("Testing");
  app.add_option_function<std::vector<std::string>>(
         "--leave-out",
         [&options](const std::vector<std::string>& filters) {
           for (const std::string& filter : filters)
             options.parser.left_out |= kLeftOut.at(filter);
         },
         "decode AV1 without these in-loop filters, as dav1d's "
         "--inloopfilters would: deblock,cdef,restoration")
      ->delimiter(',')
      ->check(CLI::IsMember(kLeftOut))
      ->group("Testing");
  const auto self_check = app.add_option("--self-check", options.self_check,
                                         "compare every Nth frame of the GPU "
                                         "with what the CPU makes of it; 0: "
                                         "none")
                              ->check(CLI::Range(0, INT32_MAX));
  const auto stats = app.add_flag("--stats", options.stats,
                                  "print the time of each stage and kernel, "
                                  "and where frames were decoded");
  const auto trace =
      app.add_option("--trace", options.trace,
                     "write here, for ui.perfetto.dev, what the threads and "
                     "the GPU did for the first " +
                         std::to_string(kMaxTraceFrames) + " frames")
          ->check(NotEmpty);
  const auto device =
      app.add_option("--device", options.device,
                     "decode through this V4L2 stateless node (/dev/videoN)")
          ->check(NotEmpty)
          ->excludes(threads, recipe, recipes, stats, trace, gpu, gpu_cache,
                     self_check, shuffle, baseline, ignore_damage);
  app.add_option("--timeout", options.timeout_ms,
                 "milliseconds the node may take for a frame (2000)")
      ->needs(device)
      ->check(CLI::Range(1, 3'600'000));
}

void PrintError(const std::string& text) { perdix::PrintError(kProgram, text); }

// One file's way from packets to sinks.
class Run {
 public:
  Run(const Options& options, const std::string& file, Container& container,
      Backend& backend)
      : options_(options),
        file_(file),
        container_(container),
        stream_(backend,
                {[this](const Image& image) { return Shown(image); },
                 [this](const Position& position, const Status& status) {
                   return Failed(position, status);
                 }},
                options.parser),
        show_progress_(isatty(STDERR_FILENO) != 0) {}

  // The exit code.
  int Decode() {
    if (!OpenSinks()) return EX_CANTCREAT;
    DecodeAll();
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    EndProgress();
    for (const auto& sink : sinks_) CheckOutput(sink->Finish());
    if (options_.null) {
      std::printf("%" PRIu64 " frames, %.3f seconds, %.2f fps\n", shown_,
                  seconds.count(), double(shown_) / seconds.count());
    }
    return exit_code_;
  }

 private:
  bool OpenSinks() {
    if (options_.md5) {
      sinks_.push_back(std::make_unique<StreamMd5Sink>(stdout, file_));
    }
    if (options_.frame_md5) {
      sinks_.push_back(std::make_unique<FrameMd5Sink>(stdout));
    }
    if (options_.output.empty()) return true;
    std::unique_ptr<Sink> sink;
    Status status = FileSink::Open(
        options_.output, options_.raw ? FileFormat::kRaw : FileFormat::kY4m,
        container_.frame_rate(), &sink);
    sinks_.push_back(std::move(sink));
    CheckOutput(status);
    return status.ok();
  }

  void DecodeAll() {
    bool more = true;
    uint64_t packets = 0;  // of which nearly each shows a frame
    while (more) {
      Packet packet;
      bool end = false;
      Status status = container_.Next(&packet, &end);
      if (!status.ok()) {
        more = stream_.Fail(status);
        if (more && options_.keep_going && container_.Resync()) continue;
        break;
      }
      if (end) break;
      more = stream_.Decode(packet.data, packet.owner, packet.output);
      ++packets;
      // what lies behind the last frame is not begun
      if (more && options_.limit != 0 && packets >= options_.limit) {
        more = stream_.Flush();
      }
    }
    if (more) stream_.Flush();
  }

  bool Shown(const Image& image) {
    ++shown_;
    if (!sinks_.empty()) ToPlanar(image, &planar_);
    for (const auto& sink : sinks_) {
      if (!CheckOutput(sink->Write(planar_))) return false;
    }
    if (show_progress_) Progress();
    return options_.limit == 0 || shown_ < options_.limit;
  }

  bool Failed(const Position& position, const Status& status) {
    EndProgress();
    PrintError(file_ + ": frame " + std::to_string(position.frame) +
               " (packet " + std::to_string(position.packet) +
               "): " + status.message());
    const bool node_lost = status.code() == StatusCode::kCancelled;
    exit_code_ = node_lost ? EX_UNAVAILABLE : kBadFile;
    return options_.keep_going && !node_lost;
  }

  // Says the first failure only: the others follow from it.
  bool CheckOutput(const Status& status) {
    if (status.ok()) return true;
    EndProgress();
    if (exit_code_ != EX_IOERR) PrintError(status.message());
    exit_code_ = EX_IOERR;
    return false;
  }

  void Progress() {
    constexpr std::chrono::milliseconds kInterval(200);
    const Clock::time_point now = Clock::now();
    if (now - last_progress_ < kInterval) return;
    last_progress_ = now;
    const std::chrono::duration<double> seconds = now - start_;
    std::fprintf(stderr, "\r%" PRIu64 " frames, %.1f fps ", shown_,
                 double(shown_) / seconds.count());
    progress_shown_ = true;
  }

  void EndProgress() {
    if (progress_shown_) std::fputs("\r\033[K", stderr);
    progress_shown_ = false;
  }

  const Options& options_;
  const std::string& file_;
  Container& container_;
  Stream stream_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  PlanarFrame planar_;
  uint64_t shown_ = 0;
  int exit_code_ = EX_OK;
  const bool show_progress_;
  bool progress_shown_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_progress_ = start_;
};

void PrintStageTimes(const Engine& engine) {
  constexpr double kNanosecondsPerMillisecond = 1e6;
  std::fprintf(stderr, "%-24s %-8s %12s %8s\n", "stage", "variant", "ms",
               "steps");
  for (const StageTime& time : engine.StageTimes()) {
    if (time.nanoseconds == 0) continue;  // the other codecs' too
    std::fprintf(stderr, "%-24s %-8s %12.3f", time.stage.c_str(),
                 time.variant.c_str(),
                 double(time.nanoseconds) / kNanosecondsPerMillisecond);
    if (time.steps != 0) std::fprintf(stderr, " %8" PRIu64, time.steps);
    std::fputc('\n', stderr);
  }
  std::fprintf(stderr, "%s\n", ToString(engine.counters()).c_str());
}

// What --trace makes of an exit code.
int WriteTrace(const Trace& trace, const std::string& path, std::ofstream& file,
               int exit_code) {
  if (file << trace.ToJson() << std::flush) return exit_code;
  PrintError(path + ": " + std::strerror(errno));
  return EX_IOERR;
}

// What --validate makes of an exit code.
int CheckValidation(Engine& engine, int exit_code) {
  if (engine.gpu() == nullptr) {
    PrintError("--validate: there is no GPU to validate");
    return EX_UNAVAILABLE;
  }
  const uint64_t messages = engine.gpu()->validation_messages();
  if (messages == 0) return exit_code;
  PrintError("--validate: " + std::to_string(messages) +
             " messages of the validation layer");
  return EX_SOFTWARE;
}

// Makes the backend for a stream; exit code EX_OK: there is one.
using OpenBackend =
    std::function<int(const ClientCodec&, std::unique_ptr<Backend>*)>;

int DecodeFile(const Options& options, const std::string& file,
               const OpenBackend& open) {
  std::unique_ptr<Container> container;
  Status status = Container::Open(file, &container);
  if (!status.ok()) {
    PrintError(file + ": " + status.message());
    return kBadFile;
  }
  std::unique_ptr<Backend> backend;
  if (const int exit_code = open(container->codec(), &backend)) {
    return exit_code;
  }
  return Run(options, file, *container, *backend).Decode();
}

// As many times as --streams says, at once.
int DecodeStreams(const Options& options, const std::string& file,
                  const OpenBackend& open) {
  std::vector<std::future<int>> streams;
  for (int i = 0; i < options.streams; ++i) {
    streams.push_back(std::async(
        std::launch::async, [&] { return DecodeFile(options, file, open); }));
  }
  int first = EX_OK;
  for (std::future<int>& stream : streams) {
    const int exit_code = stream.get();
    if (first == EX_OK) first = exit_code;
  }
  return first;
}

// The exit code of the first file that has one.
int DecodeFiles(const Options& options, const OpenBackend& open) {
  int first = EX_OK;
  for (const std::string& file : options.files) {
    const int exit_code = options.streams > 1
                              ? DecodeStreams(options, file, open)
                              : DecodeFile(options, file, open);
    if (first == EX_OK) first = exit_code;
  }
  return first;
}

int DecodeInProcess(const Options& options) {
  if (options.baseline) hwy::SetSupportedTargetsForTest(HWY_STATIC_TARGET);
  EngineOptions engine_options;
  engine_options.threads = options.threads;
  engine_options.shuffle_seed = options.shuffle_seed;
  engine_options.measure = options.stats;
  Status status = Recipe::Parse(options.recipe, &engine_options.recipe);
  if (!status.ok()) {
    PrintError(status.message());
    return EX_USAGE;
  }
  engine_options.wait_for_gpu = true;
  engine_options.gpu.device = options.gpu;
  engine_options.gpu.cache_file = options.gpu_cache;
  engine_options.gpu.validate = options.validate;
  engine_options.gpu.lose_at_submit = options.lose_at_submit;
  engine_options.self_check = options.self_check;
  engine_options.notice = PrintError;
  if (options.recipe == "auto") {
    std::string not_stored;  // nothing to say: most machines have none
    engine_options.recipe =
        AutoRecipe(options.recipes, engine_options.gpu, &not_stored);
  }
  std::ofstream trace_file;
  if (!options.trace.empty()) {
    trace_file.open(options.trace, std::ios::binary);
    if (!trace_file) {
      PrintError(options.trace + ": " + std::strerror(errno));
      return EX_CANTCREAT;
    }
  }
  std::optional<Trace> trace;
  Engine engine(engine_options);
  if (trace_file.is_open()) {
    status = engine.StartTrace(kMaxTraceFrames,
                               [&](Trace made) { trace = std::move(made); });
  }
  int exit_code = DecodeFiles(options, [&](const ClientCodec& codec,
                                           std::unique_ptr<Backend>* backend) {
    auto made = std::make_unique<EngineBackend>(engine, codec, !options.null);
    if (options.upper_bits) made->UseUpperBits();
    if (options.ignore_damage) made->IgnoreDamage();
    *backend = std::move(made);
    return EX_OK;
  });
  engine.EndTrace();
  if (trace) {
    exit_code = WriteTrace(*trace, options.trace, trace_file, exit_code);
  }
  if (options.stats) PrintStageTimes(engine);
  return options.validate ? CheckValidation(engine, exit_code) : exit_code;
}

int DecodeThroughNode(const Options& options) {
  return DecodeFiles(options, [&](const ClientCodec& codec,
                                  std::unique_ptr<Backend>* backend) {
    Status status =
        V4l2Backend::Open(options.device, codec, options.timeout_ms, backend);
    if (status.ok()) return EX_OK;
    PrintError(options.device + ": " + status.message());
    return EX_UNAVAILABLE;
  });
}

int Main(int argc, char** argv) {
  Options options;
  CLI::App app("Decodes " + ListClientCodecs(&ClientCodec::name) + " files.",
               "perdix-decode");
  Describe(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EX_OK : EX_USAGE;
  }
  if (!options.output.empty() && options.files.size() > 1) {
    PrintError("-o takes one file: got " +
               std::to_string(options.files.size()));
    return EX_USAGE;
  }
  if (options.streams * std::ranges::count(options.files, "-") > 1) {
    PrintError("-: the standard input can be read once");
    return EX_USAGE;
  }
  const Status status = CheckOutputs({{"-o", options.output},
                                      {"--trace", options.trace},
                                      {"--gpu-cache", options.gpu_cache},
                                      {"the standard output", "-"}},
                                     options.files);
  if (!status.ok()) {
    PrintError(status.message());
    return EX_USAGE;
  }
  return options.device.empty() ? DecodeInProcess(options)
                                : DecodeThroughNode(options);
}

}  // namespace
}  // namespace perdix::client

int main(int argc, char** argv) {
  using perdix::client::kProgram;
  perdix::OpenStandardStreams();
  int exit_code = EX_OSERR;
  try {
    exit_code = perdix::client::Main(argc, argv);
  } catch (const std::exception& error) {  // no memory, no threads
    perdix::PrintError(kProgram, error.what());
  }
  return perdix::CloseStdout(kProgram, exit_code);
}
