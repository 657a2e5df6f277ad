// SPDX-License-Identifier: BSD-2-Clause
// Decodes in this process, through perdix::Decoder into pictures of the engine.
// A frame has a picture from the moment that the engine takes it, not before:
// one that waits takes no memory, and begins without waiting for the client.
// Where only the CPU decodes, a frame that is only parsed takes none either.
#ifndef PERDIX_CLIENT_INPROCESS_ENGINE_BACKEND_H_
#define PERDIX_CLIENT_INPROCESS_ENGINE_BACKEND_H_

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "client/stream/backend.h"
#include "engine/decoder.h"
#include "engine/engine.h"
#include "kernels/gpu/frame_input.h"

namespace perdix::client {

class EngineFrame;
class PicturePool;
extern template class BackendOf<EngineFrame>;

class EngineBackend : public BackendOf<EngineFrame> {
 public:
  // The engine must outlive the backend. pixels: whether images are read; those
  // that only the GPU reaches are copied then.
  EngineBackend(Engine& engine, const ClientCodec& codec, bool pixels);
  ~EngineBackend() override;

  void CopySlot(uint8_t slot, uint32_t refresh) override;
  void FramesAreLost() override;
  void Rewind() override;
  size_t depth() const override;
  const Decoder& decoder() const { return decoder_; }
  // From now on samples of more than 8 bit have their value in the upper bits
  // of 16 (PictureView::shift), as in P010.
  void UseUpperBits() { upper_bits_ = true; }
  // From now on frames that are decoded although their data is damaged count as
  // intact.
  void IgnoreDamage() { ignores_damage_ = true; }
  // From now on what only the GPU reaches is not copied: an image of it has no
  // pixels. ReadBack() gives them.
  void LeaveInGpu() { leaves_in_gpu_ = true; }

 private:
  friend EngineFrame;
  struct Client;
  struct Waiting {
    SubmittedFrame coded;
    References references;
    // Null: only copies a slot, or else frames are lost.
    std::shared_ptr<EngineFrame> frame;
  };

  Status Decode(const SubmittedFrame& coded, const References& references,
                std::shared_ptr<EngineFrame>* frame) override;

  // Frames that the engine has of one size: no picture lies there unused.
  size_t InFlight(const FrameFormat& format) const;

  // All with mutex_ held.
  void StartFrames();
  void Start(Waiting waiting);
  void StartLost();
  PicturePtr NewPicture(const FrameFormat& format, bool upper_bits,
                        bool needs_cpu);
  void Refresh(uint32_t slots, const PicturePtr& picture);

  // FrameRequest::parsed of a frame. Without mutex_ held.
  bool Parsed(EngineFrame& frame, const PacketParser& parser_behind,
              std::span<const uint8_t> rest);

  Engine& engine_;
  const bool pixels_;
  bool upper_bits_ = false;
  bool ignores_damage_ = false;
  bool leaves_in_gpu_ = false;
  const std::shared_ptr<Client> client_;
  const std::shared_ptr<PicturePool> pool_;
  mutable std::mutex mutex_;
  std::deque<Waiting> waiting_;
  size_t waiting_bytes_ = 0;  // coded
  // After the frame started last: they keep the references. A frame whose
  // pixels nobody reads does not, so that a picture is free as soon as the
  // engine is through with it, however late the client notices.
  std::array<PicturePtr, kReferenceSlots> slots_;
  size_t running_ = 0;  // in the engine
  // No frame begins before the end is known of the one that began last, and
  // what follows there is submitted.
  bool end_is_open_ = false;
  const bool frame_parallel_;
  Decoder decoder_;
};

// What is shown of a frame that is decoded, as the GPU finds it. Without
// memory: it does not reach it, or another backend has it.
gpu::Picture InGpuMemory(const DecodedFrame& frame);

// DecodedFrame::Map, with pixels wherever they are. Fails with kDeviceLost.
// Throws std::bad_alloc.
Status ReadBack(DecodedFrame& frame, Image* image);

}  // namespace perdix::client

#endif  // PERDIX_CLIENT_INPROCESS_ENGINE_BACKEND_H_
