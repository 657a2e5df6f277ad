// SPDX-License-Identifier: BSD-2-Clause
// The engine as its two users see it: perdixd (one Decoder for each V4L2
// context) and perdix-decode (in process).
#ifndef PERDIX_CODEC_DECODER_H_
#define PERDIX_CODEC_DECODER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "codec/picture.h"
#include "codec/recipe.h"
#include "kernels/status.h"

namespace perdix {

inline constexpr int kMaxReferences = 8;

// One frame to decode: what a V4L2 request carries. Everything in it comes
// from an unprivileged client and is checked by the decoder.
struct FrameRequest {
  // The codec's controls (VP9: one struct v4l2_ctrl_vp9_frame). Copied.
  std::span<const uint8_t> controls;
  // The coded frame, headers included. Must stay readable until done().
  std::span<const uint8_t> bitstream;
  std::shared_ptr<const void> bitstream_owner;  // may be null
  PicturePtr target;
  // In the order of the controls' timestamps (VP9: last, golden, altref).
  // Null: the client named no intact picture.
  std::array<PicturePtr, kMaxReferences> references;
  // Called exactly once, from a worker thread, in the order of Submit(). The
  // target is written, or target->broken is set and the status says why.
  std::function<void(const Status&)> done;
};

// Time spent since the engine started, summed over threads.
struct StageTime {
  std::string stage;    // "entropy" or a kernel's key
  std::string variant;  // "cpu", "scalar", "simd", "vulkan"
  uint64_t nanoseconds = 0;
};

struct EngineOptions {
  int threads = 0;  // 0: one for each CPU
  Recipe recipe;
  bool measure = false;  // fill StageTimes()
};

class ThreadPool;
class Scheduler;
struct StageClocks;

// What the sessions of a process share: threads and recipe.
class Engine {
 public:
  explicit Engine(const EngineOptions& options);
  ~Engine();  // every Decoder must be gone

  ThreadPool& pool() { return *pool_; }
  const Recipe& recipe() const { return recipe_; }
  int threads() const;
  std::vector<StageTime> StageTimes() const;

  StageClocks* clocks() { return clocks_.get(); }  // null unless measuring

 private:
  std::unique_ptr<ThreadPool> pool_;
  Recipe recipe_;
  std::unique_ptr<StageClocks> clocks_;
};

struct CodecRow;

// One stream. Submit() and the destructor belong to one thread.
class Decoder {
 public:
  // codec: a row of Codecs(). The engine must outlive the decoder.
  Decoder(Engine& engine, const CodecRow& codec);
  ~Decoder();  // waits for what is in flight, like Drain()
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // Takes the frame; never waits for decoding. Any number may be queued.
  void Submit(FrameRequest request);

  // Returns when done() of every submitted frame has returned.
  void Drain();

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace perdix

#endif  // PERDIX_CODEC_DECODER_H_
