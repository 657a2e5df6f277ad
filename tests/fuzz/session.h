// SPDX-License-Identifier: BSD-2-Clause
// One stream through the client's parser and the engine.
#ifndef PERDIX_TESTS_FUZZ_SESSION_H_
#define PERDIX_TESTS_FUZZ_SESSION_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "codec/engine.h"
#include "tests/fuzz/damage.h"
#include "tools/client/backend.h"

namespace perdix {

// What came out.
struct Outcome {
  uint64_t hash = 0;  // of every shown pixel, in order
  int shown = 0;
  int failed = 0;
  bool operator==(const Outcome&) const = default;
};

// The path of a clip of the repository.
std::string ClipPath(const std::string& name);

Bytes ReadFile(const std::string& path);

// At most `limit` packets of a file.
Packets ReadPackets(const std::string& path, size_t limit);

Outcome DecodePackets(client::Backend& backend, const Packets& packets);
Outcome DecodeFile(client::Backend& backend, const std::string& path);

// Refuses frames that only take long, and can damage what reaches the engine.
class GuardedBackend : public client::Backend {
 public:
  // damage: null, or the source of random controls, lengths and references
  GuardedBackend(client::Backend& inner, Random* damage)
      : client::Backend(inner.codec()), inner_(inner), damage_(damage) {}

  Status Submit(const client::CodedFrame& coded,
                client::DecodedFramePtr* frame) override;
  size_t depth() const override { return inner_.depth(); }

 private:
  client::Backend& inner_;
  Random* const damage_;
};

// A session that decodes an intact clip over and over beside the damaged ones,
// on the same engine. Its outcome must always be the first one.
class Bystander {
 public:
  Bystander(Engine& engine, const std::string& clip);
  ~Bystander();

  // Stops it; false if an outcome ever differed.
  bool Stop();
  int passes() const { return passes_; }

 private:
  void Run();

  Engine& engine_;
  const Packets packets_;
  const Outcome expected_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> intact_{true};
  std::atomic<int> passes_{0};
  std::thread thread_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_SESSION_H_
