// SPDX-License-Identifier: BSD-2-Clause
// node_fuzz DEVICE [CASES [SEED]]
//
// Damaged streams and random control payloads, of VP9 and AV1 in turn, through
// a V4L2 node, intact streams in another session beside them. A frame may fail;
// it may not take longer than the limit, and the intact streams stay bit-exact.
// Exit status 0: all of that held.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "client/bitstream/av1/codec.h"
#include "client/bitstream/vp9/codec.h"
#include "client/node/v4l2_backend.h"
#include "client/stream/stream.h"
#include "tests/fuzz/damage.h"
#include "tests/fuzz/damage_obus.h"
#include "tests/fuzz/session.h"

namespace perdix {
namespace {

constexpr int kTimeoutMs = 2000;

struct Totals {
  int shown = 0;
  int failed = 0;
  int hung = 0;
};

struct Clip {
  const client::ClientCodec& codec;
  Packets packets;
};

Clip ReadVp9(const std::string& name, size_t packets) {
  return {client::vp9::kCodec, ReadPackets(ClipPath(name), packets)};
}
Clip ReadAv1(const std::string& name, size_t packets) {
  return {client::av1::kCodec, ReadPackets(ClipPath("av1/" + name), packets)};
}

std::unique_ptr<client::Backend> OpenNode(const std::string& device,
                                          const client::ClientCodec& codec) {
  std::unique_ptr<client::Backend> backend;
  const Status status =
      client::V4l2Backend::Open(device, codec, kTimeoutMs, &backend);
  if (!status.ok()) {
    fprintf(stderr, "%s: %s\n", device.c_str(), status.message().c_str());
    exit(1);
  }
  return backend;
}

void Decode(client::Backend& backend, const Packets& packets, Totals* totals) {
  client::Stream stream(
      backend, {.shown =
                    [totals](const client::Image&) {
                      ++totals->shown;
                      return true;
                    },
                .failed =
                    [totals](const client::Position&, const Status& status) {
                      ++totals->failed;
                      const bool hung = status.code() == StatusCode::kCancelled;
                      totals->hung += hung;
                      return !hung;
                    }});
  for (const Bytes& packet : packets) {
    const auto copy = std::make_shared<const Bytes>(packet);
    stream.Decode(*copy, copy);
  }
  stream.Flush();
}

void Damage(Random& random, const Clip& other, Clip* clip) {
  if (&clip->codec == &client::av1::kCodec && Below(random, 2) == 0)
    DamageObus(random, other.packets, &clip->packets);
  else
    DamagePackets(random, &clip->packets);
}

// Even cases damage the stream, odd ones what the client says about it.
void RunCase(const std::string& device, Random& random, size_t number,
             Clip clip, const Clip& other, Totals* totals) {
  const auto node = OpenNode(device, clip.codec);
  if (number % 2 == 0) Damage(random, other, &clip);
  GuardedBackend backend(*node,
                         {.damage = number % 2 == 0 ? nullptr : &random});
  Decode(backend, clip.packets, totals);
}

// Intact streams over and over, one of each codec, on a thread of its own.
class Beside {
 public:
  explicit Beside(const std::string& device) : device_(device) {
    for (const Clip& clip : clips_) {
      expected_.push_back(DecodeOnce(clip));
      wrong_ += expected_.back().failed + (expected_.back().shown == 0);
    }
    thread_ = std::thread([this] { Run(); });
  }

  void Stop() {
    stop_ = true;
    thread_.join();
  }
  // Once it is stopped.
  int passes() const { return passes_; }
  int wrong() const { return wrong_; }

 private:
  Outcome DecodeOnce(const Clip& clip) const {
    return DecodePackets(*OpenNode(device_, clip.codec), clip.packets);
  }
  void Run() {
    for (size_t i = 0; !stop_; i = (i + 1) % clips_.size(), ++passes_)
      wrong_ += DecodeOnce(clips_[i]) != expected_[i];
  }

  const std::string device_;
  const std::vector<Clip> clips_ = {ReadVp9("resilient_176x144.ivf", SIZE_MAX),
                                    ReadAv1("tenbit_176x72.ivf", SIZE_MAX)};
  std::vector<Outcome> expected_;
  int passes_ = 0;
  int wrong_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

int Run(const std::string& device, size_t cases, uint64_t seed) {
  // The clips of a codec follow each other.
  const Clip clips[] = {
      ReadVp9("odd_99x57.webm", 12),       ReadVp9("tiles_512x288.webm", 4),
      ReadAv1("tiles_256x160.obu", 8),     ReadAv1("grain10_176x72.ivf", 8),
      ReadAv1("resilient_176x72.ivf", 12), ReadAv1("screen_256x128.ivf", 4)};
  constexpr size_t kVp9Clips = 2;
  constexpr size_t kAv1Clips = std::size(clips) - kVp9Clips;
  for (const Clip& clip : clips) {
    if (!clip.packets.empty()) continue;
    fprintf(stderr, "no clips at %s\n", ClipPath("").c_str());
    return 1;
  }

  Beside beside(device);
  Totals totals;
  for (size_t i = 0; i < cases; ++i) {
    Random random(seed * 1000003 + i);
    const size_t pair = i / 2;
    const size_t clip =
        pair % 2 == 0 ? pair / 2 % kVp9Clips : kVp9Clips + pair / 2 % kAv1Clips;
    RunCase(device, random, i, clips[clip],
            clips[kVp9Clips + Below(random, kAv1Clips)], &totals);
  }
  beside.Stop();
  printf(
      "%zu cases, seed %llu: %d frames shown, %d failed, %d took too long; "
      "beside: %d passes, %d not bit-exact\n",
      cases, static_cast<unsigned long long>(seed), totals.shown, totals.failed,
      totals.hung, beside.passes(), beside.wrong());
  return totals.hung || beside.wrong() || beside.passes() == 0 ||
         totals.failed == 0;
}

}  // namespace
}  // namespace perdix

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: node_fuzz DEVICE [CASES [SEED]]\n");
    return 64;
  }
  return perdix::Run(argv[1], argc > 2 ? strtoull(argv[2], nullptr, 0) : 400,
                     argc > 3 ? strtoull(argv[3], nullptr, 0) : 1);
}
