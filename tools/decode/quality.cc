// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/quality.h"

#include <sysexits.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "client/frame_source.h"
#include "client/planar.h"
#include "client/quality/score_log.h"
#include "client/quality/score_svg.h"
#include "client/quality/score_table.h"
#include "client/quality/scores.h"
#include "client/quality/vmaf_model.h"
#include "kernels/quality/quality.h"
#include "tools/decode/gpu_pairs.h"
#include "tools/decode/pair_meter.h"
#include "tools/decode/pair_queue.h"
#include "tools/decode/progress.h"

namespace perdix::client {
namespace {

constexpr int kBelowMinimum = 1;  // the exit code of --min-vmaf

// Each pair in flight holds a surface of each stream's node, whose queues have
// 128 buffers at most.
constexpr size_t kMostThreadsAtNode = 64;

size_t ThreadsOf(const Options& options) {
  size_t threads = options.threads > 0
                       ? size_t(options.threads)
                       : std::max(1u, std::thread::hardware_concurrency());
  if (!options.device.empty()) threads = std::min(threads, kMostThreadsAtNode);
  return threads;
}

std::string SizeOf(const FrameFormat& format) {
  return std::to_string(format.width) + "x" + std::to_string(format.height);
}

std::string Describe(const FrameFormat& format) {
  constexpr const char* kChroma[2][2] = {{"4:4:4", "4:4:0"},
                                         {"4:2:2", "4:2:0"}};
  const char* const chroma =
      format.monochrome ? "monochrome"
                        : kChroma[format.subsampling_x][format.subsampling_y];
  return SizeOf(format) + ", " + std::to_string(format.bit_depth) + " bit, " +
         chroma;
}

// The name of a file without its folders.
std::string NameOf(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// A file that is opened before the work begins and written behind it.
class OutputText {
 public:
  // False, and said: it cannot be opened. path empty: there is none.
  bool Open(const std::string& path) {
    path_ = path;
    if (path.empty()) return true;
    file_.open(path, std::ios::binary);
    return file_.is_open() || Failed();
  }
  // False, and said: it did not arrive.
  bool Write(const std::string& text) {
    return (file_ << text << std::flush) || Failed();
  }

 private:
  bool Failed() const {
    PrintError(path_ + ": " + std::strerror(errno));
    return false;
  }

  std::string path_;
  std::ofstream file_;
};

// A table of scores that grows as they become final.
class Scores {
 public:
  Scores(const FrameFormat& format, const VmafModel* model)
      : video_({int(format.width), int(format.height), int(format.bit_depth),
                int(format.subsampling_x), int(format.subsampling_y)},
               model) {
    for (size_t i = 0; i < kScoreCount; ++i) {
      const bool is_chroma = i == kScorePsnrCb || i == kScorePsnrCr;
      if ((is_chroma && format.monochrome) ||
          (i == kScoreVmaf && model == nullptr)) {
        continue;
      }
      columns_.push_back(Score(i));
      table_.names.push_back(kScoreKeys[i]);
    }
  }

  void Add(const QualitySums& sums, uint32_t features) {
    AddRow(video_.Add(sums, features));
  }
  const ScoreTable& Finish() {
    AddRow(video_.Finish());
    return table_;
  }

 private:
  void AddRow(const std::optional<FrameScores>& scores) {
    if (!scores) return;
    auto& row = table_.rows.emplace_back();
    for (const Score column : columns_) {
      row.push_back(scores->Has(column) ? std::optional((*scores)[column])
                                        : std::nullopt);
    }
  }

  VideoScores video_;
  std::vector<Score> columns_;
  ScoreTable table_;
};

// The mean, and the rest, of each score over all frames.
void Print(const ScoreTable& table) {
  std::printf("%-38s %11s %13s %11s %8s %11s\n", "score", "mean",
              "harmonic mean", "min", "at frame", "max");
  for (size_t i = 0; i < table.names.size(); ++i) {
    const std::optional<PooledScore> score = Pool(table, i);
    if (!score) continue;
    std::printf("%-38s %11.6f %13.6f %11.6f %8" PRIu64 " %11.6f\n",
                table.names[i].c_str(), score->mean, score->harmonic_mean,
                score->min, score->min_frame, score->max);
  }
}

// VMAF, if there is a model; else what tells most of the rest.
size_t MainColumn(const ScoreTable& table) {
  return table.names.back() == kScoreKeys[kScoreVmaf] ? table.names.size() - 1
                                                      : 0;
}

// The way of a file and its reference from two sources to scores.
class Run {
 public:
  Run(const Options& options, const OpenBackend& open, vulkan::Gpu* gpu)
      : options_(options), open_(open), gpu_(gpu) {}

  // The exit code.
  int Measure() {
    exit_code_ = OpenAll();
    if (exit_code_ != EX_OK) return exit_code_;
    {
      const std::unique_ptr<PairMeter> pairs = NewMeter();
      while (AddPair(*pairs)) {
      }
      while (exit_code_ == EX_OK && pairs->size() > 0) TakeSums(*pairs);
      cost_ = pairs->Cost();
    }
    const double seconds = progress_.seconds();
    progress_.End();
    return exit_code_ == EX_OK ? Report(seconds) : exit_code_;
  }

 private:
  int OpenAll() {
    const MetricsOptions& metrics = options_.metrics;
    if (!OpenModel()) return exit_code_;
    if (!log_.Open(metrics.log) || !svg_.Open(metrics.svg)) return EX_CANTCREAT;
    if (const int exit_code =
            OpenReference(options_, metrics.reference, open_, &reference_)) {
      return exit_code;
    }
    return OpenDecoded(options_, file(), open_, &decoded_);
  }

  // False, and said: it must be there, and is not.
  bool OpenModel() {
    const MetricsOptions& metrics = options_.metrics;
    if (metrics.model == "none") return true;
    const bool named = !metrics.model.empty();
    const std::string name = named ? metrics.model : "v0.6.1";
    Status status = VmafModel::Open(name, &model_);
    if (status.ok()) return true;
    if (named || metrics.min_vmaf) {
      Fail("--model " + name + ": " + status.message());
      return false;
    }
    PrintError("VMAF is left out: " + status.message());
    return true;
  }

  std::unique_ptr<PairMeter> NewMeter() const {
    if (gpu_ == nullptr) return NewCpuMeter();
    return std::make_unique<GpuPairs>(*gpu_, [this] { return NewCpuMeter(); });
  }

  std::unique_ptr<PairMeter> NewCpuMeter() const {
    return std::make_unique<PairQueue>(ThreadsOf(options_),
                                       [this] { return NewMeasure(); });
  }

  MeasurePair NewMeasure() const {
    const Variant variant =
        options_.recipe == "scalar" ? Variant::kScalar : Variant::kSimd;
    return [meter = std::make_shared<QualityMeter>(variant)](
               const QualityInput& input, QualitySums* sums) {
      meter->Measure(input, sums);
      return Status::Ok();
    };
  }

  // False: there are no more, or something failed.
  bool AddPair(PairMeter& pairs) {
    if (options_.limit != 0 && count_ == options_.limit) return false;
    Pair pair;
    bool reference_ends = false, decoded_ends = false;
    if (!Next(*reference_, reference_name(), &pair.reference,
              &reference_ends) ||
        !Next(*decoded_, file(), &pair.decoded, &decoded_ends)) {
      return false;
    }
    if (reference_ends != decoded_ends) CountRest(reference_ends);
    if (reference_ends || decoded_ends || !Check(pair)) return false;
    pair.previous = std::exchange(previous_, pair.reference);
    pair.features = FeaturesOf(count_);
    pair.limit_gain = model_ != nullptr && model_->limit_gain();
    ++count_;
    while (pairs.IsFull()) {
      if (!TakeSums(pairs)) return false;
    }
    pairs.Add(std::move(pair));
    return true;
  }

  // False, and said: the frame is missing.
  bool Next(FrameSource& source, const std::string& name, ShownFrame* frame,
            bool* end) {
    Status status = source.Next(frame, end);
    if (status.ok()) return true;
    Fail(name + ": " + status.message());
    if (status.code() == StatusCode::kCancelled) exit_code_ = EX_UNAVAILABLE;
    return false;
  }

  // One of the two has ended behind count_ frames: says how many the other has.
  void CountRest(bool reference_ends) {
    FrameSource& longer = reference_ends ? *decoded_ : *reference_;
    uint64_t count = count_ + 1;
    for (bool end = false; !end; ++count) {
      ShownFrame frame;
      if (!Next(longer, reference_ends ? file() : reference_name(), &frame,
                &end)) {
        return;
      }
    }
    --count;  // the end is no frame
    Fail(file() + " has " + std::to_string(reference_ends ? count : count_) +
         " frames, " + reference_name() + " " +
         std::to_string(reference_ends ? count_ : count) +
         "; they must be equal");
  }

  // False, and said: the pictures cannot be compared.
  bool Check(const Pair& pair) {
    const FrameFormat reference = FormatOf(pair.reference.image);
    const FrameFormat decoded = FormatOf(pair.decoded.image);
    const std::string frame = "frame " + std::to_string(count_) + ": ";
    if (decoded != reference) {
      Fail(frame + file() + " is " + Describe(decoded) + ", " +
           reference_name() + " " + Describe(reference) +
           "; they must be equal, nothing is scaled");
      return false;
    }
    if (!scores_) {
      Status status =
          CheckQualitySize(decoded.width, decoded.height, decoded.bit_depth);
      if (!status.ok()) {
        Fail(frame + status.message());
        return false;
      }
      format_ = decoded;
      scores_.emplace(format_, model_.get());
    }
    if (decoded == format_) return true;
    Fail(frame + "both are " + Describe(decoded) + ", before they were " +
         Describe(format_));
    return false;
  }

  uint32_t FeaturesOf(uint64_t frame) const {
    return frame % options_.metrics.every == 0 ? kAllQualityFeatures
                                               : kQualityMotion;
  }

  bool TakeSums(PairMeter& pairs) {
    QualitySums sums;
    Status status = pairs.Take(&sums);
    if (!status.ok()) {
      Fail(status.message());
      return false;
    }
    scores_->Add(sums, FeaturesOf(progress_.frames()));
    progress_.Count();
    return true;
  }

  int Report(double seconds) {
    if (!scores_) return Fail(file() + " has no frames");
    const ScoreTable& table = scores_->Finish();
    const double fps = double(table.rows.size()) / std::max(seconds, 1e-9);
    std::printf("%zu frames, %.3f seconds, %.2f fps\n", table.rows.size(),
                seconds, fps);
    Print(table);
    if (options_.stats && !cost_.empty()) {
      std::fprintf(stderr, "%s\n", cost_.c_str());
    }
    return Write(table, fps) ? CheckMinimum(table) : EX_IOERR;
  }

  bool Write(const ScoreTable& table, double fps) {
    const MetricsOptions& metrics = options_.metrics;
    if (!metrics.log.empty() &&
        !log_.Write(metrics.log.ends_with(".csv")
                        ? ToCsv(table)
                        : ToJson(table, "perdix " PERDIX_VERSION, fps))) {
      return false;
    }
    return metrics.svg.empty() ||
           svg_.Write(
               ToSvg(table, MainColumn(table),
                     NameOf(file()) + " against " + NameOf(reference_name())));
  }

  int CheckMinimum(const ScoreTable& table) const {
    const std::optional<double>& least = options_.metrics.min_vmaf;
    const std::optional<PooledScore> vmaf = Pool(table, MainColumn(table));
    if (!least || (vmaf && vmaf->mean >= *least)) return EX_OK;
    char text[128];
    std::snprintf(text, sizeof(text),
                  ": the mean of vmaf is %.6f, --min-vmaf %g",
                  vmaf ? vmaf->mean : 0, *least);
    PrintError(file() + text);
    return kBelowMinimum;
  }

  // Returns the exit code, too.
  int Fail(const std::string& text) {
    progress_.End();
    PrintError(text);
    return exit_code_ = kBadFile;
  }

  const std::string& file() const { return options_.files.front(); }
  const std::string& reference_name() const {
    return options_.metrics.reference;
  }

  const Options& options_;
  const OpenBackend& open_;
  vulkan::Gpu* const gpu_;            // null: the CPU measures
  std::unique_ptr<VmafModel> model_;  // null: none
  OutputText log_;
  OutputText svg_;
  std::unique_ptr<FrameSource> reference_;
  std::unique_ptr<FrameSource> decoded_;
  ShownFrame previous_;  // of the reference
  uint64_t count_ = 0;   // pairs that were begun
  FrameFormat format_;   // of all frames; valid if there are scores_
  std::optional<Scores> scores_;
  Progress progress_;
  std::string cost_;  // of all pairs
  int exit_code_ = EX_OK;
};

}  // namespace

int MeasureQuality(const Options& options, const OpenBackend& open,
                   vulkan::Gpu* gpu) {
  return Run(options, open, gpu).Measure();
}

}  // namespace perdix::client
