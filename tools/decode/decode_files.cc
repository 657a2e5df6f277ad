// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/decode_files.h"

#include <sysexits.h>

#include <cinttypes>
#include <cstdio>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/frame_source.h"
#include "client/output.h"
#include "tools/decode/checksum_sink.h"
#include "tools/decode/progress.h"

namespace perdix::client {
namespace {

// One file's way from a source to sinks.
class Run {
 public:
  Run(const Options& options, const std::string& file, FrameSource& source)
      : options_(options), file_(file), source_(source) {}

  // The exit code.
  int Decode() {
    if (!OpenSinks()) return EX_CANTCREAT;
    while (TakeFrame()) {
    }
    const double seconds = progress_.seconds();
    progress_.End();
    for (const auto& sink : sinks_) CheckOutput(sink->Finish());
    if (options_.null) {
      std::printf("%" PRIu64 " frames, %.3f seconds, %.2f fps\n",
                  progress_.frames(), seconds,
                  double(progress_.frames()) / seconds);
    }
    return exit_code_;
  }

 private:
  bool OpenSinks() {
    auto planar = std::make_unique<PlanarSinks>();
    if (options_.md5) {
      planar->Add(std::make_unique<StreamMd5Sink>(stdout, file_));
    }
    if (options_.frame_md5) {
      planar->Add(std::make_unique<FrameMd5Sink>(stdout));
    }
    if (!options_.output.empty()) {
      std::unique_ptr<PlanarSink> sink;
      Status status = FileSink::Open(
          options_.output, options_.raw ? FileFormat::kRaw : FileFormat::kY4m,
          source_.frame_rate(), &sink);
      if (!CheckOutput(status)) return false;
      planar->Add(std::move(sink));
    }
    sinks_.push_back(std::move(planar));
    if (options_.checksum) {
      sinks_.push_back(std::make_unique<ChecksumSink>(stdout, file_));
    }
    return true;
  }

  // False: it was the last one to be taken.
  bool TakeFrame() {
    ShownFrame frame;
    bool end = false;
    Status status = source_.Next(&frame, &end);
    if (!status.ok()) return Failed(status);
    if (end) return false;
    for (const auto& sink : sinks_) {
      if (!CheckOutput(sink->Write(frame.image))) return false;
    }
    progress_.Count();
    return true;
  }

  bool Failed(const Status& status) {
    progress_.End();
    PrintError(file_ + ": " + status.message());
    const bool node_lost = status.code() == StatusCode::kCancelled;
    exit_code_ = node_lost ? EX_UNAVAILABLE : kBadFile;
    return options_.keep_going && !node_lost;
  }

  // Says the first failure only: the others follow from it.
  bool CheckOutput(const Status& status) {
    if (status.ok()) return true;
    progress_.End();
    if (exit_code_ != EX_IOERR) PrintError(status.message());
    exit_code_ = EX_IOERR;
    return false;
  }

  const Options& options_;
  const std::string& file_;
  FrameSource& source_;
  std::vector<std::unique_ptr<FrameSink>> sinks_;
  Progress progress_;
  int exit_code_ = EX_OK;
};

int DecodeFile(const Options& options, const std::string& file,
               const OpenBackend& open) {
  std::unique_ptr<FrameSource> source;
  if (const int exit_code = OpenDecoded(options, file, open, &source)) {
    return exit_code;
  }
  return Run(options, file, *source).Decode();
}

// Decodes the file as many times at once as --streams says.
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

}  // namespace

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

}  // namespace perdix::client
