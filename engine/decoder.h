// SPDX-License-Identifier: BSD-2-Clause
// One stream of an engine: perdixd has a Decoder for each V4L2 context.
#ifndef PERDIX_ENGINE_DECODER_H_
#define PERDIX_ENGINE_DECODER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "codec/frame_request.h"
#include "engine/stage_clocks.h"

namespace perdix {

struct CodecRow;
class Engine;
class Scheduler;

// Statistics of one stream, since it began.
struct StreamCounters {
  std::vector<StageTime> stages;  // empty unless EngineOptions::measure
  uint64_t motion_sum = 0;        // see EngineCounters
  uint64_t motion_frames = 0;
};

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

  StreamCounters counters() const;  // any thread
  // The stream's number, which a trace names: from 1 on, in the order in which
  // the engine's streams begin.
  uint32_t number() const;

 private:
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace perdix

#endif  // PERDIX_ENGINE_DECODER_H_
