// SPDX-License-Identifier: BSD-2-Clause
// node_fuzz DEVICE [CASES [SEED]]
//
// Damaged streams and random control payloads through a V4L2 node, an intact
// stream in another session beside them. A frame may fail; it may not take
// longer than the limit, and the intact stream stays bit-exact. Exit status 0:
// all of that held.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "tests/fuzz/damage.h"
#include "tests/fuzz/session.h"
#include "tools/client/stream.h"
#include "tools/client/v4l2_backend.h"
#include "tools/client/vp9/codec.h"

namespace perdix {
namespace {

constexpr int kTimeoutMs = 2000;

struct Totals {
  int shown = 0;
  int failed = 0;
  int hung = 0;
};

std::unique_ptr<client::Backend> OpenNode(const std::string& device) {
  std::unique_ptr<client::Backend> backend;
  const Status status = client::V4l2Backend::Open(device, client::vp9::kCodec,
                                                  kTimeoutMs, &backend);
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

// Even cases damage the stream, odd ones what the client says about it.
void RunCase(const std::string& device, Random& random, size_t number,
             Packets packets, Totals* totals) {
  const auto node = OpenNode(device);
  if (number % 2 == 0) DamagePackets(random, &packets);
  GuardedBackend backend(*node,
                         {.damage = number % 2 == 0 ? nullptr : &random});
  Decode(backend, packets, totals);
}

int Run(const std::string& device, size_t cases, uint64_t seed) {
  const Packets clips[] = {ReadPackets(ClipPath("odd_99x57.webm"), 12),
                           ReadPackets(ClipPath("tiles_512x288.webm"), 4)};
  const Packets intact =
      ReadPackets(ClipPath("resilient_176x144.ivf"), SIZE_MAX);
  if (clips[0].empty() || clips[1].empty() || intact.empty()) {
    fprintf(stderr, "no clips at %s\n", ClipPath("").c_str());
    return 1;
  }
  const Outcome expected = DecodePackets(*OpenNode(device), intact);

  std::atomic<bool> stop{false};
  int passes = 0, wrong = expected.failed;
  std::thread beside([&] {
    for (; !stop; ++passes) {
      wrong += !(DecodePackets(*OpenNode(device), intact) == expected);
    }
  });
  Totals totals;
  for (size_t i = 0; i < cases; ++i) {
    Random random(seed * 1000003 + i);
    RunCase(device, random, i, clips[i / 2 % 2], &totals);
  }
  stop = true;
  beside.join();
  printf(
      "%zu cases, seed %llu: %d frames shown, %d failed, %d took too long; "
      "beside: %d passes, %d not bit-exact\n",
      cases, static_cast<unsigned long long>(seed), totals.shown, totals.failed,
      totals.hung, passes, wrong);
  return totals.hung || wrong || passes == 0 || totals.failed == 0;
}

}  // namespace
}  // namespace perdix

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: node_fuzz DEVICE [CASES [SEED]]\n");
    return 64;
  }
  return perdix::Run(argv[1], argc > 2 ? strtoull(argv[2], nullptr, 0) : 200,
                     argc > 3 ? strtoull(argv[3], nullptr, 0) : 1);
}
