// SPDX-License-Identifier: BSD-2-Clause
// One stream through the client's parser and the engine.
#ifndef PERDIX_TESTS_FUZZ_SESSION_H_
#define PERDIX_TESTS_FUZZ_SESSION_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>

#include "client/bitstream/codec.h"
#include "client/stream/backend.h"
#include "engine/engine.h"
#include "tests/fuzz/damage.h"

namespace perdix {

// What came out.
struct Outcome {
  uint64_t hash = 0;  // of every shown pixel, in order
  int shown = 0;
  int failed = 0;
  bool operator==(const Outcome&) const = default;
};

// Goes on from <hash> with the picture's pixels.
uint64_t HashPicture(uint64_t hash, const PictureView& view, bool monochrome);

// The path of a VP9 clip of the repository, and of AV1's files for the fuzzers.
std::string ClipPath(const std::string& name);
std::string CorpusPath(const std::string& name);

Bytes ReadFile(const std::string& path);

// At most `limit` packets of a file.
Packets ReadPackets(const std::string& path, size_t limit);

// A failure without a message ends the process, here and below.
Outcome DecodePackets(client::Backend& backend, const Packets& packets,
                      const client::ParserOptions& options = {});
// Goes on behind damage of the file.
Outcome DecodeFile(client::Backend& backend, const std::string& path);

struct GuardOptions {
  // Frames with more are refused. 64 times VP9's largest clip by default:
  // enough for every path of the engine.
  uint64_t max_pixels = 4096 * 2304;
  // Null, or the source of random controls, lengths and references.
  Random* damage = nullptr;
};

// Refuses frames that only take long, and can damage what reaches the engine.
class GuardedBackend : public client::Backend {
 public:
  explicit GuardedBackend(client::Backend& inner,
                          const GuardOptions& options = {})
      : client::Backend(inner.codec()), inner_(inner), options_(options) {}

  Status Submit(const client::SubmittedFrame& coded,
                client::DecodedFramePtr* frame) override;
  void CopySlot(uint8_t slot, uint32_t refresh) override {
    inner_.CopySlot(slot, refresh);
  }
  void FramesAreLost() override { inner_.FramesAreLost(); }
  void Rewind() override { inner_.Rewind(); }
  size_t depth() const override { return inner_.depth(); }

 private:
  client::Backend& inner_;
  const GuardOptions options_;
};

// A session that decodes an intact clip over and over beside the damaged ones,
// on the same engine. Its outcome must always be the first one.
class Bystander {
 public:
  Bystander(Engine& engine, const std::string& path);
  ~Bystander();

  // Stops it; false if an outcome ever differed.
  bool Stop();
  int passes() const { return passes_; }

 private:
  Outcome DecodeOnce();
  void Run();

  Engine& engine_;
  const client::ClientCodec& codec_;
  const Packets packets_;
  const Outcome expected_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> intact_{true};
  std::atomic<int> passes_{0};
  std::thread thread_;
};

}  // namespace perdix

#endif  // PERDIX_TESTS_FUZZ_SESSION_H_
