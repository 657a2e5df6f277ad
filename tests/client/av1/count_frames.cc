// SPDX-License-Identifier: BSD-2-Clause
// Finds the shown frames of streams without decoding any: a line for each file
// with their number, their sizes in order of appearance, the samples of the
// first, and the name of the file. Failures go to the standard error; nothing
// stops at them. With --raw a file that is no container counts too, as packets
// of bytes: for files made to break decoders.
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/av1/obu.h"
#include "client/container/container.h"
#include "client/stream/backend.h"
#include "client/stream/stream.h"
#include "codec/controls.h"

namespace perdix::client {
namespace {

// An image says what the frame's header said.
class CountingBackend : public Backend {
 public:
  using Backend::Backend;

  struct Frame : DecodedFrame {
    Status Wait() override { return Status::Ok(); }
    Status Map(Image* result) override {
      Image& image = *result;
      image.view.width = format.width;
      image.view.height = format.height;
      image.view.bit_depth = format.bit_depth;
      image.view.subsampling_x = format.subsampling_x;
      image.view.subsampling_y = format.subsampling_y;
      image.monochrome = format.monochrome;
      return Status::Ok();
    }
    FrameFormat format;
  };

  // Reads what it is given as a decoder would.
  Status Submit(const SubmittedFrame& coded, DecodedFramePtr* frame) override {
    auto submitted = std::make_shared<Frame>();
    submitted->format = coded.format;
    *frame = submitted;
    std::vector<NodeControl> controls;
    // Which need not be possible: a node takes fewer tiles than a stream has.
    if (NodeControls(codec(), coded, &controls).ok()) ++nodes_take_;
    const std::vector<uint64_t> timestamps(coded.reference_slots.size(), 1);
    if (codec().set_timestamps(timestamps, controls).ok()) ++timed_;
    for (const uint8_t byte : coded.data) sum_ += byte;
    return Status::Ok();
  }
  size_t depth() const override { return 3; }

 private:
  uint64_t nodes_take_ = 0;
  uint64_t timed_ = 0;
  uint64_t sum_ = 0;
};

class Counter {
 public:
  Counter(const ClientCodec& codec, const std::string& name,
          const ParserOptions& options)
      : backend_(codec),
        stream_(backend_,
                {[this](const Image& image) { return Shown(image); },
                 [name](const Position& position, const Status& status) {
                   std::fprintf(stderr, "%s: frame %" PRIu64 ": %s\n",
                                name.c_str(), position.frame,
                                status.message().c_str());
                   return true;
                 }},
                options) {}

  void Decode(std::span<const uint8_t> packet) {
    stream_.Decode(packet, nullptr);
  }
  void Fail(const Status& status) { stream_.Fail(status); }
  void Print(const std::string& name) {
    stream_.Flush();
    std::string sizes;
    for (const std::string& size : sizes_) sizes += " " + size;
    std::printf("%" PRIu64 "%s%s %s\n", frames_, sizes.c_str(),
                samples_.c_str(), name.c_str());
  }

 private:
  bool Shown(const Image& image) {
    const PictureView& view = image.view;
    ++frames_;
    const std::string size =
        std::to_string(view.width) + "x" + std::to_string(view.height);
    if (sizes_.empty() || sizes_.back() != size) sizes_.push_back(size);
    if (frames_ > 1) return true;
    samples_ = image.monochrome          ? " gray"
               : view.subsampling_x == 0 ? " 444"
               : view.subsampling_y == 0 ? " 422"
                                         : " 420";
    samples_ += "/" + std::to_string(view.bit_depth);
    return true;
  }

  CountingBackend backend_;
  uint64_t frames_ = 0;
  std::vector<std::string> sizes_;
  std::string samples_;
  Stream stream_;
};

void CountContainer(const std::string& path, const ParserOptions& options) {
  std::unique_ptr<Container> container;
  Status status = Container::Open(path, &container);
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), status.message().c_str());
    return;
  }
  Counter counter(container->codec(), path, options);
  for (;;) {
    Packet packet;
    bool end = false;
    status = container->Next(&packet, &end);
    if (end) break;
    if (!status.ok()) counter.Fail(status);
    if (!status.ok()) break;
    counter.Decode(packet.data);
  }
  counter.Print(path);
}

// The whole file as one packet, as a temporal unit of Annex B, and behind an
// IVF header whatever that says.
void CountRaw(const std::string& path, const ParserOptions& options) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)),
                                   std::istreambuf_iterator<char>());
  Counter counter(av1::kCodec, path, options);
  counter.Decode(bytes);
  std::vector<uint8_t> units;
  if (av1::FromAnnexB(bytes, &units).ok()) counter.Decode(units);
  std::span<const uint8_t> rest = bytes;
  for (rest = rest.subspan(std::min<size_t>(rest.size(), 32));
       rest.size() > 12;) {
    uint32_t size = 0;
    std::memcpy(&size, rest.data(), sizeof(size));
    rest = rest.subspan(12);
    const auto packet = rest.first(std::min<size_t>(size, rest.size()));
    counter.Decode(packet);
    rest = rest.subspan(packet.size());
  }
  counter.Print(path);
}

int Main(int argc, char** argv) {
  ParserOptions options;
  bool raw = false;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--all-layers") {
      options.all_layers = true;
    } else if (argument == "--raw") {
      raw = true;
    } else if (raw) {
      CountRaw(argument, options);
    } else {
      CountContainer(argument, options);
    }
  }
  return 0;
}

}  // namespace
}  // namespace perdix::client

int main(int argc, char** argv) { return perdix::client::Main(argc, argv); }
