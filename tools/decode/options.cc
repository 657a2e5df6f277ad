// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/options.h"

#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "client/bitstream/av1/edits.h"
#include "client/bitstream/codec.h"
#include "engine/trace.h"
#include "kernels/text.h"
#include "tools/console.h"

namespace perdix::client {
namespace {

std::map<std::string, uint32_t> FiltersByName() {
  std::map<std::string, uint32_t> filters;
  for (const av1::InLoopFilter& filter : av1::InLoopFilters()) {
    filters[filter.name] = filter.bit;
  }
  return filters;
}

void AddInputs(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "perdix-decode " PERDIX_VERSION);
  app.add_option("FILE", options.files,
                 ListClientCodecs(&ClientCodec::name) +
                     " in WebM, Matroska, IVF or MP4, or AV1's OBUs alone; one "
                     "after the other, by one engine; - is the standard input, "
                     "a file or a pipe "
                     "(of MP4 with its index at the front)")
      ->required()
      ->check(NotEmpty);
}

// Returns --metrics.
CLI::Option* AddOutputs(CLI::App& app, Options& options) {
  const auto outputs = app.add_option_group("output");
  const auto md5 = outputs->add_flag("--md5", options.md5,
                                     "print MD5  FILE of all frames together");
  const auto frame_md5 = outputs->add_flag("--frame-md5", options.frame_md5,
                                           "print MD5  WxH of each frame");
  const auto checksum = outputs->add_flag(
      "--checksum", options.checksum,
      "print CHECKSUM  N frames  FILE of all that is shown: what the same "
      "pictures give on any machine");
  const auto output = outputs
                          ->add_option("-o,--output", options.output,
                                       "write the frames here; - is stdout")
                          ->check(NotEmpty);
  const auto null =
      outputs
          ->add_flag("--null", options.null,
                     "only decode; print frames, seconds, frames per second")
          ->excludes(md5, frame_md5, checksum, output);
  const auto metrics =
      outputs
          ->add_option("--metrics", options.metrics.reference,
                       "print the quality of FILE against this reference: Y4M "
                       "(- is stdin), or coded as FILE may be")
          ->excludes(md5, frame_md5, checksum, output, null)
          ->check(NotEmpty);
  outputs->require_option(1, 0);
  app.add_flag("--raw", options.raw, "-o writes planes only, not Y4M")
      ->needs(output);
  app.add_option("--streams", options.streams,
                 "decode each file so many times at once (1)")
      ->needs(null)
      ->check(CLI::Range(1, 256));
  return metrics;
}

std::string IsLog(const std::string& path) {
  if (path.ends_with(".json") || path.ends_with(".csv")) return {};
  return ": got " + path + ", allowed: names that end in .json or .csv";
}

// What belongs to the option --metrics, <metrics>.
void AddMetrics(CLI::App& app, CLI::Option* metrics, MetricsOptions& options) {
  metrics->excludes(app.get_option("--keep-going"));
  const auto add = [&](const std::string& name, auto& value,
                       const std::string& description) {
    return app.add_option(name, value, description)
        ->needs(metrics)
        ->group("Quality");
  };
  add("--model", options.model,
      "the model of VMAF: v0.6.1, neg (which rewards no added contrast), a "
      "file like libvmaf's, or none (v0.6.1, if it is there)")
      ->check(NotEmpty);
  add("--metrics-log", options.log,
      "write the scores of each frame here: .json with libvmaf's keys, or .csv")
      ->check(IsLog);
  add("--metrics-svg", options.svg,
      "draw VMAF, without a model PSNR, over the frames here")
      ->check(NotEmpty);
  add("--metrics-every", options.every,
      "only every Nth frame has all scores, the others motion alone (1)")
      ->check(CLI::Range(1, INT32_MAX));
  add("--min-vmaf", options.min_vmaf,
      "exit with 1 if the mean of VMAF is below X")
      ->check(CLI::Range(0.0, 100.0));
}

void AddStream(CLI::App& app, Options& options) {
  app.add_option("--limit", options.limit,
                 "stop after N shown frames; 0: after all")
      ->check(CLI::Range(int64_t{0}, INT64_MAX));
  app.add_flag("--keep-going", options.keep_going,
               "do not stop at the first frame that fails");
  app.add_option("--filmgrain", options.film_grain,
                 "1: add the film grain that a stream describes (the default); "
                 "0: leave it out")
      ->check(CLI::Range(0, 1));
  app.add_option("--operating-point", options.operating_point,
                 "decode the layers of the operating point N (0), of a stream "
                 "that has several")
      ->check(CLI::Range(0, 31));
  app.add_flag("--all-layers", options.all_layers,
               "output all spatial layers, not only the highest");
}

// Returns those that only the engine of this process has.
std::vector<CLI::Option*> AddEngine(CLI::App& app, Options& options) {
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
      "--gpu", options.gpu,
      "part of the name of the Vulkan device to use, or its render node");
  const auto gpu_aim =
      app.add_option("--gpu-aim", options.gpu_aim,
                     "what auto's recipe was calibrated for: speed or cpu")
          ->transform(CLI::CheckedTransformer(GpuAims()))
          ->default_str("speed");
  const auto wait = app.add_flag(
      "--wait-for-gpu", options.wait_for_gpu,
      "decode nothing before the GPU's shaders are compiled; else the CPU "
      "decodes meanwhile");
  const auto gpu_cache =
      app.add_option("--gpu-cache", options.gpu_cache,
                     "where compiled shaders are kept between runs");
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
  return {threads,   recipe,     recipes, gpu,   gpu_aim,
          gpu_cache, self_check, stats,   trace, wait};
}

// Adds to *in_process those that only the engine of this process has.
void AddTesting(CLI::App& app, Options& options,
                std::vector<CLI::Option*>* in_process) {
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
  const std::map<std::string, uint32_t> bits = FiltersByName();
  app.add_option_function<std::vector<std::string>>(
         "--leave-out",
         [&options, bits](const std::vector<std::string>& filters) {
           for (const std::string& filter : filters)
             options.left_out |= bits.at(filter);
         },
         "decode AV1 without these in-loop filters, as dav1d's "
         "--inloopfilters would: deblock,cdef,restoration")
      ->delimiter(',')
      ->check(CLI::IsMember(bits))
      ->group("Testing");
  in_process->insert(in_process->end(), {shuffle, baseline, ignore_damage});
}

void AddNode(CLI::App& app, Options& options,
             const std::vector<CLI::Option*>& in_process) {
  const auto device =
      app.add_option("--device", options.device,
                     "decode through this V4L2 stateless node (/dev/videoN)")
          ->check(NotEmpty);
  for (CLI::Option* option : in_process) device->excludes(option);
  app.add_option("--timeout", options.timeout_ms,
                 "milliseconds the node may take for a frame (2000)")
      ->needs(device)
      ->check(CLI::Range(1, 3'600'000));
}

Status CheckFiles(const Options& options) {
  const MetricsOptions& metrics = options.metrics;
  const std::string takes_one = !options.output.empty() ? "-o"
                                : metrics.wanted()      ? "--metrics"
                                                        : "";
  if (!takes_one.empty() && options.files.size() > 1) {
    return {StatusCode::kInvalidArgument,
            takes_one + " takes one file: got " +
                std::to_string(options.files.size())};
  }
  std::vector<std::string> inputs = options.files;
  if (metrics.wanted()) inputs.push_back(metrics.reference);
  if (options.streams * std::ranges::count(inputs, "-") > 1) {
    return {StatusCode::kInvalidArgument,
            "-: the standard input can be read once"};
  }
  return CheckOutputs({{"-o", options.output},
                       {"--trace", options.trace},
                       {"--gpu-cache", options.gpu_cache},
                       {"--metrics-log", metrics.log},
                       {"--metrics-svg", metrics.svg},
                       {"the standard output", "-"}},
                      inputs);
}

Status CheckMetrics(const MetricsOptions& metrics) {
  if (!metrics.min_vmaf || metrics.model != "none") return Status::Ok();
  return {StatusCode::kInvalidArgument,
          "--min-vmaf needs a model: got --model none"};
}

}  // namespace

std::optional<int> ParseOptions(int argc, char** argv, Options* options) {
  CLI::App app("Decodes " + ListClientCodecs(&ClientCodec::name) + " files.",
               kProgram);
  AddInputs(app, *options);
  CLI::Option* const metrics = AddOutputs(app, *options);
  AddStream(app, *options);
  AddMetrics(app, metrics, options->metrics);
  std::vector<CLI::Option*> in_process = AddEngine(app, *options);
  AddTesting(app, *options, &in_process);
  AddNode(app, *options, in_process);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EX_OK : EX_USAGE;
  }
  Status status = CheckFiles(*options);
  if (status.ok()) status = CheckMetrics(options->metrics);
  if (status.ok()) return std::nullopt;
  PrintError(status.message());
  return EX_USAGE;
}

void PrintError(const std::string& text) { perdix::PrintError(kProgram, text); }

}  // namespace perdix::client
