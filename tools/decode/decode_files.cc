// SPDX-License-Identifier: BSD-2-Clause
#include "tools/decode/decode_files.h"

#include <sysexits.h>
#include <unistd.h>

#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/av1/edits.h"
#include "client/container/container.h"
#include "client/output.h"
#include "client/stream/stream.h"

namespace perdix::client {
namespace {

constexpr int kBadFile = 2;
using Clock = std::chrono::steady_clock;

ParserOptions ParserOptionsOf(const Options& options) {
  ParserOptions parser;
  parser.operating_point = options.operating_point;
  parser.all_layers = options.all_layers;
  if (options.film_grain && options.left_out == 0) return parser;
  parser.edit = [grain = options.film_grain,
                 left_out = options.left_out](CodedFrame* frame) {
    if (!grain) av1::RemoveGrain(frame);
    if (left_out != 0) av1::LeaveOut(left_out, frame);
  };
  return parser;
}

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
                ParserOptionsOf(options)),
        show_progress_(isatty(STDERR_FILENO) != 0) {}

  // The exit code.
  int Decode() {
    if (!OpenSinks()) return EX_CANTCREAT;
    DecodeAll();
    const std::chrono::duration<double> seconds = Clock::now() - start_;
    EndProgress();
    CheckOutput(sinks_.Finish());
    if (options_.null) {
      std::printf("%" PRIu64 " frames, %.3f seconds, %.2f fps\n", shown_,
                  seconds.count(), double(shown_) / seconds.count());
    }
    return exit_code_;
  }

 private:
  bool OpenSinks() {
    if (options_.md5) {
      sinks_.Add(std::make_unique<StreamMd5Sink>(stdout, file_));
    }
    if (options_.frame_md5) {
      sinks_.Add(std::make_unique<FrameMd5Sink>(stdout));
    }
    if (options_.output.empty()) return true;
    std::unique_ptr<PlanarSink> sink;
    Status status = FileSink::Open(
        options_.output, options_.raw ? FileFormat::kRaw : FileFormat::kY4m,
        container_.frame_rate(), &sink);
    CheckOutput(status);
    if (status.ok()) sinks_.Add(std::move(sink));
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
    if (!CheckOutput(sinks_.Write(image))) return false;
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
  PlanarSinks sinks_;
  uint64_t shown_ = 0;
  int exit_code_ = EX_OK;
  const bool show_progress_;
  bool progress_shown_ = false;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_progress_ = start_;
};

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
