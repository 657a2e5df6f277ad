// SPDX-License-Identifier: BSD-2-Clause
#include "tests/fuzz/session.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "client/container/container.h"
#include "client/inprocess/engine_backend.h"
#include "client/stream/stream.h"
#include "v4l2/perdix_uapi.h"

namespace perdix {
namespace {

constexpr std::chrono::milliseconds kPause(10);  // between a Bystander's frames

// FNV-1a
uint64_t Hash(uint64_t hash, const uint8_t* data, size_t size) {
  for (size_t i = 0; i < size; ++i) hash = (hash ^ data[i]) * 0x100000001b3;
  return hash;
}

void AddImage(const client::Image& image, Outcome* outcome) {
  outcome->hash = HashPicture(outcome->hash, image.view, image.monochrome);
  ++outcome->shown;
}

client::StreamEvents CountInto(Outcome* outcome) {
  return {.shown =
              [outcome](const client::Image& image) {
                AddImage(image, outcome);
                return true;
              },
          .failed =
              [outcome](const client::Position&, const Status& status) {
                if (status.ok() || status.message().empty()) std::abort();
                ++outcome->failed;
                return true;
              }};
}

// The value of one of the frame's controls.
std::span<uint8_t> AnyControl(Random& random, Bytes* controls) {
  std::vector<std::span<uint8_t>> values;
  std::span<uint8_t> left(*controls);
  perdix_control record;
  while (left.size() >= sizeof(record)) {
    memcpy(&record, left.data(), sizeof(record));
    left = left.subspan(sizeof(record));
    values.push_back(left.first(record.bytes));
    left =
        left.subspan(std::min<size_t>((record.bytes + 7) / 8 * 8, left.size()));
  }
  return values.empty() ? left : values[Below(random, values.size())];
}

const client::ClientCodec& CodecOf(const std::string& path) {
  std::unique_ptr<client::Container> container;
  if (!client::Container::Open(path, &container).ok()) std::abort();
  return container->codec();
}

}  // namespace

uint64_t HashPicture(uint64_t hash, const PictureView& view, bool monochrome) {
  const size_t bytes = view.bit_depth > 8 ? 2 : 1;
  for (const uint32_t p : {kLuma, kChroma}) {
    if (p == kChroma && monochrome) continue;
    const Plane& plane = view.planes[p];
    const size_t samples = p == kChroma ? 2 : 1;
    for (uint32_t y = 0; y < plane.height; ++y) {
      hash = Hash(hash, plane.Row<uint8_t>(y), plane.width * samples * bytes);
    }
  }
  return hash;
}

std::string ClipPath(const std::string& name) {
  return std::string(PERDIX_SOURCE_DIR) + "/tests/clips/" + name;
}

std::string CorpusPath(const std::string& name) {
  return std::string(PERDIX_SOURCE_DIR) + "/tests/fuzz/corpus/" + name;
}

Bytes ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

Packets ReadPackets(const std::string& path, size_t limit) {
  Packets packets;
  std::unique_ptr<client::Container> container;
  if (!client::Container::Open(path, &container).ok()) return packets;
  client::Packet packet;
  bool end = false;
  while (packets.size() < limit && container->Next(&packet, &end).ok() &&
         !end) {
    packets.emplace_back(packet.data.begin(), packet.data.end());
  }
  return packets;
}

Outcome DecodePackets(client::Backend& backend, const Packets& packets,
                      const client::ParserOptions& options) {
  Outcome outcome;
  client::Stream stream(backend, CountInto(&outcome), options);
  for (const Bytes& packet : packets) {
    // A copy of its own size, so that a read beyond the end is seen.
    const auto copy = std::make_shared<const Bytes>(packet);
    stream.Decode(*copy, copy);
  }
  stream.Flush();
  return outcome;
}

Outcome DecodeFile(client::Backend& backend, const std::string& path) {
  Outcome outcome;
  std::unique_ptr<client::Container> container;
  if (!client::Container::Open(path, &container).ok()) {
    ++outcome.failed;
    return outcome;
  }
  client::Stream stream(backend, CountInto(&outcome));
  for (;;) {
    client::Packet packet;
    bool end = false;
    const Status status = container->Next(&packet, &end);
    if (end) break;
    if (status.ok()) {
      stream.Decode(packet.data, packet.owner, packet.output);
    } else {
      stream.Fail(status);
      if (!container->Resync()) break;
    }
  }
  stream.Flush();
  return outcome;
}

Status GuardedBackend::Submit(const client::SubmittedFrame& coded,
                              client::DecodedFramePtr* frame) {
  const client::FrameFormat& format = coded.format;
  if (uint64_t{format.width} * format.height > options_.max_pixels) {
    return {StatusCode::kUnsupported, "a frame too large for this test"};
  }
  if (options_.damage == nullptr) return inner_.Submit(coded, frame);

  Random& random = *options_.damage;
  client::SubmittedFrame damaged = coded;
  const std::span<uint8_t> bytes = AnyControl(random, &damaged.controls);
  if (Below(random, 16) == 0) {
    for (uint8_t& byte : bytes) byte = uint8_t(random());
  } else {
    DamageBytes(random, bytes);
  }
  if (Below(random, 4) == 0) {
    damaged.data = damaged.data.first(Below(random, damaged.data.size() + 1));
  }
  if (Below(random, 4) == 0) {
    damaged.references[Below(random, 3)] = damaged.references[Below(random, 3)];
  }
  if (Below(random, 8) == 0) damaged.references[Below(random, 3)] = nullptr;
  return inner_.Submit(damaged, frame);
}

Bystander::Bystander(Engine& engine, const std::string& path)
    : engine_(engine),
      codec_(CodecOf(path)),
      packets_(ReadPackets(path, SIZE_MAX)),
      expected_(DecodeOnce()),
      thread_([this] { Run(); }) {}

Bystander::~Bystander() { Stop(); }

bool Bystander::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return intact_ && expected_.failed == 0 && expected_.shown > 0;
}

Outcome Bystander::DecodeOnce() {
  client::EngineBackend backend(engine_, codec_, true);
  return DecodePackets(backend, packets_);
}

void Bystander::Run() {
  while (!stop_) {
    if (DecodeOnce() != expected_) intact_ = false;
    ++passes_;
    // The damaged streams are what the time is for.
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace perdix
